# keyset add, promote, disable, enable, delete, convert, seal and unseal: in every spelling, in place, atomically.
. "$(dirname "$0")/lib.sh"
# json FILE EXPRESSION: over the keys `k` that list shows.
json() {
  local file=$1
  shift
  "$millrace" keyset list --json "$file" > "$out"
  python3 -c "import json,sys; k=json.load(open(sys.argv[1]))['keys']; sys.exit(not ($1))" "$out" || fail "list: $1: $(cat "$out")"
}

for format in json binary; do
  "$millrace" keyset new --template AES256_GCM_HKDF_1MB --to $format -o k
  first=$("$millrace" keyset list --json k | python3 -c 'import json,sys; print(json.load(sys.stdin)["keys"][0]["id"])')
  expect_status 0 "$millrace" keyset add k --template AES128_CTR_HMAC_SHA256_4KB
  expect_silence
  second=$(cat "$out")
  third=$("$millrace" keyset add --template AES128_GCM_HKDF_4KB --keyset k)
  json k "[(e['id'], e['status'], e['primary']) for e in k] == [($first, 'ENABLED', True), ($second, 'ENABLED', False), ($third, 'ENABLED', False)]"
  json k "[e['template'] for e in k] == ['AES256_GCM_HKDF_1MB', 'AES128_CTR_HMAC_SHA256_4KB', 'AES128_GCM_HKDF_4KB']"
  json k "[e['segment_bytes'] for e in k] == [1048576, 4096, 4096]"
  # The file first, the id first, the file as an option.
  for words in "k $second" "$third k" "--keyset k $first" "$second --keyset k"; do
    expect_status 0 "$millrace" keyset promote $words
    id=${words//[!0-9]/}
    json k "[e['id'] for e in k if e['primary']] == [$id]"
  done
  refused 2 "k: key $second" primary -- "$millrace" keyset disable k $second
  refused 2 "k: key $second" primary -- "$millrace" keyset delete k $second
  expect_status 0 "$millrace" keyset disable $first k
  json k "[e['status'] for e in k if e['id'] == $first] == ['DISABLED']"
  refused 2 "k: key $first" -- "$millrace" keyset promote k $first
  expect_status 0 "$millrace" keyset enable k $first
  json k "[e['status'] for e in k if e['id'] == $first] == ['ENABLED']"
  expect_status 0 "$millrace" keyset delete k $first
  json k "[e['id'] for e in k] == [$second, $third]"
  cp k "$base/before"
  for verb in promote enable disable delete; do
    refused 2 "k: key $first" -- "$millrace" keyset $verb k $first
    for id in x -1 1.5 4294967296 99999999999 "0x10" ""; do
      refused 2 -- "$millrace" keyset $verb k "$id"
    done
  done
  refused 2 -- "$millrace" keyset promote k
  refused 1 missing -- "$millrace" keyset promote missing $second
  expect_equal k "$base/before"
  expect_only k
  case $format in
    json) head -c 1 k | grep -q '{' || fail "an edit changed the form" ;;
    *) ! head -c 1 k | grep -q '{' || fail "an edit changed the form" ;;
  esac
  expect_mode 600 k
  rm k
done

# A file whose name is a number, and an edit through a link: the link stays.
"$millrace" keyset new --template AES256_GCM_HKDF_1MB -o 123
id=$("$millrace" keyset add 123 --template AES256_GCM_HKDF_4KB)
expect_status 0 "$millrace" keyset promote 123 $id
ln -s 123 link
expect_status 0 "$millrace" keyset add link --template AES256_GCM_HKDF_4KB
[ -L link ] || fail "the link was replaced"
json 123 "len(k) == 3"
rm link
# A file that may only be read cannot be locked against others in vain: an edit replaces it, the directory decides.
chmod 400 123
expect_status 0 "$millrace" keyset add 123 --template AES256_GCM_HKDF_4KB
expect_mode 400 123
mv 123 k.json
chmod 600 k.json

# No list and no message shows key material.
python3 - > "$base/secrets" <<'P'
import base64, json
for key in json.load(open("k.json"))["key"]:
    value = key["keyData"]["value"]
    print(value)
    raw = base64.b64decode(value)
    print(raw[-16:].hex())
    print(base64.b64encode(raw[-15:]).decode())
