"""The cell of bench/cells/record.cc for Tink for Python, which is Tink for C++ underneath: one small record through its
streaming AEAD, from memory to memory, with a primitive that is made once. Options in as NAME=VALUE, one line of JSON out."""

import importlib.metadata
import io
import json
import platform
import sys
import time

import tink
from tink import streaming_aead

ASSOCIATED_DATA = b"associated data"


class KeepOpen(io.BytesIO):
    """Tink closes its destination; the bytes are still wanted."""

    def close(self):
        pass


def encrypt(primitive, plaintext):
    out = KeepOpen()
    with primitive.new_encrypting_stream(out, ASSOCIATED_DATA) as stream:
        stream.write(plaintext)
    return out.getvalue()


def decrypt(primitive, ciphertext):
    with primitive.new_decrypting_stream(io.BytesIO(ciphertext), ASSOCIATED_DATA) as stream:
        return stream.read()


def measure(seconds, operation):
    def run(times):
        start = time.perf_counter()
        for _ in range(times):
            operation()
        return time.perf_counter() - start

    times = 1
    spent = run(times)
    while spent < seconds / 4:
        times *= 2
        spent = run(times)
    times = int(times * seconds / spent) + 1
    return run(times) * 1e9 / times


def main():
    if sys.argv[1:] == ["version"]:
        print(f"{importlib.metadata.version('tink')}, Python {platform.python_version()}")
        return
    options = dict(argument.split("=", 1) for argument in sys.argv[1:])
    streaming_aead.register()
    template = getattr(streaming_aead.streaming_aead_key_templates, options["template"])
    primitive = tink.new_keyset_handle(template).primitive(streaming_aead.StreamingAead)
    plaintext = b"x" * int(options["size"])
    ciphertext = encrypt(primitive, plaintext)
    if decrypt(primitive, ciphertext) != plaintext:
        sys.exit("does not decrypt")
    operations = {
        "encrypt": lambda: encrypt(primitive, plaintext),
        "decrypt": lambda: decrypt(primitive, ciphertext),
    }
    print(json.dumps({"ns": measure(float(options["seconds"]), operations[options["direction"]])}))


if __name__ == "__main__":
    main()
