#!/usr/bin/env bash
# examples/run.sh MILLRACE DIR: runs the examples built in DIR and checks what they did with the command.
set -euo pipefail
millrace=$1
examples=$2
test_keys=$(cd "$(dirname "$0")/../tests/vectors/opentdf/keys" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

"$millrace" keyset new --template AES256_GCM_HKDF_1MB -o keys.json
seq 1 400000 >plain
"$examples/example_encrypt_file" keys.json plain sealed | tee said
grep -q "^$(stat -c %s plain) bytes in 3 segments$" said
"$millrace" decrypt --keyset keys.json --associated-data example sealed | cmp - plain
"$examples/example_decrypt_range" keys.json sealed 1500000 1000 | cmp - <(tail -c +1500001 plain | head -c 1000)
"$examples/example_decrypt_range" keys.json sealed 0 0 | cmp - /dev/null
if "$examples/example_decrypt_range" keys.json sealed 99999999 1; then exit 1; fi
"$examples/example_seal_into_sink" | tee said
grep -q 'of ciphertext, 34000 of plaintext$' said

attribute=https://example.com/attr/level/value/secret
"$examples/example_write_tdf" "$test_keys/sample-ec-secp256r1-01-public.pem" https://kas.example.com e1 "$attribute" plain tdf | tee said
grep -q "^$(stat -c %s plain) bytes in 2 segments, a file of $(stat -c %s tdf)$" said
"$examples/example_read_tdf" "$test_keys/sample-ec-secp256r1-01-private.der" tdf 2097000 1000 2>policy |
  cmp - <(tail -c +2097001 plain | head -c 1000)
[ "$(cat policy)" = "$attribute" ]
if "$examples/example_read_tdf" "$test_keys/sample-rsa-2048-01-private.der" tdf 0 1; then exit 1; fi

"$examples/example_chunked_body" plain >body 2>headers
grep -q "^content-length: $(stat -c %s body)$" headers
grep -q "^x-amz-decoded-content-length: $(stat -c %s plain)$" headers
"$millrace" unframe aws-chunked --checksum crc64nvme body | cmp - plain
[ "$("$examples/example_silkd_frames")" = "/etc/motd: 1000000 bytes" ]
