"""Table 6: an upload body with a trailing checksum, on the workload of the change that started this: 100 MiB, CRC-32, chunks and
reads of 16 KiB."""

from harness import rounds, spread

NAME = "chunked"
SIZE = 100 * spread.MIB
CHUNK = READ = 16 * spread.KIB
SOURCES = ("memory", "file")
WAYS = {"pull": "what it gives", "full": "buffers filled", "gather": "for writev"}
SINKS = ("discard", "sha256")
GOAL_RATE, GOAL_ALLOCATIONS = 10, 10


def run(context):
    def cell(source, way, sink):
        argv = [context.cell_program("chunked"), f"source={source}", f"way={way}", f"sink={sink}", f"size={SIZE}",
                f"chunk={CHUNK}", f"read={READ}", f"seconds={context.seconds}"]
        return rounds.Cell((source, way, sink), lambda: context.children.cell(argv))

    cells = [cell("memory", "crc", "discard")]
    cells += [cell(source, way, sink) for source in SOURCES for way in WAYS for sink in SINKS]
    return _table(rounds.run(NAME, cells, context.rounds, context.warm_up))


def _table(samples):
    rows = [["memory", "CRC-32 alone", "", *_speed(samples["memory", "crc", "discard"]), "", "", "", ""]]
    for (source, way, sink), ours in samples.items():
        if way == "crc":
            continue
        allocations = spread.of(ours, "allocations").median
        met = allocations < GOAL_ALLOCATIONS and (sink != "discard" or source != "memory" or _rate(ours).median >= GOAL_RATE)
        rows.append([source, WAYS[way], sink, *_speed(ours), f"{allocations:.0f}",
                     f"{spread.of(ours, 'bytes_allocated').median:,.0f}",
                     spread.mib_text(max(sample["peak_rss"] for sample in ours)), spread.verdict(met)])
    return f"""100 MiB with a CRC-32 trailer, chunks of 16 KiB, read into one buffer of 16 KiB. Goal: at least {GOAL_RATE} GB/s from
memory into a sink that discards, and fewer than {GOAL_ALLOCATIONS} allocations. The peak includes the payload.

{spread.table(["payload", "<read as", "<sink", "ms", "GB/s", "allocations", "bytes", "peak, MiB", "<goal"], rows)}"""


def _rate(samples):
    return spread.rate(samples, SIZE, "ns", unit=1)  # bytes per ns are GB per second


def _speed(samples):
    return [f"{spread.of(samples, 'ns').median / 1e6:.1f}", spread.rate_text(_rate(samples))]
