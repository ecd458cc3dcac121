"""What is mined holds nothing private (`contracts.privacy`), not even as a hash that can be guessed.

A hash says nothing of a long text or of a list, unless all of it but a card number is known: then the number is found by trying. So the
hash of anything that holds something private is not kept, as far as the evidence shows what it holds.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial

from outcome_monitors.contracts.privacy import Guessable, public_part
from outcome_monitors.features.feature import Feature
from outcome_monitors.jsonvalue.private_data import looks_private, names_private
from outcome_monitors.rules import Candidate
from outcome_monitors.rules.evidence.evidence import Evidence

__all__ = ["guessable_in", "without_private"]


def without_private(candidate: Candidate, guessable: Guessable | None = None) -> Candidate:
    """Return a suggested clause without what is private, or refused where it has nothing else to say."""
    if candidate.refused:
        return candidate
    clause = candidate.clause
    left, refused = public_part(clause, guessable)
    if left is clause and not refused:
        return candidate
    return replace(candidate, clause=left, refused=refused, private=True)


def guessable_in(evidence: Evidence) -> Callable[[str], Guessable]:
    """Return, for each path, what says of the features of records there whether their hashes can be guessed."""

    @cache
    def guessable(path: str, feature: str) -> bool:
        name = Feature.parse(feature)
        return _asked(evidence, path) if name.sort.of_call else _told(evidence, name.within(path))

    return lambda path: partial(guessable, path)


def _asked(evidence: Evidence, path: str) -> bool:
    """Say whether an argument of the calls is private: all of them are hashed together."""
    table = evidence.table(path) if path in evidence.records else None
    arguments = {} if table is None else {n: c for n, c in table.columns.items() if n.sort.of_call}
    return any(
        names_private(name.path)
        or any(isinstance(value, str) and looks_private(value) for value in column.values)
        for name, column in arguments.items()
    )


def _told(evidence: Evidence, place: str) -> bool:
    """Say whether something private stands at a place or below."""
    inside = [path for path in evidence.places if path.startswith(place)]
    return any(
        (len(evidence.places[path].texts) and names_private(path))
        or any(looks_private(text) for text, _ in evidence.places[path].texts.items())
        for path in inside
    )
