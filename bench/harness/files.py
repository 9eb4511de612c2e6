"""Table 3: whole files through the command, between files and between pipes, beside the loop written by hand, what the kernel
and the cipher allow alone, and what a user would run instead."""

import os
import subprocess

from harness import rounds, spread

NAME = "files"
SEGMENTS = [64 * spread.KIB, spread.MIB, 16 * spread.MIB]
THREADS = [1, 2]
DIRECTIONS = ("encrypt", "decrypt")
PLACES = ("file", "pipe")
AEADS = ("openssl", "millrace")
GOAL = 0.95
BESIDES = 8 * spread.MIB  # what a process may need besides threads x segment

OPENSSL_ENC = ["-aes-256-ctr", "-bufsize", "1048576", "-K", "07" * 32, "-iv", "00" * 16]


def run(context):
    with Inputs(context) as inputs:
        cells = list(_bare_cells(context))
        for place in PLACES:
            cells += _tool_cells(context, inputs, place)
            for direction in DIRECTIONS:
                for segment in SEGMENTS:
                    for threads in THREADS:
                        cells += _loop_cells(context, inputs, place, direction, segment, threads)
        samples = rounds.run(NAME, cells, context.rounds, context.warm_up)
    return "\n\n".join(_loop_table(context, samples, place) + "\n\n" + _tool_table(context, samples, place)
                       for place in PLACES)


class Inputs:
    """The files that are encrypted and decrypted, made once and removed at the end."""

    def __init__(self, context):
        self.context = context
        self.plain = context.work / "plain"
        self.output = context.work / "output"
        self.age_key = context.work / "age.key"
        self.paths = [self.plain, self.output, self.age_key]

    def __enter__(self):
        children, peers = self.context.children, self.context.peers
        write_random(self.plain, self.context.size)
        for segment in SEGMENTS:
            write_keyset(self.context, self.keyset(segment), segment)
            millrace, hand = self.sealed("millrace", segment), self.sealed("by hand", segment)
            children.command(command(self.context, "encrypt", self.keyset(segment), 2, self.plain, millrace))
            children.command(by_hand(self.context, "seal", segment, 2, self.plain, hand))
        if peers.age:
            children.command(["age-keygen", "-o", self.age_key])
            children.command([*self.age("encrypt"), "-o", self.sealed("age"), self.plain])
        if peers.openssl:
            children.command(["openssl", "enc", *OPENSSL_ENC, "-in", self.plain, "-out", self.sealed("openssl")])
        return self

    def __exit__(self, *_):
        for path in {*self.paths, *self.context.work.glob("sealed.*"), *self.context.work.glob("keyset.*")}:
            path.unlink(missing_ok=True)

    def keyset(self, segment):
        return self.context.work / f"keyset.{segment}"

    def sealed(self, by, segment=0):
        return self.context.work / f"sealed.{by.replace(' ', '-')}.{segment}"

    def age(self, direction):
        if direction == "decrypt":
            return ["age", "-d", "-i", self.age_key]
        return ["age", "-R", self._age_recipient()]

    def _age_recipient(self):
        recipient = self.context.work / "age.pub"
        if not recipient.exists():
            public = [line for line in self.age_key.read_text().splitlines() if line.startswith("# public key: ")]
            recipient.write_text(public[0].removeprefix("# public key: ") + "\n")
            self.paths.append(recipient)
        return recipient


def write_random(path, size):
    with open(path, "wb") as f:
        while size > 0:
            f.write(os.urandom(min(size, spread.MIB)))
            size -= min(size, spread.MIB)


def write_keyset(context, path, segment):
    keyset = subprocess.run([context.cell_program("new_keyset"), f"segment={segment}"], check=True, capture_output=True).stdout
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as f:
        f.write(keyset)


def command(context, direction, keyset, threads, source=None, target=None):
    argv = [context.millrace, direction, "--keyset", keyset, "--threads", threads, "--quiet"]
    if target:
        argv += ["-o", target]
    return argv + ([source] if source else [])


def by_hand(context, mode, segment, threads, source="-", target="-", crc="no"):
    return [context.cell_program("handwritten_loop"), f"mode={mode}", f"segment={segment}", f"threads={threads}", f"crc={crc}",
            f"in={source}", f"out={target}"]


def _timed(context, inputs, key, place, between_files, between_pipes, source):
    """A cell that makes a new file each time, or none."""

    def to_file():
        inputs.output.unlink(missing_ok=True)
        cost = context.children.command(between_files)
        inputs.output.unlink()
        return cost

    def to_pipe():
        return context.children.between_pipes(between_pipes, source)

    return rounds.Cell(key, to_file if place == "file" else to_pipe)


