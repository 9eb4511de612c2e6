# TDF files come back: sizes at the borders of segments, files and pipes, threads, wrap types, splits, both versions; and
# what other programs see of them.
. "$(dirname "$0")/lib.sh"
. "$here/tdf_lib.sh"
new_pair rsa rsa:2048
new_pair ec
new_pair p521 ec:secp521r1
random_file large 3500000

# round_trip PLAIN KEY ENCRYPT-THREADS DECRYPT-THREADS OPTIONS...: by each of the four ways through the command.
round_trip() {
  local plain=$1 key=$2 n=$3 m=$4
  shift 4
  seal $key --threads $n "$@" -o e $plain
  "$millrace" decrypt --kas-private-key "$base/$key" --threads $m -o d e
  expect_equal $plain d
  "$millrace" decrypt --kas-private-key "$base/$key" --threads $m e | cmp - $plain || fail "file to pipe, $plain"
  seal $key --threads $n "$@" $plain | "$millrace" decrypt --kas-private-key "$base/$key" --threads $m -o d -f
  expect_equal $plain d
  cat $plain | seal $key --threads $m "$@" -f -o e2
  cat e2 | "$millrace" decrypt --kas-private-key "$base/$key" --threads $n | cmp - $plain || fail "pipe to pipe, $plain"
  "$millrace" verify --kas-private-key "$base/$key" --threads $n e2
  cat e | "$millrace" verify --kas-private-key "$base/$key"
  local size
  size=$(stat -c %s $plain)
  for file in e e2; do
    manifest $file "sum(s['segmentSize'] for s in integrity['segments']) == $size and
      all(s['encryptedSegmentSize'] == s['segmentSize'] + 28 for s in integrity['segments'])"
  done
  rm d e e2
}
round_trip large rsa 1 2
round_trip large ec 2 1
round_trip large p521 2 2 --segment-size 4194276
for options in "--segment-hash HS256 --segment-size 16KiB" "--target-mode 4.2.2 --segment-size 16KiB" "--segment-hash hs256 --segment-size 1MiB"; do
  round_trip large ec 2 2 $options
done
for size in 0 1 16383 16384 16385 32768 32769; do
  head -c $size large > p
  round_trip p ec 2 2 --segment-size 16KiB
done

# tdf_t01: an empty input is one empty segment, and opens to an empty file.
: > empty
seal ec -o e empty
manifest e "integrity['segments'][0]['segmentSize'] == 0 and len(integrity['segments']) == 1 and integrity['segments'][0]['encryptedSegmentSize'] == 28"
expect_status 0 "$millrace" decrypt --kas-private-key "$base/ec" -o d e
[ -f d ] && [ ! -s d ] || fail "not an empty file"
expect_mode 600 d
rm d e

# Several keys: with "all" both are needed, with "any" each opens the file alone.
both="--kas-public-key r1=$base/rsa.pub --kas-public-key e1=$base/ec.pub --kas-url https://one.example.com --kas-url https://two.example.com"
"$millrace" encrypt -q --tdf $both -o all large
"$millrace" encrypt -q --tdf $both --split any -o any large
manifest all "[(k['kid'], k['url']) for k in keys] == [('r1', 'https://one.example.com'), ('e1', 'https://two.example.com')] and keys[0]['sid'] != keys[1]['sid']"
manifest any "keys[0].get('sid', '') == keys[1].get('sid', '')"
"$millrace" decrypt --kas-private-key "$base/ec" --kas-private-key "$base/rsa" all | cmp - large || fail "all"
refused 3 "kid r1" one.example.com -- "$millrace" decrypt --kas-private-key "$base/ec" -o d all
refused 3 "kid e1" two.example.com -- "$millrace" decrypt --kas-private-key "$base/rsa" -o d all
# A kid says what is tried first, and nothing more.
for key in "$base/ec" "$base/rsa" "e1=$base/ec" "wrong=$base/rsa"; do
  expect_status 0 "$millrace" decrypt --kas-private-key "$key" any
  expect_equal large "$out"
done
refused 3 "kid r1" "kid e1" -- "$millrace" decrypt --kas-private-key "$base/p521" -o d any
# By position, with --kid; one URL for all.
"$millrace" encrypt -q --tdf --kas-public-key "$base/rsa.pub" --kas-public-key "$base/ec.pub" --kas-url $url --kid a --kid b -o e large
manifest e "[(k['kid'], k['url'], k['type']) for k in keys] == [('a', '$url', 'wrapped'), ('b', '$url', 'ec-wrapped')]"
rm e all any

# The report.
report='list(o)[:9] == ["operation", "bytes", "output_bytes", "segments", "key_id", "checksum", "verified", "seconds", "bytes_per_second"] and o["bytes"] == 3500000 and o["checksum"] is None'
expect_status 0 seal ec --kid k7 --json -o e large
json "$report"' and o["operation"] == "encrypt" and o["segments"] == 2 and o["key_id"] == "k7" and o["verified"] is False and o["output_bytes"] == '"$(stat -c %s e)"
expect_status 0 "$millrace" decrypt --json --kas-private-key "$base/ec" -o d e
json "$report"' and o["operation"] == "decrypt" and o["segments"] == 2 and o["key_id"] == "k7" and o["verified"] is True and o["output_bytes"] == 3500000'
seal ec -f -o e large
for from in 'e' '< <(cat e)'; do
  expect_status 0 eval '"$millrace" verify --json --kas-private-key "$base/ec" '"$from"
  json "$report"' and o["operation"] == "verify" and o["key_id"] is None and o["output_bytes"] == 0'
done
# With the data on stdout the object is alone on stderr, also without -q.
expect_status 0 "$millrace" encrypt --tdf --kas-public-key "$base/ec.pub" --kas-url $url --json large
cp "$err" "$out"
json "$report"' and o["mime_type"] == "application/octet-stream"'
# The archive as others read it (testzip is in `manifest`).
for tool in "unzip -tq" "7z t" "bsdtar -tf"; do
  if command -v ${tool%% *} > "$out"; then $tool e > "$out" 2>&1 || fail "$tool"; fi
done
expect_only d e empty large p
