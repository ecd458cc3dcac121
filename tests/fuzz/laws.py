"""All that inputs are tried against: each law takes a seed, and returns how many inputs it has tried."""

from collections.abc import Callable
from typing import NamedTuple

from tests.fuzz.meaning import agrees_on_mined, agrees_on_written
from tests.fuzz.processes import bodies_pass, lines_pass
from tests.fuzz.sessions import replays_alike
from tests.fuzz.shares import gathers_alike
from tests.fuzz.versions import says_alike
from tests.fuzz.wire import passes_events, passes_lines

__all__ = ["STRUCTURE", "WIRE", "Law"]


class Law(NamedTuple):
    """What holds for all inputs, and which share of them it is tried on."""

    says: str
    holds: Callable[[int], int]
    share: float


STRUCTURE = (
    Law("generated code and the plain check agree, on clauses that people write", agrees_on_written, 0.74),
    Law("the same, on clauses that were mined and then changed", agrees_on_mined, 0.17),
    Law("a live session and the replay of its recording find the same", replays_alike, 0.05),
    Law("a job in partitions and one process observe the same", gathers_alike, 0.03),
    Law("every Python mines, finds and says the same", says_alike, 0.01),
)
"""Of results, traces and states: changed by structure."""
WIRE = (
    Law("lines pass as they came, and every proper call is one event", passes_lines, 0.6),
    Law("the same for the events of a stream", passes_events, 0.13),
    Law("lines through a proxy over stdio, both ways", lines_pass, 0.15),
    Law("requests and answers through a proxy over HTTP", bodies_pass, 0.02),
)
"""Of what comes over a wire: changed by structure and byte by byte."""
