"""Table 2: payloads in memory, in one call and in writes of several sizes, beside the cipher alone."""

from harness import rounds, spread

NAME = "payloads"
TEMPLATES = {"AES256_GCM_HKDF_1MB": spread.MIB, "AES256_GCM_HKDF_4KB": 4 * spread.KIB}
DIRECTIONS = ("encrypt", "decrypt")
SIZES = [4 * spread.KIB, 8 * spread.KIB, 64 * spread.KIB, spread.MIB, 16 * spread.MIB]
WAYS = {"one call": 0, "writes of 65,536": 65536, "of 4,096": 4096, "of 1": 1}
RAW = "raw"


def run(context):
    sizes = SIZES[1:4:2] if context.quick else SIZES

    def raw(template, direction, size):
        argv = [context.cell_program("raw_aead"), "aead=millrace", f"direction={direction}", f"size={size}",
                f"segment={TEMPLATES[template]}", "threads=1", f"seconds={context.seconds}"]
        return rounds.Cell((template, direction, size, RAW), lambda: context.children.cell(argv))

    def stream(template, direction, size, way):
        argv = [context.cell_program("payload"), f"template={template}", f"direction={direction}", f"size={size}",
                f"write={WAYS[way]}", f"seconds={context.seconds}"]
        return rounds.Cell((template, direction, size, way), lambda: context.children.cell(argv))

    cells = []
    for template in TEMPLATES:
        for direction in DIRECTIONS:
            for size in sizes:
                cells.append(raw(template, direction, size))
                cells += [stream(template, direction, size, way) for way in WAYS if WAYS[way] <= size]
    samples = rounds.run(NAME, cells, context.rounds, context.warm_up)
    return "\n\n".join(_tables(samples, template, sizes) for template in TEMPLATES)


def _tables(samples, template, sizes):
    speed, memory = [], []
    for direction in DIRECTIONS:
        for size in sizes:
            raw = samples[template, direction, size, RAW]
            speed_row = [spread.size_text(size), direction, spread.rate_text(_rate(raw, size))]
            memory_row = [spread.size_text(size), direction]
            for way in WAYS:
                ours = samples.get((template, direction, size, way))
                if ours is None:
                    speed_row.append("")
                    memory_row.append("")
                    continue
                share = spread.ratio(ours, raw, "ns").median
                speed_row.append(f"{spread.rate_text(_rate(ours, size))}, {share:.2f}")
                memory_row.append(f"{spread.of(ours, 'allocations').median:.0f}, "
                                  f"{spread.of(ours, 'bytes_allocated').median / spread.KIB:.1f} KiB, "
                                  f"{spread.mib_text(max(sample['peak_rss'] for sample in ours))} MiB")
            speed.append(speed_row)
            memory.append(memory_row)
    return f"""`{template}`, GB/s of plaintext, and as a share of AES-GCM alone (our `AesGcm`, segments of the same size):

{spread.table(["payload", "<", "AES-GCM alone", *WAYS], speed)}

Allocations of one stream, their number and bytes, once the process has done a few; and the peak memory of that process, payload
and output included:

{spread.table(["payload", "<", *WAYS], memory)}"""


def _rate(samples, size):
    return spread.rate(samples, size, "ns", unit=1)  # bytes per ns are GB per second