P
for arguments in "list k.json" "list --json k.json" "promote k.json 1" "disable k.json 1"; do
  "$millrace" keyset $arguments > "$out" 2> "$err" || true
  ! cat "$out" "$err" | grep -qFf "$base/secrets" || fail "key material: keyset $arguments"
done
echo text > plain
"$millrace" encrypt --keyset k.json --json --progress=lines -o e plain > "$out" 2> "$err"
"$millrace" inspect --keyset k.json e >> "$out" 2>> "$err"
! cat "$out" "$err" | grep -qFf "$base/secrets" || fail "key material in a report"

# convert there and back keeps every key; without -o it goes to standard output and the file stays.
expect_status 0 "$millrace" keyset convert k.json --to binary -o k.bin
expect_mode 600 k.bin
expect_status 0 "$millrace" keyset convert --to json --keyset k.bin -o back.json
expect_equal k.json back.json
expect_status 0 "$millrace" keyset convert --to binary k.json
expect_equal k.bin "$out"
refused 2 back.json exists -- "$millrace" keyset convert --to binary k.json -o back.json
expect_status 0 "$millrace" keyset convert --to binary k.json -o k.json --force
expect_equal k.bin k.json
for keyset in k.bin back.json; do
  "$millrace" decrypt --keyset $keyset e | cmp - plain || fail "decrypt with $keyset"
done
mv back.json k.json

# seal and unseal.
new_keyset kek.json AES256_GCM
new_keyset kek2.json AES256_GCM
"$millrace" keyset list kek.json > "$out"
expect_status 0 "$millrace" keyset seal k.json --kek kek.json -o s.json
expect_status 0 "$millrace" keyset seal k.json --kek kek.json --to binary --kek-associated-data place -o s.bin
expect_mode 600 s.json
! grep -qFf "$base/secrets" s.json || fail "key material in a sealed keyset"
expect_status 0 "$millrace" keyset unseal s.json --kek kek.json
expect_equal k.json "$out"
expect_status 0 "$millrace" keyset unseal s.bin --kek kek.json --kek-associated-data place --to json -o u.json
expect_equal k.json u.json
refused 3 s.json --kek -- "$millrace" keyset unseal s.json --kek kek2.json -o x
refused 3 s.bin -- "$millrace" keyset unseal s.bin --kek kek.json -o x
refused 3 s.bin -- "$millrace" keyset unseal s.bin --kek kek.json --kek-associated-data other -o x
refused 2 s.json --kek -- "$millrace" keyset add s.json --template AES256_GCM_HKDF_4KB
refused 2 s.json --kek -- "$millrace" decrypt --keyset s.json e
refused 2 k.json "--kek" -- "$millrace" decrypt --keyset s.json --kek k.json e
refused 2 s.json "--kek" -- "$millrace" decrypt --keyset s.json --kek s.json e
refused 2 k.json "not encrypted" -- "$millrace" keyset add k.json --kek kek.json --template AES256_GCM_HKDF_4KB
refused 2 kek.json streaming -- "$millrace" encrypt --keyset kek.json -o x plain
expect_status 0 "$millrace" decrypt --keyset s.json --kek kek.json e
expect_equal plain "$out"
expect_status 0 "$millrace" decrypt --keyset s.bin --kek kek.json --kek-associated-data place e
expect_equal plain "$out"
# An edit of a sealed keyset stays sealed, and keeps its form.
for sealed in "s.json" "s.bin --kek-associated-data place"; do
  id=$("$millrace" keyset add $sealed --kek kek.json --template AES256_GCM_HKDF_4KB)
  expect_status 0 "$millrace" keyset list $sealed --kek kek.json
  grep -q "^$id " "$out" || fail "the new key is not in $sealed"
  refused 2 --kek -- "$millrace" decrypt --keyset ${sealed%% *} e
done
# A fresh keyset may be born sealed.
expect_status 0 "$millrace" keyset new --template AES256_GCM_HKDF_4KB --kek kek.json -o born.json
expect_status 0 "$millrace" encrypt --keyset born.json --kek kek.json plain
refused 2 --kek -- "$millrace" encrypt --keyset born.json plain
