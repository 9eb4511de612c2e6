# Messages: one line, whatever the names; a stderr that cannot be written to changes nothing about the status.
. "$(dirname "$0")/lib.sh"
new_keyset k.json
echo text > plain

# A name with a line break or an escape sequence stays one line and does not reach the terminal as it is.
refused 1 'no\x0asuch\x1b[31mfile' -- "$millrace" encrypt --keyset k.json -o e $'no\nsuch\e[31mfile'
refused 2 'un\x0aexpected' -- "$millrace" encrypt --keyset k.json plain $'un\nexpected'

# stderr closed, full, or a pipe nobody reads any more.
for where in '>&-' '>/dev/full'; do
  expect_status 1 eval '"$millrace" encrypt --keyset missing.json -o e plain 2'"$where"
  expect_status 2 eval '"$millrace" encrypt --no-such-option 2'"$where"
  expect_status 0 eval '"$millrace" encrypt --progress=lines --keyset k.json -o e plain 2'"$where"
  expect_status 0 eval '"$millrace" encrypt --json --keyset k.json plain 2'"$where"
  "$millrace" decrypt --keyset k.json -o d e
  expect_equal plain d
  rm e d
done
# The lines of a longer run come from a thread of their own.
expect_status 0 bash -c '(echo a; sleep 1.3; echo b) | "$1" encrypt --progress=lines --keyset k.json -o e 2>/dev/full' - "$millrace"
expect_only e k.json plain
