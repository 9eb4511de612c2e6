"""Exchanges TDF files between millrace and OpenTDF's own SDKs, and compares what each of them refuses.

Called by interop/opentdf/run. A peer is one process that takes jobs as JSON lines:

  {"op": "encrypt", "keys": [{"kid": kid, "file": private key}, ...], "in": file, "out": file, "to": [{"url": url, "kid": kid}, ...],
   "any": bool, "wrap": algorithm, "segment_size": n, "target_mode": version, "mime_type": text, "metadata": text,
   "attributes": [fqn, ...], "assertions": file, "system_metadata": bool, "stream": bool, "no_kid": bool}
  {"op": "decrypt", "keys": [...], "in": file, "out": file, "assertion_keys": file, "no_verify": bool, "session": algorithm,
   "servers": [url, ...], "schema": bool, "offset": n, "length": n}
  {"op": "kas", "keys": [...]}     the Go peer: serve these keys on the loopback until the next job, the answer says at which url
  {"op": "kas", "url": url}        another peer: ask there, whatever URL a file names
  {"op": "version"}

and answers {"ok": true, ...} or {"ok": false, "error": text}. "keys" are those that the key access server holds.
"""

import argparse
import base64
import collections
import hmac
import json
import pathlib
import subprocess
import sys
import zipfile

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding

import peers
import reader
import samples
from samples import KAS, OTHER_KAS

SEGMENT = 16384
LARGEST = (4 << 20) - 28  # the largest segment that every SDK reads
METADATA = '{"note":"é & <more>"}'
ATTRIBUTES = ["https://example.com/attr/level/value/secret", "https://example.com/attr/team/value/a%20b"]


class Tally:
    """Counts what was compared; a failure is printed at once and remembered."""

    def __init__(self):
        self.passed = collections.Counter()
        self.failed = 0

    def check(self, good, topic, text):
        if good:
            self.passed[topic] += 1
        else:
            self.failed += 1
            print(f"interop: FAILED: {topic}: {text}", flush=True)
        return good


class Exceptions:
    """exceptions.txt: where somebody's verdict differs. Each line must come true."""

    def __init__(self, path):
        self.lines = {}
        self.used = set()
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip() and not line.startswith("#"):
                who, what, verdict, _why = (part.strip() for part in line.split("|"))
                self.lines[who, what] = verdict

    def expected(self, who, what, verdict):
        if (who, what) not in self.lines:
            return verdict
        self.used.add((who, what))
        return self.lines[who, what]

    def unused(self, names):
        return sorted(f"{who} | {what}" for who, what in set(self.lines) - self.used if who in names)


# Case is a way to write a file: for whom (kids of samples.KAS_KEYS, in order of `to`) and everything that a job says besides.
Case = collections.namedtuple("Case", "name kids job")


def case(name, *kids, urls=(KAS,), **job):
    job["to"] = [{"url": urls[min(i, len(urls) - 1)], "kid": kid} for i, kid in enumerate(kids)]
    return Case(name, kids, job)


class Sdk:
    """An SDK. A single recipient's key it fetches itself, from the stub server."""

    def __init__(self, peer, go, **more):
        self.peer, self.go, self.more = peer, go, more
        self.name = peer.name + "".join(f", {k} {v}" for k, v in more.items())

    def job(self, op, kids, **job):
        keys = peers.held(*kids)
        if self.peer is not self.go:
            self.go.must(op="kas", keys=keys)
        answer = self.peer.call(op=op, keys=keys, **job)
        return answer["ok"], answer.get("error", ""), answer

    def can_write(self, case):
        if case.job.get("segment_hash"):  # neither SDK has an option for it
            return False
        if self.peer is self.go:
            # Any of several is a matter of the policy's attributes there, so of one set of them.
            return not (case.job.get("any") and case.job.get("attributes"))
        return set(case.kids) <= {"r2048", "r4096", "e256"} and len(set(case.kids)) == 1 and not case.job.get("stream")

    def write(self, case, source, target):
        job = dict(case.job)
        if len(case.kids) == 1 or self.peer is not self.go:
            job |= {"wrap": samples.ALGORITHMS[case.kids[0]], "to": [{"url": to["url"]} for to in job["to"]]}
        return self.job("encrypt", case.kids, out=target, **{"in": source}, **job)[:2]

    def read(self, kids, source, target, **job):
        return self.job("decrypt", kids, out=target, **{"in": source}, **job, **self.more)


