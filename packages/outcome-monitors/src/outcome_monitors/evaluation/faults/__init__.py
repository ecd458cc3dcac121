"""Silent faults: what a caller sees when a tool goes wrong and says nothing of it.

A fault is a precise transformation of a clean result: the same call always gives the same corrupted result,
nothing given is ever changed, and where a fault has no place in a result it says so. The audit and the demo draw
on them to measure what contracts catch; nothing at run time imports this package.

Three suites: `toolmaze`, the nine kinds of the ToolMaze benchmark; `incident`, eight from a published log of a
production runtime; `drift`, what real tools were reported to do. docs/reference/faults.md lists them all.
"""

from collections.abc import Iterable

from outcome_monitors.exceptions import SourceError

from .corpus import Corpus
from .drift import DRIFT
from .fault import NOT_APPLICABLE, Fault, NotApplicable, Subject
from .incident import INCIDENT
from .toolmaze import TOOLMAZE

__all__ = ["NOT_APPLICABLE", "SUITES", "Corpus", "Fault", "NotApplicable", "Subject", "faults"]

SUITES: dict[str, tuple[Fault, ...]] = {"toolmaze": TOOLMAZE, "incident": INCIDENT, "drift": DRIFT}


def faults(names: Iterable[str]) -> tuple[Fault, ...]:
    """Return the faults of the named suites, in that order; raise SourceError where there is no such suite."""
    found: dict[str, Fault] = {}
    for name in names:
        if name not in SUITES:
            raise SourceError(f"there is no fault suite {name!r}: choose from {', '.join(SUITES)}")
        found |= {fault.name: fault for fault in SUITES[name]}
    return tuple(found.values())
