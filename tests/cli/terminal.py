"""Runs a command with some of its descriptors on a terminal of its own and prints what happened as JSON.

terminal.py WHICH COMMAND...    WHICH: a set of 0, 1, 2 that are the terminal; the others are /dev/null (0) and pipes.
{"status": N, "terminal": "what the terminal showed", "1": "...", "2": "..."}"""
import json
import os
import pty
import subprocess
import sys
import threading

which, command = sys.argv[1], sys.argv[2:]
master, slave = pty.openpty()
pipes = {n: subprocess.PIPE for n in "12"}
chosen = {n: slave if n in which else (subprocess.DEVNULL if n == "0" else pipes[n]) for n in "012"}
process = subprocess.Popen(command, stdin=chosen["0"], stdout=chosen["1"], stderr=chosen["2"], start_new_session=True)
os.close(slave)
shown = bytearray()


def read_terminal():
    while True:
        try:
            data = os.read(master, 65536)
        except OSError:
            return
        if not data:
            return
        shown.extend(data)


reader = threading.Thread(target=read_terminal)
reader.start()
one, two = process.communicate()
reader.join()
result = {"status": process.returncode, "terminal": shown.decode("latin-1")}
if one is not None:
    result["1"] = one.decode("latin-1")
if two is not None:
    result["2"] = two.decode("latin-1")
json.dump(result, sys.stdout)
