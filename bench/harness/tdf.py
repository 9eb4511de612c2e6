"""Table 5: OpenTDF files: the writer into nothing for segments of every size, then whole files through the command."""

import subprocess

from harness import files, rounds, spread

NAME = "tdf"
CHUNK = 64 * spread.KIB
PORTABLE = [64 * spread.KIB, spread.MIB, 2 * spread.MIB, 4 * spread.MIB - 28]  # what the SDKs read
LIBRARY = [16 * spread.MIB, 64 * spread.MIB, 256 * spread.MIB]
WAYS = {"gmac": "GMAC", "hs256": "HS256"}
OVERHEAD = 28  # of each segment; so no segment but the first begins where a page does, for the loop by hand either
WRITER_GOAL = 0.9
WRITER_PEAK = 24 * spread.MIB
FILE_SEGMENTS = [64 * spread.KIB, 2 * spread.MIB, 4 * spread.MIB - 28]


def run(context):
    cells = []
    for segment in (*PORTABLE, *LIBRARY):
        for way in WAYS if segment == 2 * spread.MIB else ["gmac"]:
            cells.append(_writer(context, way, segment))
    cells.append(_writer(context, "bare", CHUNK))
    with Files(context) as inputs:
        for segment in FILE_SEGMENTS:
            for threads in files.THREADS:
                cells += _file_cells(context, inputs, segment, threads)
        samples = rounds.run(NAME, cells, context.rounds, context.warm_up)
    return _writer_table(context, samples) + "\n\n" + _file_table(context, samples)


class Files:
    """What is encrypted, and with what; removed at the end."""

    def __init__(self, context):
        self.context = context
        self.plain, self.output, self.key = (context.work / name for name in ("plain", "output", "kas"))

    def __enter__(self):
        files.write_random(self.plain, self.context.size)
        subprocess.run([self.context.millrace, "kas", "keygen", "--algorithm", "ec:secp256r1", "-o", self.private,
                        "--public-key", self.public], check=True)
        return self

    def __exit__(self, *_):
        for path in (self.plain, self.output, self.private, self.public, *self.context.work.glob("sealed.tdf.*")):
            path.unlink(missing_ok=True)

    @property
    def private(self):
        return self.key.with_suffix(".pem")

    @property
    def public(self):
        return self.key.with_suffix(".pub.pem")

    def encrypt(self, segment, threads, target):
        return [self.context.millrace, "encrypt", "--tdf", "--kas-public-key", self.public, "--kas-url", "https://kas.example.com",
                "--mime-type", "application/octet-stream", "--segment-size", segment, "--threads", threads, "--quiet", "-o", target,
                self.plain]

    def decrypt(self, threads, source, target):
        return [self.context.millrace, "decrypt", "--kas-private-key", self.private, "--threads", threads, "--quiet", "-o", target,
                source]


def _writer(context, way, segment):
    argv = [context.cell_program("tdf_writer"), f"way={way}", f"size={context.size}", f"segment={segment}", f"chunk={CHUNK}"]
    return rounds.Cell(("writer", way, segment), lambda: context.children.cell(argv))


def _file_cells(context, inputs, segment, threads):
    """One row of each direction; the loop by hand seals what the one that opens reads."""
    sealed = {by: context.work / f"sealed.tdf.{by}" for by in ("hand", "millrace")}

    def fresh(target, argv):
        def sample():
            target.unlink(missing_ok=True)
            return context.children.command(argv)
        return sample

    def hand(mode, source, target):
        return fresh(target, files.by_hand(context, mode, segment + OVERHEAD, threads, source, target, "yes"))

    def key(direction, by):
        return ("file", direction, by, segment, threads)

    return [
        rounds.Cell(key("encrypt", "by hand"), hand("seal", inputs.plain, sealed["hand"])),
        rounds.Cell(key("encrypt", "millrace"), fresh(sealed["millrace"], inputs.encrypt(segment, threads, sealed["millrace"]))),
        _opened(context, key("decrypt", "by hand"), inputs, sealed["hand"], hand("seal", inputs.plain, sealed["hand"]),
                hand("open", sealed["hand"], inputs.output)),
        _opened(context, key("decrypt", "millrace"), inputs, sealed["millrace"],
                fresh(sealed["millrace"], inputs.encrypt(segment, threads, sealed["millrace"])),
                fresh(inputs.output, inputs.decrypt(threads, sealed["millrace"], inputs.output))),
    ]


