# keyset new: every template, where it is written, its mode, and a file that is there.
. "$(dirname "$0")/lib.sh"
for template in AES128_GCM_HKDF_4KB AES128_GCM_HKDF_1MB AES256_GCM_HKDF_4KB AES256_GCM_HKDF_1MB \
  AES128_CTR_HMAC_SHA256_4KB AES128_CTR_HMAC_SHA256_1MB AES256_CTR_HMAC_SHA256_4KB AES256_CTR_HMAC_SHA256_1MB AES256_GCM; do
  for format in json binary; do
    expect_status 0 "$millrace" keyset new --template $template --to $format -o k
    [ ! -s "$out" ] || fail "something on stdout"
    expect_silence
    expect_mode 600 k
    expect_only k
    expect_status 0 "$millrace" keyset list k
    [ "$(wc -l < "$out")" = 2 ] || fail "not one key"
    grep -qE "^[0-9]+ +ENABLED +primary +$template\$" "$out" || fail "list of $template: $(cat "$out")"
    rm k
  done
done

# Four ways to say where to.
for where in "-o k.json" "k.json" "--keyset k.json" "--output=k.json"; do
  expect_status 0 "$millrace" keyset new --template AES256_GCM_HKDF_4KB $where
  [ ! -s "$out" ] || fail "key material on stdout: $where"
  cp k.json "$base/before"
  refused 2 k.json exists -- "$millrace" keyset new --template AES256_GCM_HKDF_4KB $where
  expect_equal k.json "$base/before"
  chmod 640 k.json
  expect_status 0 "$millrace" keyset new --template AES256_GCM_HKDF_4KB --force $where
  ! cmp -s k.json "$base/before" || fail "not replaced"
  expect_mode 640 k.json
  rm k.json
done
for where in "-o a b" "-o a --keyset b" "a --keyset b"; do
  refused 2 -- "$millrace" keyset new --template AES256_GCM_HKDF_4KB $where
done
refused 1 no/k.json -- "$millrace" keyset new --template AES256_GCM_HKDF_4KB -o no/k.json
expect_status 0 "$millrace" keyset new --template AES256_GCM_HKDF_4KB
python3 -c 'import json,sys; json.load(open(sys.argv[1]))' "$out" || fail "not JSON on stdout"
# A umask that is wider does not widen it.
(umask 0; "$millrace" keyset new --template AES256_GCM_HKDF_4KB -o k.json)
expect_mode 600 k.json
# Two keysets are never the same.
"$millrace" keyset new --template AES256_GCM_HKDF_4KB -o l.json
! cmp -s k.json l.json || fail "two equal keysets"
# A name that looks like a list to the parser of the command line.
mv k.json '[k,l]'
expect_status 0 "$millrace" keyset list '[k,l]'
expect_only '[k,l]' l.json
