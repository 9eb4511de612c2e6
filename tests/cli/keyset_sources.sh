# Where a keyset may come from: a file, a descriptor, the environment, a pipe; and keysets that are none.
. "$(dirname "$0")/lib.sh"
umask 077
new_keyset k.json
"$millrace" keyset convert k.json --to binary -o k.bin
echo text > plain
"$millrace" encrypt --keyset k.json -o e plain

decrypts() {
  expect_status 0 "$@"
  expect_silence
  expect_equal plain "$out"
}
decrypts "$millrace" decrypt --keyset fd:7 e 7< k.json
decrypts "$millrace" decrypt --keyset fd:7 e 7< k.bin
decrypts "$millrace" decrypt --keyset fd:9 e 9< <(cat k.json)
decrypts "$millrace" decrypt --keyset=<(cat k.bin) e
decrypts "$millrace" decrypt --keyset - e < k.json
decrypts env KEYS="$(cat k.json)" "$millrace" decrypt --keyset env:KEYS e
decrypts env KEYS="
  $(cat k.json)
" "$millrace" decrypt --keyset env:KEYS e
decrypts env KEYS="$(base64 -w0 k.bin)" "$millrace" decrypt --keyset env:KEYS e
decrypts env KEYS="$(base64 -w0 k.json)
" "$millrace" decrypt --keyset env:KEYS e
mkfifo fifo
cat k.json > fifo &
decrypts "$millrace" decrypt --keyset fifo e
expect_status 0 "$millrace" keyset list fd:7 7< k.json
grep -q AES256_GCM_HKDF_4KB "$out" || fail "list fd:7"

refused 1 fd:7 "Bad file descriptor" -- "$millrace" decrypt --keyset fd:7 e 7<&-
for where in fd: fd:x fd:-1 fd:1x fd:99999999999; do
  refused 2 "$where" -- "$millrace" decrypt --keyset "$where" e
done
refused 2 env:NO_SUCH_VARIABLE "not set" -- env -u NO_SUCH_VARIABLE "$millrace" decrypt --keyset env:NO_SUCH_VARIABLE e
refused 3 env:KEYS -- env KEYS= "$millrace" decrypt --keyset env:KEYS e
refused 3 env:KEYS base64 -- env KEYS='!!!' "$millrace" decrypt --keyset env:KEYS e
refused 1 missing -- "$millrace" decrypt --keyset missing e
refused 1 "Is a directory" -- "$millrace" decrypt --keyset . e

# No keysets: empty, cut, huge, endless, something else. One line that names the file, and no key material in it.
: > empty
head -c 100 k.json > cut
head -c 20 k.bin > cut.bin
echo '{"primaryKeyId":1,"key":[]}' > none
sed 's/"primaryKeyId":[0-9]*/"primaryKeyId":1/' k.json > orphan
head -c 3000000 /dev/zero | tr '\0' '[' > huge
python3 -c 'print("{\"key\":" * 5000)' > deep
material=$(python3 -c 'import json; print(json.load(open("k.json"))["key"][0]["keyData"]["value"])')
for bad in empty cut cut.bin none orphan huge deep e plain /dev/zero; do
  refused 3 "$bad: " -- "$millrace" encrypt --keyset $bad -o x plain
  ! grep -qF "$material" "$err" || fail "key material in a message"
  refused 3 "$bad: " -- "$millrace" keyset list $bad
done
expect_only cut cut.bin deep e empty fifo huge k.bin k.json none orphan plain
