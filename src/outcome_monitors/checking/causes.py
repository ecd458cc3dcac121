"""An alarm explains itself: what names the cause comes first (`Cause`), then what is said of the field that explains most (`blame`).

Each violation has its support and the closest clean value. All of it is done on violations alone; a clean result never comes here.
"""

from collections.abc import Iterable
from dataclasses import replace

from outcome_monitors.model import Broken, Clause, Json, Violation
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.traits import Cause
from outcome_monitors.values.display import clip

from .blame import Judged, blamed
from .failures import failed

__all__ = ["explained"]


def explained(broken: Iterable[tuple[Clause, Violation]], judged: Judged | None = None) -> Broken:
    """Return the same violations, the most telling first, each with its support and the closest clean value.

    Where the call that they are of is given, the fields are told apart that are doubted; without it, the cause alone decides.
    """
    ranked = tuple(sorted(broken, key=lambda pair: _cause(pair[0])))
    if judged is not None:
        ranked = _blamed(ranked, judged)
    return tuple(
        (clause, replace(violation, tasks=clause.tasks, closest=_closest(clause, violation.observed)))
        for clause, violation in ranked
    )


def _blamed(broken: Broken, judged: Judged) -> Broken:
    try:
        return blamed(broken, judged)
    except Exception as error:  # noqa: BLE001 - violations in another order are better than none
        failed("which field explains a result could not be told: %r", error)
        return broken


def _cause(clause: Clause) -> Cause:
    """Return what a broken clause says of the cause; that of no kind is `origin`'s."""
    kind = KINDS.get(clause.kind)
    return Cause.ANOTHER_TOOL if kind is None else kind.cause


def _closest(clause: Clause, observed: Json) -> Json:
    try:
        return clip(KINDS[clause.kind].closest(clause, observed))
    except Exception:  # noqa: BLE001 - an alarm that lacks a hint is better than none
        return None
