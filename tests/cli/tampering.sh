# Altered streams: status 3, one line that names the file, no output file; a pipe got verified whole segments only.
. "$(dirname "$0")/lib.sh"
# alter.py CHANGE...: the files bad.0, bad.1, ... of e, each with one change.
cat > "$base/alter.py" <<'P'
import sys
for number, change in enumerate(sys.argv[1:]):
    how, at = change.split()[0], int(change.split()[1])
    data = bytearray(open("e", "rb").read())
    if how == "flip":
        data[at] ^= 0x10
    elif how == "cut":
        data = data[:at]
    elif how == "add":
        data += b"\0" * at
    elif how == "swap":  # segments 1 and 2
        data[4096:8192], data[8192:12288] = data[8192:12288], data[4096:8192]
    elif how == "drop":
        del data[4096:8192]
    elif how == "repeat":
        data[8192:8192] = data[4096:8192]
    open("bad.%d" % number, "wb").write(data)
P
# is_prefix: what went to the pipe is a beginning of the plaintext that ends where a segment does.
is_prefix() {
  local size
  size=$(stat -c %s "$out")
  cmp -s -n "$size" "$out" plain || fail "bytes that are not of the plaintext: $*"
  [ "$size" = 0 ] || [ $(((size - first) % rest)) = 0 ] || fail "$size bytes left, not whole segments: $*"
  [ "$size" -lt "$(stat -c %s plain)" ] || fail "the whole plaintext left: $*"
}

for template in AES256_GCM_HKDF_4KB AES256_CTR_HMAC_SHA256_4KB; do
  new_keyset k.json $template
  case $template in
    *GCM*) tag=16 ;;
    *) tag=32 ;;
  esac
  first=$((4096 - 40 - tag)) rest=$((4096 - tag))
  random_file plain $((first + 9 * rest + 1000))
  "$millrace" encrypt --keyset k.json -o e plain
  size=$(stat -c %s e)
  [ $size = $((10 * 4096 + 1000 + tag)) ] || fail "size of the stream"
  changes=("flip 0" "flip 1" "flip 39" "flip 40" "flip 4096" "flip 20000" "flip $((size - 1001 - tag))" "flip $((size - 1))"
    "cut 0" "cut 39" "cut 40" "cut 4096" "cut 4097" "cut 40960" "cut $((40960 + tag))" "add 1" "swap 0" "drop 0" "repeat 0")
  python3 "$base/alter.py" "${changes[@]}"
  for i in "${!changes[@]}"; do
    refused 3 "bad.$i: " -- "$millrace" decrypt --keyset k.json -o d bad.$i
    refused 3 "bad.$i: " -- "$millrace" decrypt --keyset k.json bad.$i
    is_prefix "${changes[i]}"
    refused 3 "standard input: " -- "$millrace" decrypt --keyset k.json --threads 1 < <(cat bad.$i)
    is_prefix "${changes[i]}"
    refused 3 "bad.$i: " -- "$millrace" verify --keyset k.json bad.$i
    expect_absent d
    rm bad.$i
  done
  expect_only e k.json plain
  # Several threads read ahead of the bad segment; still nothing behind it leaves.
  python3 "$base/alter.py" "flip 20000"
  mv bad.0 bad
  for threads in 2 4; do
    refused 3 "standard input: " -- "$millrace" decrypt --keyset k.json --threads $threads < <(cat bad)
    is_prefix "threads $threads"
    [ "$(stat -c %s "$out")" = $((first + 3 * rest)) ] || fail "not all segments before the bad one"
    refused 3 "standard input: " -- "$millrace" decrypt --keyset k.json --threads $threads -o d < <(cat bad)
  done
  # The wrong key, over a file that is there.
  new_keyset other.json $template
  echo old > d
  refused 3 "e: " "not authentic" -- "$millrace" decrypt --keyset other.json --force -o d e
  refused 3 "standard input: " -- "$millrace" decrypt --keyset other.json --force -o d < <(cat e)
  refused 3 "bad: " -- "$millrace" decrypt --keyset k.json --force -o d bad
  [ "$(cat d)" = old ] || fail "the old file was touched"
  expect_only bad d e k.json other.json plain
  rm *
done
