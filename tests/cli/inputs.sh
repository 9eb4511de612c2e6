# Inputs of every kind: FIFOs, /dev/stdin, sparse files, /proc, non-blocking pipes, files that change meanwhile.
. "$(dirname "$0")/lib.sh"
new_keyset k.json
random_file plain 3000000
: > empty
opens() { "$millrace" decrypt --keyset k.json "$1" | cmp - "$2" || fail "$1 is not $2"; }

# FIFO, /dev/stdin from a pipe and from a file, the descriptor by its name; one byte at a time.
mkfifo fifo
cat plain > fifo &
expect_status 0 "$millrace" encrypt --keyset k.json -o e fifo
opens e plain
for source in '/dev/stdin < plain' '/dev/stdin < <(cat plain)' '- < plain' '/dev/fd/5 5< plain' '< plain'; do
  expect_status 0 eval '"$millrace" encrypt --keyset k.json -f -o e '"$source"
  opens e plain
done
expect_status 0 eval 'head -c 5000 plain | dd bs=1 status=none | "$millrace" encrypt --keyset k.json -f -o e'
opens e <(head -c 5000 plain)
# Standard input somebody has read from: it goes on where they stopped.
expect_status 0 eval '{ head -c 1000000 > /dev/null; "$millrace" encrypt --keyset k.json -f -o e; } < plain'
opens e <(tail -c +1000001 plain)
expect_status 0 eval '{ cat > /dev/null; "$millrace" encrypt --keyset k.json -f -o e; } < plain'
opens e empty
expect_status 0 "$millrace" encrypt --keyset k.json -f -o e /dev/null
opens e empty
expect_status 0 "$millrace" encrypt --keyset k.json -f -o e empty
opens e empty

# Files of /proc say they are empty and are not.
expect_status 0 "$millrace" encrypt --keyset k.json -f -o e /proc/version
opens e /proc/version

# A sparse file: its holes are zeros.
truncate -s 5M sparse
printf middle | dd of=sparse bs=1 seek=2500000 conv=notrunc status=none
expect_status 0 "$millrace" encrypt --keyset k.json -f -o e sparse
opens e sparse
rm sparse

# A pipe that somebody set to non-blocking, on both sides.
python3 - "$millrace" <<'P' || fail "non-blocking"
import os, subprocess, sys, time
plain = open("plain", "rb").read()
def run(verb, data):
    in_read, in_write = os.pipe()
    out_read, out_write = os.pipe()
    os.set_blocking(in_read, False)
    os.set_blocking(out_write, False)
    child = subprocess.Popen([sys.argv[1], verb, "--keyset", "k.json"], stdin=in_read, stdout=out_write)
    os.close(in_read), os.close(out_write)
    if os.fork() == 0:
        os.close(out_read)
        time.sleep(0.1)
        with open(in_write, "wb") as to: to.write(data)
        os._exit(0)
    os.close(in_write)
    time.sleep(0.3)
    result = open(out_read, "rb").read()
    os.wait()
    assert child.wait() == 0
    return result
sealed = run("encrypt", plain)
assert run("decrypt", sealed) == plain
P

# A file that changes while it is read. The command is held by a full pipe, or by a FIFO as its output.
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

# By position, with a file as output: stopped, changed, continued. Nothing is left.
cat > "$base/stopped.py" <<'P'
"""stopped.py CHANGE COMMAND...: stops the command when it has begun to write, makes the change, lets it go on."""
import glob, os, signal, subprocess, sys, time
child = subprocess.Popen(sys.argv[2:])
def position():
    total = 0
    for name in glob.glob("/proc/%d/fd/*" % child.pid):
        try:
            if "deleted" in os.readlink(name):
                total = os.stat(name).st_blocks
        except OSError:
            pass
    return total
deadline = time.time() + 20
while position() == 0 and time.time() < deadline and child.poll() is None:
    time.sleep(0.001)
child.send_signal(signal.SIGSTOP)
os.system(sys.argv[1])
child.send_signal(signal.SIGCONT)
sys.exit(child.wait())
P
truncate -s 200M big
refused 1 "big: " "became shorter" -- python3 "$base/stopped.py" 'truncate -s 1M big' "$millrace" encrypt --keyset k.json -o x big
truncate -s 200M big
refused 1 "big: " "to 209715201 bytes" -- python3 "$base/stopped.py" 'echo >> big' "$millrace" encrypt --keyset k.json -o x big
expect_absent x
rm big

# Directories, missing files, files that may not be read.
refused 1 "." "Is a directory" -- "$millrace" encrypt --keyset k.json -o x .
refused 1 "standard input" "Is a directory" -- "$millrace" verify --keyset k.json < .
refused 1 "missing: " "No such file" -- "$millrace" encrypt --keyset k.json -o x missing
if [ "$(id -u)" != 0 ]; then
  chmod 0 empty
  refused 1 "empty: " "Permission denied" -- "$millrace" encrypt --keyset k.json -o x empty
fi
expect_only e empty fifo held k.json plain
