# TDF files on pipes: input of unknown length, the encrypted spool of the reading side and where it goes; producers.
. "$(dirname "$0")/lib.sh"
. "$here/tdf_lib.sh"
new_pair ec
keys="--kas-private-key $base/ec"
random_file plain 300000
expect_status 0 eval 'head -c 5000 plain | dd bs=1 status=none | seal ec -o e'
"$millrace" decrypt $keys e | cmp - <(head -c 5000 plain) || fail "one byte at a time"
expect_status 0 seal ec -f -o e --producer 'cat plain'
"$millrace" decrypt $keys --producer 'cat e' | cmp - plain || fail "a producer"
refused 1 --producer "status 3" -- seal ec -o x --producer 'cat plain; exit 3'
refused 1 --producer "status 3" -- "$millrace" decrypt $keys -o x --producer 'cat e; exit 3'
expect_absent x
# An input of unknown length is ZIP64, and that is read too.
cat plain | seal ec -f -o e
expect_status 0 "$millrace" inspect --json e
json 'o["container"]["zip64"] is True and o["plaintext_bytes"] == 300000'
# Standard input that is a file is read in place: no temporary is needed, not even a place for one.
expect_status 0 eval 'TMPDIR=/nowhere "$millrace" decrypt $keys < e'
expect_equal plain "$out"
# A pipe goes through $TMPDIR: what is missing or full is the environment's failure. Nothing stays there.
mkdir tmp
expect_status 0 eval 'TMPDIR=$PWD/tmp "$millrace" decrypt $keys < <(cat e)'
expect_equal plain "$out"
[ -z "$(ls -A tmp)" ] || fail "something was left in TMPDIR"
refused 1 /nowhere TMPDIR -- eval 'TMPDIR=/nowhere "$millrace" decrypt $keys -o x < <(cat e)'
expect_absent x
# A limit on the size of files is like a full disk.
refused 1 "temporary file in " TMPDIR -- bash -c 'ulimit -f 100; cat e | "$1" verify --kas-private-key "$2"' - "$millrace" "$base/ec"
# What was spooled is what came: encrypted.
mkfifo fifo
TMPDIR=$PWD/tmp "$millrace" decrypt $keys -o d fifo &
process=$!
exec 5> fifo
cat e >&5
spool() { ls -l /proc/$process/fd 2> "$err" | grep -o "[0-9]* -> $PWD/tmp/.*deleted" | cut -d ' ' -f 1 | head -n 1; }
held() { [ -n "$(spool)" ] && [ "$(stat -Lc %s "/proc/$process/fd/$(spool)")" = "$(stat -c %s e)" ]; }
if [ -r /proc/$process/fd ]; then
  wait_for held
  cmp "/proc/$process/fd/$(spool)" e || fail "the spool holds something else than the input"
  [ "$(stat -Lc %a "/proc/$process/fd/$(spool)")" = 600 ] || fail "others can read the spool"
fi
exec 5>&-
wait $process || fail "decrypt from a FIFO"
expect_equal plain d
expect_only d e fifo plain tmp
