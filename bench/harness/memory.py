"""Table 4: memory of the command for a small and a very large input side by side. Nothing is timed, so nothing is repeated."""

import collections

from harness import files, spread

NAME = "memory"
FLAT = spread.MIB  # peaks that differ by less are the same: threads do not always meet in the same way
SMALL = 64 * spread.MIB


def run(context):
    small = min(SMALL, context.large // 4)
    peak_sizes, count_sizes = (small, context.large), (small, 4 * small)
    keyset, sealed = context.work / "keyset", context.work / "sealed"
    sparse = {size: context.work / f"sparse.{size}" for size in {*peak_sizes, *count_sizes}}
    rows = []
    try:
        for size, path in sparse.items():
            with open(path, "wb") as f:
                f.truncate(size)
        for segment in files.SEGMENTS:
            files.write_keyset(context, keyset, segment)
            for threads in files.THREADS:
                peaks, counts = collections.defaultdict(list), collections.defaultdict(list)
                for size in peak_sizes:
                    for way, argv, source in _ways(context, keyset, threads, sparse[size], sealed):
                        cost = context.children.from_pipe(argv, source) if source else context.children.command(argv)
                        peaks[way].append(cost["peak_rss"])
                for size in count_sizes:
                    for way, argv, source in _ways(context, keyset, threads, sparse[size], sealed):
                        counts[way].append(context.children.allocations(argv, source))
                rows += [_row(segment, threads, way, peaks[way], counts[way]) for way in peaks]
        idle = context.children.command([context.millrace, "--version"])["peak_rss"]
    finally:
        for path in (*sparse.values(), sealed, keyset):
            path.unlink(missing_ok=True)
    header = ["segment", "threads", "<", *(f"{spread.size_text(size)}, MiB" for size in peak_sizes), "at most", "<goal", "<flat",
              *(f"allocations, {spread.size_text(size)}" for size in count_sizes)]
    return f"""Peak resident memory of `millrace` for two sizes of input; goal: the same for both, and at most threads x segment +
{spread.size_text(files.BESIDES)}. And what it allocates from its start to its end (number, MiB), which must not follow the
input either:

{spread.table(header, rows)}

Before the first byte, the program and the libraries it is linked with take {spread.mib_text(idle)} MiB (`millrace --version`)."""


def _ways(context, keyset, threads, plain, sealed):
    """(name, command, what to feed into its standard input). The first way makes what the later ones decrypt."""

    def millrace(direction, source, target):
        return files.command(context, direction, keyset, threads, source, target)

    sealed.unlink(missing_ok=True)
    yield "encrypt, file to file", millrace("encrypt", plain, sealed), None
    yield "encrypt, pipe to /dev/null", millrace("encrypt", None, "/dev/null"), plain
    yield "decrypt, file to /dev/null", millrace("decrypt", sealed, "/dev/null"), None
    yield "decrypt, pipe to /dev/null", millrace("decrypt", None, "/dev/null"), sealed


def _row(segment, threads, way, peaks, counts):
    limit = threads * segment + files.BESIDES
    return [spread.size_text(segment), threads, way, *map(spread.mib_text, peaks), spread.mib_text(limit),
            spread.verdict(max(peaks) <= limit), spread.verdict(peaks[1] <= peaks[0] + FLAT),
            *(f"{count['allocations']:,}, {spread.mib_text(count['bytes_allocated'])}" for count in counts)]
