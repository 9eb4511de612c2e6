# A file that becomes shorter or longer, or is written to, while it is read.
. "$(dirname "$0")/lib.sh"
odd=$tool
new_keyset k.json

# As a stream: the command is held by a reader that does not read.
truncate -s 40M big
mkfifo held
# changing EXPECTED-STATUS TEXT CHANGE ARGUMENTS...
changing() {
  local status=$1 text=$2 change=$3 got=0
  shift 3
  truncate -s 40M big
  touch -d '2020-01-01' big
  "$millrace" "$@" > held 2> "$err" &
  exec 7< held
  head -c 100000 <&7 > "$base/head"
  eval "$change"
  cat <&7 > "$base/rest"
  exec 7<&-
  wait $! || got=$?
  [ $got = $status ] || fail "status $got, not $status, after: $change"
  expect_stderr "big: " "$text"
}
changing 1 "became shorter" 'truncate -s 20M big' encrypt --keyset k.json --threads 1 big
cat "$base/head" "$base/rest" > "$base/stream"
expect_status 3 "$millrace" verify --keyset k.json "$base/stream"
changing 1 "from 41943040 to 41943041 bytes" 'echo >> big' encrypt --keyset k.json big
changing 0 "was written to" 'printf x | dd of=big conv=notrunc status=none' encrypt --keyset k.json big
rm held

# By position: it stops itself before it reads. Nothing is left.
cat > "$base/stopped.py" <<'P'
"""stopped.py CHANGE COMMAND...: waits until the command has stopped itself, makes the change, lets it go on."""
import os, signal, subprocess, sys
child = subprocess.Popen(sys.argv[2:])
_, status = os.waitpid(child.pid, os.WUNTRACED)
assert os.WIFSTOPPED(status), status
os.system(sys.argv[1])
os.kill(child.pid, signal.SIGCONT)
sys.exit(child.wait())
P
# stopped CHANGE VERB...
stopped() {
  ODD_FILE_SYSTEM=stop python3 "$base/stopped.py" "$1" env LD_PRELOAD="$odd" "$millrace" encrypt --keyset k.json -o x big
}
truncate -s 40M big
refused 1 "big: " "became shorter" -- stopped 'truncate -s 20M big'
truncate -s 40M big
refused 1 "big: " "became shorter" -- stopped ': > big'
truncate -s 40M big
refused 1 "big: " "to 41943041 bytes" -- stopped 'echo >> big'
expect_absent x
touch -d '2020-01-01' big
expect_status 0 stopped 'printf x | dd of=big conv=notrunc status=none'
expect_stderr "big: " "was written to"
expect_only big k.json x
