"""Makes tests/vectors/opentdf/made-with-*: files that OpenTDF's own SDKs wrote, with what each one holds.

usage: make_goldens.py --go PEER [--js LIB] [--js-hs256 LIB] --work FOLDER

PEER is the built program of go/, LIB the folder `lib` of a built checkout of opentdf/web-sdk; the second LIB is a copy in which the one
constant that says "GMAC" for the segments (dist/web/tdf3/src/client/index.js) says "HS256". Needs the Python package `cryptography`.
Nothing here runs in CI: keys and IVs are random, so each run makes other files.
"""

import argparse
import hashlib
import json
import pathlib

import peers
import reader
import samples
from samples import KAS, OTHER_KAS

SEGMENT = 16384


def to(*pairs):
    return [{"url": url} | ({"kid": kid} if kid else {}) for url, kid in pairs]


def go_cases(assertions):
    """name, plaintext, kids, the job, what the file shows."""
    text = b"Hello, world!"
    yield "rsa-2048", text, ["r2048"], {"mime_type": "text/plain"}, "the smallest file: one key access object, no sid"
    yield "rsa-4096", text, ["r4096"], {"wrap": "rsa:4096"}, "wrapped key of 512 bytes"
    for kid in ("e256", "e384", "e521"):
        wrap = samples.ALGORITHMS[kid]
        yield wrap.replace(":", "-"), text, [kid], {"wrap": wrap}, "type ec-wrapped, ephemeral key on the same curve"
    yield "no-kid", text, ["r2048"], {"no_kid": True}, "no kid: the KAS tries its keys"
    yield "empty", b"", ["r2048"], {}, "one segment of no bytes"
    yield "multi-segment", 3 * SEGMENT + 1000, ["r2048"], {"segment_size": SEGMENT}, "three full segments and a short one"
    yield "exact-multiple", 2 * SEGMENT, ["r2048"], {"segment_size": SEGMENT}, "two full segments, nothing after them"
    yield "zip64", SEGMENT + 1, ["r2048"], {"segment_size": SEGMENT, "stream": True}, "size not known in advance, so ZIP64"
    both = to((KAS, "r2048"), (OTHER_KAS, "e256"))
    yield "two-kas-all", text, ["r2048", "e256"], {"to": both}, "two shares, sids are UUIDs"
    yield ("two-kas-all-attributes", text, ["r2048", "e256"],
           {"to": both, "attributes": ["https://example.com/attr/level/value/secret", "https://example.com/attr/team/value/a%20b"]},
           "two shares, sids s-0 and s-1; data attributes in the policy")
    yield "two-kas-any", text, ["r2048", "e256"], {"to": both, "any": True}, "one share, two key access objects with one sid"
    yield "metadata", text, ["r2048"], {"metadata": '{"note":"some metadata, é"}'}, "encryptedMetadata"
    yield ("metadata-two-kas", text, ["r2048", "e256"], {"to": both, "metadata": '{"note":"some metadata, é"}'},
           "encryptedMetadata under each share")
    yield "system-metadata", text, ["r2048"], {"system_metadata": True}, "the SDK's own assertion, HS256 under the payload key"
    yield ("assertions", SEGMENT + 100, ["r2048"], {"segment_size": SEGMENT, "assertions": assertions},
           "three assertions: HS256 and RS256 with own keys, HS256 under the payload key")
    yield "target-4.2.2", SEGMENT + 100, ["r2048"], {"segment_size": SEGMENT, "target_mode": "4.2.2"}, "no schemaVersion, hashes as hex text"
    yield ("target-4.2.2-assertions", text, ["e256"],
           {"wrap": "ec:secp256r1", "target_mode": "4.2.2", "assertions": assertions}, "assertion signatures over hex text")


def js_cases(assertions):
    text = b"Hello, world!"
    yield "rsa-2048", text, ["r2048"], {"mime_type": "text/plain"}, "always encryptedMetadata and method.iv; ZIP64 records in a small file"
    yield "rsa-4096", text, ["r4096"], {"wrap": "rsa:4096"}, "wrapped key of 512 bytes"
    yield "ec-secp256r1", text, ["e256"], {"wrap": "ec:secp256r1"}, "type ec-wrapped"
    yield "empty", b"", ["r2048"], {}, "no segment at all, payload of no bytes"
    yield "multi-segment", 3 * SEGMENT + 1000, ["r2048"], {"segment_size": SEGMENT}, "full segments have no sizes in the manifest"
    yield "exact-multiple", 2 * SEGMENT, ["r2048"], {"segment_size": SEGMENT}, "no segment has sizes in the manifest"
    both = to((KAS, None), (OTHER_KAS, None))
    yield "two-kas-all", text, ["r2048"], {"to": both}, "two shares, sids 1 and 2, one key at both servers"
    yield "two-kas-any", text, ["r2048"], {"to": both, "any": True}, "one share, two key access objects with one sid"
    yield "metadata", text, ["r2048"], {"metadata": '{"note":"some metadata, é"}'}, "encryptedMetadata with content"
    yield "system-metadata", text, ["r2048"], {"system_metadata": True}, "the SDK's own assertion, HS256 under the payload key"
    yield ("assertions", SEGMENT + 100, ["r2048"], {"segment_size": SEGMENT, "assertions": assertions},
           "three assertions: HS256 and RS256 with own keys, HS256 under the payload key")
    yield "target-4.2.2", SEGMENT + 100, ["r2048"], {"segment_size": SEGMENT, "target_mode": "4.2.2"}, "no schemaVersion, hashes as hex text"


