# tdf_edit.py IN OUT CODE: rewrites a TDF file after CODE has changed `m` (the manifest), `p` (the payload, a bytearray)
# or `e` (names and bytes of further entries). The archive itself stays right, CRCs included.
import base64, copy, json, sys, zipfile

source, target, code = sys.argv[1:]
with zipfile.ZipFile(source) as z:
    m = json.loads(z.read("0.manifest.json"))
    p = bytearray(z.read("0.payload"))
e = []
s = m["encryptionInformation"]["integrityInformation"]
exec(code)
with zipfile.ZipFile(target, "w") as z:
    z.writestr("0.payload", bytes(p))
    z.writestr("0.manifest.json", json.dumps(m))
    for name, data in e:
        z.writestr(name, data)
