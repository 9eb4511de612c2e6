"""Runs a command in a process of its own and says what it cost."""

import contextlib
import json
import os
import subprocess
import threading

SPLICE = 1 << 20


class Failed(Exception):
    """A command that had to succeed did not."""


class Children:
    def __init__(self, programs):
        self.measure = str(programs / "measure")  # bench/cells/measure.cc
        self.counter = str(programs / "count_allocations.so")

    def cell(self, argv):
        """Runs a cell program: what it measured of itself, and its peak memory."""
        cost, output = self._run(argv, subprocess.DEVNULL, subprocess.PIPE)
        return json.loads(output) | {"peak_rss": cost["peak_rss"]}

    def command(self, argv):
        """Runs a command between files: seconds, cpu_seconds and peak_rss."""
        return self._run(argv, subprocess.DEVNULL, subprocess.DEVNULL)[0]

    def between_pipes(self, argv, source, expected=None):
        """Runs a command whose input is a pipe with the contents of the file `source`, and whose output is a pipe.

        Both far ends move pages and copy nothing (splice), so that they take little from the two ends that are measured.
        `expected`: how many bytes must come out."""
        with contextlib.ExitStack() as stack:
            in_read, in_write = _pipe(stack)
            out_read, out_write = _pipe(stack)
            feeder = threading.Thread(target=_feed, args=(source, in_write), daemon=True)
            drained = []
            drain = threading.Thread(target=lambda: drained.append(_drain(out_read)), daemon=True)
            feeder.start()
            drain.start()
            try:
                cost, _ = self._run(argv, in_read.fileno(), out_write.fileno())
            finally:
                in_read.close()
                out_write.close()
                feeder.join()
                drain.join()
        if expected is not None and drained != [expected]:
            raise Failed(f"{argv[0]}: {drained} bytes came out instead of {expected}")
        return cost

    def from_pipe(self, argv, source):
        """Runs a command whose input is a pipe with the contents of the file `source`; it names its output itself."""
        with contextlib.ExitStack() as stack:
            in_read, in_write = _pipe(stack)
            feeder = threading.Thread(target=_feed, args=(source, in_write), daemon=True)
            feeder.start()
            try:
                return self._run(argv, in_read.fileno(), subprocess.DEVNULL)[0]
            finally:
                in_read.close()
                feeder.join()

    def allocations(self, argv, source=None):
        """Runs a command, from a pipe with the contents of `source` if that is given, and counts its allocations."""
        read, write = os.pipe()
        env = os.environ | {"LD_PRELOAD": self.counter, "MILLRACE_COUNT_TO": str(write)}
        with contextlib.ExitStack() as stack:
            stdin = subprocess.DEVNULL
            if source:
                in_read, in_write = _pipe(stack)
                stdin = in_read.fileno()
                threading.Thread(target=_feed, args=(source, in_write), daemon=True).start()
            try:
                subprocess.run([str(word) for word in argv], stdin=stdin, stdout=subprocess.DEVNULL, pass_fds=[write],
                               env=env, check=True)
            finally:
                os.close(write)
                with os.fdopen(read) as result:
                    counted = result.read()
        return json.loads(counted)

    def _run(self, argv, stdin, stdout):
        argv = [str(word) for word in argv]
        read, write = os.pipe()
        try:
            done = subprocess.run([self.measure, str(write), *argv], stdin=stdin, stdout=stdout, stderr=subprocess.PIPE,
                                  pass_fds=[write], check=False)
        finally:
            os.close(write)
            with os.fdopen(read) as result:
                cost = result.read()
        if done.returncode != 0:
            raise Failed(f"exit {done.returncode}: {' '.join(argv)}\n{done.stderr.decode(errors='replace').strip()}")
        return json.loads(cost), done.stdout


def _pipe(stack):
    """A pipe of the size a shell would make; a program that wants a larger one asks for it."""
    read, write = os.pipe()
    return stack.enter_context(os.fdopen(read, "rb", 0)), stack.enter_context(os.fdopen(write, "wb", 0))


def _feed(path, pipe):
    with open(path, "rb") as source, contextlib.suppress(BrokenPipeError):
        while os.splice(source.fileno(), pipe.fileno(), SPLICE):
            pass
    pipe.close()


def _drain(pipe):
    total = 0
    with open(os.devnull, "wb") as nowhere:
        while moved := os.splice(pipe.fileno(), nowhere.fileno(), SPLICE):
            total += moved
    return total
