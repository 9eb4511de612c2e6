# --producer: the output of a command is the input, and it counts only if the command ends well.
. "$(dirname "$0")/lib.sh"
new_keyset k.json
random_file plain 300000

expect_status 0 "$millrace" encrypt --keyset k.json -o e --producer 'cat plain'
expect_silence
"$millrace" decrypt --keyset k.json e | cmp - plain || fail "the producer's bytes"
expect_status 0 "$millrace" decrypt --keyset k.json -o d --producer 'cat e'
expect_equal plain d
expect_status 0 "$millrace" verify --keyset k.json --producer 'cat e'
expect_status 0 "$millrace" encrypt --keyset k.json --producer true
"$millrace" decrypt --keyset k.json "$out" > empty
[ ! -s empty ] || fail "bytes of nothing"
rm d empty
# A pipeline, quotes and the command's own standard input and error.
expect_status 0 eval 'echo "a b" | "$millrace" encrypt --keyset k.json --producer "cat; echo \"it'"'"'s\" | tr a-z A-Z; echo note >&2"'
[ "$(cat "$err")" = note ] || fail "the producer's stderr"
[ "$("$millrace" decrypt --keyset k.json "$out")" = "a b
IT'S" ] || fail "the producer's output"

# It fails: after everything, in the middle, at once; by status and by signal. To a file: nothing is left.
for failing in 'cat plain; exit 3|status 3' 'head -c 100000 plain; exit 3|status 3' 'exit 3|status 3' 'no-such-program|status 127' \
  'cat plain; kill -KILL $$|signal 9' 'head -c 5000 plain; kill -TERM $$|signal 15'; do
  command=${failing%|*} text=${failing#*|}
  expect_status 1 "$millrace" encrypt --keyset k.json -o x --producer "$command"
  tail -1 "$err" > "$base/last" && mv "$base/last" "$err"  # the shell may have had something to say
  expect_stderr "--producer" "$text"
  expect_only e k.json plain
  echo old > x
  expect_status 1 "$millrace" encrypt --keyset k.json --force -o x --producer "$command"
  [ "$(cat x)" = old ] || fail "the old file was touched"
  rm x
  # To a pipe: what has left is no whole stream.
  for threads in 1 2; do
    expect_status 1 "$millrace" encrypt --keyset k.json --threads $threads --producer "$command"
    cp "$out" "$base/stream"
    expect_status 3 "$millrace" verify --keyset k.json "$base/stream"
  done
done
refused 3 "--producer: " "not authentic" -- "$millrace" decrypt --keyset k.json -o x --producer 'head -c 5000 e'
expect_only e k.json plain

refused 2 "--producer" "not both" -- "$millrace" encrypt --keyset k.json --producer 'touch ran' -o x plain
refused 2 "--producer" "not both" -- "$millrace" encrypt --keyset k.json --producer 'touch ran' -o x -
# It is not started when the rest is refused.
refused 2 exists -- "$millrace" encrypt --keyset k.json --producer 'touch ran' -o e
refused 1 no/x -- "$millrace" encrypt --keyset k.json --producer 'touch ran' -o no/x
refused 1 missing -- "$millrace" encrypt --keyset missing --producer 'touch ran' -o x
expect_only e k.json plain

# We fail first: the command is ended, also one that ignores SIGTERM and goes on writing.
refused 1 /dev/full -- timeout 20 "$millrace" encrypt --keyset k.json -o /dev/full --producer 'cat /dev/zero'
refused 1 /dev/full -- timeout 20 "$millrace" encrypt --keyset k.json -o /dev/full --producer 'trap "" TERM; cat /dev/zero'

# Our signals reach it and its children.
for signal in INT TERM HUP; do
  python3 "$here/with_signals.py" "$millrace" encrypt --keyset k.json -o x --producer 'echo $$ > pid; cat plain; sleep 600; true' &
  wait_for test -s pid
  shell=$(cat pid)
  wait_for pgrep -g "$shell" -x sleep
  kill -$signal $!
  got=0
  wait $! 2> /dev/null || got=$?
  [ $got = $((128 + $(kill -l $signal))) ] || fail "status $got after SIG$signal"
  wait_for eval "! pgrep -g $shell"
  rm pid
  expect_only e k.json plain
done
# And nohup holds for it as well.
expect_status 0 bash -c 'trap "" HUP; exec "$1" encrypt --keyset k.json -o x --producer "kill -HUP \$\$; cat plain"' - "$millrace"
"$millrace" decrypt --keyset k.json x | cmp - plain || fail "the producer got a signal that is ignored"
