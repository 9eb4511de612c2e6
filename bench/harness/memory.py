"""Table 4: peak memory for a small and a very large input side by side. Nothing is timed here, so nothing is repeated."""

from harness import files, spread

NAME = "memory"
SMALL = 64 * spread.MIB


def run(context):
    small = min(SMALL, context.large // 4)
    sparse = {}
    for size in (small, context.large):
        sparse[size] = context.work / f"sparse.{size}"
        with open(sparse[size], "wb") as f:
            f.truncate(size)
    sealed = context.work / "sealed"
    keyset = context.work / "keyset"
    rows = []
    try:
        for segment in files.SEGMENTS:
            files.write_keyset(context, keyset, segment)
            for threads in files.THREADS:
                peaks = {}
                for size in (small, context.large):
                    for way, peak in _peaks(context, keyset, threads, sparse[size], sealed):
                        peaks.setdefault(way, []).append(peak)
                limit = threads * segment + files.BESIDES
                for way, pair in peaks.items():
                    rows.append([spread.size_text(segment), threads, way, *map(spread.mib_text, pair), spread.mib_text(limit),
                                 spread.verdict(max(pair) <= limit)])
    finally:
        for path in (*sparse.values(), sealed, keyset):
            path.unlink(missing_ok=True)
    idle = context.children.command([context.millrace, "--version"])["peak_rss"]
    header = ["segment", "threads", "<", f"{spread.size_text(small)}, MiB", f"{spread.size_text(context.large)}, MiB", "at most",
              "<goal"]
    return f"""Peak resident memory of `millrace` for two sizes of input; goal: the same for both, and at most threads x segment +
{spread.size_text(files.BESIDES)}:

{spread.table(header, rows)}

Before the first byte, the program and the libraries it is linked with take {spread.mib_text(idle)} MiB (`millrace --version`)."""


def _peaks(context, keyset, threads, plain, sealed):
    def millrace(direction, source, target):
        return files.command(context, direction, keyset, threads, source, target)

    children = context.children
    sealed.unlink(missing_ok=True)
    yield "encrypt, file to file", children.command(millrace("encrypt", plain, sealed))["peak_rss"]
    yield "encrypt, pipe to /dev/null", children.from_pipe(millrace("encrypt", None, "/dev/null"), plain)["peak_rss"]
    yield "decrypt, file to /dev/null", children.command(millrace("decrypt", sealed, "/dev/null"))["peak_rss"]
    yield "decrypt, pipe to /dev/null", children.from_pipe(millrace("decrypt", None, "/dev/null"), sealed)["peak_rss"]
    sealed.unlink()
