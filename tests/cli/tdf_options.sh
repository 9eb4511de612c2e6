# Options of encrypt --tdf and of opening: what they do, what is refused, and with which words.
. "$(dirname "$0")/lib.sh"
. "$here/tdf_lib.sh"
new_pair rsa rsa:2048
new_pair ec
new_keyset "$base/k.json"
echo text > plain
tdf="--tdf --kas-public-key $base/ec.pub --kas-url $url"
keys="--kas-private-key $base/ec"

# No key, or one of the other kind.
refused 2 --keyset --kas-public-key -- "$millrace" encrypt -o x plain
refused 2 --tdf --keyset -- "$millrace" encrypt $tdf --keyset "$base/k.json" -o x plain
refused 2 --tdf --associated-data -- "$millrace" encrypt $tdf --associated-data a -o x plain
refused 2 --kas-public-key -- "$millrace" encrypt --tdf --kas-url $url -o x plain
refused 2 --kas-url -- "$millrace" encrypt --tdf --kas-public-key "$base/ec.pub" -o x plain
for option in "--kas-public-key a" "--kas-url $url" "--kid a" "--attr https://e.example/attr/a/value/b" "--mime-type a/b" "--split any" \
  "--segment-size 1MiB" "--segment-hash GMAC" "--target-mode 4.3.0" "--metadata m" "--metadata-file plain" "--policy plain" \
  "--with-assertions []" --system-metadata-assertion "--max-manifest-size 1MiB"; do
  refused 2 "${option%% *}" --tdf -- "$millrace" encrypt --keyset "$base/k.json" $option -o x plain
done
seal ec -o e plain
"$millrace" encrypt --keyset "$base/k.json" -o stream plain
for verb in "decrypt -o x" verify cat; do
  refused 2 --keyset --kas-private-key -- "$millrace" $verb e
  refused 2 "e: a TDF file" --kas-private-key -- "$millrace" $verb --keyset "$base/k.json" e
  refused 2 "stream: " --keyset -- "$millrace" $verb $keys stream
  refused 3 "plain: " "not a TDF file" -- "$millrace" $verb $keys plain
  refused 3 "standard input: " -- "$millrace" $verb $keys < /dev/null
  # With both at hand the contents decide.
  for file in e stream; do expect_status 0 "$millrace" $verb $keys --keyset "$base/k.json" $file; rm -f x; done
done
refused 2 "e: a TDF file" -- "$millrace" inspect --keyset "$base/k.json" e

# Keys, URLs and kids by position.
refused 2 "2 for 1" -- "$millrace" encrypt $tdf --kas-url https://other.example.com -o x plain
refused 2 "1 for 2" -- "$millrace" encrypt $tdf --kas-public-key "$base/rsa.pub" --kid a -o x plain
refused 2 twice -- "$millrace" encrypt --tdf --kas-public-key "a=$base/ec.pub" --kid b --kas-url $url -o x plain
for bad in kas.example.com ftp://kas.example.com https:// https:///kas "https://kas example.com"; do
  refused 2 "--kas-url" "https://HOST" -- "$millrace" encrypt --tdf --kas-public-key "$base/ec.pub" --kas-url "$bad" -o x plain
done
refused 1 missing -- "$millrace" encrypt --tdf --kas-public-key missing --kas-url $url -o x plain
refused 3 "plain: " "public key" -- "$millrace" encrypt --tdf --kas-public-key plain --kas-url $url -o x plain
refused 2 "ec: " "public key" -- "$millrace" encrypt --tdf --kas-public-key "$base/ec" --kas-url $url -o x plain
refused 3 "plain: " "private key" -- "$millrace" decrypt --kas-private-key plain e
cp "$base/ec.pub" ./a=b.pub
refused 1 b.pub -- "$millrace" encrypt --tdf --kas-public-key a=b.pub --kas-url $url -o x plain
expect_status 0 "$millrace" encrypt -q --tdf --kas-public-key ./a=b.pub --kas-url $url -o x plain
rm x ./a=b.pub
expect_status 0 "$millrace" decrypt --kas-private-key fd:5 e 5< "$base/ec"
expect_equal plain "$out"
expect_status 0 env KEY="$(cat "$base/ec")" "$millrace" decrypt --kas-private-key kid=env:KEY e
expect_equal plain "$out"
refused 2 NO_SUCH -- "$millrace" decrypt --kas-private-key env:NO_SUCH e
chmod 644 "$base/ec"
expect_status 0 "$millrace" decrypt $keys e
expect_stderr "millrace: warning: $base/ec: a private key that others can read" "chmod 600"
chmod 600 "$base/ec"
# Standard input for two things; the output over a key.
refused 2 "one thing" -- "$millrace" decrypt --kas-private-key - - < e
refused 2 "one thing" -- "$millrace" encrypt --tdf --kas-public-key k=- --kas-url $url -o x < "$base/ec.pub"
cp "$base/ec" own
refused 2 "would replace" -- "$millrace" decrypt --kas-private-key k=own --force -o own e
expect_equal own "$base/ec"
rm own

