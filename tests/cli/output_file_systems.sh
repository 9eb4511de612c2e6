# File systems that lack something: no unnamed files (O_TMPFILE), no RENAME_NOREPLACE, no links, no modes, and write
# errors that show as late as at the close. A small library makes any file system look so.
. "$(dirname "$0")/lib.sh"
odd=$tool
on_odd() {
  local lacks=$1
  shift
  LD_PRELOAD=$odd ODD_FILE_SYSTEM=$lacks "$@"
}
new_keyset k.json
random_file plain 300000
"$millrace" encrypt --keyset k.json -o good plain
head -c 299999 good > cut

for lacks in tmpfile tmpfile,noreplace tmpfile,noreplace,link; do
  for how in file pipe; do
    given=plain
    if [ $how = pipe ]; then given=/dev/stdin; fi
    cat plain | expect_status 0 on_odd $lacks "$millrace" encrypt --keyset k.json -o e $given
    expect_silence
    expect_mode 644 e
    cat plain | refused 2 "exists" -- on_odd $lacks "$millrace" encrypt --keyset k.json -o e $given
    cat plain | expect_status 0 on_odd $lacks "$millrace" encrypt --keyset k.json --force -o e $given
    given=e
    if [ $how = pipe ]; then given=/dev/stdin; fi
    cat e | expect_status 0 on_odd $lacks "$millrace" decrypt --keyset k.json -o d $given
    expect_equal plain d
    expect_mode 600 d
    given=cut
    if [ $how = pipe ]; then given=/dev/stdin; fi
    cat cut | refused 3 "not authentic" -- on_odd $lacks "$millrace" decrypt --keyset k.json --force -o d $given
    expect_equal plain d
    expect_only cut d e good k.json plain
    rm d e
  done
done

# Somebody makes the target while we work: it stays.
mkfifo data
for lacks in nothing tmpfile tmpfile,noreplace tmpfile,noreplace,link; do
  LD_PRELOAD=$odd ODD_FILE_SYSTEM=$lacks "$millrace" encrypt --keyset k.json -o e data 2> "$err" &
  exec 7> data
  case $lacks in
    nothing) wait_for eval "readlink /proc/$!/fd/* | grep -q deleted" ;;
    *) wait_for compgen -G '.e.*.part' ;;
  esac
  echo theirs > e
  exec 7>&-
  got=0
  wait $! || got=$?
  [ $got = 2 ] || fail "status $got where the target appeared meanwhile ($lacks)"
  expect_stderr "e: " "exists"
  [ "$(cat e)" = theirs ] || fail "the file of somebody else was replaced ($lacks)"
  expect_only cut data e good k.json plain
  rm e
done

# A signal removes the temporary.
for signal in INT TERM HUP; do
  LD_PRELOAD=$odd ODD_FILE_SYSTEM=tmpfile python3 "$here/with_signals.py" "$millrace" encrypt --keyset k.json -o e data &
  exec 7> data
  wait_for compgen -G '.e.*.part'
  expect_mode 600 .e.*.part
  kill -$signal $!
  got=0
  wait $! 2> "$err" || got=$?
  exec 7>&-
  [ $got = $((128 + $(kill -l $signal))) ] || fail "status $got after SIG$signal"
  expect_only cut data good k.json plain
done
rm data

# No modes: a plaintext that others may read deserves a word, the rest does not.
expect_status 0 on_odd tmpfile,mode "$millrace" encrypt --keyset k.json -o e plain
expect_silence
expect_status 0 on_odd mode "$millrace" decrypt --keyset k.json -o d e
expect_silence
expect_equal plain d
rm d e

for lacks in close tmpfile,close; do
  refused 1 "e: close" "quota" -- on_odd $lacks "$millrace" encrypt --keyset k.json -o e plain
  cat plain | refused 1 "e: close" "quota" -- on_odd $lacks "$millrace" encrypt --keyset k.json -o e
  expect_only cut good k.json plain
done

# The file that bench works on keeps no name either.
mkdir tmp
TMPDIR=$PWD/tmp expect_status 0 on_odd tmpfile "$millrace" bench --quick --only files
[ -z "$(ls -A tmp)" ] || fail "bench left a file"
