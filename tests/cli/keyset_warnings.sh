# A keyset that others can read: a warning for a cleartext one, whatever is done with it, and none for an encrypted one.
. "$(dirname "$0")/lib.sh"
new_keyset k.json
new_keyset kek.json AES256_GCM
"$millrace" keyset seal k.json --kek kek.json -o sealed.json
echo text > plain
for mode in 604 640 644; do
  chmod $mode k.json
  expect_status 0 "$millrace" encrypt --keyset k.json -o e plain
  expect_stderr "millrace: warning: k.json: " "chmod 600"
  expect_status 0 "$millrace" keyset list k.json
  expect_stderr "millrace: warning: k.json: "
  expect_status 0 "$millrace" keyset seal k.json --kek kek.json
  expect_stderr "millrace: warning: k.json: "
  rm e
done
chmod 600 k.json
chmod 644 sealed.json
expect_status 0 "$millrace" encrypt --keyset sealed.json --kek kek.json plain
expect_silence
refused 2 sealed.json --kek -- "$millrace" encrypt --keyset sealed.json plain
expect_status 0 "$millrace" keyset list sealed.json
expect_stderr "not authenticated"
chmod 644 kek.json
expect_status 0 "$millrace" encrypt --keyset sealed.json --kek kek.json plain
expect_stderr "millrace: warning: kek.json: "
# From a pipe nobody else can read it.
expect_status 0 "$millrace" encrypt --keyset <(cat k.json) plain
expect_silence