# Policy.
fqn=https://example.com/attr/level/value
seal ec -f -a $fqn/a,$fqn/b --attr $fqn/c%20d -o e plain
manifest e "[a['attribute'] for a in policy['body']['dataAttributes']] == ['$fqn/a', '$fqn/b', '$fqn/c%20d']"
for bad in example.com/attr/a/value/b https://example.com/attr/a https://example.com/a/value/b nonsense; do
  refused 2 "--attr $bad" FQN -- "$millrace" encrypt $tdf -a "$bad" -o x plain
done
echo '{"uuid":"0f0e0d0c-0b0a-4908-8706-050403020100","body":{"dataAttributes":[{"attribute":"'$fqn'/a"}],"dissem":[]},"own":1}' > policy.json
seal ec -f --policy policy.json -o e plain
manifest e "policy == json.load(open('policy.json'))"
"$millrace" decrypt $keys e | cmp - plain || fail "with a policy of the user's"
sed 's/"dissem":\[\]/"dissem":["a@example.com"]/' policy.json > dissem.json
expect_status 0 seal ec -f --policy dissem.json -o e plain
expect_stderr "millrace: warning: dissem.json: " dissem
refused 2 "plain: " policy -- "$millrace" encrypt $tdf --policy plain -o x plain
refused 2 --policy --attr -- "$millrace" encrypt $tdf --policy policy.json -a $fqn/a -o x plain
rm policy.json dissem.json

# MIME types: by contents, among texts by the name, and what is given is written as it is.
typed() {
  expect_status 0 "$millrace" encrypt $tdf -f -o e "$1"
  expect_stderr "millrace: note: $1: MIME type $2, $3" "--mime-type"
  manifest e "m['payload']['mimeType'] == '$2'"
}
tar cf archive.bin plain
typed archive.bin application/x-tar "by its contents"
typed plain text/plain "by its contents"
for pair in "a.csv text/csv" "a.md text/markdown" "a.JSON application/json"; do
  set -- $pair
  echo 'a,b' > $1
  typed $1 $2 "by its name"
  rm $1
done
cp archive.bin a.png
typed a.png application/x-tar "by its contents"
expect_status 0 eval '"$millrace" encrypt $tdf -f -o e < <(cat archive.bin)'
expect_stderr "standard input: MIME type application/x-tar"
expect_status 0 env MAGIC=/nowhere "$millrace" encrypt $tdf -f -o e a.png
expect_stderr "a.png: MIME type image/png, by its name"
expect_status 0 env MAGIC=/nowhere "$millrace" encrypt $tdf -f -o e plain
expect_stderr "plain: MIME type application/octet-stream;"
expect_status 0 "$millrace" encrypt $tdf -f --mime-type application/x-own -o e plain
expect_silence
manifest e "m['payload']['mimeType'] == 'application/x-own'"
expect_status 0 "$millrace" encrypt $tdf -q -f -o e plain
expect_silence
rm a.png archive.bin

# Metadata and assertions.
printf 'from a file' > note
seal ec -f --metadata-file note -o e plain
expect_status 0 "$millrace" inspect --json $keys e
json 'o["metadata"] == "from a file"'
refused 2 --metadata -- "$millrace" encrypt $tdf --metadata a --metadata-file note -o x plain
statement='"type":"handling","scope":"tdo","appliesToState":"encrypted","statement":{"format":"text","schema":"s","value":"v"}'
key=$(printf '0123456789abcdef0123456789abcdef')
printf '[{"id":"a1",%s},{"id":"a2",%s,"signingKey":{"alg":"HS256","key":"%s"}}]' "$statement" "$statement" "$key" > assertions
printf '{"keys":{"a2":{"alg":"HS256","key":"%s"}}}' "$key" > verification
printf '{"keys":{"a2":{"alg":"HS256","key":"another"}}}' > wrong
for given in assertions "$(cat assertions)"; do
  seal ec -f --with-assertions "$given" --system-metadata-assertion -o e plain
  manifest e "[a['id'] for a in m['assertions']] == ['a1', 'a2', 'system-metadata']"
  "$millrace" verify $keys --with-assertion-verification-keys verification e || fail "verification keys"
  expect_status 0 "$millrace" verify $keys --no-verify-assertions e
  for others in "" "--with-assertion-verification-keys wrong"; do
    refused 3 "e: " tamper assertion -- "$millrace" decrypt $keys $others -o x e
  done
