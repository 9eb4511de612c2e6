# Files that other programs wrote, as the command meets them: expected.json says what each must give.
. "$(dirname "$0")/lib.sh"
. "$here/tdf_lib.sh"
python3 - "$vectors/expected.json" > list <<'P'
import json, sys
for v in json.load(open(sys.argv[1]))["vectors"]:
    if v["file"].endswith(".tdf"):
        print(v["file"], v["result"], v.get("key", "-"), v.get("plaintext_sha256", "-"), v.get("plaintext_bytes", "-"), v["bytes"])
P
[ "$(grep -c ' decrypts ' list)" -ge 10 ] || fail "the list"
"$millrace" kas keygen --algorithm ec:secp256r1 -o other.pem
while read -r file result key sha size bytes; do
  tdf=$vectors/$file
  case $result in
    decrypts)
      umask 077
      cp "$vectors/$key" key.der  # the warning about modes has its own test
      umask 022
      expect_status 0 "$millrace" decrypt --kas-private-key key.der -o d "$tdf"
      expect_silence
      [ "$(sha256sum < d)" = "$sha  -" ] || fail "the plaintext of $file"
      rm d
      expect_status 0 eval '"$millrace" decrypt --kas-private-key key.der < <(cat "$tdf")'
      [ "$(sha256sum < "$out")" = "$sha  -" ] || fail "the plaintext of $file, by pipe"
      expect_status 0 "$millrace" verify --json --kas-private-key key.der "$tdf"
      json 'o["bytes"] == '"$size"' and o["verified"] is True'
      expect_status 0 "$millrace" cat --kas-private-key key.der --range -2 "$tdf"
      [ "$(stat -c %s "$out")" = 2 ] || fail "the last two bytes of $file"
      # The key of somebody else: the message says whose it would be.
      refused 3 "$(basename "$file"): " "key access 1" http -- "$millrace" decrypt --kas-private-key other.pem -o d "$tdf"
      expect_absent d
      ;;
    must-fail)
      for given in "decrypt --kas-private-key $vectors/keys/legacy-mock-kas-rsa-private.der -o d" \
        "verify --kas-private-key $vectors/keys/golden-r1-private.der"; do
        expect_status 3 "$millrace" $given "$tdf"
        expect_absent d
      done
      ;;
  esac
  # Without a key, everything of the right form shows what it is.
  case $file in
    */secret.tdf | */invalid_zip_tdf.tdf) refused 3 "$(basename "$file"): " -- "$millrace" inspect "$tdf" ;;
    *html*) refused 3 "$(basename "$file"): " HTML -- "$millrace" inspect "$tdf" ;;
    *fuzzTDF*) ;;
    *)
      expect_status 0 "$millrace" inspect --json "$tdf"
      json 'o["format"] == "tdf" and o["authenticated"] is False and o["bytes"] == '"$bytes"' and
        {e["name"] for e in o["container"]["entries"]} >= {"0.payload", "0.manifest.json"}'
      expect_status 0 "$millrace" inspect "$tdf"
      ;;
  esac
done < list

cp "$vectors/keys/golden-r1-private.der" key.der
chmod 600 key.der
# What a key adds: metadata, and that it is all true.
for file in xstext-java-v0.7.5-94b161d53-DSP2.0.2_and_2.0.3 xstext-java-v0.9.0-2de6a49-DSP2.0.5.1_and_2.0.6; do
  expect_status 0 "$millrace" inspect --json --kas-private-key key.der "$vectors/tests-golden/$file.tdf"
  json 'o["authenticated"] is True and o["metadata"] == "here is some metadata"'
  expect_status 0 "$millrace" inspect --kas-private-key key.der "$vectors/tests-golden/$file.tdf"
  grep -q "^  metadata *here is some metadata\$" "$out" || fail "metadata as text"
done
# tdf_t09, tdf_t06: the version and the sizes of an old file.
expect_status 0 "$millrace" inspect --json "$vectors/client-cpp/10bytes.txt.tdf"
json 'o["schema_version"] == "4.2.2" and o["plaintext_bytes"] == 10 and o["segments"] == 1'
# Three alternatives, of which one works.
expect_status 0 "$millrace" inspect --json "$vectors/tests-golden/no-splitids-java.tdf"
json 'len(o["key_access"]) == 3 and [s["any_of"] for s in o["splits"]] == [[0, 1, 2]]'
expect_only key.der list other.pem other.pem.pub
