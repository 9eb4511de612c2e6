"""Tink for Python as a peer: one job per line on stdin, one answer per line on stdout (see interop.py for the jobs)."""

import io
import json
import sys

import tink
from tink import aead, cleartext_keyset_handle, secret_key_access, streaming_aead
from tink import json_proto_keyset_format, proto_keyset_format
from tink.proto import tink_pb2


class KeepOpen(io.BytesIO):
    """Tink closes its destination; we still want the bytes."""

    def close(self):
        pass


def load(job):
    with open(job["keyset"], "rb") as f:
        data = f.read()
    if job.get("kek"):
        with open(job["kek"], "r", encoding="utf-8") as f:
            kek = json_proto_keyset_format.parse(f.read(), secret_key_access.TOKEN).primitive(aead.Aead)
        if job["format"] == "json":
            return json_proto_keyset_format.parse_encrypted(data.decode("utf-8"), kek, b"")
        return proto_keyset_format.parse_encrypted(data, kek, b"")
    if job["format"] == "json":
        return json_proto_keyset_format.parse(data.decode("utf-8"), secret_key_access.TOKEN)
    return proto_keyset_format.parse(data, secret_key_access.TOKEN)


def new_keyset(job):
    """Python has no keyset manager: the keyset is put together from keys that Tink generated."""
    keyset = tink_pb2.Keyset()
    for name in job["templates"]:
        template = getattr(streaming_aead.streaming_aead_key_templates, name)
        made = tink_pb2.Keyset.FromString(
            proto_keyset_format.serialize(tink.new_keyset_handle(template), secret_key_access.TOKEN))
        keyset.key.append(made.key[0])
    keyset.primary_key_id = keyset.key[job["primary"]].key_id
    handle = proto_keyset_format.parse(keyset.SerializeToString(), secret_key_access.TOKEN)
    write_keyset(handle, job)


def new_kek(job):
    write_keyset(tink.new_keyset_handle(aead.aead_key_templates.AES256_GCM), job)


def write_keyset(handle, job):
    if job.get("kek"):
        with open(job["kek"], "r", encoding="utf-8") as f:
            kek = json_proto_keyset_format.parse(f.read(), secret_key_access.TOKEN).primitive(aead.Aead)
        if job["format"] == "json":
            data = json_proto_keyset_format.serialize_encrypted(handle, kek, b"").encode("utf-8")
        else:
            data = proto_keyset_format.serialize_encrypted(handle, kek, b"")
    elif job["format"] == "json":
        data = json_proto_keyset_format.serialize(handle, secret_key_access.TOKEN).encode("utf-8")
    else:
        data = proto_keyset_format.serialize(handle, secret_key_access.TOKEN)
    with open(job["out"], "wb") as f:
        f.write(data)


def reseal(job):
    """Reads a keyset and writes it again, sealed under job["seal"] if that is there."""
    handle = load(job)
    write_keyset(handle, {"format": job["format"], "out": job["out"], "kek": job["seal"]})


def encrypt(job):
    primitive = load(job).primitive(streaming_aead.StreamingAead)
    with open(job["in"], "rb") as f:
        plaintext = f.read()
    out = KeepOpen()
    with primitive.new_encrypting_stream(out, bytes.fromhex(job["associated_data"])) as stream:
        stream.write(plaintext)
    with open(job["out"], "wb") as f:
        f.write(out.getvalue())


def decrypt(job):
    primitive = load(job).primitive(streaming_aead.StreamingAead)
    with open(job["in"], "rb") as f:
        with primitive.new_decrypting_stream(f, bytes.fromhex(job["associated_data"])) as stream:
            plaintext = stream.read()
    with open(job["out"], "wb") as f:
        f.write(plaintext)


def check_keyset(job):
    load(job).primitive(streaming_aead.StreamingAead)


JOBS = {f.__name__: f for f in (new_keyset, new_kek, reseal, encrypt, decrypt, check_keyset)}


def main():
    aead.register()
    streaming_aead.register()
    for line in sys.stdin:
        job = json.loads(line)
        try:
            JOBS[job["op"]](job)
            answer = {"ok": True}
        except tink.TinkError as e:
            answer = {"ok": False, "error": str(e)[:300]}
        except Exception as e:  # not an answer of Tink's: the driver stops
            answer = {"broken": True, "error": f"{type(e).__name__}: {e}"[:300]}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
