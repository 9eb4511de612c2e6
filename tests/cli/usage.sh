# Usage errors: status 2, one line, nothing read and nothing written. Help and version.
. "$(dirname "$0")/lib.sh"
new_keyset "$base/k.json"
keys="--keyset $base/k.json"
echo text > plain
"$millrace" encrypt $keys -o e plain

for arguments in "" "no-such-verb" "keyset" "keyset no-such-verb" "encrypt" "encrypt $keys --no-such-option plain" \
  "encrypt $keys plain extra" "encrypt $keys --threads 0 plain" "encrypt $keys --threads 1025 plain" \
  "encrypt $keys --threads some plain" "encrypt $keys --progress=some plain" "encrypt $keys --keyset" \
  "encrypt $keys $keys plain" "cat $keys e --range" "keyset new" "keyset list" "keyset promote $base/k.json" \
  "keyset promote $base/k.json 1 2" "keyset convert $base/k.json" "keyset convert --to xml $base/k.json" \
  "keyset seal $base/k.json" "kas" "kas no-such-verb" "kas keygen extra" "kas public-key $base/k.json extra" "encrypt --tdf" "keyset list $base/k.json extra"; do
  refused 2 -- "$millrace" $arguments < /dev/null
  [ ! -s "$out" ] || fail "something on stdout: $arguments"
done
refused 2 NO_SUCH_TEMPLATE AES256_GCM_HKDF_1MB -- "$millrace" keyset new --template NO_SUCH_TEMPLATE -o x
refused 2 NO_SUCH_TEMPLATE -- "$millrace" keyset add "$base/k.json" --template NO_SUCH_TEMPLATE

# An empty argument is an unset variable of a script, not standard input.
for option in "--keyset" "--kek" "--associated-data-file" "-o" "--producer"; do
  refused 2 empty -- "$millrace" encrypt $keys "$option" "" plain < /dev/null
done
refused 2 empty -- "$millrace" encrypt $keys "" < /dev/null
refused 2 empty -- "$millrace" inspect "" < /dev/null
refused 2 empty -- "$millrace" cat $keys --range "" e
refused 2 empty -- "$millrace" keyset list "" < "$base/k.json"
refused 2 empty -- "$millrace" keyset new --template AES256_GCM -o ""
# Empty associated data is the default, and may be said.
expect_status 0 "$millrace" decrypt $keys --associated-data "" e
expect_equal plain "$out"

# Standard input for two things: one of them would be found empty.
for name in - /dev/stdin fd:0; do
  refused 2 "one thing" -- "$millrace" encrypt --keyset $name -o x < "$base/k.json"
  refused 2 "one thing" -- "$millrace" verify --keyset $name - < "$base/k.json"
  refused 2 "one thing" -- "$millrace" encrypt --keyset $name --kek - -o x plain < "$base/k.json"
  expect_status 0 "$millrace" decrypt --keyset $name e < "$base/k.json"
  expect_equal plain "$out"
done
refused 2 "one thing" -- "$millrace" cat $keys --associated-data-file - < e
expect_status 0 "$millrace" encrypt --keyset - --producer 'echo text' -o x < "$base/k.json"
rm x

# The output over one of the keys.
cp "$base/k.json" k.json
refused 2 k.json -- "$millrace" encrypt --keyset k.json --force -o ./k.json plain
refused 2 k.json -- "$millrace" encrypt $keys --associated-data-file k.json --force -o k.json plain
expect_equal k.json "$base/k.json"
rm k.json

expect_status 0 "$millrace" --version
grep -qE '^millrace [0-9]+\.[0-9]+\.[0-9]+' "$out" || fail "version"
expect_status 0 "$millrace" --help
for verb in encrypt decrypt cat verify inspect keyset kas sum bench frame unframe; do
  grep -q "^  $verb " "$out" || fail "--help lacks $verb"
done
for verb in encrypt decrypt cat verify inspect keyset kas sum bench "kas keygen" "kas public-key" "keyset new" "keyset list" "keyset add" "keyset promote" \
  "keyset enable" "keyset disable" "keyset delete" "keyset convert" "keyset seal" "keyset unseal" \
  "frame aws-chunked" "unframe aws-chunked" "frame silkd" "unframe silkd"; do
  expect_status 0 "$millrace" $verb --help
  grep -A 9 '^Example' "$out" | grep -q "^  millrace $verb" || fail "the help of $verb has no example"
done
expect_only e plain
