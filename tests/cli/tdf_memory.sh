# Memory of TDF files: sealing stays below 24 MiB whatever the size of the input and of the segments, the detection of the
# type included; opening takes threads x segment + 10 MiB (libcrypto's reading of a key alone touches 3 MiB of it); a pipe
# is spooled, not kept.
. "$(dirname "$0")/lib.sh"
. "$here/tdf_lib.sh"
meter=$tool
new_pair ec
# peak MOST ARGUMENTS...: the command's peak in KiB, its output dropped.
peak() {
  local most=$1 kib
  shift
  "$meter" "$base/peak" "$millrace" "$@" > /dev/null
  kib=$(cat "$base/peak")
  [ $kib -le $most ] || fail "$*: $kib KiB, more than $most"
}
# A text: what libmagic takes longest to look at.
yes 'some words, and others' | head -c 65536 > head
for size in 64M 512M; do
  cp head input
  truncate -s $size input
  for segment in 16KiB 2MiB 4194276; do
    if [ $size$segment = 512M16KiB ]; then continue; fi
    peak 24576 encrypt -q --tdf --kas-public-key "$base/ec.pub" --kas-url $url --segment-size $segment --threads 2 -f -o e input
    peak 24576 encrypt -q --tdf --kas-public-key "$base/ec.pub" --kas-url $url --segment-size $segment --threads 1 input
  done
done
seal ec -f -o e input
for threads in 1 2; do
  most=$((threads * 2048 + 10240))
  peak $most decrypt --kas-private-key "$base/ec" --threads $threads -f -o d e
  peak $most verify --kas-private-key "$base/ec" --threads $threads e
  peak $most verify --kas-private-key "$base/ec" --threads $threads --producer 'cat e'
done
rm d
peak $((2 * 2048 + 10240)) cat --kas-private-key "$base/ec" --range -1000 e