def hs256_cases(_assertions):
    yield ("hs256-segments", SEGMENT + 100, ["r2048"], {"segment_size": SEGMENT},
           "segment hashes are HS256; the SDK offers no option, one constant was changed")


def describe(path, content, kids, job, note, peer, readers):
    keys = {kid: reader.load_key(samples.KAS_KEYS[kid]) for kid in kids}
    tdf = reader.Tdf(path)
    if job.get("no_kid"):
        keys[None] = keys[kids[0]]
    if tdf.decrypt(keys) != content:
        raise SystemExit(f"{path}: the reader here gets something else")
    entry = {
        "file": str(path.relative_to(samples.VECTORS)), "bytes": path.stat().st_size,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "result": "decrypts", "made_with": peer.version,
    }
    files = {kid: str(samples.KAS_KEYS[kid].relative_to(samples.VECTORS)) for kid in kids}
    if len(kids) == 1:
        entry |= {"key": files[kids[0]], "kid": kids[0]}
    else:
        entry |= {"keys": files, "needs": "any" if job.get("any") else "all"}
    integrity = tdf.information["integrityInformation"]
    entry |= {
        "dek": tdf.payload_key(keys).hex(), "hashes": "legacy-hex" if tdf.legacy else "4.3.0-raw",
        "segment_hash": integrity["segmentHashAlg"],
        "segments": len(integrity["segments"]), "plaintext_bytes": len(content), "plaintext_sha256": hashlib.sha256(content).hexdigest(),
    }
    if len(content) < 100:
        entry["plaintext"] = content.decode("ascii")
    else:
        entry["plaintext_rule"] = "byte i is (31 i + floor(i / 256)) mod 256"
    if job.get("metadata"):
        if json.loads(tdf.metadata(keys)) != json.loads(job["metadata"]):
            raise SystemExit(f"{path}: the reader here gets other metadata")
        entry["encrypted_metadata"] = tdf.metadata(keys)
    if tdf.manifest.get("assertions"):
        entry["assertions"] = [a["id"] for a in tdf.manifest["assertions"]]
    if job.get("assertions"):
        entry["verification_keys"] = "assertions/verification-keys.json"
    if job.get("attributes"):
        entry["attributes"] = job["attributes"]
    entry["opened_by"] = readers
    entry["note"] = note
    return entry


def make(folder, peer, readers, cases, work):
    folder.mkdir(exist_ok=True)
    entries = []
    for name, content, kids, job, note in cases:
        content = content if isinstance(content, bytes) else samples.plaintext(content)
        (work / "in").write_bytes(content)
        path = folder / f"{name}.tdf"
        job = {"keys": peers.held(*kids), "to": to((KAS, None)), "in": work / "in", "out": path} | job
        readers[0].must(op="kas", keys=job["keys"])
        peer.must(op="encrypt", **job)
        opened = []
        for other in readers:
            readers[0].must(op="kas", keys=job["keys"])
            (work / "out").unlink(missing_ok=True)
            reading = {"keys": job["keys"], "in": path, "out": work / "out"}
            if job.get("assertions"):
                reading["assertion_keys"] = samples.VECTORS / "assertions" / "verification-keys.json"
            done = other.call(op="decrypt", **reading)
            if done["ok"] and (work / "out").read_bytes() == content:
                opened.append(other.version)
            else:
                print(f"{path.name}: {other.name} does not open it: {done.get('error', 'another plaintext')[:300]}")
        entries.append(describe(path, content, kids, job, note, peer, opened))
    return entries


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--go", required=True)
    parser.add_argument("--js")
    parser.add_argument("--js-hs256")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    args = parser.parse_args()

    assertions = samples.assertions_to_add(args.work)
    samples.verification_keys(samples.VECTORS / "assertions" / "verification-keys.json")
    go = peers.Peer("go", [args.go])
    stub = go.must(op="kas", keys=peers.held("r2048"))["url"]
    log = (args.work / "js.log").open("w")
    script = pathlib.Path(__file__).parent / "js" / "peer.mjs"
    js = [peers.Peer(name, ["node", script, lib], log) for name, lib in (("js", args.js), ("js-hs256", args.js_hs256)) if lib]
    for peer in js:
        peer.must(op="kas", url=stub)
    readers = [go, *js[:1]]

    made = {"made-with-go-sdk": make(samples.VECTORS / "made-with-go-sdk", go, readers, go_cases(assertions), args.work)}
    if js:
        folder = samples.VECTORS / "made-with-js-sdk"
        made["made-with-js-sdk"] = make(folder, js[0], readers, js_cases(assertions), args.work)
        if len(js) > 1:
            made["made-with-js-sdk"] += make(folder, js[1], readers, hs256_cases(assertions), args.work)
    for name, entries in made.items():
        samples.write_json(samples.VECTORS / name / "expected.json", {"vectors": entries})
        print(f"{name}: {len(entries)} files")


if __name__ == "__main__":
    main()
