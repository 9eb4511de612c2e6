# Owner and mode of what is written: plaintext is private, --force keeps what was there, nothing is wider meanwhile.
. "$(dirname "$0")/lib.sh"
new_keyset k.json
expect_mode 600 k.json
echo text > plain

"$millrace" encrypt --keyset k.json -o e plain
expect_mode 644 e
"$millrace" decrypt --keyset k.json -o d e
expect_mode 600 d
"$millrace" cat --keyset k.json --range 0-1 -o c e
expect_mode 600 c
rm e d c
(umask 077; "$millrace" encrypt --keyset k.json -o e plain)
expect_mode 600 e
(umask 277; "$millrace" decrypt --keyset k.json -o d e)
expect_mode 400 d
rm d
# A pipe takes the other way through the command.
"$millrace" encrypt --keyset k.json < plain | "$millrace" decrypt --keyset k.json -o d
expect_mode 600 d

for mode in 640 604 755 400; do
  chmod $mode d
  "$millrace" decrypt --keyset k.json --force -o d e
  expect_mode $mode d
done
# Other contents do not inherit the right to run as their owner.
chmod 6755 d
"$millrace" decrypt --keyset k.json --force -o d e
expect_mode 755 d

chmod 640 k.json
"$millrace" keyset add k.json --template AES128_GCM_HKDF_4KB > id 2> "$err"
expect_mode 640 k.json
if [ "$(id -u)" = 0 ]; then
  # Root edits a file of somebody else: it stays theirs.
  chown 4711:4712 k.json d
  "$millrace" keyset add k.json --template AES128_GCM_HKDF_4KB > id 2> "$err"
  "$millrace" decrypt --keyset k.json --force -o d e 2> "$err"
  for file in k.json d; do
    [ "$(stat -c %u:%g $file)" = 4711:4712 ] || fail "the owner of $file has changed"
  done
  # Who may not give the file to its old group does not give the group's rights to another.
  mkdir open && chmod 777 open && cp e k.json open/ && echo old > open/d && chown 4711:4712 open/d && chmod 664 open/d
  chmod 644 open/e && chown 4800 open/k.json && chmod 711 "$base" && chmod 755 "$base/work"
  cp "$millrace" "$base/work/open/millrace"
  expect_status 0 setpriv --reuid 4800 --regid 4801 --clear-groups open/millrace decrypt --keyset open/k.json --force -o open/d open/e
  expect_equal plain open/d
  expect_mode 604 open/d
fi
