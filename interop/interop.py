"""Exchanges streams and keysets between millrace and Tink's own libraries, and compares what each of them refuses.

Called by interop/run. Each peer is one process that takes jobs as JSON lines:

  {"op": "encrypt"|"decrypt", "keyset": file, "format": "json"|"binary", "associated_data": hex, "in": file, "out": file}
  {"op": "new_keyset", "templates": [names], "primary": index, "format": ..., "out": file}    {"op": "new_kek", ...}
  {"op": "reseal", "keyset": file, "format": ..., "out": file, "kek": file, "seal": file}     read, write again
  {"op": "check_keyset", "keyset": file, "format": ...}                                       would it serve a stream?

and answers {"ok": true} or {"ok": false, "error": text}.
"""

import argparse
import collections
import hashlib
import json
import pathlib
import random
import subprocess
import sys

from tink.proto import aes_ctr_hmac_streaming_pb2, aes_gcm_hkdf_streaming_pb2, common_pb2, tink_pb2

HERE = pathlib.Path(__file__).resolve().parent
VECTORS = HERE.parent / "tests" / "vectors" / "tink"

Layout = collections.namedtuple("Layout", "derived segment tag")
TEMPLATES = {
    "AES128_GCM_HKDF_4KB": Layout(16, 4096, 16),
    "AES128_GCM_HKDF_1MB": Layout(16, 1 << 20, 16),
    "AES256_GCM_HKDF_4KB": Layout(32, 4096, 16),
    "AES256_GCM_HKDF_1MB": Layout(32, 1 << 20, 16),
    "AES128_CTR_HMAC_SHA256_4KB": Layout(16, 4096, 32),
    "AES128_CTR_HMAC_SHA256_1MB": Layout(16, 1 << 20, 32),
    "AES256_CTR_HMAC_SHA256_4KB": Layout(32, 4096, 32),
    "AES256_CTR_HMAC_SHA256_1MB": Layout(32, 1 << 20, 32),
}