def _opened(context, key, inputs, sealed, make, sample):
    """Odd rounds run backwards, so a cell that opens cannot rely on the one that seals: it makes its own input, untimed."""

    def run():
        make()
        cost = sample()
        sealed.unlink()
        inputs.output.unlink()
        return cost

    return rounds.Cell(key, run)


def _writer_table(context, samples):
    bare = samples["writer", "bare", CHUNK]
    rows = []
    for (kind, way, segment), cell in ((key, cell) for key, cell in samples.items() if key[0] == "writer"):
        if way == "bare":
            continue
        share = spread.ratio(cell, bare)
        peak = max(sample["peak_rss"] for sample in cell)
        # The HMAC of HS256 is work that the loop does not do; the goal is for GMAC, the default.
        met = spread.verdict(share.median >= WRITER_GOAL) if way == "gmac" else ""
        rows.append([_segment_text(segment), WAYS[way], spread.rate_text(spread.rate(cell, context.size)), share.text(2), met,
                     spread.mib_text(peak), spread.verdict(peak < WRITER_PEAK)])
    flat = _flatness(samples)
    return f"""{spread.size_text(context.size)} pushed in chunks of {spread.size_text(CHUNK)} through the writer into a sink that drops it, one thread, each
cell in a process of its own. The bare loop seals the same chunks with AES-256-GCM and takes the CRC-32 of what comes out:
{spread.rate_text(spread.rate(bare, context.size))} GB/s (kernels {bare[0]["gcm"]} and {bare[0]["crc"]}). Goals: at least {WRITER_GOAL} of it, a peak below
{spread.size_text(WRITER_PEAK)}, and the same from 1 to 256 MiB within 10 % (slowest to fastest median: {flat:.2f}).

{spread.table(["segment", "<hash", "GB/s", "share of the bare loop", "<goal", "peak, MiB", "<goal"], rows)}"""


def _flatness(samples):
    medians = [spread.of(cell, "seconds").median for key, cell in samples.items()
               if key[0] == "writer" and key[1] == "gmac" and key[2] >= spread.MIB]
    return min(medians) / max(medians)


def _file_table(context, samples):
    rows = []
    for direction in files.DIRECTIONS:
        for segment in FILE_SEGMENTS:
            for threads in files.THREADS:
                hand, ours = (samples["file", direction, by, segment, threads] for by in ("by hand", "millrace"))
                share = spread.ratio(ours, hand)
                peak = max(sample["peak_rss"] for sample in ours)
                # Only the two-thread sealing has a goal; opening holds a segment for each thread.
                goal = spread.verdict(share.median >= files.GOAL) if direction == "encrypt" and threads == 2 else ""
                limit = WRITER_PEAK if direction == "encrypt" else threads * segment + WRITER_PEAK
                rows.append([_segment_text(segment), direction, threads, spread.rate_text(spread.rate(hand, context.size)),
                             spread.rate_text(spread.rate(ours, context.size)), share.text(2), goal, spread.mib_text(peak),
                             spread.verdict(peak < limit)])
    return f"""From file to new file, {spread.size_text(context.size)}, through the command (which makes, or verifies, the whole archive); the loop written
by hand seals (and takes the CRC-32 of) or opens the same amount in segments of the same sealed size and knows no format. Goals: with two threads at
least {files.GOAL} of it, and below {spread.size_text(WRITER_PEAK)} of memory when sealing:

{spread.table(["segment", "<", "threads", "by hand", "Millrace", "share of by hand", "<goal", "peak, MiB", "<goal"], rows)}"""


def _segment_text(segment):
    return "4 MiB - 28" if segment == 4 * spread.MIB - 28 else spread.size_text(segment)
