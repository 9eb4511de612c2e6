"""What every table is given."""

import dataclasses
import pathlib

from harness.child import Children
from harness.peers import Peers


@dataclasses.dataclass
class Context:
    build: pathlib.Path  # with the command and bench/
    work: pathlib.Path  # for files; emptied at the end
    children: Children
    peers: Peers
    quick: bool
    rounds: int
    seconds: float  # for a cell that repeats by itself
    size: int  # of a file
    large: int  # of a file that memory must not follow

    @property
    def millrace(self):
        return self.build / "millrace"

    def cell_program(self, name):
        return self.build / "bench" / name

    @property
    def warm_up(self):
        return not self.quick
