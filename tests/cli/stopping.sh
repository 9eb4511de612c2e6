# Being stopped in the middle: signals, a reader that goes away, standard descriptors that are closed. Nothing is left
# under the target's name, and the status says how it ended.
. "$(dirname "$0")/lib.sh"
new_keyset k.json
random_file plain 5000000
"$millrace" encrypt --keyset k.json -o e plain
mkfifo data

# The producer of the data is slow: the command has read a part of it and waits for more when the signal comes.
for verb in encrypt decrypt; do
  for signal in INT TERM HUP KILL; do
    for force in "" --force; do
      if [ -n "$force" ]; then echo old > x; fi
      python3 "$here/with_signals.py" "$millrace" $verb --keyset k.json $force -o x data 2> "$err" &
      exec 7> data
      head -c 3000000 e >&7
      wait_for eval "readlink /proc/$!/fd/* | grep -q 'deleted\\|\\.part'"
      kill -$signal $!
      got=0
      wait $! 2> /dev/null || got=$?
      exec 7>&-
      [ $got = $((128 + $(kill -l $signal))) ] || fail "status $got after SIG$signal in $verb"
      expect_silence
      expect_only data e k.json plain ${force:+x}
      [ -z "$force" ] || [ "$(cat x)" = old ] || fail "the old file was touched"
      rm -f x
    done
  done
done

# What the parent ignores stays ignored: nohup.
(trap '' HUP; exec "$millrace" encrypt --keyset k.json -o x data) &
exec 7> data
wait_for eval "readlink /proc/$!/fd/* | grep -q deleted"
kill -HUP $!
cat plain >&7
exec 7>&-
wait $! || fail "ended by a signal that was ignored"
"$millrace" decrypt --keyset k.json x | cmp - plain || fail "after SIGHUP"
rm x data

# The reader of stdout goes away: the end by SIGPIPE, quietly, at once, even if the parent ignored the signal.
for arguments in "decrypt e" "decrypt --threads 1 e" "encrypt plain" "cat --range 0- e" "decrypt - < e"; do
  for before in "" "trap '' PIPE;"; do
    got=$(eval "{ $before \"\$millrace\" ${arguments/ / --keyset k.json } 2> \"\$err\"; echo \$? >&3; } 3> status | head -c 10 | wc -c; cat status")
    [ "$got" = "10
141" ] || fail "closed reader: $arguments: $got"
    expect_silence
  done
done
rm status
# An endless producer ends, too.
got=$({ timeout 20 "$millrace" encrypt --keyset k.json --producer 'cat /dev/zero' 2> "$err"; echo $? >&3; } 3> status | head -c 10 | wc -c; cat status)
[ "$got" = "10
141" ] || fail "endless producer: $got"
rm status

# Closed standard descriptors: an error where they are needed, and no file that gets their number.
refused 1 "standard input" "Bad file descriptor" -- eval '"$millrace" encrypt --keyset k.json -o x <&-'
expect_status 1 eval '"$millrace" decrypt --keyset k.json e >&-'
expect_stderr "standard output"
expect_status 1 eval '"$millrace" keyset list k.json >&-'
expect_stderr "standard output"
expect_status 0 eval '"$millrace" encrypt --keyset k.json -o x plain <&- >&-'
"$millrace" decrypt --keyset k.json x | cmp - plain || fail "with stdin and stdout closed"
expect_status 0 eval '"$millrace" encrypt --keyset k.json --progress=lines --json -o y plain <&- 2>&-'
"$millrace" decrypt --keyset k.json y | cmp - plain || fail "with stdin and stderr closed"
rm y
expect_status 2 eval '"$millrace" encrypt --keyset k.json --no-such-option plain <&- >&- 2>&-'
expect_status 3 eval '"$millrace" decrypt --keyset k.json -o y plain <&- >&- 2>&-'
expect_only e k.json plain x
