# Terminals: binary data is not shown on one; progress is shown on one and nowhere else unless asked for.
. "$(dirname "$0")/lib.sh"
new_keyset k.json
printf 'a text\twith \xc3\xa4\n' > text
random_file binary 20000
printf 'text first\n\0' > late
for name in text binary late; do "$millrace" encrypt --keyset k.json -o $name.e $name; done

# on_terminal WHICH EXPRESSION COMMAND...: the expression over the result `r` of terminal.py.
on_terminal() {
  local which=$1 expression=$2
  shift 2
  python3 "$here/terminal.py" "$which" "$@" > "$out" 2> "$err" || fail "terminal.py"
  python3 -c "import json,re,sys; r=json.load(open(sys.argv[1])); sys.exit(not ($expression))" "$out" || fail "$* on terminal $which: not $expression: $(cat "$out")"
}
refused='r["status"] == 2 and r["terminal"] == "" and "terminal" in r["2"] and r["2"].count("\n") == 1'
on_terminal 1 "$refused" "$millrace" encrypt --keyset k.json text
on_terminal 1 "$refused" "$millrace" decrypt --keyset k.json binary.e
on_terminal 1 "$refused" "$millrace" cat --keyset k.json --range 0-1000 binary.e
on_terminal 1 "$refused" "$millrace" keyset convert --to binary k.json
on_terminal 1 'r["status"] == 0 and r["terminal"] == "a text\twith \xc3\xa4\r\n" and r["2"] == ""' "$millrace" decrypt --keyset k.json text.e
on_terminal 1 'r["status"] == 0 and r["terminal"] == "a t" and r["2"] == ""' "$millrace" cat --keyset k.json --range 0-2 text.e
on_terminal 1 'r["status"] == 2 and "\0" not in r["terminal"]' "$millrace" decrypt --keyset k.json late.e
# To insist takes "-o -"; a file or a pipe is nobody's terminal.
on_terminal 1 'r["status"] == 0 and len(r["terminal"]) >= 63' "$millrace" encrypt --keyset k.json -o - text
on_terminal 02 'r["status"] == 0 and len(r["1"]) > 20000' "$millrace" encrypt --keyset k.json binary
on_terminal 012 'r["status"] == 0' "$millrace" decrypt --keyset k.json --quiet -o binary.d binary.e
expect_equal binary binary.d

# Progress. A slow input, so that there is time for one: a line that is drawn again and is gone at the end.
slow='head -c 5000 binary; sleep 0.7; cat binary'
live='"\r\x1b[K" in r["terminal"] and re.search(r"encrypt: [0-9.]+ (B|KiB), [0-9.]+ (B|KiB)/s", r["terminal"]) is not None'
summary='re.search(r"encrypt: 24\.4 KiB in [0-9.]+ s, [0-9.]+ [KM]iB/s\r\n$", r["terminal"]) is not None'
on_terminal 2 "r['status'] == 0 and $live and $summary" env TERM=xterm "$millrace" encrypt --keyset k.json -o p1 --producer "$slow"
none='r["status"] == 0 and r["terminal"] == ""'
on_terminal 2 "$none" env TERM=dumb "$millrace" encrypt --keyset k.json -o p2 --producer "$slow"
on_terminal 2 "$none" env -u TERM "$millrace" encrypt --keyset k.json -o p3 --producer "$slow"
on_terminal 2 "$none" env TERM=xterm "$millrace" encrypt --quiet --keyset k.json -o p4 --producer "$slow"
on_terminal 2 "$none" env TERM=xterm "$millrace" encrypt --progress=none --keyset k.json -o p5 --producer "$slow"
on_terminal 1 'r["status"] == 0 and r["2"] == "" and r["terminal"] == ""' env TERM=xterm "$millrace" encrypt --keyset k.json -o p6 --producer "$slow"
# Lines, for logs: no control characters, wherever they go.
on_terminal 1 'r["status"] == 0 and r["terminal"] == "" and re.fullmatch(r"(encrypt: [ -~]+/s\n)+", r["2"]) is not None and r["2"].count("\n") >= 2' \
  "$millrace" encrypt --progress=lines --keyset k.json -o p7 --producer "head -c 5000 binary; sleep 1.3; cat binary"
on_terminal 2 'r["status"] == 0 and r["terminal"] == ""' "$millrace" encrypt --progress=lines --quiet --keyset k.json -o p8 binary
# An error does not stick to the end of the live line.
on_terminal 2 'r["status"] == 1 and re.search(r"\r\x1b\[Kmillrace: --producer: [^\r\n]+\r\n$", r["terminal"]) is not None' \
  env TERM=xterm "$millrace" encrypt --keyset k.json -o p9 --producer "$slow; exit 3"
expect_absent p9