class Millrace:
    """The command under test, used as a user would."""

    name = "millrace"

    def __init__(self, command, work):
        self.command, self.work = str(command), work
        done = subprocess.run([self.command, "encrypt", "--help"], capture_output=True, text=True, check=False)
        if "--kas-public-key" not in done.stdout:
            sys.exit(f"interop: {command} does not know TDF")
        # Files with a private key: the command takes them where nobody else can read them.
        self.private = {}
        for kid, path in samples.KAS_KEYS.items():
            self.private[kid] = work / f"{kid}.der"
            self.private[kid].write_bytes(path.read_bytes())
            self.private[kid].chmod(0o600)

    def run(self, argv, stdin=None):
        done = subprocess.run([self.command, *map(str, argv)], stdin=stdin or subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", check=False)
        if not 0 <= done.returncode <= 5:
            sys.exit(f"interop: millrace {' '.join(map(str, argv))}: status {done.returncode}: {done.stderr}")
        return done.returncode == 0, f"status {done.returncode}: {done.stderr.strip()}", done.stdout

    def can_write(self, case):
        # It refuses to write what the JavaScript SDK cannot read: alternatives at one server.
        return not (case.job.get("any") and len({to["url"] for to in case.job["to"]}) < len(case.kids))

    def write(self, case, source, target):
        job = case.job
        argv = ["encrypt", "--tdf", "-o", target]
        for kid, to in zip(case.kids, job["to"]):
            argv += ["--kas-public-key", samples.KEYS / f"{samples.KAS_KEYS[kid].stem.removesuffix('-private')}-public.pem"]
            argv += ["--kas-url", to["url"]] + ([] if job.get("no_kid") else ["--kid", kid])
        for option in ("segment_size", "segment_hash", "target_mode", "mime_type", "metadata"):
            if job.get(option):
                argv += ["--" + option.replace("_", "-"), job[option]]
        argv += ["--split", "any"] if job.get("any") else []
        argv += ["--with-assertions", job["assertions"]] if job.get("assertions") else []
        argv += ["--system-metadata-assertion"] if job.get("system_metadata") else []
        for fqn in job.get("attributes", []):
            argv += ["-a", fqn]
        if job.get("stream"):  # through a pipe, so that the size is not known in advance
            with subprocess.Popen(["cat", source], stdout=subprocess.PIPE) as cat:
                return self.run(argv, cat.stdout)[:2]
        return self.run([*argv, source])[:2]

    def keys(self, kids):
        return [part for kid in kids for part in ("--kas-private-key", f"{kid}={self.private[kid]}")]

    def read(self, kids, source, target, assertion_keys=None, no_verify=False, metadata=False):
        argv = self.keys(kids)
        argv += ["--with-assertion-verification-keys", assertion_keys] if assertion_keys else []
        argv += ["--no-verify-assertions"] if no_verify else []
        good, said, _ = self.run(["decrypt", *argv, "-o", target, source])
        if not good and target.exists():
            return True, f"it left {target} behind: {said}", {}  # neither an answer nor a refusal
        answer = {}
        if good:
            good, said, text = self.run(["inspect", "--json", *argv, source])
            found = json.loads(text) if good else {}
            answer = {"metadata": found.get("metadata") or "", "attributes": found.get("attributes") or []}
        return good, said, answer


class OwnReader:
    """reader.py: what the format's description says."""

    name = "reader"

    def read(self, kids, source, target, assertion_keys=None, no_verify=False):
        keys = {kid: reader.load_key(samples.KAS_KEYS[kid]) for kid in kids}
        keys[None] = keys[""] = next((keys[kid] for kid in kids if kid.startswith("r")), None)
        try:
            tdf = reader.Tdf(source)
            target.write_bytes(tdf.decrypt(keys))
            return True, "", {}
        except Exception as e:  # whatever is wrong with the file
            return False, f"{type(e).__name__}: {e}", {}


class Exchange:
    def __init__(self, args, tally, exceptions):
        self.tally, self.exceptions, self.work = tally, exceptions, args.work
        go = peers.Peer("go", [args.go])
        self.millrace = Millrace(args.millrace, args.work)
        sdks = [Sdk(go, go)]
        if args.js:
            script = pathlib.Path(__file__).parent / "js" / "peer.mjs"
            js = peers.Peer("js", ["node", script, args.js], (args.work / "js.log").open("w"))
            js.must(op="kas", url=go.must(op="kas", keys=peers.held("r2048"))["url"])
            sdks.append(Sdk(js, go))
        self.writers = [self.millrace, *sdks]
        self.ec_session = Sdk(go, go, session="ec:secp256r1")
        self.readers = [self.millrace, *sdks, OwnReader()]
        self.assertions = samples.assertions_to_add(args.work)
        self.verification_keys = samples.VECTORS / "assertions" / "verification-keys.json"
        self.versions = [sdk.peer.version for sdk in sdks]

    def plaintext(self, size):
        path = self.work / f"plain-{size}"
        if not path.exists():
            path.write_bytes(samples.plaintext(size))
        return path

    def write(self, writer, case, size):
        """The file that `writer` makes, or None where it cannot make such a file."""
        if not writer.can_write(case):
            return None
        target = self.work / f"{writer.name}.tdf"
        target.unlink(missing_ok=True)
        good, said = writer.write(case, self.plaintext(size), target)
        return target if self.tally.check(good, case.name, f"{size} bytes: {writer.name} does not write: {said}") else None

    def opens(self, topic, file, reader_, kids, size, **job):
        """`reader_` gets the plaintext back; returns what else it says."""
        target = self.work / "opened"
        target.unlink(missing_ok=True)
        good, said, answer = reader_.read(kids, file, target, **job)
        good = good and target.read_bytes() == self.plaintext(size).read_bytes()
        self.tally.check(good, topic, f"{size} bytes by {file.stem}: {reader_.name}: {said or 'another plaintext'}")
        return answer if good else None

    def refuses(self, topic, file, reader_, kids, **job):
        target = self.work / "opened"
        target.unlink(missing_ok=True)
        good, said, _ = reader_.read(kids, file, target, **job)
        self.tally.check(not good, topic, f"{file.stem}: {reader_.name} opens it: {said}")

    def matrix(self, case, sizes, readers=None, **job):
        """Everyone writes, everyone reads."""
        for size in sizes:
            for writer in self.writers:
                file = self.write(writer, case, size)
                for reader_ in (readers or self.readers) if file else ():
                    answer = self.opens(case.name, file, reader_, case.kids, size, **job)
                    if answer:
                        self.check_answer(case, writer, reader_, answer)

    def check_answer(self, case, writer, reader_, answer):
        where = f"by {writer.name}: {reader_.name}"
        if case.job.get("metadata") and "metadata" in answer:
            self.tally.check(answer["metadata"] == METADATA, case.name, f"{where}: metadata {answer['metadata']}")
        if case.job.get("attributes") and "attributes" in answer:
            self.tally.check(answer["attributes"] == ATTRIBUTES, case.name, f"{where}: attributes {answer['attributes']}")

    # What is exchanged.

    def keys_and_sizes(self):
        edges = [0, 1, SEGMENT - 1, SEGMENT, SEGMENT + 1, 2 * SEGMENT, 3 * SEGMENT + 1000]
        for kid, algorithm in samples.ALGORITHMS.items():
            self.matrix(case(f"one key, {algorithm}", kid, segment_size=SEGMENT), edges if kid == "r2048" else [0, SEGMENT + 1])
        self.matrix(case("an EC session key", "e384"), [100], [self.ec_session])
        self.matrix(case("size not known in advance", "r2048", segment_size=SEGMENT, stream=True), [0, 1, 2 * SEGMENT, 2 * SEGMENT + 1])
        self.matrix(case("default segments", "r2048"), [100, (2 << 20) + 1, 5 << 20])
        self.matrix(case("the largest segments", "r2048", segment_size=LARGEST), [LARGEST, LARGEST + 1])
        self.matrix(case("MIME type", "r2048", mime_type="text/plain"), [100])
        self.matrix(case("no kid", "r2048", no_kid=True), [100])

    def forms(self):
        self.matrix(case("HS256 segments", "r2048", segment_size=SEGMENT, segment_hash="HS256"), [0, 1, SEGMENT, SEGMENT + 1])
        self.matrix(case("target mode 4.2.2", "r2048", segment_size=SEGMENT, target_mode="4.2.2"), [0, 1, SEGMENT, SEGMENT + 1])
        self.matrix(case("target mode 4.3.0", "r2048", segment_size=SEGMENT, target_mode="4.3.0"), [SEGMENT + 1])
        self.matrix(case("metadata", "r2048", metadata=METADATA), [100])
        self.matrix(case("attributes", "r2048", attributes=ATTRIBUTES), [100])

    def splits(self):
        both = dict(urls=(KAS, OTHER_KAS), segment_size=SEGMENT)
        self.matrix(case("all of two servers", "r2048", "e256", metadata=METADATA, **both), [100])
        self.matrix(case("all of two servers, one key", "r2048", "r2048", **both), [100])
        self.matrix(case("all of three", "r4096", "e384", "e521", urls=(KAS, OTHER_KAS, "https://third.example.com/kas")), [SEGMENT + 1])
        self.matrix(case("any of two servers", "r2048", "e256", any=True, **both), [100])
        # The JavaScript SDK wants one key access object for each server and sid.
        not_js = [reader_ for reader_ in self.readers if reader_.name != "js"]
        for mode in (True, False):
            self.matrix(case(f"{'any' if mode else 'all'} of two keys of one server", "r2048", "e256", any=mode), [100], not_js)
        any_of = case("any of two servers, one key there", "r2048", "e256", any=True, metadata=METADATA, **both)
        all_of = case("all of two servers, one key there", "r2048", "e256", **both)
        for writer in self.writers:
            for wanted, check in ((any_of, self.opens), (all_of, self.refuses)):
                file = self.write(writer, wanted, 100)
                for kid in wanted.kids if file else ():
                    for reader_ in self.readers:
                        check(wanted.name, file, reader_, [kid], *([100] if check == self.opens else []))
                        if wanted is any_of:  # without sids, as old files have them: still any of them
                            without = self.work / f"{writer.name}-without-sids.tdf"
                            archive = Archive(file)
                            for access in archive.information["keyAccess"]:
                                access.pop("sid", None)
                            archive.write(without)
                            self.opens("several without sids", without, reader_, [kid], 100)

    def assertion_sets(self):
        plain = samples.write_json(self.work / "assertions-plain.json", [samples.PLAIN])
        good = json.loads(self.verification_keys.read_text(encoding="ascii"))
        other_rsa = (samples.KEYS / "sample-rsa-4096-01-public.pem").read_text(encoding="ascii")
        wrong = {}
        others = {
            samples.HANDLING["id"]: {"alg": "HS256", "key": samples.HMAC_KEY[::-1]},
            samples.OTHER["id"]: {"alg": "RS256", "key": other_rsa},
        }
        for name, key in others.items():
            wrong[name] = samples.write_json(self.work / f"wrong-{name}.json", {"keys": good["keys"] | {name: key}})
        readers = self.readers[:-1]  # our own reader leaves assertions alone
        for mode in ("4.3.0", "4.2.2"):
            options = dict(segment_size=SEGMENT, target_mode=mode)
            self.matrix(case(f"assertion under the payload key, {mode}", "r2048", assertions=plain, **options), [0, SEGMENT + 1], readers)
            self.matrix(case(f"system metadata, {mode}", "r2048", system_metadata=True, **options), [1], readers)
            keyed = case(f"assertions with keys, {mode}", "r2048", assertions=self.assertions, **options)
            self.matrix(keyed, [0, SEGMENT + 1], readers, assertion_keys=self.verification_keys)
            for writer in self.writers:
                file = self.write(writer, keyed, 1)
                for reader_ in readers if file else ():
                    self.refuses(keyed.name + ", no keys to verify", file, reader_, keyed.kids)
                    self.opens(keyed.name + ", not verified", file, reader_, keyed.kids, 1, no_verify=True)
                    for name, keys in wrong.items():
                        self.refuses(f"{keyed.name}, another key for {name}", file, reader_, keyed.kids, assertion_keys=keys)

    def schema(self):
        """The Go SDK's strict schema takes what millrace writes, and its registry of servers is enough to open it."""
        go = self.writers[1]
        for wanted in (case("strict schema", "r2048"), case("strict schema, ec-wrapped", "e256"),
                       case("strict schema, everything", "r2048", "e256", urls=(KAS, OTHER_KAS), metadata=METADATA, attributes=ATTRIBUTES,
                            system_metadata=True)):
            file = self.write(self.millrace, wanted, 100)
            if file:
                self.opens(wanted.name, file, go, wanted.kids, 100, schema=True, servers=[KAS, OTHER_KAS])
                self.refuses(wanted.name + ", server not in the registry", file, go, wanted.kids, servers=["https://third.example.com"])

    def ranges(self):
        """Reading from the middle: the Go SDK in millrace's files, millrace in the Go SDK's and the JavaScript SDK's."""
        wanted, size = case("ranges", "r2048", segment_size=SEGMENT), 3 * SEGMENT + 1000
        content = samples.plaintext(size)
        for writer in self.writers:
            file = self.write(writer, wanted, size)
            for offset, length in ((0, 1), (SEGMENT - 1, 2), (SEGMENT, SEGMENT), (SEGMENT + 5, 2 * SEGMENT), (size - 1, 1)) if file else ():
                target = self.work / "part"
                target.unlink(missing_ok=True)
                good, said, _ = self.writers[1].read(wanted.kids, file, target, offset=offset, length=length)
                self.tally.check(good and target.read_bytes() == content[offset:offset + length], "ranges", f"{file.stem}: go: {said}")
                target.unlink(missing_ok=True)
                good, said, _ = self.millrace.run(["cat", *self.millrace.keys(wanted.kids), "--range", f"{offset}-{offset + length - 1}",
                                                   "-o", target, file])
                self.tally.check(good and target.read_bytes() == content[offset:offset + length], "ranges", f"{file.stem}: millrace: {said}")

    def golden_files(self):
        """What the SDKs once wrote: millrace opens it all."""
        for folder in ("made-with-go-sdk", "made-with-js-sdk"):
            for vector in json.loads((samples.VECTORS / folder / "expected.json").read_text(encoding="ascii"))["vectors"]:
                kids = list(vector.get("keys", {vector.get("kid"): None}))
                keys = {"assertion_keys": samples.VECTORS / vector["verification_keys"]} if "verification_keys" in vector else {}
                target = self.work / "opened"
                target.unlink(missing_ok=True)
                good, said, answer = self.millrace.read(kids, samples.VECTORS / vector["file"], target, **keys)
                same = good and target.read_bytes() == (vector["plaintext"].encode("ascii") if "plaintext" in vector else
                                                        samples.plaintext(vector["plaintext_bytes"]))
                self.tally.check(same, "golden files", f"{vector['file']}: {said}")
                if good and "encrypted_metadata" in vector:
                    self.tally.check(answer["metadata"] == vector["encrypted_metadata"], "golden files", f"{vector['file']}: {answer}")

    def verdicts(self, wanted, file, changes, readers, size, **job):
        """Files that somebody changed: the verdict is everyone's, or exceptions.txt says whose it is not."""
        changed = self.work / "changed.tdf"
        for change in changes:
            archive = Archive(file)
            change.apply(archive)
            archive.write(changed)
            for reader_ in readers:
                topic = f"{wanted.name}: {change.name}"
                if self.exceptions.expected(reader_.name, change.name, change.verdict) == "accepts":
                    self.opens(topic, changed, reader_, wanted.kids, size, **job)
                else:
                    self.refuses(topic, changed, reader_, wanted.kids, **job)

    def changed_files(self):
        size = SEGMENT + 100
        for mode, changes in (("4.3.0", CHANGES), ("4.2.2", [change for change in CHANGES if change.name in BOTH_MODES])):
            wanted = case(f"changed, {mode}", "r2048", segment_size=SEGMENT, target_mode=mode)
            file = self.write(self.writers[1], wanted, size)
            if file:
                self.verdicts(wanted, file, changes, self.readers, size)

    def changed_assertions(self):
        for mode in ("4.3.0", "4.2.2"):
            wanted = case(f"changed assertion, {mode}", "r2048", assertions=self.assertions, target_mode=mode)
            file = self.write(self.writers[1], wanted, 100)
            if file:
                self.verdicts(wanted, file, ASSERTION_CHANGES, self.readers[:-1], 100, assertion_keys=self.verification_keys)


class Archive:
    """A file taken apart, to be changed and put together again (so its CRC is right)."""

    def __init__(self, path):
        tdf = reader.Tdf(path)
        self.manifest, self.payload = tdf.manifest, bytearray(tdf.payload)
        self.information = self.manifest["encryptionInformation"]
        self.integrity = self.information["integrityInformation"]
        self.segments = self.integrity["segments"]
        self.access = self.information["keyAccess"][0]
        self.manifest_first = False
        self.manifest_name = "0.manifest.json"
        self.method = zipfile.ZIP_STORED

    def write(self, path):
        entries = [("0.payload", bytes(self.payload)), (self.manifest_name, json.dumps(self.manifest))]
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in reversed(entries) if self.manifest_first else entries:
                archive.writestr(name, content, self.method if name == self.manifest_name else zipfile.ZIP_STORED)


def flipped(text, at=0):
    data = bytearray(base64.b64decode(text))
    data[at] ^= 1
    return base64.b64encode(data).decode("ascii")


# Change is what somebody does to a file, and what readers should say.
Change = collections.namedtuple("Change", "name apply verdict")


def change(name, apply):
    return Change(name, apply, "refuses")


def harmless(name, apply):
    return Change(name, apply, "accepts")


def flip_payload(at):
    def apply(a):
        a.payload[at] ^= 1
    return apply


def swap_segments(a):
    first = a.segments[0].copy()
    a.segments[0] = a.segments[1]
    a.segments[1] = first
    split = first["encryptedSegmentSize"]
    a.payload[:] = a.payload[split:] + a.payload[:split]


def drop_segment(a):
    del a.payload[-a.segments.pop()["encryptedSegmentSize"]:]


def repeat_segment(a):
    a.segments.append(a.segments[1].copy())
    a.payload.extend(a.payload[-a.segments[1]["encryptedSegmentSize"]:])


def foreign_members(a):
    for target in (a.manifest, a.manifest["payload"], a.information, a.information["method"], a.integrity, a.access, *a.segments):
        target["unknown"] = {"list": [1, None, "text"]}


def root_gmac(a):
    a.integrity["rootSignature"] = {"alg": "GMAC", "sig": a.segments[-1]["hash"]}


def sizes_left_out(a):
    del a.segments[0]["segmentSize"], a.segments[0]["encryptedSegmentSize"]


def no_sizes_at_all(a):
    sizes_left_out(a)
    del a.segments[1]["segmentSize"], a.segments[1]["encryptedSegmentSize"]


CHANGES = [
    harmless("nothing", lambda a: None),
    change("IV of a segment", flip_payload(0)),
    change("ciphertext of a segment", flip_payload(100)),
    change("tag of the last segment", flip_payload(-1)),
    change("payload too short", lambda a: a.payload.pop()),
    change("payload too long", lambda a: a.payload.extend(b"more")),
    change("segments swapped", swap_segments),
    change("last segment dropped", drop_segment),
    change("segment repeated", repeat_segment),
    change("hash of a segment", lambda a: a.segments[1].update(hash=flipped(a.segments[1]["hash"]))),
    change("segmentSize", lambda a: a.segments[1].update(segmentSize=a.segments[1]["segmentSize"] + 1)),
    change("encryptedSegmentSize", lambda a: a.segments[1].update(encryptedSegmentSize=a.segments[1]["encryptedSegmentSize"] - 1)),
    change("root signature", lambda a: a.integrity["rootSignature"].update(sig=flipped(a.integrity["rootSignature"]["sig"]))),
    change("root signature GMAC", root_gmac),
    change("root algorithm unknown", lambda a: a.integrity["rootSignature"].update(alg="HS512")),
    change("segment hash algorithm HS256", lambda a: a.integrity.update(segmentHashAlg="HS256")),
    change("segment hash algorithm unknown", lambda a: a.integrity.update(segmentHashAlg="HS512")),
    change("policy", lambda a: a.information.update(policy=flipped(a.information["policy"], 12))),
    change("policy binding", lambda a: a.access["policyBinding"].update(hash=flipped(a.access["policyBinding"]["hash"]))),
    change("no policy binding", lambda a: a.access.pop("policyBinding")),
    change("wrapped key", lambda a: a.access.update(wrappedKey=flipped(a.access["wrappedKey"], 5))),
    change("kid unknown", lambda a: a.access.update(kid="somebody")),
    change("key access type unknown", lambda a: a.access.update(type="remote")),
    change("no key access", lambda a: a.information["keyAccess"].clear()),
    change("schema version 5", lambda a: a.manifest.update(schemaVersion="5.0.0")),
    change("version in the payload alone", lambda a: a.manifest["payload"].update(tdf_spec_version=a.manifest.pop("schemaVersion"))),
    harmless("version as tdf_spec_version", lambda a: a.manifest.update(tdf_spec_version=a.manifest.pop("schemaVersion"))),
    change("schema version dropped", lambda a: a.manifest.pop("schemaVersion", None)),
    change("cipher unknown", lambda a: a.information["method"].update(algorithm="AES-128-GCM")),
    change("manifest compressed", lambda a: setattr(a, "method", zipfile.ZIP_DEFLATED)),
    harmless("unknown members", foreign_members),
    harmless("manifest first", lambda a: setattr(a, "manifest_first", True)),
    harmless("sizes of a full segment left out", sizes_left_out),
    change("sizes of a short segment left out", no_sizes_at_all),
    harmless("kid empty", lambda a: a.access.update(kid="")),
    harmless("kid null", lambda a: a.access.update(kid=None)),
    harmless("sid null", lambda a: a.access.update(sid=None)),
    harmless("sid empty", lambda a: a.access.update(sid="")),
    harmless("policy binding as a string", lambda a: a.access.update(policyBinding=a.access["policyBinding"]["hash"])),
    harmless("encryptedMetadata empty", lambda a: a.access.update(encryptedMetadata="")),
    harmless("no MIME type", lambda a: a.manifest["payload"].pop("mimeType")),
    harmless("method iv null", lambda a: a.information["method"].update(iv=None)),
    harmless("no method iv", lambda a: a.information["method"].pop("iv")),
    harmless("assertions null", lambda a: a.manifest.update(assertions=None)),
    harmless("algorithm names in lower case", lambda a: a.integrity.update(segmentHashAlg="gmac")),
    change("manifest named manifest.json", lambda a: setattr(a, "manifest_name", "manifest.json")),
]
BOTH_MODES = {
    "nothing", "ciphertext of a segment", "segments swapped", "last segment dropped", "hash of a segment", "root signature", "policy",
    "policy binding", "unknown members", "sid null",
}


def token_parts(archive, at):
    """Header and claims of the token that binds assertion `at`."""
    return [json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
            for part in archive.manifest["assertions"][at]["binding"]["signature"].split(".")[:2]]


def sign_again(archive, at, header, sign):
    claims = token_parts(archive, at)[1]
    encode = lambda data: base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")
    signed = ".".join(encode(json.dumps(part).encode("ascii")) for part in (header, claims))
    archive.manifest["assertions"][at]["binding"]["signature"] = f"{signed}.{encode(sign(signed.encode('ascii')))}"


def own_key_in_the_header(archive):
    """Signed by a stranger, who puts his own key into the token."""
    private = reader.load_key(samples.KAS_KEYS["r4096"])
    numbers = private.public_key().public_numbers()
    jwk = {"kty": "RSA"} | {
        name: base64.urlsafe_b64encode(number.to_bytes((number.bit_length() + 7) // 8, "big")).rstrip(b"=").decode("ascii")
        for name, number in (("n", numbers.n), ("e", numbers.e))}
    sign_again(archive, 1, {"alg": "RS256", "jwk": jwk}, lambda text: private.sign(text, padding.PKCS1v15(), hashes.SHA256()))


def hmac_with_the_public_key(archive):
    """The published key of assertion 1, taken for a secret."""
    public = (samples.KEYS / "sample-rsa-2048-01-public.pem").read_bytes()
    sign_again(archive, 1, {"alg": "HS256"}, lambda text: hmac.digest(public, text, "sha256"))


def other_order(archive):
    archive.manifest["assertions"][0] = dict(reversed(archive.manifest["assertions"][0].items()))


def object_value(archive):
    """Some old writers left the object itself in place of its text; this text is not the one that they would have signed."""
    statement = archive.manifest["assertions"][0]["statement"]
    statement["value"] = json.loads(statement["value"])


ASSERTION_CHANGES = [  # assertion 0 is signed with HS256, 1 with RS256, 2 under the payload key
    harmless("nothing at all", lambda a: None),
    harmless("other order of members", other_order),
    harmless("an assertion dropped", lambda a: a.manifest["assertions"].pop()),
    change("statement", lambda a: a.manifest["assertions"][2]["statement"].update(value="something else")),
    change("statement, own HS256 key", lambda a: a.manifest["assertions"][0]["statement"].update(value="something else")),
    change("statement, RS256", lambda a: a.manifest["assertions"][1]["statement"].update(value="something else")),
    change("type", lambda a: a.manifest["assertions"][2].update(type="handling")),
    change("id", lambda a: a.manifest["assertions"][2].update(id="another")),
    change("binding dropped", lambda a: a.manifest["assertions"][2].pop("binding")),
    change("binding of another", lambda a: a.manifest["assertions"][2].update(binding=a.manifest["assertions"][1]["binding"])),
    change("signature", lambda a: sign_again(a, 2, {"alg": "HS256"}, lambda _: bytes(32))),
    change("algorithm none", lambda a: sign_again(a, 2, {"alg": "none"}, lambda _: b"")),
    change("stranger's key in the header", own_key_in_the_header),
    change("public key taken for a secret", hmac_with_the_public_key),
    change("statement as an object of other text", object_value),
]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--millrace", required=True)
    parser.add_argument("--go", required=True)
    parser.add_argument("--js")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    args = parser.parse_args()

    tally = Tally()
    exceptions = Exceptions(pathlib.Path(__file__).parent / "exceptions.txt")
    exchange = Exchange(args, tally, exceptions)
    for step in (exchange.keys_and_sizes, exchange.forms, exchange.splits, exchange.assertion_sets, exchange.schema, exchange.ranges,
                 exchange.golden_files, exchange.changed_files, exchange.changed_assertions):
        before = sum(tally.passed.values())
        step()
        print(f"interop: {step.__name__.replace('_', ' ')}: {sum(tally.passed.values()) - before} comparisons", flush=True)
    for line in exceptions.unused({reader_.name for reader_ in exchange.readers}):
        tally.check(False, "exceptions.txt", f"does not happen: {line}")
    passed = sum(tally.passed.values())
    print(f"interop: OpenTDF, with {' and '.join(exchange.versions)}: {passed} passed, {tally.failed} failed")
    sys.exit(1 if tally.failed or not passed else 0)


if __name__ == "__main__":
    main()