def _bare_cells(context):
    for direction in DIRECTIONS:
        for segment in SEGMENTS:
            for threads in THREADS:
                for aead in AEADS:
                    argv = [context.cell_program("raw_aead"), f"aead={aead}", f"direction={direction}", f"size={segment}",
                            f"segment={segment}", f"threads={threads}", f"seconds={context.seconds}"]
                    yield rounds.Cell((aead, direction, segment, threads), lambda argv=argv: context.children.cell(argv))


def _loop_cells(context, inputs, place, direction, segment, threads):
    """One row: the copy, the hand-written loop and the command, one after the other."""

    def loop(mode, source):
        return by_hand(context, mode, segment, threads, source, inputs.output), by_hand(context, mode, segment, threads), source

    sources = {by: inputs.plain if direction == "encrypt" else inputs.sealed(by, segment) for by in ("by hand", "millrace")}
    keyset = inputs.keyset(segment)
    ways = {
        "copy": loop("copy", inputs.plain),
        "by hand": loop("seal" if direction == "encrypt" else "open", sources["by hand"]),
        "millrace": (command(context, direction, keyset, threads, sources["millrace"], inputs.output),
                     command(context, direction, keyset, threads), sources["millrace"]),
    }
    return [_timed(context, inputs, (place, by, direction, segment, threads), place, *way) for by, way in ways.items()]


def _tool_cells(context, inputs, place):
    peers = context.peers
    cells = []

    def add(tool, direction, between_files, between_pipes, source):
        cells.append(_timed(context, inputs, (place, tool, direction), place, between_files, between_pipes, source))

    for direction in DIRECTIONS:
        if peers.age:
            source = inputs.plain if direction == "encrypt" else inputs.sealed("age")
            argv = inputs.age(direction)
            add("age", direction, [*argv, "-o", inputs.output, source], argv, source)
        if peers.openssl:
            source = inputs.plain if direction == "encrypt" else inputs.sealed("openssl")
            argv = ["openssl", "enc", *(["-d"] if direction == "decrypt" else []), *OPENSSL_ENC]
            add("openssl enc -aes-256-ctr", direction, [*argv, "-in", source, "-out", inputs.output], argv, source)
    add("cp" if place == "file" else "cat", "copy", ["cp", inputs.plain, inputs.output], ["cat"], inputs.plain)
    return cells


def _loop_table(context, samples, place):
    header = ["segment", "<", "threads", "read + write", "OpenSSL alone", "our AES-GCM alone", "by hand", "Millrace",
              "share of by hand", "<goal", "peak, MiB", "at most", "<goal"]
    rows = []
    for direction in DIRECTIONS:
        for segment in SEGMENTS:
            for threads in THREADS:
                copy, hand, ours = (samples[place, by, direction, segment, threads] for by in ("copy", "by hand", "millrace"))
                share = spread.ratio(ours, hand)
                peak = max(sample["peak_rss"] for sample in ours)
                limit = threads * segment + BESIDES
                rows.append([spread.size_text(segment), direction, threads,
                             spread.rate_text(spread.rate(copy, context.size)),
                             *(f"{spread.rate(samples[aead, direction, segment, threads], segment, 'ns', unit=1).median:.2f}"
                               for aead in AEADS),
                             spread.rate_text(spread.rate(hand, context.size)),
                             spread.rate_text(spread.rate(ours, context.size)),
                             share.text(2), spread.verdict(share.median >= GOAL),
                             spread.mib_text(peak), spread.mib_text(limit), spread.verdict(peak <= limit)])
    title = "From file to new file" if place == "file" else "From pipe to pipe"
    return f"""{title}, {spread.size_text(context.size)}, AES-256-GCM, GB/s of plaintext; goals: at least {GOAL} of the loop written by
hand, and at most threads x segment + {spread.size_text(BESIDES)} of memory:

{spread.table(header, rows)}"""


def _tool_table(context, samples, place):
    rows = []
    for key, cell in samples.items():
        if key[0] == place and len(key) == 3:
            rows.append([f"`{key[1]}`", key[2], spread.rate_text(spread.rate(cell, context.size)),
                         f"{spread.of(cell, 'cpu_seconds').median:.2f}",
                         spread.mib_text(max(sample["peak_rss"] for sample in cell))])
    for direction in DIRECTIONS:
        for threads in THREADS:
            cell = samples[place, "millrace", direction, spread.MIB, threads]
            rows.append([f"`millrace --threads {threads}`, 1 MiB segments", direction,
                         spread.rate_text(spread.rate(cell, context.size)), f"{spread.of(cell, 'cpu_seconds').median:.2f}",
                         spread.mib_text(max(sample["peak_rss"] for sample in cell))])
    return f"""The same with what else a user would run:

{spread.table(["command", "<", "GB/s", "CPU, s", "peak, MiB"], rows)}"""
