"""Interleaved rounds: every cell once, then every cell again, so that a machine that drifts drifts for all of them alike."""

import dataclasses
import sys
import time
from collections.abc import Callable


@dataclasses.dataclass
class Cell:
    key: tuple
    run: Callable[[], dict]  # one sample: name -> number


def run(title, cells, rounds, warm_up):
    """Returns key -> list of samples. A warm-up round is run first and forgotten. Odd rounds run backwards, so that no cell
    always follows the same one."""
    samples = {cell.key: [] for cell in cells}
    for number in range(-1 if warm_up else 0, rounds):
        start = time.monotonic()
        for cell in cells if number % 2 == 0 else reversed(cells):
            sample = cell.run()
            if number >= 0:
                samples[cell.key].append(sample)
        name = "warm-up" if number < 0 else f"round {number + 1} of {rounds}"
        print(f"bench: {title}: {name}, {len(cells)} cells, {time.monotonic() - start:.1f} s", file=sys.stderr, flush=True)
    return samples
