"""An alarm explains itself: what names the cause comes first (`Cause`), then what is said of the field that explains most (`blame`).

Each violation has its support and the closest clean value. All of it is done on violations alone; a clean result never comes here.

A contract is learned from many sessions, and a receipt is read in one: of what others were told, a violation shows values that are few and public
by their kind, and nothing else. What a list holds was shown by several tasks for each entry, and is shown; what is known of one thing at a
time may be one customer's, and is shown where many things share it, as a category. What stands in a field that is personal by its name, or looks
private, is never shown, whoever wrote the contract.
"""

from collections.abc import Iterable, Iterator

from outcome_monitors.contracts.privacy import place_of_text
from outcome_monitors.dataclass import replace
from outcome_monitors.model import Broken, Clause, Json, Violation
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.traits import Cause
from outcome_monitors.values.display import clip
from outcome_monitors.values.private_data import looks_private
from outcome_monitors.values.private_names import names_person, names_private

from .blame import Judged, blamed
from .failures import failed

__all__ = ["explained"]

BEGINNING = 16
"""Characters of a text that tell that it is shown: a long one is cut."""
UNTOLD = "as clean results have it"


def explained(broken: Iterable[tuple[Clause, Violation]], judged: Judged | None = None) -> Broken:
    """Return the same violations, the most telling first, each with its support and the closest clean value.

    Where the call that they are of is given, the fields are told apart that are doubted; without it, the cause alone decides.
    """
    ranked = tuple(sorted(broken, key=lambda pair: _cause(pair[0])))
    if judged is not None:
        ranked = _blamed(ranked, judged)
    return tuple((clause, _told(clause, violation)) for clause, violation in ranked)


def _told(clause: Clause, violation: Violation) -> Violation:
    """Return a violation with its support and the closest clean value, and without what is not for others to see."""
    whole = replace(violation, tasks=clause.tasks, closest=_closest(clause, violation.observed))
    if clause.kind not in KINDS or clause.source.startswith("schema:"):
        return whole
    try:
        words = KINDS[clause.kind].withheld(clause.params) if _withholds(clause, whole) else None
    except Exception as error:  # noqa: BLE001 - an alarm that says less is better than none
        failed("what may be shown of a violation could not be told: %r", error)
        words = UNTOLD
    return whole if words is None else replace(whole, expected=words, closest=None)


def _withholds(clause: Clause, violation: Violation) -> bool:
    """Say whether a violation shows what a clause has learned of others, and that is not public."""
    kind = KINDS[clause.kind]
    if not kind.discreet and not kind.public(clause.params):
        return True
    texts = list(kind.texts(clause.params))
    places = {place_of_text(clause, feature) for feature in {feature for feature, _ in texts}}
    if any(names_person(place) or names_private(place) for place in places):
        return True
    shown = "\n".join(_strings([violation.expected, violation.closest]))
    return any(text[:BEGINNING] in shown and bool(looks_private(text)) for _, text in texts)


def _strings(value: Json) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif value is not None:
        yield str(value)


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
