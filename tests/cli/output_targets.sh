# What may be written to, and what is left: existing files, links, the input itself, devices, FIFOs, a full disk.
. "$(dirname "$0")/lib.sh"
new_keyset "$base/k.json"
keys="--keyset $base/k.json"
random_file plain 500000
"$millrace" encrypt $keys -o e plain

# An existing target stays, byte for byte, whatever kind of target it is.
echo old > d
ln -s d link
ln -s nowhere dangling
for target in d link; do
  for source in "e" "- < e" "< <(cat e)"; do
    refused 2 "$target: " "--force" -- eval '"$millrace" decrypt $keys -o $target '"$source"
  done
  [ "$(cat d)" = old ] || fail "an existing file was touched"
done
refused 2 "dangling: " "--force" -- "$millrace" decrypt $keys -o dangling e
expect_absent nowhere
# With --force the file behind a link is replaced and the link stays; hard links keep the old contents.
ln d hard
expect_status 0 "$millrace" decrypt $keys --force -o link e
[ -L link ] || fail "the link was replaced"
expect_equal plain d
[ "$(cat hard)" = old ] || fail "a hard link was written through"
rm -f d link hard dangling

# Input and output the same file, by any name.
cp e same
ln -s same link
ln same hard
cp same "$base/same"
for pair in "same same" "same ./same" "same link" "link same" "same hard" "hard same" "- same < same" "/dev/stdin same < same"; do
  for force in "" --force; do
    set -- $pair
    refused 2 "same file" -- eval '"$millrace" decrypt $keys '"$force -o $2 $1 ${*:3}"
  done
done
refused 2 "same file" -- eval '"$millrace" decrypt $keys same >> same'
refused 2 "same file" -- eval '"$millrace" decrypt $keys < same 1<> same'
expect_equal same "$base/same"
rm same link hard

# Devices and FIFOs are written to as they are; nothing needs force.
expect_status 0 "$millrace" decrypt $keys -o /dev/null e
expect_status 0 "$millrace" encrypt $keys -o /dev/null - < plain
mkfifo fifo
cat fifo > copy &
expect_status 0 "$millrace" decrypt $keys -o fifo e
wait $!
expect_equal plain copy
rm fifo copy
for source in "plain" "- < plain" "- < <(cat plain)"; do
  refused 1 "/dev/full: " "No space left" -- eval '"$millrace" encrypt $keys -o /dev/full '"$source"
  refused 1 "standard output: " "No space left" -- eval '"$millrace" encrypt $keys '"$source"' | cat > /dev/null; "$millrace" encrypt $keys '"$source"' > /dev/full'
done
expect_status 1 eval '"$millrace" keyset list "$base/k.json" > /dev/full'
expect_stderr "standard output"
expect_status 1 eval '"$millrace" inspect --json e > /dev/full'
expect_stderr "standard output"
for asked in --help --version "encrypt --help"; do
  expect_status 1 eval '"$millrace" $asked > /dev/full'
  expect_stderr "standard output"
done
# /dev/stdout is standard output: the object does not go among the data.
expect_status 0 eval '"$millrace" decrypt $keys --json -o /dev/stdout e | cat'
expect_equal plain "$out"
grep -q '"verified":true' "$err" || fail "no JSON on stderr"

# A limit on the size of files ends like a full disk: status 1, the file named, nothing left.
for source in "plain" "- < <(cat plain)"; do
  refused 1 "x: " "File too large" -- eval '(ulimit -f 100; exec "$millrace" encrypt $keys -o x '"$source"')'
  refused 1 "x: " "File too large" -- eval '(ulimit -f 100; exec "$millrace" decrypt $keys -o x '"${source//plain/e}"')'
done
expect_only e plain

# A disk that is full, where we may make one.
if mkdir "$base/disk" && mount -t tmpfs -o size=256k none "$base/disk" 2> "$err"; then
  at_end() { umount "$base/disk"; rm -rf "$base"; }
  for force in "" --force; do
    for source in "plain" "- < <(cat plain)"; do
      refused 1 "disk/x: " "No space left" -- eval '"$millrace" encrypt $keys $force -o "$base/disk/x" '"$source"
      refused 1 "disk/x: " "No space left" -- eval '"$millrace" decrypt $keys $force -o "$base/disk/x" '"${source//plain/e}"
      [ "$(ls -A "$base/disk")" = "${force:+x}" ] || fail "left on the full disk: $(ls -A "$base/disk")"
    done
    echo old > "$base/disk/x"
  done
  [ "$(cat "$base/disk/x")" = old ] || fail "the old file was touched"
fi
expect_only e plain

# A directory that may not be written to.
if [ "$(id -u)" != 0 ]; then
  mkdir closed && chmod 500 closed
  refused 1 closed/x "Permission denied" -- "$millrace" encrypt $keys -o closed/x plain
fi
