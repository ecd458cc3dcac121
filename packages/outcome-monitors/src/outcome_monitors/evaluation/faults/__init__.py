"""Silent faults: what a caller sees when a tool goes wrong and says nothing of it.

A fault is a precise transformation of a clean result: the same call always gives the same corrupted result,
nothing given is ever changed, and where a fault has no place in a result it says so. The audit and the demo draw
on them to measure what contracts catch; nothing at run time imports this package.

Three suites: `toolmaze`, the nine kinds of the ToolMaze benchmark; `incident`, eight from a published log of a
production runtime; `drift`, what real tools were reported to do. docs/reference/faults.md describes them all.
"""

from collections.abc import Iterable

from outcome_monitors.exceptions import SourceError

from .corpus import Corpus
from .drift_answers import ANSWERS
from .drift_forms import FORMS
from .drift_values import VALUES
from .drift_volume import VOLUME
from .fault import NOT_APPLICABLE, Fault, NotApplicable, Subject
from .incident import INCIDENT
from .toolmaze import IN_ONE_PLACE
from .toolmaze_relations import BETWEEN_PLACES

__all__ = ["NOT_APPLICABLE", "SUITES", "Corpus", "Fault", "NotApplicable", "Subject", "faults"]

SUITES: dict[str, tuple[Fault, ...]] = {
    "toolmaze": IN_ONE_PLACE + BETWEEN_PLACES,
    "incident": INCIDENT,
    "drift": tuple(sorted(VOLUME + VALUES + FORMS + ANSWERS, key=lambda fault: fault.pattern)),
}


def faults(names: Iterable[str]) -> tuple[Fault, ...]:
    """Return the faults of the named suites, in that order; raise SourceError where there is no such suite."""
    chosen: list[Fault] = []
    for name in dict.fromkeys(names):
        if name not in SUITES:
            raise SourceError(f"there is no fault suite {name!r}: choose from {', '.join(SUITES)}")
        chosen += SUITES[name]
    return tuple(chosen)
