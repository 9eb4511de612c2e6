# Inputs of every kind: FIFOs, /dev/stdin, sparse files, /proc, non-blocking pipes.
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

# Directories, missing files, files that may not be read.
refused 1 "." "Is a directory" -- "$millrace" encrypt --keyset k.json -o x .
refused 1 "standard input" "Is a directory" -- "$millrace" verify --keyset k.json < .
refused 1 "missing: " "No such file" -- "$millrace" encrypt --keyset k.json -o x missing
if [ "$(id -u)" != 0 ]; then
  chmod 0 empty
  refused 1 "empty: " "Permission denied" -- "$millrace" encrypt --keyset k.json -o x empty
fi
expect_only e empty fifo k.json plain
