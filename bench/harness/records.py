"""Table 1: a record of 300 bytes, where what is set up per stream is all there is."""

from harness import rounds, spread

NAME = "records"
TEMPLATES = [f"AES{bits}_{kind}_{segment}" for segment in ("1MB", "4KB") for kind in ("GCM_HKDF", "CTR_HMAC_SHA256")
             for bits in (128, 256)]
DIRECTIONS = ("encrypt", "decrypt")
SIZE = 300
GOAL_NS, GOAL_BYTES = 2000, 16 * spread.KIB


def run(context):
    programs = {"millrace": [context.cell_program("record")], "tink-go": context.peers.tink_go,
                "tink-python": context.peers.tink_python}
    programs = {name: program for name, program in programs.items() if program}
    templates = TEMPLATES[::4] if context.quick else TEMPLATES

    def cell(name, template, direction):
        argv = [*programs[name], f"template={template}", f"direction={direction}", f"size={SIZE}", f"seconds={context.seconds}"]
        return rounds.Cell((name, template, direction), lambda: context.children.cell(argv))

    samples = rounds.run(NAME, [cell(name, template, direction) for template in templates for direction in DIRECTIONS
                                for name in programs], context.rounds, context.warm_up)
    return _table(samples, templates, programs)


def _table(samples, templates, programs):
    header = ["template", "<", "Millrace, ns", "bytes", "allocations", "<goal"]
    if "tink-go" in programs:
        header += ["tink-go, ns", "bytes", "allocations"]
    if "tink-python" in programs:
        header += ["Tink for Python, ns"]
    rows = []
    for template in templates:
        for direction in DIRECTIONS:
            ours = samples["millrace", template, direction]
            met = (spread.of(ours, "ns").median <= GOAL_NS and spread.of(ours, "bytes_allocated").median < GOAL_BYTES)
            row = [template, direction, *_three(ours), spread.verdict(met)]
            if "tink-go" in programs:
                row += _three(samples["tink-go", template, direction])
            if "tink-python" in programs:
                row += [spread.of(samples["tink-python", template, direction], "ns").text(0)]
            rows.append(row)
    peaks = ", ".join(f"{name} {_peak(samples, name)} MiB" for name in programs)
    return f"""Per operation, with a primitive made once; goal: at most {GOAL_NS:,} ns and less than 16 KiB allocated.

{spread.table(header, rows)}

Peak memory of the process, the largest of its cells: {peaks}."""


def _three(samples):
    return [spread.of(samples, "ns").text(0), f"{spread.of(samples, 'bytes_allocated').median:,.0f}",
            f"{spread.of(samples, 'allocations').median:.0f}"]


def _peak(samples, name):
    return spread.mib_text(max(sample["peak_rss"] for key, cell in samples.items() if key[0] == name for sample in cell))
