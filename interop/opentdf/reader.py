"""A small reader of TDF files with given private keys, after the format's description alone: a third opinion beside the SDKs and millrace.

It needs the package `cryptography`. For small files: it holds everything in memory.
"""

import base64
import functools
import hashlib
import hmac
import json
import zipfile

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF


class Damaged(Exception):
    """What the file says does not hold."""


def check(good, text):
    if not good:
        raise Damaged(text)


@functools.cache
def load_key(path):
    data = path.read_bytes()
    load = serialization.load_pem_private_key if data.startswith(b"-----") else serialization.load_der_private_key
    return load(data, None)


def decode(text):
    return base64.b64decode(text, validate=True)


def unwrap(access, key):
    wrapped = decode(access["wrappedKey"])
    if access["type"] == "wrapped":
        return key.decrypt(wrapped, padding.OAEP(padding.MGF1(hashes.SHA1()), hashes.SHA1(), None))
    check(access["type"] == "ec-wrapped", f"key access type {access['type']}")
    peer = serialization.load_pem_public_key(access["ephemeralPublicKey"].encode("ascii"))
    derived = HKDF(hashes.SHA256(), 32, hashlib.sha256(b"TDF").digest(), b"").derive(key.exchange(ec.ECDH(), peer))
    return AESGCM(derived).decrypt(wrapped[:12], wrapped[12:], None)


def mac(key, message):
    return hmac.digest(key, message, "sha256")


class Tdf:
    """One file: its manifest and its encrypted payload."""

    def __init__(self, path):
        with zipfile.ZipFile(path) as archive:
            check(sorted(archive.namelist()) == ["0.manifest.json", "0.payload"], "entries")
            check(all(i.compress_type == zipfile.ZIP_STORED for i in archive.infolist()), "an entry is compressed")
            self.manifest = json.loads(archive.read("0.manifest.json"))
            self.payload = archive.read("0.payload")
        self.information = self.manifest["encryptionInformation"]
        version = self.manifest.get("schemaVersion") or self.manifest.get("tdf_spec_version") or ""
        check(version.split(".")[0] in ("", "4"), f"version {version}")
        check(self.information["method"]["algorithm"] == "AES-256-GCM", "cipher")
        self.legacy = not version

    def payload_key(self, keys):
        """`keys`: kid -> private key. Every share that a key here opens is checked against its policy binding."""
        shares = {}
        for access in self.information["keyAccess"]:
            sid = access.get("sid") or ""
            shares.setdefault(sid, None)
            if access.get("kid") not in keys:
                continue
            share = unwrap(access, keys[access.get("kid")])
            bound = mac(share, self.information["policy"].encode("ascii")).hex().encode("ascii")
            binding = access["policyBinding"]
            check(decode(binding if isinstance(binding, str) else binding["hash"]) == bound, "policy binding")
            check(shares[sid] in (None, share), "two shares under one sid")
            shares[sid] = share
        check(all(shares.values()), "a share that no key opens")
        key = bytes(32)
        for share in shares.values():
            key = bytes(a ^ b for a, b in zip(key, share))
        return key

    def encoded(self, value):
        """As the manifest writes a MAC or tag: hex text in files before 4.3.0."""
        return value.hex().encode("ascii") if self.legacy else value

    def decrypt(self, keys):
        key = self.payload_key(keys)
        integrity = self.information["integrityInformation"]
        plaintext, signed, at = [], b"", 0
        for segment in integrity["segments"]:
            size = segment.get("encryptedSegmentSize") or integrity["encryptedSegmentSizeDefault"]
            check(self.legacy or segment.get("segmentSize", size - 28) == size - 28, "segment size")
            sealed = self.payload[at:at + size]
            check(len(sealed) == size, "payload too short")
            at += size
            stored = decode(segment["hash"])
            made = {"GMAC": sealed[-16:], "HS256": mac(key, sealed)}[integrity["segmentHashAlg"].upper()]
            check(stored == self.encoded(made), "segment hash")
            signed += stored
            plaintext.append(AESGCM(key).decrypt(sealed[:12], sealed[12:], None))
        check(at == len(self.payload), "payload too long")
        check(integrity["rootSignature"]["alg"] == "HS256", "root algorithm")
        check(decode(integrity["rootSignature"]["sig"]) == self.encoded(mac(key, signed)), "root signature")
        return b"".join(plaintext)

    def metadata(self, keys):
        """The metadata of the first key access object that has some and that a key here opens."""
        for access in self.information["keyAccess"]:
            if access.get("encryptedMetadata") and access.get("kid") in keys:
                sealed = decode(json.loads(decode(access["encryptedMetadata"]))["ciphertext"])
                return AESGCM(unwrap(access, keys[access.get("kid")])).decrypt(sealed[:12], sealed[12:], None).decode("utf-8")
        return None
