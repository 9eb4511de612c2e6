# inspect: what can be known without a key and with one, as text and as JSON, from a file and from a pipe.
. "$(dirname "$0")/lib.sh"
new_keyset k.json AES256_GCM_HKDF_4KB
new_keyset other.json AES128_GCM_HKDF_1MB
id=$("$millrace" keyset list --json k.json | python3 -c 'import json,sys; print(json.load(sys.stdin)["keys"][0]["id"])')
random_file plain 10000
"$millrace" encrypt --keyset k.json --associated-data context -o e plain

# json EXPRESSION: over the object `o` on stdout.
json() { python3 -c "import json,sys; o=json.load(open(sys.argv[1])); sys.exit(not ($1))" "$out" || fail "JSON: $1: $(cat "$out")"; }

for given in "e" "- < e" "/dev/stdin < e" "< <(cat e)"; do
  expect_status 0 eval '"$millrace" inspect --json '"$given"
  expect_silence
  # 10000 bytes and a header of 40 in segments of 4096 with a tag of 16: three of them.
  json 'o["format"] == "tink-streaming-aead" and o["bytes"] == 10000 + 40 + 3 * 16 and o["header_bytes"] == 40 and
    o["derived_key_bytes"] == 32 and o["authenticated"] is False and
    {"template": "AES256_GCM_HKDF_4KB", "plaintext_bytes": 10000, "segments": 3} in o["templates_that_fit"] and
    {f["template"] for f in o["templates_that_fit"]} >= {"AES256_GCM_HKDF_1MB"} and
    all("AES256" in f["template"] for f in o["templates_that_fit"])'
  expect_status 0 eval '"$millrace" inspect --keyset k.json --associated-data context --json '"$given"
  json 'o["authenticated"] is True and o["template"] == "AES256_GCM_HKDF_4KB" and o["key_id"] == '"$id"' and
    o["segments"] == 3 and o["segment_bytes"] == 4096 and o["plaintext_bytes"] == 10000 and o["bytes"] == 10088'
  refused 3 "not authentic" -- eval '"$millrace" inspect --keyset other.json --associated-data context '"$given"
  refused 3 "not authentic" -- eval '"$millrace" inspect --keyset k.json --associated-data Context '"$given"
done
expect_status 0 "$millrace" inspect e
grep -q "AES256_GCM_HKDF_4KB *10000 bytes of plaintext in 3 segments" "$out" || fail "text without a key"
expect_status 0 "$millrace" inspect --keyset k.json --associated-data context e
for line in "key *$id" "template *AES256_GCM_HKDF_4KB" "segment size *4096" "segments *3" "plaintext *10000 bytes"; do
  grep -q "^  $line\$" "$out" || fail "text with a key lacks $line"
done

# What is no Tink stream, and what is too short for one.
for how in "%s" "- < %s"; do
  : > empty
  refused 3 empty -- eval '"$millrace" inspect '"$(printf -- "$how" empty)"
  refused 3 "not a Tink stream" -- eval '"$millrace" inspect '"$(printf -- "$how" k.json)"
  for short in "24 33" "40 49"; do
    set -- $short
    { printf "\\$(printf %o "$1")"; head -c $(($2 - 1)) /dev/zero; } > short
    refused 3 "too short" -- eval '"$millrace" inspect '"$(printf -- "$how" short)"
    refused 3 -- eval '"$millrace" inspect --keyset k.json '"$(printf -- "$how" short)"
  done
done
# The verbs that open a stream say the same, and leave nothing.
for verb in decrypt verify "cat --range 0-9" "decrypt -o x" "cat -o x"; do
  for input in k.json empty short plain; do
    refused 3 "$input: " -- "$millrace" $verb --keyset k.json $input
    refused 3 "standard input: " -- "$millrace" $verb --keyset k.json < <(cat $input)
    [ ! -s "$out" ] || fail "bytes from what is no stream"
    expect_absent x
  done
done
refused 1 missing -- "$millrace" inspect missing
refused 1 "Is a directory" -- "$millrace" inspect .
refused 1 missing.json -- "$millrace" inspect --keyset missing.json e