def boundary_sizes(layout):
    """Plaintext sizes around each place where a writer or a reader may be one byte off."""
    later = layout.segment - layout.tag
    first = later - (1 + layout.derived + 7)
    return [0, 1] + [first + n * later + d for n in (0, 1, 3) for d in (-1, 0, 1)] + [first + (5 << 20) // later * later + 17]


def ciphertext_size(layout, plaintext_size):
    later = layout.segment - layout.tag
    header = 1 + layout.derived + 7
    segments = 1 + max(0, -(-(plaintext_size - (later - header)) // later))
    return header + plaintext_size + segments * layout.tag


class Tally:
    """Counts what was compared; a failure is printed at once and remembered."""

    def __init__(self):
        self.passed = 0
        self.failed = 0

    def check(self, good, text):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print(f"interop: FAILED: {text}", flush=True)
        return good


class Peer:
    """One of Tink's own libraries, in its process."""

    def __init__(self, name, argv):
        self.name = name
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def call(self, **job):
        self.process.stdin.write(json.dumps({k: str(v) if isinstance(v, pathlib.Path) else v for k, v in job.items()}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"interop: the peer {self.name} ended during {job}")
        answer = json.loads(line)
        if answer.get("broken"):
            sys.exit(f"interop: the peer {self.name} cannot do {job}: {answer['error']}")
        return answer["ok"], answer.get("error", "")

    def encrypt(self, keyset, associated_data, source, target, form="json"):
        return self.call(op="encrypt", keyset=keyset, format=form, associated_data=associated_data.hex(), out=target, **{"in": source})

    def decrypt(self, keyset, associated_data, source, target, form="json"):
        return self.call(op="decrypt", keyset=keyset, format=form, associated_data=associated_data.hex(), out=target, **{"in": source})

    def new_keyset(self, target, templates, primary, form):
        return self.call(op="new_keyset", templates=templates, primary=primary, format=form, out=target)

    def new_kek(self, target):
        return self.call(op="new_kek", format="json", out=target)

    def check_keyset(self, keyset, form, _probe):
        return self.call(op="check_keyset", keyset=keyset, format=form)


class Millrace:
    """The command under test, used as a user would."""

    name = "millrace"

    def __init__(self, command, work):
        self.command = str(command)
        self.work = work

    def run(self, *argv):
        """Returns whether it succeeded, its exit status and the first line it said."""
        done = subprocess.run([self.command, *map(str, argv)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", check=False)
        said = (done.stderr.strip() or done.stdout.strip()).split("\n")[0]
        if done.returncode < 0 or done.returncode > 5:
            sys.exit(f"interop: millrace {' '.join(map(str, argv))}: status {done.returncode}: {said}")
        return done.returncode == 0, done.returncode, said

    def must(self, *argv):
        good, status, said = self.run(*argv)
        if not good:
            sys.exit(f"interop: millrace {' '.join(map(str, argv))}: status {status}: {said}")

    def _stream(self, verb, keyset, associated_data, source, target):
        target.unlink(missing_ok=True)
        argv = [verb, "--keyset", keyset, "-o", target]
        if associated_data:
            (self.work / "associated-data").write_bytes(associated_data)
            argv += ["--associated-data-file", self.work / "associated-data"]
        good, status, said = self.run(*argv, source)
        if not good and target.exists():
            return True, f"it left {target} behind with status {status}"  # neither an answer nor a refusal
        return good, f"status {status}: {said}"

    def encrypt(self, keyset, associated_data, source, target, form="json"):
        return self._stream("encrypt", keyset, associated_data, source, target)

    def decrypt(self, keyset, associated_data, source, target, form="json"):
        return self._stream("decrypt", keyset, associated_data, source, target)

    def new_keyset(self, target, templates, primary, form):
        """All templates in one keyset; the key of templates[primary] encrypts."""
        target.unlink(missing_ok=True)
        self.must("keyset", "new", "--template", templates[0], "-o", target)
        for template in templates[1:]:
            self.must("keyset", "add", target, "--template", template)
        if primary:
            self.must("keyset", "promote", target, key_ids(target)[primary])
        if form == "binary":
            self.convert(target, "binary")
        return True, ""

    def new_kek(self, target):
        target.unlink(missing_ok=True)
        good, status, said = self.run("keyset", "new", "--template", "AES256_GCM", "-o", target)
        return good, f"status {status}: {said}"

    def convert(self, keyset, form):
        converted = keyset.with_suffix(".converted")
        converted.unlink(missing_ok=True)
        self.must("keyset", "convert", keyset, "--to", form, "-o", converted)
        converted.replace(keyset)

    def check_keyset(self, keyset, form, probe):
        """There is no verb for this: a keyset serves a stream if one can be encrypted with it."""
        target = self.work / "probe.out"
        return self._stream("encrypt", keyset, b"", probe, target)


def key_ids(keyset):
    return [key["keyId"] for key in json.loads(keyset.read_text())["key"]]


class Parameters(collections.namedtuple("Parameters", "key_size derived segment hkdf hmac tag", defaults=(None, 16))):
    """Those of one streaming key; AES-GCM-HKDF unless an HMAC hash is given."""

    @classmethod
    def of_vector(cls, vector):
        p = vector["params"]
        return cls(len(vector["ikm_hex"]) // 2, p["derived_key_size"], p["ciphertext_segment_size"], p["hkdf_hash"],
                   p.get("hmac_hash"), p.get("hmac_tag_size", 16))

    def name(self):
        kind = f"ctr hmac {self.hmac}/{self.tag}" if self.hmac else "gcm"
        return f"{kind}, hkdf {self.hkdf}, key {self.key_size}, derived {self.derived}, segment {self.segment}"

    def keyset(self, key_value):
        """A binary keyset with one such key, put together with Tink's own messages."""
        hash_type = common_pb2.HashType.Value
        if self.hmac:
            key = aes_ctr_hmac_streaming_pb2.AesCtrHmacStreamingKey(key_value=key_value)
            key.params.hmac_params.hash = hash_type(self.hmac)
            key.params.hmac_params.tag_size = self.tag
        else:
            key = aes_gcm_hkdf_streaming_pb2.AesGcmHkdfStreamingKey(key_value=key_value)
        key.params.ciphertext_segment_size = self.segment
        key.params.derived_key_size = self.derived
        key.params.hkdf_hash_type = hash_type(self.hkdf)
        keyset = tink_pb2.Keyset(primary_key_id=1)
        entry = keyset.key.add(status=tink_pb2.ENABLED, key_id=1, output_prefix_type=tink_pb2.RAW)
        entry.key_data.type_url = "type.googleapis.com/" + key.DESCRIPTOR.full_name
        entry.key_data.value = key.SerializeToString()
        entry.key_data.key_material_type = tink_pb2.KeyData.SYMMETRIC
        return keyset.SerializeToString()


# The smallest segment leaves room for one byte of plaintext in the first one: 1 + derived + 7 + tag + 1.
OTHER_PARAMETERS = [
    Parameters(16, 16, 41, "SHA256"),
    Parameters(32, 32, 57, "SHA256"),
    Parameters(16, 16, 100, "SHA1"),
    Parameters(32, 32, 100, "SHA512"),
    Parameters(32, 16, 64, "SHA256"),
    Parameters(32, 32, 65_536, "SHA1"),
    Parameters(17, 16, 100, "SHA256"),
    Parameters(64, 32, 100, "SHA256"),
    Parameters(16, 16, 16 + 8 + 10 + 1, "SHA256", "SHA1", 10),
    Parameters(32, 32, 32 + 8 + 64 + 1, "SHA512", "SHA512", 64),
    Parameters(16, 16, 100, "SHA1", "SHA1", 20),
    Parameters(32, 16, 100, "SHA256", "SHA256", 10),
    Parameters(32, 32, 100, "SHA1", "SHA512", 33),
    Parameters(32, 32, 65_536, "SHA512", "SHA256", 32),
    Parameters(24, 16, 100, "SHA256", "SHA256", 32),
    Parameters(100, 32, 100, "SHA256", "SHA256", 32),
]


def vectors_of(name):
    return json.loads((VECTORS / name).read_text())["vectors"]


class Exceptions:
    """interop/exceptions.txt: the places where somebody knowingly differs. Each must still be true."""

    def __init__(self, present):
        self.reasons = {}
        self.used = set()
        for line in (HERE / "exceptions.txt").read_text().splitlines():
            if line.strip() and not line.startswith("#"):
                who, what, verdict, _why = (part.strip() for part in line.split("|", 3))
                if who in present:
                    self.reasons[who, what] = verdict

    def expected(self, who, what, verdict):
        if (who, what) in self.reasons:
            self.used.add((who, what))
            return self.reasons[who, what]
        return verdict

    def stale(self):
        return sorted(set(self.reasons) - self.used)


class Run:
    def __init__(self, millrace, peers, work, seed):
        self.millrace = millrace
        self.peers = peers
        self.everyone = [millrace, *peers]
        self.work = work
        self.random = random.Random(seed)
        self.tally = Tally()
        self.exceptions = Exceptions({p.name for p in self.everyone})

    def plaintext(self, size):
        path = self.work / f"plain-{size}"
        if not path.exists():
            path.write_bytes(self.random.randbytes(size))
        return path

    def exchange(self, what, keyset, associated_data, source, writer, readers, form="json", size=None):
        """`writer` encrypts, each of `readers` must get the same bytes back."""
        sealed, opened = self.work / "sealed", self.work / "opened"
        good, said = writer.encrypt(keyset, associated_data, source, sealed, form)
        if not self.tally.check(good, f"{what}: {writer.name} does not encrypt: {said}"):
            return
        if size is not None:
            self.tally.check(sealed.stat().st_size == size, f"{what}: {writer.name} wrote {sealed.stat().st_size} bytes, not {size}")
        for reader in readers:
            opened.unlink(missing_ok=True)
            good, said = reader.decrypt(keyset, associated_data, sealed, opened, form)
            same = good and opened.exists() and digest(opened) == digest(source)
            self.tally.check(same, f"{what}: {reader.name} does not open what {writer.name} wrote: {said or 'other bytes'}")

    def both_ways(self, what, keyset, associated_data, source, form="json", size=None):
        self.exchange(f"{what}", keyset, associated_data, source, self.millrace, self.peers, form, size)
        for peer in self.peers:
            self.exchange(f"{what}", keyset, associated_data, source, peer, [self.millrace], form, size)

    def streams(self):
        """Every template, every size at which a segment begins or ends, with and without associated data."""
        # OpenSSL's HKDF stops at 32 KiB of associated data; the format does not.
        long_data = self.random.randbytes(40_000)
        for template, layout in TEMPLATES.items():
            keyset = self.work / f"{template}.json"
            self.millrace.new_keyset(keyset, [template], 0, "json")
            for size in boundary_sizes(layout):
                for associated_data in (b"", b"folder/file name"):
                    what = f"{template}, {size} bytes, {len(associated_data)} bytes of associated data"
                    self.both_ways(what, keyset, associated_data, self.plaintext(size), size=ciphertext_size(layout, size))
            self.both_ways(f"{template}, long associated data", keyset, long_data, self.plaintext(1))

    def keysets(self):
        """Keysets made by each side, in both forms, with one key and with several, of which the second encrypts."""
        names = list(TEMPLATES)
        choices = [[name] for name in names] + [[a, b, c] for a, b, c in zip(names, names[3:] + names[:3], names[5:] + names[:5])]
        source = self.plaintext(5000)
        for maker in self.everyone:
            for form in ("json", "binary"):
                for templates in choices:
                    what = f"keyset by {maker.name}, {form}, {'+'.join(templates)}"
                    keyset = self.work / f"keyset.{form}"
                    good, said = maker.new_keyset(keyset, templates, len(templates) // 2, form)
                    if self.tally.check(good, f"{what}: not made: {said}"):
                        self.both_ways(what, keyset, b"data", source, form)

    def rotation(self):
        """One keyset through its life; at each step everyone says the same about the old and the new stream."""
        source, keyset = self.plaintext(10_000), self.work / "rotated.json"
        old_file, new_file, opened = (self.work / n for n in ("old", "new", "opened"))
        m = self.millrace
        m.new_keyset(keyset, ["AES128_GCM_HKDF_4KB"], 0, "json")
        old = key_ids(keyset)[0]
        old_file.unlink(missing_ok=True)
        self.tally.check(*m.encrypt(keyset, b"", source, old_file))
        m.must("keyset", "add", keyset, "--template", "AES256_CTR_HMAC_SHA256_4KB")
        new = [key for key in key_ids(keyset) if key != old][0]

        def verdicts(step, stream, opens):
            for reader in self.everyone:
                opened.unlink(missing_ok=True)
                good, said = reader.decrypt(keyset, b"", stream, opened)
                self.tally.check(good == opens, f"rotation, {step}, {stream.name} stream: {reader.name}: {said or 'opened'}")

        verdicts("second key added", old_file, True)
        m.must("keyset", "promote", keyset, new)
        for writer in self.everyone:
            new_file.unlink(missing_ok=True)
            self.tally.check(*writer.encrypt(keyset, b"", source, new_file))
            verdicts(f"promoted, written by {writer.name}", new_file, True)
        verdicts("promoted", old_file, True)
        m.must("keyset", "disable", keyset, old)
        verdicts("disabled", old_file, False)
        verdicts("disabled", new_file, True)
        m.must("keyset", "enable", keyset, old)
        verdicts("enabled", old_file, True)
        m.convert(keyset, "binary")
        m.convert(keyset, "json")
        verdicts("converted there and back", old_file, True)
        m.must("keyset", "disable", keyset, old)
        m.must("keyset", "delete", keyset, old)
        verdicts("deleted", old_file, False)
        verdicts("deleted", new_file, True)

    def sealed_keysets(self):
        """Encrypted keysets: sealed by one, opened by another, under a key-encryption keyset of each side."""
        for maker in self.everyone:
            kek = self.work / f"kek-{maker.name}.json"
            good, said = maker.new_kek(kek)
            if not self.tally.check(good, f"kek by {maker.name}: {said}"):
                continue
            for peer in self.peers if maker is self.millrace else [maker]:
                for form in ("json", "binary"):
                    self.sealed_keyset(f"sealed keyset, {form}, kek by {maker.name}", kek, peer, form)

    def sealed_keyset(self, what, kek, peer, form):
        """Both directions between millrace and `peer`, in one form."""
        source, clear, sealed, again = self.plaintext(100), *(self.work / n for n in ("clear", "keyset.sealed", "again"))

        def fresh():
            for path in (sealed, again):
                path.unlink(missing_ok=True)

        self.millrace.new_keyset(clear, ["AES256_GCM_HKDF_4KB", "AES128_CTR_HMAC_SHA256_4KB"], 1, form)
        fresh()
        self.millrace.must("keyset", "seal", clear, "--kek", kek, "-o", sealed)
        # The peer opens it and writes it again in the clear; both must be the same keys.
        good, said = peer.call(op="reseal", keyset=sealed, kek=kek, format=form, seal="", out=again)
        if self.tally.check(good, f"{what}: {peer.name} does not open millrace's: {said}"):
            self.crossing(f"{what}, opened by {peer.name}", clear, again, source, form)
        fresh()
        good, said = peer.call(op="reseal", keyset=clear, format=form, seal=kek, out=sealed)
        if self.tally.check(good, f"{what}: {peer.name} does not seal: {said}"):
            self.millrace.must("keyset", "unseal", sealed, "--kek", kek, "-o", again)
            self.crossing(f"{what}, sealed by {peer.name}", clear, again, source, form)

    def crossing(self, what, one, other, source, form):
        """What is encrypted with one keyset file opens with the other: they hold the same keys."""
        stream, opened = self.work / "crossing", self.work / "opened"
        for path in (stream, opened):
            path.unlink(missing_ok=True)
        self.tally.check(*self.millrace.encrypt(one, b"", source, stream, form))
        good, said = self.millrace.decrypt(other, b"", stream, opened, form)
        self.tally.check(good and digest(opened) == digest(source), f"{what}: other keys: {said}")

    def other_parameters(self):
        """Parameters that no template has: the smallest segments, other hashes and tags, longer keys."""
        keyset = self.work / "parameters.bin"
        for parameters in OTHER_PARAMETERS:
            what = parameters.name()
            keyset.write_bytes(parameters.keyset(self.random.randbytes(parameters.key_size)))
            able = []
            for peer in self.peers:
                good, said = peer.check_keyset(keyset, "binary", None)
                verdict = self.exceptions.expected(peer.name, what, "accepts")
                self.tally.check(good == (verdict == "accepts"), f"{what}: {peer.name}: {said or 'accepts'}")
                if good:
                    able.append(peer)
            for size in (0, 1, 100, 1000):
                self.exchange(what, keyset, b"data", self.plaintext(size), self.millrace, able, "binary")
                for peer in able:
                    self.exchange(what, keyset, b"data", self.plaintext(size), peer, [self.millrace], "binary")

    def bad_streams(self):
        """Streams that were damaged or that no writer makes: the vector's verdict is everyone's."""
        keyset, stream, opened = (self.work / n for n in ("bad.keyset", "bad.stream", "opened"))
        for vector in vectors_of("streams_invalid.json"):
            keyset.write_bytes(Parameters.of_vector(vector).keyset(bytes.fromhex(vector["ikm_hex"])))
            stream.write_bytes(bytes.fromhex(vector["ciphertext_hex"]))
            for reader in self.everyone:
                opened.unlink(missing_ok=True)
                good, said = reader.decrypt(keyset, bytes.fromhex(vector.get("aad_hex", "")), stream, opened, "binary")
                verdict = self.exceptions.expected(reader.name, vector["id"], "accepts" if vector["result"] == "valid" else "refuses")
                self.tally.check(good == (verdict == "accepts"), f"stream {vector['id']}: {reader.name}: {said or 'accepts'}")
                if good and vector["result"] == "valid":
                    self.tally.check(opened.read_bytes().hex() == vector["plaintext_hex"], f"{vector['id']}: {reader.name}: other bytes")
                if not good and reader is self.millrace:
                    self.tally.check(said.startswith("status 3:"), f"stream {vector['id']}: millrace: {said}")

    def bad_keysets(self):
        """Keysets that no streaming primitive may be built from."""
        probe = self.plaintext(1)
        for vector in vectors_of("keysets_invalid.json"):
            form = "json" if "json" in vector else "binary"
            keyset = self.work / f"bad-keyset.{form}"
            keyset.write_bytes(vector["json"].encode() if form == "json" else bytes.fromhex(vector["binary_hex"]))
            for reader in self.everyone:
                good, said = reader.check_keyset(keyset, form, probe)
                verdict = self.exceptions.expected(reader.name, vector["id"], "refuses")
                self.tally.check(good == (verdict == "accepts"), f"keyset {vector['id']}: {reader.name}: {said or 'accepts'}")


PARTS = ["streams", "keysets", "rotation", "sealed_keysets", "other_parameters", "bad_streams", "bad_keysets"]


def digest(path):
    return hashlib.sha256(path.read_bytes()).digest()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--millrace", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path, help="an empty folder")
    parser.add_argument("--peer", action="append", required=True, metavar="NAME=PROGRAM[,ARGUMENT]")
    parser.add_argument("--part", action="append", choices=PARTS, help="only this part; may be repeated")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    args = parser.parse_args()

    print(f"interop: seed {args.seed}")
    peers = []
    for peer in args.peer:
        name, argv = peer.split("=", 1)
        peers.append(Peer(name, argv.split(",")))
    run = Run(Millrace(args.millrace, args.work), peers, args.work, args.seed)
    for part in args.part or PARTS:
        before, failed = run.tally.passed, run.tally.failed
        getattr(run, part)()
        print(f"interop: {part}: {run.tally.passed - before} comparisons good, {run.tally.failed - failed} bad", flush=True)
    for who, what in [] if args.part else run.exceptions.stale():
        run.tally.check(False, f"exceptions.txt names {who}, {what}, which no vector met")
    print(f"{run.tally.passed} passed, {run.tally.failed} failed")
    sys.exit(1 if run.tally.failed else 0)


if __name__ == "__main__":
    main()
