# cat --range of TDF files: only the segments of the range are read; from files and from pipes.
. "$(dirname "$0")/lib.sh"
. "$here/tdf_lib.sh"
new_pair ec
random_file plain 50000
: > empty
seal ec --segment-size 16KiB -o e plain
seal ec -o e0 empty
keys="--kas-private-key $base/ec"
# expect_range RANGE FIRST COUNT
expect_range() {
  tail -c +$(($2 + 1)) plain | head -c $3 > "$base/want"
  expect_status 0 "$millrace" cat $keys --range "$1" e
  expect_silence
  expect_equal "$base/want" "$out"
  # The manifest of a pipe is at its end, so its end is known too.
  expect_status 0 "$millrace" cat $keys --range "$1" < <(cat e)
  expect_equal "$base/want" "$out"
}
expect_range 0-0 0 1
expect_range 0- 0 50000
expect_range 16383-16384 16383 2
expect_range 16384-32767 16384 16384
expect_range 100-40000 100 39901
expect_range 49999- 49999 1
expect_range 50000- 50000 0
expect_range -500 49500 500
expect_range -99999999 0 50000
expect_status 0 "$millrace" cat $keys e
expect_equal plain "$out"
expect_status 0 "$millrace" cat $keys --range -500 -o part e
expect_mode 600 part
refused 2 "50000 bytes" -- "$millrace" cat $keys --range 50001- e
for range in 0- 0-0 -10; do
  expect_status 0 "$millrace" cat $keys --range $range e0
  [ ! -s "$out" ] || fail "bytes of an empty file"
done
tdf_edit e flipped 'p[20000]^=1'
expect_status 0 "$millrace" cat $keys --range -500 flipped
tail -c 500 plain | cmp - "$out" || fail "a range beside the damage"
refused 3 tamper segment -- "$millrace" cat $keys --range 16000-17000 flipped
refused 3 tamper segment -- "$millrace" cat $keys --range 16384-17000 -o x flipped
expect_only e e0 empty flipped part plain
