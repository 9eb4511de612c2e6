"""Medians with the range they came from, and how numbers are written."""

import statistics

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
NOISY = 0.7  # a slowest round below this share of the median is marked


class Spread:
    def __init__(self, values):
        self.values = list(values)
        self.median = statistics.median(self.values)
        self.low = min(self.values)
        self.high = max(self.values)

    def text(self, digits):
        def number(value):
            return f"{value:,.{digits}f}"

        if len(self.values) == 1:
            return number(self.median)
        return f"{number(self.median)} ({number(self.low)}-{number(self.high)})"


def of(samples, name):
    """The spread of one figure over the rounds of a cell."""
    return Spread(sample[name] for sample in samples)


def rate(samples, size, name="seconds", unit=1e9):
    """GB/s over the rounds."""
    return Spread(size / sample[name] / unit for sample in samples)


def rate_text(spread):
    return spread.text(2) + ("~" if spread.low < NOISY * spread.median else "")


def ratio(samples, others, name="seconds"):
    """How fast `samples` are relative to `others`, by rounds: what one round does to both cancels out."""
    return Spread(other[name] / sample[name] for sample, other in zip(samples, others, strict=True))


def size_text(size):
    for unit, name in ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if size >= unit and size % unit == 0:
            return f"{size // unit} {name}"
    return f"{size:,} B"


def mib_text(size):
    return f"{size / MIB:.1f}"


def verdict(met):
    return "yes" if met else "**no**"


def table(header, rows):
    """A Markdown table; the first column is text, the others are numbers. A column named with `<` is text too."""
    names = [name.lstrip("<") for name in header]
    rule = ["---" if i == 0 or name.startswith("<") else "---:" for i, name in enumerate(header)]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in (names, rule, *rows))
