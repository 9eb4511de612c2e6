"""Runs a command with the signals as a terminal's shell leaves them: a shell without job control makes the commands it
puts into the background ignore SIGINT."""
import os
import signal
import sys

for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
    signal.signal(number, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])
