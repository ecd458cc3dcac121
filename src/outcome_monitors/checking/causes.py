"""An alarm explains itself: what names the cause comes first, and each violation has its support and the closest clean value.

All of it is done on violations alone; a clean result never comes here.
"""

from collections.abc import Iterable
from dataclasses import replace

from outcome_monitors.model import Clause, Json, Violation
from outcome_monitors.rules import KINDS
from outcome_monitors.values.display import clip

__all__ = ["CAUSES", "Broken", "explained"]

Broken = tuple[tuple[Clause, Violation], ...]
"""Each broken clause with its violation."""

# One cause breaks many clauses: an error object lacks every field, another customer's record has another status and another
# city. Of its violations some name the cause, and the others only say that the result does not look as it should. The
# nearer to a cause that the agent can act on, the earlier.
CAUSES = (
    "another_tools_result",  # it is another tool's answer
    "error",  # the tool says itself that it failed
    "foreign",  # something else than the answer was written there: an error page, a log, a placeholder
    "argument",  # it is the answer to another question
    "fresh",  # it is the answer that another question was given
    "renewed",  # it is the answer from before the write
    "onward",  # it is older than what this very run has heard
    "memory",  # it denies what this very run has heard
    "fact",  # it denies what clean runs have heard
    "same",  # it denies itself: the names,
    "linear",  # the numbers,
    "before",  # the times,
    "template",  # the words
    "time",  # there is no such time
)
"""The kinds that name a cause, the most telling first. All others, and with them every kind of the published system but
`error`, which is first there too, follow in the order of their clauses."""

_RANK = {kind: rank for rank, kind in enumerate(CAUSES)}


def explained(broken: Iterable[tuple[Clause, Violation]]) -> Broken:
    """Return the same violations, the most telling first, each with its support and the closest clean value."""
    ranked = sorted(broken, key=lambda pair: _RANK.get(pair[0].kind, len(CAUSES)))
    return tuple(
        (clause, replace(violation, tasks=clause.tasks, closest=_closest(clause, violation.observed)))
        for clause, violation in ranked
    )


def _closest(clause: Clause, observed: Json) -> Json:
    try:
        return clip(KINDS[clause.kind].closest(clause, observed))
    except Exception:  # noqa: BLE001 - an alarm that lacks a hint is better than none
        return None
