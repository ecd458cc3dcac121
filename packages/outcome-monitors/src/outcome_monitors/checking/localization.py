"""Localization: order the violations of a result, and attribute each to the member that is most suspicious.

A clause on one field implicates that field. One that relates several (an equation, a dependency) says that they do not agree: it
implicates each a little, and less where the field agrees with others as it should. The member that other clauses implicate too is the
suspect, and the violation is reported of it; where none stands out, all are named.

A response that is wrong as a whole violates clauses on many fields. What names such a cause (`Cause`) stays first, unless one field is
behind all of it.

A contract is mined from many sessions, and a receipt is read in one. So a violation shows of what others were given only values that
are few and public by their kind: what a list holds was shown by several tasks for each entry; what is known of one thing at a time may
be one customer's. What is personal by its name, or looks private, is never shown, whoever wrote the contract.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import NamedTuple

from outcome_monitors.alerting.policy import BrokenClause, Detection
from outcome_monitors.alerting.severity import severity_of
from outcome_monitors.jsonvalue.display import clip
from outcome_monitors.jsonvalue.paths import Each, Step, parse, render, select
from outcome_monitors.jsonvalue.private_data import is_opaque, looks_private, names_private
from outcome_monitors.jsonvalue.text import last_word
from outcome_monitors.model import Broken, Clause, Json, Violation
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.record import RecordKind, learned_at
from outcome_monitors.rules.base.severity import Severity
from outcome_monitors.rules.base.traits import Cause

from .failures import failed

SEVERITY_WEIGHTS: Mapping[Severity, float] = {
    Severity.INFO: 0.1,
    Severity.LOW: 0.5,
    Severity.MEDIUM: 1.0,
    Severity.HIGH: 2.0,
    Severity.CRITICAL: 4.0,
}
"""How much a violation implicates what it is about."""
CORROBORATED_FACTOR = 0.5
"""What is left of shared suspicion where a place agrees with others as it should."""
MISSING_WEIGHT = 0.5
"""How suspicious a place is for not being there, where something asks for it."""
MAX_VIOLATIONS = 40
"""With more violations no one field explains them: the order of causes stands, and no result takes long."""
_NEARLY = 1e-9

BEGINNING = 16
"""Characters of a text that tell that it is shown: a long one is cut."""
WITHHELD = "as clean results have it"
_CODE = re.compile(r"(?<=\s)(?=[^\s\d]{0,40}\d)\S{6,}|(?<!\S)(?=[^\s\d]{0,40}\d)\S{6,}(?=\s)")
"""A code among other words: what is said with it is quoted from no other session."""

Steps = tuple[Step, ...]
Violated = tuple[BrokenClause, ...]


def localize(detection: Detection, clauses: Sequence[Clause] | None = None) -> Detection:
    """Return the violations in order, each attributed to the member that is most suspicious.

    `clauses` are those of the contract; without them, as under the published profile, the cause alone decides the order.
    """
    broken = tuple(sorted(detection.broken, key=lambda one: _cause(one.clause)))
    if clauses is not None:
        try:
            broken = _by_suspiciousness(broken, detection, clauses)
        except Exception as error:  # noqa: BLE001 - violations in another order are better than none
            failed("which field explains a result could not be told: %r", error)
    # What is said of an earlier result comes first: this one may be wrong because of it.
    return detection._replace(broken=tuple(sorted(broken, key=lambda one: one.violation.about is None)))


def _cause(clause: Clause) -> Cause:
    """Return what a violated clause says of the cause; a misrouted response is of no kind."""
    kind = KINDS.get(clause.kind)
    return Cause.ANOTHER_TOOL if kind is None else kind.cause


class _Implication(NamedTuple):
    """A violated clause, the places that it implicates, and how much."""

    broken: BrokenClause
    members: tuple[Steps, ...]
    weight: float

    @property
    def is_shared(self) -> bool:
        """Whether it implicates several places, and does not tell which."""
        return len(self.members) > 1

    @property
    def is_of_the_whole(self) -> bool:
        """Whether it speaks of the response as a whole: what it is, or to which question."""
        return _cause(self.broken.clause) <= Cause.OLDER or self.members == ((),)

    def is_of(self, place: Steps) -> bool:
        """Say whether it implicates a place; where it implicates one alone, also what stands in that."""
        return self.is_at(place) or (not self.is_shared and _leads_to(self.members[0], place))

    def is_at(self, place: Steps) -> bool:
        """Say whether it implicates a place itself."""
        return any(len(member) == len(place) and _leads_to(member, place) for member in self.members)


def _by_suspiciousness(broken: Violated, call: Detection, clauses: Sequence[Clause]) -> Violated:
    """Return the violations of the field that explains most first, each attributed to the member that others implicate."""
    if len(broken) > MAX_VIOLATIONS:
        return broken
    members = [_members(one, call) for one in broken]
    if len(broken) == 1 and len(members[0]) == 1:
        return broken
    implications = [
        _Implication(
            one,
            tuple(map(parse, places)),
            SEVERITY_WEIGHTS[severity_of(one.clause, one.violation, call.result)],
        )
        for one, places in zip(broken, members, strict=True)
    ]
    suspiciousness = _Suspiciousness(implications, call, clauses)
    whole = not suspiciousness.is_of_one_field()
    # Of one place, what says that the value itself is impossible comes before what says that it does not agree with another.
    ranked = sorted(
        implications,
        key=lambda one: (
            not (whole and one.is_of_the_whole),
            -max(suspiciousness.scores[place] for place in suspiciousness.candidates(one)),
            one.is_shared,
            0 if whole else -one.weight,
        ),
    )
    return tuple([suspiciousness.attributed(one) for one in ranked])


def _members(broken: BrokenClause, call: Detection) -> tuple[str, ...]:
    clause, violation, _ = broken
    kind = KINDS.get(clause.kind)
    if kind is None:
        return (violation.path,)
    return kind.members(clause, violation, call.arguments, call.result)


class _Suspiciousness:
    """How suspicious each implicated place is."""

    def __init__(
        self, implications: Sequence[_Implication], call: Detection, clauses: Sequence[Clause]
    ) -> None:
        self._implications = implications
        self._call = call
        self._clauses = clauses
        places = dict.fromkeys(member for one in implications for member in one.members)
        self.scores = {place: self._score(place) for place in places}

    def is_of_one_field(self) -> bool:
        """Say whether one field is behind all violations, and nothing speaks of the result itself."""
        return () not in self.scores and any(
            all(one.is_of(place) for one in self._implications) for place in self.scores
        )

    def candidates(self, one: _Implication) -> Sequence[Steps]:
        """Return the places that a violation may be attributed to: its own, or of several what others implicate in these."""
        return [place for place in self.scores if one.is_of(place)] if one.is_shared else one.members

    def attributed(self, one: _Implication) -> BrokenClause:
        """Return a violation as it is said of the most suspicious place; of all members where there are several."""
        if not one.is_shared:
            return one.broken
        candidates = self.candidates(one)
        most = max(self.scores[place] for place in candidates) - _NEARLY
        suspects = [render(place) for place in candidates if self.scores[place] > most]
        clause, violation, _ = one.broken
        member = suspects[0] if len(suspects) == 1 else None
        call = self._call
        restated = KINDS[clause.kind].restate(clause, violation, member, call.arguments, call.result)
        return one.broken._replace(violation=restated)

    def _score(self, place: Steps) -> float:
        implying = [one for one in self._implications if one.is_of(place)]
        # A clause on a whole list speaks of the row that something else implicates, and of no other.
        alone = any(not one.is_shared and one.is_at(place) for one in implying)
        own = sum(one.weight for one in implying if not one.is_shared) if alone else 0.0
        shared = sum(one.weight / len(one.members) for one in implying if one.is_shared)
        if not shared:
            return own
        missing = next(select(self._call.result, render(place)), None) is None
        factor = CORROBORATED_FACTOR if self._is_corroborated(place) else 1
        return own + (MISSING_WEIGHT if missing else 0) + shared * factor

    def _is_corroborated(self, place: Steps) -> bool:
        """Say whether a clause holds that relates a place to others, or to what was asked."""
        call = self._call
        return any(
            kind.agrees(clause, render(place[: len(parse(clause.path))]), call.arguments, call.result)
            for kind, clause, members in self._corroborating
            if any(len(member) == len(place) and _leads_to(member, place) for member in members)
        )

    @cached_property
    def _corroborating(self) -> list[tuple[RecordKind, Clause, tuple[Steps, ...]]]:
        """The clauses that hold and speak for their members where they do."""
        violated = {id(one.broken.clause) for one in self._implications}
        return [one for one in _corroborating_clauses(self._clauses) if id(one[1]) not in violated]


def _corroborating_clauses(
    clauses: Sequence[Clause],
) -> list[tuple[RecordKind, Clause, tuple[Steps, ...]]]:
    return [
        (kind, clause, tuple(map(parse, kind.related(clause))))
        for clause in clauses
        if isinstance(kind := KINDS[clause.kind], RecordKind) and kind.traits.corroborates
    ]


def _leads_to(member: Steps, place: Steps) -> bool:
    """Say whether a place is one of those that a path speaks of, or stands in one."""
    return len(member) <= len(place) and all(
        mine == other or (isinstance(mine, Each) and not isinstance(other, Each))
        for mine, other in zip(member, place, strict=False)
    )


def redacted(broken: Violated) -> Broken:
    """Return violated clauses, each violation with its support and the closest clean value, and without what must not be shown."""
    return tuple([(clause, _redacted(clause, violation)) for clause, violation, _ in broken])


def _redacted(clause: Clause, violation: Violation) -> Violation:
    expected, closest = violation.expected, _closest(clause, violation.observed)
    if clause.kind in KINDS and not clause.source.startswith("schema:"):
        try:
            words = _in_their_place(clause, expected, closest)
        except Exception as error:  # noqa: BLE001 - a violation that says less is better than none
            failed("what may be shown of a violation could not be told: %r", error)
            words = WITHHELD
        expected, closest = (expected, closest) if words is None else (words, None)
    return replace(violation, expected=expected, tasks=clause.tasks, closest=closest)


def _closest(clause: Clause, observed: Json) -> Json:
    try:
        return clip(KINDS[clause.kind].closest(clause, observed))
    except Exception:  # noqa: BLE001 - a violation that lacks a hint is better than none
        return None


def _in_their_place(clause: Clause, expected: Json, closest: Json) -> str | None:
    """Return what is said instead of what a clause has learned of others, where that would be shown and is not public."""
    kind = KINDS[clause.kind]
    learned = [*kind.texts(clause.params)]
    places = {learned_at(clause.path, feature) for feature in {feature for feature, _ in learned}}
    shown = "\n".join(_strings([expected, closest]))
    hidden = (
        (not kind.traits.discreet and not kind.public(clause.params))
        or any(names_private(place) or last_word(place) == "name" for place in places)
        or any(text[:BEGINNING] in shown and _is_private(text) for _, text in learned)
    )
    return kind.withheld(clause.params) if hidden else None


@lru_cache(maxsize=1024)
def _is_private(text: str) -> bool:
    return is_opaque(text) or bool(looks_private(text)) or _CODE.search(text) is not None


def _strings(value: Json) -> list[str]:
    if isinstance(value, list):
        return [text for item in value for text in _strings(item)]
    return [] if value is None else [str(value)]
