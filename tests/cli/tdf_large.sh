# TDF files across the borders of 2 and 4 GiB: what others list of them, and ranges read back. Takes 11 GiB of disk and
# some minutes, so it is not one of the usual tests: make large.
. "$(dirname "$0")/lib.sh"
. "$here/tdf_lib.sh"
new_pair rsa rsa:2048
keys="--kas-private-key $base/rsa"

# marked_file NAME SIZE: a hole, but for a line at every place where something could wrap.
marks="0 2147483640 2147483648 4294967290 4294967296 4294967400 5368709000"
marked_file() {
  local at
  truncate -s "$2" "$1"
  for at in $marks; do
    if [ $((at + 12)) -le "$2" ]; then printf 'mark%08x' $((at % 4294967296)) | dd of="$1" bs=1M seek=$at oflag=seek_bytes conv=notrunc status=none; fi
  done
}
# expect_marks SEALED PLAIN: the bytes around each mark are those of the plaintext.
expect_marks() {
  local at
  for at in $marks; do
    [ $((at + 32)) -le "$(stat -c %s "$2")" ] || continue
    "$millrace" cat $keys --range $at-$((at + 31)) "$1" > "$out" 2> "$err" || fail "no range at $at"
    tail -c +$((at + 1)) "$2" | head -c 32 | cmp -s - "$out" || fail "other bytes at $at"
  done
}
# expect_listed SEALED PAYLOAD_SIZE
expect_listed() {
  unzip -l "$1" > "$out" 2> "$err" || fail "unzip -l"
  grep -qE "^ *$2 .* 0.payload$" "$out" || fail "unzip lists no payload of $2 bytes"
  "${PYTHON:-python3}" - "$1" "$2" << 'END' || fail "zipfile"
import sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.namelist() == ["0.payload", "0.manifest.json"], archive.namelist()
assert archive.getinfo("0.payload").file_size == int(sys.argv[2])
assert archive.read("0.manifest.json").startswith(b"{")
END
}
# zip64 SEALED: how many ZIP64 end records it has in its last kilobyte.
zip64() { tail -c 1000 "$1" | grep -caF $'PK\x06\x06' || true; }

# Z01: with segments of 2 MiB the last three are stored sizes of 2^31 - 2, 2^31 - 1 and 2^31 bytes. Readers with signed numbers
# end before that, and the manifest behind the payload lies beyond already with the first of them.
for size in 2147000000 2147454974 2147454975 2147454976; do
  marked_file plain $size
  seal rsa -o sealed plain
  expect_listed sealed $((size + (size + 2097151) / 2097152 * 28))
  want=$([ $size = 2147000000 ] && echo 0 || echo 1)
  [ "$(zip64 sealed)" = "$want" ] || fail "$size: $(zip64 sealed) ZIP64 records, not $want"
  expect_marks sealed plain
  rm -f plain sealed
done

# Beyond 4 GiB, of a known and an unknown length. The CRC-32 is looked at by others once.
marked_file plain $((5 << 30))
payload=$(((5 << 30) + 2560 * 28))
seal rsa -o sealed plain
expect_listed sealed $payload
expect_marks sealed plain
expect_status 0 "$millrace" verify $keys sealed
unzip -tq sealed > "$out" 2> "$err" || fail "unzip -t"
rm -f sealed
seal rsa -o sealed < <(cat plain)
expect_listed sealed $payload
expect_marks sealed plain
"$millrace" decrypt $keys sealed | cmp - plain || fail "the plaintext of the pipe"
