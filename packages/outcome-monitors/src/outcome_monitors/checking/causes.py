"""An alarm explains itself: what names the cause comes first (`Cause`), then what is said of the field that explains most (`blame`).

Each violation has its support and the closest clean value. All of it is done on violations alone; a clean result never comes here.

A contract is learned from many sessions, and a receipt is read in one: of what others were told, a violation shows values that are few and public
by their kind, and nothing else. What a list holds was shown by several tasks for each entry, and is shown; what is known of one thing at a
time may be one customer's, and is shown where many things share it, as a category. What stands in a field that is personal by its name, or looks
private, is never shown, whoever wrote the contract.
"""

from collections.abc import Iterable
from functools import lru_cache

from outcome_monitors.contracts.privacy import place_of_text
from outcome_monitors.model import Broken, Clause, Json, Violation
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.traits import Cause
from outcome_monitors.values.display import clip
from outcome_monitors.values.memo import once_for_each
from outcome_monitors.values.private_data import looks_private
from outcome_monitors.values.private_names import names_person, names_private

from .blame import Judged, blamed
from .failures import failed

__all__ = ["explained"]

BEGINNING = 16
"""Characters of a text that tell that it is shown: a long one is cut."""
UNTOLD = "as clean results have it"
MANY_TEXTS = 64
"""To look at so many for what is private takes longer than an alarm may."""
MOST_PREPARED = 4096
"""Clauses that were broken, of which it is known what may be shown."""


def explained(broken: Iterable[tuple[Clause, Violation]], judged: Judged | None = None) -> Broken:
    """Return the same violations, the most telling first, each with its support and the closest clean value.

    Where the call that they are of is given, the fields are told apart that are doubted; without it, the cause alone decides.
    """
    ranked = tuple(sorted(broken, key=_cause))
    if judged is not None:
        ranked = _blamed(ranked, judged)
    return tuple([(clause, _told(clause, violation)) for clause, violation in ranked])


def _told(clause: Clause, violation: Violation) -> Violation:
    """Return a violation with its support and the closest clean value, and without what is not for others to see."""
    expected, closest = violation.expected, _closest(clause, violation.observed)
    if clause.kind in KINDS and not clause.source.startswith("schema:"):
        try:
            words = _words(clause, expected, closest)
        except Exception as error:  # noqa: BLE001 - an alarm that says less is better than none
            failed("what may be shown of a violation could not be told: %r", error)
            words = UNTOLD
        expected, closest = (expected, closest) if words is None else (words, None)
    return Violation(
        violation.code,
        violation.path,
        expected,
        violation.observed,
        violation.detail,
        clause.tasks,
        closest,
    )


def _words(clause: Clause, expected: Json, closest: Json) -> str | None:
    """Return what is said in the place of what a clause has learned of others, where that would be shown and is not public."""
    if _is_hidden(clause):
        return KINDS[clause.kind].withheld(clause.params)
    texts = _doubtful_texts(clause)
    if not texts:
        return None
    shown = "\n".join(_strings([expected, closest]))
    private = any(text[:BEGINNING] in shown and _is_private(text) for text in texts)
    return KINDS[clause.kind].withheld(clause.params) if private else None


@once_for_each(MOST_PREPARED)
def _is_hidden(clause: Clause) -> bool:
    """Say whether nothing is shown of what a clause has learned, whatever it is."""
    kind = KINDS[clause.kind]
    if not kind.discreet and not kind.public(clause.params):
        return True
    features = {feature for feature, _ in kind.texts(clause.params)}
    places = {place_of_text(clause, feature) for feature in features}
    return any(names_person(place) or names_private(place) for place in places)


@once_for_each(MOST_PREPARED)
def _doubtful_texts(clause: Clause) -> tuple[str, ...]:
    """Return the texts that a clause has learned and that may be private; of many, only those that are shown are looked at."""
    texts = tuple(text for _, text in KINDS[clause.kind].texts(clause.params))
    return texts if len(texts) > MANY_TEXTS else tuple(filter(_is_private, texts))


@lru_cache(maxsize=1024)
def _is_private(text: str) -> bool:
    return bool(looks_private(text))


def _strings(value: Json) -> list[str]:
    if isinstance(value, list):
        return [text for item in value for text in _strings(item)]
    return [] if value is None else [str(value)]


def _blamed(broken: Broken, judged: Judged) -> Broken:
    try:
        return blamed(broken, judged)
    except Exception as error:  # noqa: BLE001 - violations in another order are better than none
        failed("which field explains a result could not be told: %r", error)
        return broken


def _cause(pair: tuple[Clause, Violation]) -> Cause:
    """Return what a broken clause says of the cause; that of no kind is `origin`'s."""
    kind = KINDS.get(pair[0].kind)
    return Cause.ANOTHER_TOOL if kind is None else kind.cause


def _closest(clause: Clause, observed: Json) -> Json:
    try:
        return clip(KINDS[clause.kind].closest(clause, observed))
    except Exception:  # noqa: BLE001 - an alarm that lacks a hint is better than none
        return None
