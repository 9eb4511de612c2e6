# bench: what is shown, not how fast anything is.
. "$(dirname "$0")/lib.sh"
bench() { "$millrace" bench --quick "$@"; }

expect_status 0 "$millrace" --version
sed 1d "$out" > in_use
[ "$(cut -d : -f 1 in_use | xargs)" = "aes-gcm aes-ctr crc32 crc32c crc64nvme base64" ] || fail "--version: families"
! grep -vqE '^[a-z0-9-]+: [a-z0-9-]+$' in_use || fail "--version: kernels"
MILLRACE_KERNELS=portable "$millrace" --version > portable
grep -qx 'crc32: portable' portable && grep -qx 'base64: portable' portable && grep -qx 'aes-gcm: openssl' portable ||
  fail "--version does not follow MILLRACE_KERNELS"

expect_status 0 bench --only crc32 --json
expect_silence
python3 - "$out" in_use <<'P' || fail "json"
import json, sys
result = json.load(open(sys.argv[1]))
assert list(result) == ["version", "cpu", "cores", "openssl", "in_use", "rounds", "seconds_per_cell", "kernels", "directory", "files"], list(result)
assert result["in_use"] == dict(line.split(": ") for line in open(sys.argv[2]).read().splitlines())
assert result["openssl"].startswith("OpenSSL 3") and result["cores"] >= 1 and result["rounds"] == 3 and result["files"] == []
kernels = result["kernels"]
assert (kernels[0]["family"], kernels[0]["kernel"]) == ("memcpy", "memcpy")
assert {k["family"] for k in kernels[1:]} == {"crc32"}
ours = [k["kernel"] for k in kernels[1:] if not k["peer"]]
assert ours[-1] == "portable" and len(set(ours)) == len(ours)
assert [k["kernel"] for k in kernels if k["in_use"]] == [result["in_use"]["crc32"]]
for kernel in kernels:
    assert [rate["size"] for rate in kernel["rates"]] == [64, 4096, 65536]
    for rate in kernel["rates"]:
        assert 0 < rate["lowest"] <= rate["bytes_per_second"] <= rate["highest"], rate
P

# Everything, once; a size besides, and the picture.
expect_status 0 bench --json --size 1500 --size 8K --rounds 2 --seconds-per-cell 0.0001 --file-size 3M --plot all.svg
python3 - "$out" all.svg <<'P' || fail "all families"
import json, sys, xml.etree.ElementTree as xml
result = json.load(open(sys.argv[1]))
families = ["crc32", "crc32c", "crc64nvme", "base64-encode", "base64-decode", "aes-256-gcm", "aes-128-gcm", "aes-256-ctr", "sha256"]
seen = []
for kernel in result["kernels"]:
    if kernel["family"] not in seen: seen.append(kernel["family"])
    assert [rate["size"] for rate in kernel["rates"]] == [64, 1500, 4096, 8192, 65536]
    assert all(rate["bytes_per_second"] > 0 for rate in kernel["rates"])
assert seen == ["memcpy"] + families, seen
files = {f["operation"]: f for f in result["files"]}
assert list(files) == ["read", "read + write", "encrypt", "decrypt", "verify", "sum -a crc64nvme", "sum -a sha256"], list(files)
for name, row in files.items():
    assert row["bytes"] == 3 << 20 and row["bytes_per_second"] > 0 and row["threads"] >= 1
    assert ("bound" in row) == (not name.startswith("read"))
svg = xml.parse(sys.argv[2]).getroot()
name = "{http://www.w3.org/2000/svg}"
assert svg.tag == name + "svg"
texts = [text.text for text in svg.iter(name + "text")]
assert all(family in texts for family in families), texts
# One line for each kernel, and memcpy in each panel; a point for each size.
lines = list(svg.iter(name + "polyline"))
assert len(lines) == len(result["kernels"]) - 1 + len(families), len(lines)
assert all(len(line.get("points").split()) == 5 for line in lines)
for line in lines:
    for point in line.get("points").split():
        x, y = map(float, point.split(","))
        assert 0 <= x <= 500 and 0 <= y <= 300, point
P
expect_mode 644 all.svg

# The table: no line beyond 120 columns, every kernel in it.
expect_status 0 bench --size 100 --size 1000 --size 10000 --size 20000 --size 30000 --size 40000 --size 50000 --size 60000
[ "$(wc -L < "$out")" -le 120 ] || fail "a line of the table is too long"
while IFS=': ' read -r family kernel; do grep -qF "* $kernel " "$out" || fail "the table lacks $kernel"; done < in_use
grep -q '^encrypt ' "$out" || fail "the table lacks files"
expect_status 0 bench --only files --progress lines
! grep -q '^memcpy' "$out" || fail "--only files"
grep -q '^bench: files' "$err" || fail "--progress lines"

# Where everything is left to OpenSSL, nothing else seals.
expect_status 0 env MILLRACE_CRYPTO=openssl "$millrace" bench --quick --only aes-256-gcm,aes-256-ctr --json
python3 - "$out" <<'P' || fail "MILLRACE_CRYPTO"
import json, sys
assert {k["kernel"] for k in json.load(open(sys.argv[1]))["kernels"]} == {"memcpy", "openssl"}
P

# The picture obeys the rules of outputs, before anything is measured.
echo old > old.svg
refused 2 old.svg --force -- "$millrace" bench --quick --only crc32 --plot old.svg
[ "$(cat old.svg)" = old ] || fail "an existing file was changed"
expect_status 0 bench --only crc32 --plot old.svg --force
grep -q '</svg>' old.svg || fail "--force"
refused 1 none/x.svg -- "$millrace" bench --quick --only crc32 --plot none/x.svg
refused 2 plot -- "$millrace" bench --quick --only crc32 --plot -
refused 2 plot -- "$millrace" bench --quick --only files --plot x.svg
expect_status 1 eval '"$millrace" bench --quick --only crc32 --plot full.svg > /dev/full'

refused 2 nope crc64nvme files -- "$millrace" bench --quick --only nope
for arguments in "--only" "--only crc32,nope" "--size 0" "--size 15" "--size 2G" "--size x" "--rounds 0" "--seconds-per-cell 0" "--file-size 0" extra; do
  refused 2 -- "$millrace" bench --quick $arguments
done
# No file of the measurement has a name that could stay.
mkdir tmp
TMPDIR=$PWD/tmp expect_status 0 bench --only files
TMPDIR=$PWD/none expect_status 1 bench --only files
expect_stderr none
[ -z "$(ls -A tmp)" ] || fail "something stayed in the temporary directory"
