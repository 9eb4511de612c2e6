# inspect of TDF files: without a key, with one, as text and as JSON, from files and pipes; hostile texts.
. "$(dirname "$0")/lib.sh"
. "$here/tdf_lib.sh"
new_pair rsa rsa:2048
new_pair ec
random_file plain 70000
"$millrace" encrypt -q --tdf --kas-public-key "r1=$base/rsa.pub" --kas-public-key "e1=$base/ec.pub" --kas-url $url \
  -a https://example.com/attr/level/value/secret,https://example.com/attr/team/value/a --attr https://example.com/attr/team/value/b \
  --mime-type image/png --segment-size 16KiB --metadata 'who and when' --system-metadata-assertion -o e plain
for given in "e" "- < e" "< <(cat e)"; do
  expect_status 0 eval '"$millrace" inspect --json '"$given"
  expect_silence
  [ "$(wc -l < "$out")" = 1 ] || fail "not one line"
  json 'o["format"] == "tdf" and o["bytes"] == '"$(stat -c %s e)"' and o["authenticated"] is False and
    o["schema_version"] == "4.3.0" and o["mime_type"] == "image/png" and o["plaintext_bytes"] == 70000 and
    o["payload_bytes"] == 70000 + 5 * 28 and o["segments"] == 5 and o["segment_bytes"] == 16384 and
    o["segment_hash"] == "GMAC" and o["root_signature_algorithm"] == "HS256" and o["metadata"] is None and
    o["attributes"] == ["https://example.com/attr/level/value/secret", "https://example.com/attr/team/value/a",
      "https://example.com/attr/team/value/b"] and
    [a["attribute"] for a in o["policy"]["body"]["dataAttributes"]] == o["attributes"] and len(o["policy"]["uuid"]) == 36'
  json '[(k["type"], k["kid"], k["url"], k["encrypted_metadata"]) for k in o["key_access"]] ==
      [("wrapped", "r1", "'$url'", True), ("ec-wrapped", "e1", "'$url'", True)] and
    [s["any_of"] for s in o["splits"]] == [[0], [1]] and [a["id"] for a in o["assertions"]] == ["system-metadata"]'
  json '[e["name"] for e in o["container"]["entries"]] == ["0.payload", "0.manifest.json"] and
    o["container"]["entries"][0]["bytes"] == o["payload_bytes"] and o["container"]["entries"][1]["bytes"] == o["manifest_bytes"] and
    o["manifest"]["payload"]["mimeType"] == "image/png" and len(o["manifest"]["encryptionInformation"]["integrityInformation"]["segments"]) == 5'
  cp "$out" o
  python3 - <<'P' || fail "not the manifest or the CRCs of the file"
import json, zipfile
o = json.load(open("o"))
with zipfile.ZipFile("e") as z:
    assert json.loads(z.read("0.manifest.json")) == o["manifest"]
    assert [(i.filename, i.header_offset, "%08x" % i.CRC) for i in z.infolist()] == \
        [(e["name"], e["header_offset"], e["crc32"]) for e in o["container"]["entries"]]
P
  expect_status 0 eval '"$millrace" inspect --json --kas-private-key "$base/rsa" --kas-private-key "$base/ec" '"$given"
  json 'o["authenticated"] is True and o["metadata"] == "who and when" and o["segments"] == 5'
  refused 3 "kid e1" $url -- eval '"$millrace" inspect --kas-private-key "$base/rsa" '"$given"
done
expect_status 0 "$millrace" inspect --kas-private-key "$base/rsa" --kas-private-key "$base/ec" e
for line in "MIME type *image/png" "plaintext *70000 bytes" "segments *5 of up to 16384 bytes" ".*https://example.com/attr/team/value/b" \
  ".*wrapped, kid r1, $url" ".*ec-wrapped, kid e1, $url" "metadata *who and when" "authenticated *all but the payload.*"; do
  grep -q "^ *$line\$" "$out" || fail "text lacks $line: $(cat "$out")"
done
expect_status 0 "$millrace" inspect e
grep -q "^  authenticated *no;" "$out" || fail "authenticated without a key"

# The payload is not read by inspect, with or without a key; verify does.
python3 -c 'd=bytearray(open("e","rb").read()); d[20000]^=1; open("flipped","wb").write(d)'
expect_status 0 "$millrace" inspect --kas-private-key "$base/rsa" --kas-private-key "$base/ec" flipped
refused 3 tamper segment -- "$millrace" verify --kas-private-key "$base/rsa" --kas-private-key "$base/ec" flipped

# Texts that would move a terminal's cursor, a policy that is none, entries that nobody asked for.
tdf_edit e odd 'm["payload"]["mimeType"]="a\x1b[2Jb\nc"; m["encryptionInformation"]["policy"]="AAAA"; e.append(("more", b"x"))'
expect_status 0 "$millrace" inspect odd
grep -qF 'a\x1b[2Jb\x0ac' "$out" || fail "control characters"
! grep -q $'\e' "$out" || fail "an escape sequence went out"
expect_status 0 "$millrace" inspect --json odd
json 'o["policy"] is None and o["attributes"] == [] and [x["name"] for x in o["container"]["entries"]][2] == "more"'

# A manifest with line breaks is still one line here.
python3 - <<'P' || fail "writing lines"
import json, zipfile
with zipfile.ZipFile("e") as z:
    m, p = json.loads(z.read("0.manifest.json")), z.read("0.payload")
with zipfile.ZipFile("lines", "w") as z:
    z.writestr("0.payload", p)
    z.writestr("0.manifest.json", json.dumps(m, indent=2).replace("\n", "\r\n"))
P
expect_status 0 "$millrace" inspect --json lines
[ "$(wc -l < "$out")" = 1 ] || fail "more than one line"
json 'o["manifest"]["payload"]["mimeType"] == "image/png"'
rm lines

# What is no TDF file, though it begins like one; what millrace knows and does not read.
head -c 1000 e > cut
printf 'PK\3\4 not an archive' > short
printf 'L1L\1nano' > nano
printf '<!DOCTYPE html>\n<html><input id="data-input" value="UEsDBA=="></html>' > page.html
for verb in inspect "verify --kas-private-key $base/ec" "decrypt --kas-private-key $base/ec -o d" "cat --kas-private-key $base/ec"; do
  for file in cut short; do refused 3 "$file: " -- "$millrace" $verb $file; done
  refused 3 "nano: NanoTDF is no longer supported by OpenTDF" -- "$millrace" $verb nano
  refused 3 "standard input: NanoTDF" -- "$millrace" $verb < <(cat nano)
  refused 3 "page.html: " HTML -- "$millrace" $verb page.html
  expect_absent d
done
expect_only cut e flipped nano o odd page.html plain short
