# --json: what is in the object, and that it never gets among the data.
. "$(dirname "$0")/lib.sh"
new_keyset k.json
random_file plain 10000
id=$("$millrace" keyset list --json k.json | python3 -c 'import json,sys; print(json.load(sys.stdin)["keys"][0]["id"])')

# expect_report FILE OPERATION BYTES OUTPUT_BYTES SEGMENTS VERIFIED: one line, one object, these values.
expect_report() {
  python3 - "$@" "$id" <<'P' || fail "report: $(cat "$1")"
import json, sys
name, operation, size, output, segments, verified, key = sys.argv[1:]
text = open(name).read()
assert text.count("\n") == 1 and text.endswith("\n"), text
o = json.loads(text)
assert list(o) == ["operation", "bytes", "output_bytes", "segments", "key_id", "checksum", "verified", "seconds", "bytes_per_second"], list(o)
assert o["operation"] == operation and o["bytes"] == int(size) and o["output_bytes"] == int(output), o
assert o["verified"] is (verified == "yes") and o["checksum"] is None, o
if operation != "cat":
    assert o["segments"] == int(segments) and o["key_id"] == int(key), o
assert isinstance(o["seconds"], float) and o["seconds"] >= 0 and o["bytes_per_second"] >= 0, o
P
}
for source in "plain" "- < plain" "- < <(cat plain)"; do
  # Data in a file: the object is on stdout.
  expect_status 0 eval '"$millrace" encrypt --json --keyset k.json -f -o e '"$source"
  expect_silence
  expect_report "$out" encrypt 10000 10088 3 no
  # Data on stdout: it is on stderr.
  expect_status 0 eval '"$millrace" encrypt --json --keyset k.json '"$source"
  expect_report "$err" encrypt 10000 10088 3 no
  [ "$(stat -c %s "$out")" = 10088 ] || fail "something among the data"
  from=${source//plain/e}
  expect_status 0 eval '"$millrace" decrypt --json --keyset k.json -f -o d '"$from"
  expect_report "$out" decrypt 10000 10000 3 yes
  expect_status 0 eval '"$millrace" decrypt --json --keyset k.json '"$from"
  expect_report "$err" decrypt 10000 10000 3 yes
  expect_equal plain "$out"
  expect_status 0 eval '"$millrace" verify --json --quiet --keyset k.json '"$from"
  expect_silence
  expect_report "$out" verify 10000 0 3 yes
  expect_status 0 eval '"$millrace" cat --json --keyset k.json --range 100-199 '"$from"
  expect_report "$err" cat 100 100 0 yes
done
# A failure gives no object, only its line and its status.
head -c 5000 e > cut
expect_status 3 "$millrace" verify --json --keyset k.json cut
expect_stderr "cut: "
[ ! -s "$out" ] || fail "an object for a failure"
# Without a terminal and without being asked, silence.
expect_status 0 "$millrace" verify --keyset k.json e
expect_silence
[ ! -s "$out" ] || fail "verify wrote something"
