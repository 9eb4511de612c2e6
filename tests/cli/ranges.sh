# cat --range: like HTTP, from files and pipes, at the borders of segments and beyond the end.
. "$(dirname "$0")/lib.sh"
new_keyset k.json
random_file plain 20000
: > empty
"$millrace" encrypt --keyset k.json -o e plain
"$millrace" encrypt --keyset k.json -o e0 empty

# expect_range RANGE FIRST COUNT: the bytes of `plain`, from the file, the pipe and into a file.
expect_range() {
  tail -c +$(($2 + 1)) plain | head -c $3 > "$base/want"
  expect_status 0 "$millrace" cat --keyset k.json --range "$1" e
  expect_silence
  expect_equal "$base/want" "$out"
  if [ "${1:0:1}" != - ]; then
    expect_status 0 "$millrace" cat --keyset k.json --range "$1" < <(cat e)
    expect_equal "$base/want" "$out"
  fi
}
# Segments: 4040 bytes, then 4080 each.
expect_range 0-0 0 1
expect_range 0-19999 0 20000
expect_range 0- 0 20000
expect_range 0-99999999 0 20000
expect_range 0-18446744073709551615 0 20000
expect_range 4039-4040 4039 2
expect_range 4040-8119 4040 4080
expect_range 4041-12200 4041 8160
expect_range 8119-8120 8119 2
expect_range 19999- 19999 1
expect_range 19999-19999 19999 1
expect_range 20000- 20000 0
expect_range -1 19999 1
expect_range -500 19500 500
expect_range -20000 0 20000
expect_range -20001 0 20000
expect_range -99999999999 0 20000
expect_range -0 20000 0

# Without a range: everything. With -o: a file, private like every plaintext.
expect_status 0 "$millrace" cat --keyset k.json e
expect_equal plain "$out"
expect_status 0 "$millrace" cat --keyset k.json e --range -500 -o part
expect_mode 600 part
tail -c 500 plain | cmp - part || fail "-500 into a file"
refused 2 part exists -- "$millrace" cat --keyset k.json --range=0-1 -o part e

refused 2 "20000 bytes" -- "$millrace" cat --keyset k.json --range 20000-20000 e
refused 2 "20000 bytes" -- "$millrace" cat --keyset k.json --range 20001- e
refused 2 "20000 bytes" -- "$millrace" cat --keyset k.json --range 20001- -o x < <(cat e)
refused 2 "use a file" -- "$millrace" cat --keyset k.json --range -500 < <(cat e)
for range in 5 5-4 - a-b 1-2-3 1,2 0x1-2 ' 1-2' +1-2 --5 18446744073709551616- -18446744073709551616; do
  refused 2 "expected A-B" -- "$millrace" cat --keyset k.json "--range=$range" e
done

# A range of an empty plaintext is empty; what begins behind its end is wrong.
for range in 0- 0-0 0-99 -0 -10; do
  expect_status 0 "$millrace" cat --keyset k.json --range $range e0
  [ ! -s "$out" ] || fail "bytes of an empty file"
done
refused 2 "0 bytes" -- "$millrace" cat --keyset k.json --range 1- e0

# Only the segments of the range need to be intact, and the last, which proves the size; a pipe is read to its end.
python3 - <<'P'
data = bytearray(open("e", "rb").read())
data[4096 + 100] ^= 1
open("flipped", "wb").write(data)
P
head -c -4096 e > cut
tail -c 500 plain > want
expect_status 0 "$millrace" cat --keyset k.json --range -500 flipped
expect_equal want "$out"
refused 3 "not authentic" -- "$millrace" cat --keyset k.json --range 4000-5000 flipped
refused 3 "not authentic" -- "$millrace" cat --keyset k.json --range 4000-5000 -o x flipped
refused 3 "not authentic" -- "$millrace" cat --keyset k.json --range 0-10 cut
[ ! -s "$out" ] || fail "bytes of a stream of unknown size"
refused 3 "not authentic" -- "$millrace" cat --keyset k.json --range 0-10 < <(cat flipped)
expect_only cut e e0 empty flipped k.json part plain want