done
expect_status 0 "$millrace" inspect --json $keys --with-assertion-verification-keys verification e
json '[(a["id"], a["value"]) for a in o["assertions"]][:2] == [("a1", "v"), ("a2", "v")]'
refused 2 --with-assertions -- "$millrace" encrypt $tdf --with-assertions '[{"id":""}]' -o x plain
refused 2 --with-assertions -- "$millrace" encrypt $tdf --with-assertions '{not json' -o x plain
refused 1 nofile -- "$millrace" encrypt $tdf --with-assertions nofile -o x plain
refused 2 "plain: " -- "$millrace" decrypt $keys --with-assertion-verification-keys plain e
refused 2 -- "$millrace" decrypt $keys --with-assertion-verification-keys verification --no-verify-assertions e

# Segments, hashes, versions.
seal ec -f --segment-size 1MiB --segment-hash HS256 -o e plain
manifest e "integrity['segmentHashAlg'] == 'HS256' and integrity['segmentSizeDefault'] == 2**20 and integrity['encryptedSegmentSizeDefault'] == 2**20 + 28"
seal ec -f --target-mode 4.2.2 -o e plain
manifest e "'schemaVersion' not in m and len(base64.b64decode(integrity['segments'][0]['hash'])) == 32"
"$millrace" verify $keys e
refused 2 HS256 4.2.2 -- "$millrace" encrypt $tdf --segment-hash HS256 --target-mode 4.2.2 -o x plain
for size in 0 16383 4MiB 4194277 1GiB some -1; do refused 2 --segment-size -- "$millrace" encrypt $tdf --segment-size $size -o x plain; done
for size in 16KiB 4194276; do seal ec -f --segment-size $size -o e plain; done
refused 2 --segment-hash -- "$millrace" encrypt $tdf --segment-hash MD5 -o x plain
refused 2 --target-mode -- "$millrace" encrypt $tdf --target-mode 5.0.0 -o x plain
refused 2 --split -- "$millrace" encrypt $tdf --split some -o x plain

# tdf_t02: a manifest that would be larger than readers take. Of a known length the segments become larger, and it is said;
# of an unknown one it is refused before there is a file, and the message names the size that works.
truncate -s 20M large
expect_status 0 "$millrace" encrypt $tdf --mime-type a/b --segment-size 16KiB --max-manifest-size 100000 -f -o e large
expect_stderr "segments of 32768 bytes, not 16384"
manifest e "integrity['segmentSizeDefault'] == 32768 and len(integrity['segments']) == 640"
refused 2 "standard input: " " segments of 16384 bytes" "--segment-size 32KiB" -- \
  "$millrace" encrypt $tdf --segment-size 16KiB --max-manifest-size 100000 -o x < <(cat large)
refused 2 "large: " --max-manifest-size -- "$millrace" encrypt $tdf --max-manifest-size 1500 -o x large
refused 2 "metadata" -- "$millrace" encrypt $tdf --max-manifest-size 500 -o x plain
expect_absent x
seal ec -f --segment-size 32KiB --max-manifest-size 100000 -o e large
# And the limits of reading.
for limit in 0 1025MiB 5GiB some; do refused 2 --max-segment-size -- "$millrace" verify $keys --max-segment-size $limit e; done
refused 3 "e: " --max-manifest-size -- "$millrace" verify $keys --max-manifest-size 50000 e
refused 3 "e: " --max-segment-size -- "$millrace" verify $keys --max-segment-size 32KiB e
refused 3 "e: " --max-segments -- "$millrace" inspect --max-segments 600 e
expect_status 0 "$millrace" verify $keys --max-segments 640 --max-segment-size 32796 --max-manifest-size 100000 e
expect_only assertions e large note plain stream verification wrong
