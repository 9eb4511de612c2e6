# What the scripts about TDF files share: key pairs, and files made for them. Sourced after lib.sh.
url=https://kas.example.com
vectors=$(cd "$here/../vectors/opentdf" && pwd)
# new_pair NAME [ALGORITHM]: NAME and NAME.pub in $base.
new_pair() { "$millrace" kas keygen --algorithm "${2:-ec:secp256r1}" -o "$base/$1"; }
# seal KEY ARGUMENTS...: encrypt for one key, quietly.
seal() {
  local key=$1
  shift
  "$millrace" encrypt -q --tdf --kas-public-key "$base/$key.pub" --kas-url $url "$@"
}
# tdf_edit IN OUT CODE
tdf_edit() { python3 "$here/tdf_edit.py" "$@"; }
# manifest FILE EXPRESSION: holds for the manifest `m`, whatever wrote or reads the file.
manifest() {
  python3 - "$@" <<'P' || fail "the manifest of $1: $2"
import base64, json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as z:
    assert z.testzip() is None
    assert z.namelist() == ["0.payload", "0.manifest.json"], z.namelist()
    m = json.loads(z.read("0.manifest.json"))
policy = json.loads(base64.b64decode(m["encryptionInformation"]["policy"]))
e = m["encryptionInformation"]
keys, integrity = e["keyAccess"], e["integrityInformation"]
sys.exit(not eval("(" + sys.argv[2] + ")"))
P
}
# json EXPRESSION: over the object `o` on stdout.
json() { python3 -c "import json,sys; o=json.load(open(sys.argv[1])); sys.exit(not ($1))" "$out" || fail "JSON: $1: $(cat "$out")"; }
