# Names of outputs: long ones, ones that are not UTF-8, "-", and where the temporary would be.
. "$(dirname "$0")/lib.sh"
new_keyset "$base/k.json"
keys="--keyset $base/k.json"
echo text > plain

long=$(printf 'n%.0s' {1..255})
for options in "" --force; do
  expect_status 0 "$millrace" encrypt $keys $options -o "$long" plain
  expect_silence
  expect_only plain "$long"
done
refused 1 "File name too long" -- "$millrace" encrypt $keys -o "${long}n" plain
rm "$long"

bytes=$'caf\xe9 \xff'
expect_status 0 "$millrace" encrypt $keys -o "$bytes" plain
expect_status 0 "$millrace" decrypt $keys -o "$bytes.d" "$bytes"
expect_equal plain "$bytes.d"
rm "$bytes" "$bytes.d"

# "-" is standard input and output, "./-" is a file; after "--" everything is a name.
expect_status 0 "$millrace" encrypt $keys -o ./- plain
expect_status 0 "$millrace" decrypt $keys ./-
expect_equal plain "$out"
expect_status 0 "$millrace" decrypt $keys -o - - < ./-
expect_equal plain "$out"
cp ./- ./--quiet
expect_status 0 "$millrace" decrypt $keys -- --quiet
expect_equal plain "$out"
rm ./- ./--quiet

# Options may follow the positionals, and a verb's name is a file's name too.
cp plain verify
expect_status 0 "$millrace" encrypt verify -o list $keys
expect_status 0 "$millrace" verify list $keys
expect_status 0 "$millrace" decrypt list $keys
expect_equal plain "$out"
rm verify list

# Missing directories, and a name that ends like one.
refused 1 no/e "No such file" -- "$millrace" encrypt $keys -o no/e plain
refused 1 no/ "No such file" -- "$millrace" encrypt $keys -o no/ plain
refused 1 plain/e "Not a directory" -- "$millrace" encrypt $keys -o plain/e plain
mkdir sub
refused 1 sub "Is a directory" -- "$millrace" encrypt $keys -o sub plain
refused 1 sub "Is a directory" -- "$millrace" encrypt $keys --force -o sub plain
refused 1 sub "Is a directory" -- "$millrace" encrypt $keys -o e sub
refused 1 "standard input" "Is a directory" -- "$millrace" encrypt $keys -o e < sub
expect_only plain sub
[ -z "$(ls -A sub)" ] || fail "something is left in sub"
