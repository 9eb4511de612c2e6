"""The SDKs as processes that take jobs."""

import json
import subprocess
import sys

from samples import KAS_KEYS


def held(*kids):
    """What a job says of the keys that its KAS holds."""
    return [{"kid": kid, "file": KAS_KEYS[kid]} for kid in kids]


class Peer:
    """An SDK in its process: one job per line, one answer per line (exchange.py describes them)."""

    def __init__(self, name, argv, log=None):
        self.name = name
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True)
        self.version = self.call(op="version")["version"]

    def call(self, **job):
        self.process.stdin.write(json.dumps(job, default=str) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"interop: the peer {self.name} ended during {job}")
        return json.loads(line)

    def must(self, **job):
        answer = self.call(**job)
        if not answer["ok"]:
            sys.exit(f"interop: the peer {self.name} cannot do {job}: {answer['error']}")
        return answer
