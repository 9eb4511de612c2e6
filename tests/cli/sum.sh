# sum: the values of others, lists of others, trees, and what the status says.
. "$(dirname "$0")/lib.sh"
sum() { "$millrace" sum "$@"; }

printf 123456789 > check
: > empty
random_file odd 1000003
cp odd "a b"
cp check ' lead'
cp check '*star'
cp check 'p (q) = r'
files=(check empty odd "a b" ' lead' '*star' 'p (q) = r')

# Line by line what coreutils print, names that need escaping too; then each side checks the other's list.
hostile=($'new\nline' 'back\slash' $'return\r' 'tail ')
for name in "${hostile[@]}"; do cp check "$name"; done
for algorithm in md5 sha1 sha256 sha512; do
  ${algorithm}sum "${files[@]}" "${hostile[@]}" > theirs
  expect_status 0 sum -a $algorithm "${files[@]}" "${hostile[@]}"
  expect_silence
  expect_equal theirs "$out"
  cksum -a $algorithm --tag "${files[@]}" "${hostile[@]}" > theirs.tag
  expect_status 0 sum --tag -a $algorithm "${files[@]}" "${hostile[@]}"
  expect_equal theirs.tag "$out"
  ${algorithm}sum -c --quiet "$out" || fail "${algorithm}sum refuses our list"
  for list in theirs theirs.tag; do
    expect_status 0 sum -c $list
    expect_silence
    [ "$(grep -c ': OK$' "$out")" = 11 ] || fail "verdicts"
    # Verdicts escape names as lines do; coreutils 9.1 does it for line breaks alone.
    ${algorithm}sum -c $list | grep -v 'slash\|return' > verdicts
    grep -v 'slash\|return' "$out" | cmp - verdicts || fail "other verdicts than ${algorithm}sum"
  done
  ${algorithm}sum -b odd > theirs
  expect_status 0 sum -c theirs
  [ "$(cat "$out")" = "odd: OK" ] || fail "binary mode"
done
rm "${hostile[@]}" theirs theirs.tag verdicts

