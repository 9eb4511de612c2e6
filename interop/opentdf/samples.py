"""What the exchange and the golden files encrypt, and for whom."""

import json
import pathlib

from cryptography.hazmat.primitives import serialization

import reader

VECTORS = pathlib.Path(__file__).resolve().parents[2] / "tests" / "vectors" / "opentdf"
KEYS = VECTORS / "keys"

# kid -> private key. All of them are OpenTDF's own published test keys.
KAS_KEYS = {
    "r2048": KEYS / "sample-rsa-2048-01-private.der",
    "r4096": KEYS / "sample-rsa-4096-01-private.der",
    "e256": KEYS / "sample-ec-secp256r1-01-private.der",
    "e384": KEYS / "sample-ec-secp384r1-01-private.der",
    "e521": KEYS / "sample-ec-secp521r1-01-private.der",
}
ALGORITHMS = {"r2048": "rsa:2048", "r4096": "rsa:4096", "e256": "ec:secp256r1", "e384": "ec:secp384r1", "e521": "ec:secp521r1"}

KAS = "https://kas.example.com"
OTHER_KAS = "https://other.example.com"

HMAC_KEY = "b25seSBmb3IgdGVzdHM6IHRoZXNlIHZlcnkgY2hhcmFjdGVycyBhcmUgdGhlIGtleQ=="

HANDLING = {
    "id": "with-hmac-key", "type": "handling", "scope": "tdo", "appliesToState": "unencrypted",
    "statement": {"format": "json+structured", "schema": "urn:example:schema:1",
                  "value": '{"level":"secret","n":1.50,"text":"\\u00e9 < > & / é"}'},
}
OTHER = {
    "id": "with-rsa-key", "type": "other", "scope": "payload", "appliesToState": "encrypted",
    "statement": {"format": "text", "schema": "urn:example:schema:2", "value": "signed with RS256\nin two lines"},
}
PLAIN = {
    "id": "with-payload-key", "type": "other", "scope": "tdo", "appliesToState": "unencrypted",
    "statement": {"format": "text", "schema": "urn:example:schema:3", "value": "signed with the key of the file"},
}


def plaintext(size):
    """Byte i is (31 i + floor(i / 256)) mod 256, so no two places a segment apart look alike."""
    return bytes((31 * i + (i >> 8)) & 0xFF for i in range(size))


def write_json(path, content):
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content, indent=1, ensure_ascii=True) + "\n", encoding="ascii")
    return path


def assertions_to_add(work):
    """The assertions with their signing keys, in the form of OpenTDF's command line tools."""
    private = reader.load_key(KAS_KEYS["r2048"])
    pem = private.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return write_json(work / "assertions.json", [
        HANDLING | {"signingKey": {"alg": "HS256", "key": HMAC_KEY}},
        OTHER | {"signingKey": {"alg": "RS256", "key": pem.decode("ascii")}},
        PLAIN,
    ])


def verification_keys(path):
    public = (KEYS / "sample-rsa-2048-01-public.pem").read_text(encoding="ascii")
    return write_json(path, {"keys": {HANDLING["id"]: {"alg": "HS256", "key": HMAC_KEY}, OTHER["id"]: {"alg": "RS256", "key": public}}})