# CRCs: zlib's for CRC-32, published check values, and a bit at a time for CRC-64/NVME and CRC-32C.
cat > "$base/crc.py" <<'P'
import sys, zlib
def bitwise(data, polynomial, width):
    mask = (1 << width) - 1
    crc = mask
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (polynomial if crc & 1 else 0)
    return format(crc ^ mask, "0%dx" % (width // 4))
data = open(sys.argv[2], "rb").read()
print({"crc32": lambda: format(zlib.crc32(data), "08x"),
       "crc32c": lambda: bitwise(data, 0x82f63b78, 32),
       "crc64nvme": lambda: bitwise(data, 0x9a6c9329ac4bc9b5, 64)}[sys.argv[1]]())
P
[ "$(python3 "$base/crc.py" crc64nvme check)" = ae8b14860a799888 ] || fail "the reference is wrong"
[ "$(python3 "$base/crc.py" crc32c check)" = e3069283 ] || fail "the reference is wrong"
head -c 70001 odd > small
for algorithm in crc32 crc32c crc64nvme; do
  for name in check empty small; do
    [ "$(sum -a $algorithm $name)" = "$(python3 "$base/crc.py" $algorithm $name)  $name" ] || fail "$algorithm of $name"
  done
done
# Larger than one range, so joined from several.
python3 -c 'import sys; sys.stdout.buffer.write(b"".join(i.to_bytes(4, "big") for i in range(4400001)))' > large
want=$(python3 "$base/crc.py" crc32 large)
for threads in 1 2 5; do
  [ "$(sum -a crc32 --threads $threads large)" = "$want  large" ] || fail "ranges with $threads threads"
done
[ "$(sum -a crc32 < large)" = "$want  -" ] || fail "standard input"
[ "$(cat large | sum -a crc32 -)" = "$want  -" ] || fail "a pipe"
[ "$(sum check)" = "ae8b14860a799888  check" ] || fail "the default is CRC-64/NVME"
rm large

# base64 as S3 has it.
for pair in crc32:AAAAAA==:y/Q5Jg== crc32c:AAAAAA==:4waSgw== crc64nvme:AAAAAAAAAAA=:rosUhgp5mIg=; do
  IFS=: read -r algorithm of_empty of_check <<< "$pair"
  [ "$(sum --base64 -a $algorithm empty check)" = "$of_empty  empty"$'\n'"$of_check  check" ] || fail "base64 $algorithm"
done
for option in "" --tag; do
  sum --base64 $option -a sha256 check odd > list
  expect_status 0 sum -c list
  [ "$(cat "$out")" = "check: OK"$'\n'"odd: OK" ] || fail "our own base64 list"
done

# Several algorithms in one pass: also from a pipe, which can be read only once. Written in any case, and twice.
expect_status 0 sum -a SHA256,crc32 -a md5,sha256 check odd
cat > want <<E
SHA256 (check) = $(sha256sum < check | cut -c 1-64)
CRC32 (check) = cbf43926
MD5 (check) = $(md5sum < check | cut -c 1-32)
SHA256 (odd) = $(sha256sum < odd | cut -c 1-64)
CRC32 (odd) = $(python3 "$base/crc.py" crc32 odd)
MD5 (odd) = $(md5sum < odd | cut -c 1-32)
E
expect_equal want "$out"
cat odd | sum -a sha256,crc32,md5 > "$out"
tail -n 3 want | sed 's/(odd)/(-)/' > piped
expect_equal piped "$out"
expect_status 0 sum -c want
[ "$(grep -c ': OK$' "$out")" = 6 ] || fail "a list of several algorithms"
[ "$(sum -a xxh64 empty)" = "ef46db3751d8e999  empty" ] || fail "XXH64"
[ "$(sum -a xxh3 empty)" = "2d06800538d394c2  empty" ] || fail "XXH3"

# Trees: every regular file by its name, links not followed, nothing else touched.
mkdir -p "tree/sub dir/deep" tree/none
cp check tree/z && cp odd "tree/sub dir/deep/-n" && cp empty $'tree/sub dir/e\nf' && cp check tree/.hidden
ln -s ../check tree/link && ln -s . tree/loop && mkfifo tree/fifo
find tree -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum > want
expect_status 0 sum -r -a sha256 tree
expect_silence
expect_equal want "$out"
expect_status 0 sum -r -a crc32 check tree/none
[ "$(cat "$out")" = "cbf43926  check" ] || fail "a file and an empty tree"
expect_status 1 sum -a crc32 tree check
expect_stderr tree -r
[ "$(cat "$out")" = "cbf43926  check" ] || fail "the other file is summed all the same"
rm tree/fifo

# What cannot be read is named; the rest is done.
expect_status 1 sum -a crc32 missing check
expect_stderr missing
[ "$(cat "$out")" = "cbf43926  check" ] || fail "the other file is summed all the same"
if [ "$(id -u)" = 0 ]; then
  # Root may read everything: as somebody else.
  cp "$millrace" "$base/millrace" && chmod 755 "$base" "$base/work"
  as_user() { setpriv --reuid 4800 --regid 4801 --clear-groups "$base/millrace" "$@"; }
else
  as_user() { "$millrace" "$@"; }
fi
cp check secret && chmod 000 secret
mkdir tree/closed && cp check tree/closed/in && chmod 000 tree/closed
expect_status 1 as_user sum -a crc32 secret check
expect_stderr secret denied
expect_status 1 as_user sum -r -a crc32 tree
expect_stderr tree/closed denied
[ "$(wc -l < "$out")" = 4 ] || fail "the rest of the tree is summed all the same"
echo "cbf43926  tree/closed/in" > list
expect_status 1 as_user sum -c --ignore-missing list
grep -qxF "tree/closed/in: FAILED open or read" "$out" || fail "what cannot be looked at is not missing"
chmod 755 tree/closed secret
rm secret

# Mismatches: status 3 and each bad name; what is missing: 1.
sha256sum check odd "a b" empty > list
printf x >> odd
: > "a b"
expect_status 3 sum -c list
[ "$(cat "$out")" = "check: OK"$'\n'"odd: FAILED"$'\n'"a b: FAILED"$'\n'"empty: OK" ] || fail "verdicts"
expect_stderr list "2 checksums"
expect_status 3 sum -c --quiet list
[ "$(cat "$out")" = "odd: FAILED"$'\n'"a b: FAILED" ] || fail "--quiet names the bad ones"
rm odd
expect_status 3 sum -c list
grep -qxF "odd: FAILED open or read" "$out" || fail "a missing file is named"
expect_status 3 sum -c --ignore-missing list
! grep -q odd "$out" || fail "--ignore-missing"
grep -v "a b" list > missing.list
expect_status 1 sum -c missing.list
expect_status 0 sum -c --ignore-missing missing.list
expect_silence
echo "cbf43926  gone" > list
expect_status 1 sum -c --ignore-missing list
expect_stderr list
# A file name that looks like a verdict stays one line.
name=$'gone: OK\ncheck'
printf x > "$name"
printf '\\cbf43926  gone: OK\\ncheck\n' > list
expect_status 3 sum -c list
[ "$(cat "$out")" = '\gone: OK\ncheck: FAILED' ] || fail "an escaped verdict: $(cat "$out")"
rm "$name"

# Lists as they come: carriage returns, comments, empty lines, one entry twice, no line end.
printf '# list\r\n\r\n\ncbf43926  check\r\nCBF43926 *check\nCRC32C (check) = e3069283' > list
expect_status 0 sum -c list
[ "$(cat "$out")" = "check: OK"$'\n'"check: OK"$'\n'"check: OK" ] || fail "a list from elsewhere"
expect_silence
# A plain line of four bytes is a CRC-32, unless -a says otherwise.
echo "e3069283  check" > list
expect_status 3 sum -c list
expect_status 0 sum -c -a crc32c list
expect_status 0 sum -c -a crc32c < list
expect_status 0 sum -c -a crc32c - < list
# Damaged lines are told; with --strict they count.
printf 'cbf43926  check\ncbf4392  check\nhello\n' > list
expect_status 0 sum -c list
expect_stderr list "2 lines"
expect_status 3 sum -c --strict list
for contents in "" $'\n\n' "hello" "# nothing"; do
  printf %s "$contents" > list
  refused 3 list "no checksum" -- "$millrace" sum -c list
done
head -c 300000 /dev/zero > list
refused 3 list -- "$millrace" sum -c list
printf 'cbf43926  check\0x\n' > list
refused 3 list -- "$millrace" sum -c list
# Several lists: a bad one does not hide the others.
echo "cbf43926  check" > good
echo "cbf43927  check" > bad
expect_status 3 sum -c none bad good
[ "$(cat "$out")" = "check: FAILED"$'\n'"check: OK" ] || fail "all lists are checked"
expect_status 1 sum -c none good

# --json.
expect_status 1 sum --json -a crc32,md5 check missing "p (q) = r"
python3 - "$out" <<'P' || fail "json of sums"
import json, sys
files = json.load(open(sys.argv[1]))["files"]
assert [f["name"] for f in files] == ["check", "missing", "p (q) = r"]
assert files[0] == {"name": "check", "bytes": 9, "crc32": "cbf43926", "md5": "25f9e794323b453885f5181f1b624d0b"}, files
assert "missing" in files[1]["error"] and "crc32" not in files[1]
P
cp check $'not\xffutf8'
sum --json -a crc32 --base64 $'not\xffutf8' > "$out"
python3 -c 'import json,sys; assert json.load(open(sys.argv[1]))["files"][0]["crc32"] == "y/Q5Jg=="' "$out" || fail "a name that is not UTF-8"
expect_status 3 sum --json -c good bad
python3 - "$out" <<'P' || fail "json of a check"
import json, sys
result = json.load(open(sys.argv[1]))
assert [(f["name"], f["algorithm"], f["result"]) for f in result["files"]] == [("check", "crc32", "OK"), ("check", "crc32", "FAILED")]
assert (result["ok"], result["failed"], result["unreadable"], result["missing"], result["malformed_lines"]) == (1, 1, 0, 0, 0)
P

# Progress, on standard error alone.
(echo a; sleep 1.3; echo b) | expect_status 0 sum --progress=lines -a md5
grep -q '^sum: 2 B' "$err" || fail "no progress"
[ "$(cat "$out")" = "$(printf 'a\nb\n' | md5sum)" ] || fail "a slow pipe"

# Usage.
refused 2 "nope" "crc64nvme" -- "$millrace" sum -a nope check
refused 2 -- "$millrace" sum -a "" check
refused 2 -- "$millrace" sum -a crc32, check
refused 2 empty -- "$millrace" sum "" < check
refused 2 -- "$millrace" sum --threads 0 check
refused 2 -- "$millrace" sum -c -a crc32,md5 good
for option in --tag --base64 -r; do refused 2 -- "$millrace" sum -c $option good; done
for option in --strict --ignore-missing; do refused 2 -- "$millrace" sum $option check; done
expect_status 1 eval '"$millrace" sum check > /dev/full'
expect_status 1 eval '"$millrace" sum -c good > /dev/full'
