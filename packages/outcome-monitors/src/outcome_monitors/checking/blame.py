"""Which field explains it: of all that a result breaks, what speaks of the field that is doubted most comes first.

A clause on one field doubts that field. One that relates several (an equation, two names that are to be the same, a fact) says that they
do not agree: it doubts each a little, and less where the field agrees with others as it should. The member that other clauses doubt
too is the suspect, and the clause is told of it; where none is doubted more than the others, all are named and none is picked.

An answer that is wrong as a whole breaks clauses on many fields. What names such a cause stays first, unless one field
is behind all that is broken.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from outcome_monitors.model import Broken, Clause, Json, Violation
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.gravity import Gravity, lighter
from outcome_monitors.rules.base.record import RecordKind
from outcome_monitors.rules.base.traits import Cause
from outcome_monitors.values.memo import once_for_each
from outcome_monitors.values.paths import Each, Step, parse, render, select

__all__ = ["Judged", "blamed", "gravity_of"]

WEIGHTS: Mapping[Gravity, float] = {
    Gravity.TRIFLE: 0.1,
    Gravity.SLIGHT: 0.5,
    Gravity.FAIR: 1.0,
    Gravity.GRAVE: 2.0,
    Gravity.USELESS: 4.0,
}
"""How much a broken clause doubts what it is about, by how much its break says."""
VOUCHED = 0.5
"""What is left of shared doubts where a place agrees with others as it should."""
GONE = 0.5
"""How much a place is doubted for not being there, where something asks for it."""
MOST_BROKEN = 40
"""Where more clauses are broken, no one field explains it: the order of causes stands, and no result takes long."""
_NEARLY = 1e-9

Steps = tuple[Step, ...]


class Judged(NamedTuple):
    """The call that a verdict is on, and the clauses of its contract."""

    arguments: Mapping[str, Json]
    result: Json
    clauses: Sequence[Clause] = ()


class Doubt(NamedTuple):
    """A broken clause, the places that it doubts, and how much."""

    clause: Clause
    violation: Violation
    members: tuple[Steps, ...]
    weight: float

    @property
    def is_shared(self) -> bool:
        """Whether it doubts several places, and does not tell which."""
        return len(self.members) > 1

    @property
    def is_of_the_whole(self) -> bool:
        """Whether it speaks of the answer as a whole: what it is, or to which question."""
        kind = KINDS.get(self.clause.kind)
        return kind is None or kind.cause <= Cause.OLDER or self.members == ((),)

    def is_of(self, place: Steps) -> bool:
        """Say whether it doubts a place; where it doubts one alone, also what stands in that."""
        return self.is_at(place) or (not self.is_shared and _leads_to(self.members[0], place))

    def is_at(self, place: Steps) -> bool:
        """Say whether it doubts a place itself."""
        return any(len(member) == len(place) and _leads_to(member, place) for member in self.members)


def blamed(broken: Iterable[tuple[Clause, Violation]], judged: Judged) -> Broken:
    """Return the same broken clauses, those of the field that explains most first, each told of the member that others doubt."""
    broken = tuple(broken)
    if len(broken) > MOST_BROKEN:
        return broken
    if len(broken) == 1 and len(_members(*broken[0], judged)) == 1:
        # What is broken alone, and of one place, is told as it was found.
        return broken
    doubts = [_doubt(clause, violation, judged) for clause, violation in broken]
    suspicion = _Suspicion(doubts, judged)
    whole = not suspicion.is_of_one_field()
    # Of one place, what says that the value itself is impossible comes before what says that it does not agree with another.
    ranked = sorted(
        doubts,
        key=lambda doubt: (
            not (whole and doubt.is_of_the_whole),
            -suspicion.of(doubt),
            doubt.is_shared,
            0 if whole else -doubt.weight,
        ),
    )
    return tuple((doubt.clause, suspicion.told(doubt)) for doubt in ranked)


def gravity_of(clause: Clause, violation: Violation, result: Json) -> Gravity:
    """Return how much a broken clause says, with regard to the tasks behind it."""
    kind = KINDS.get(clause.kind)
    # Of no kind is what is another tool's answer.
    gravity = Gravity.GRAVE if kind is None else kind.gravity(clause, violation, result)
    return lighter(gravity, clause.tasks) if clause.source == "traces" else gravity


def _doubt(clause: Clause, violation: Violation, judged: Judged) -> Doubt:
    places = _members(clause, violation, judged)
    weight = WEIGHTS[gravity_of(clause, violation, judged.result)]
    return Doubt(clause, violation, tuple(map(parse, places)), weight)


def _members(clause: Clause, violation: Violation, judged: Judged) -> tuple[str, ...]:
    """Return the places that a broken clause doubts."""
    kind, (arguments, result, _) = KINDS.get(clause.kind), judged
    return (violation.path,) if kind is None else kind.members(clause, violation, arguments, result)


class _Suspicion:
    """How much each place is doubted."""

    def __init__(self, doubts: Sequence[Doubt], judged: Judged) -> None:
        self._doubts = doubts
        self._judged = judged
        places = dict.fromkeys(member for doubt in doubts for member in doubt.members)
        self._scores = {place: self._score(place) for place in places}

    def is_of_one_field(self) -> bool:
        """Say whether one field is behind all that is broken, and nothing speaks of the result itself."""
        return () not in self._scores and any(
            all(doubt.is_of(place) for doubt in self._doubts) for place in self._scores
        )

    def of(self, doubt: Doubt) -> float:
        """Return how much the place is doubted that a clause is told of."""
        return max(self._scores[place] for place in self._candidates(doubt))

    def told(self, doubt: Doubt) -> Violation:
        """Return a violation as it is said of the one place that is doubted most; of all members where there are several."""
        if not doubt.is_shared:
            return doubt.violation
        candidates, most = self._candidates(doubt), self.of(doubt) - _NEARLY
        suspects = [render(place) for place in candidates if self._scores[place] > most]
        return KINDS[doubt.clause.kind].told_of(
            doubt.clause,
            doubt.violation,
            suspects[0] if len(suspects) == 1 else None,
            self._judged.arguments,
            self._judged.result,
        )

    def _candidates(self, doubt: Doubt) -> Sequence[Steps]:
        """Return the places that a clause may be told of: its own, or of several what others doubt in these."""
        if not doubt.is_shared:
            return doubt.members
        return [place for place in self._scores if doubt.is_of(place)]

    def _score(self, place: Steps) -> float:
        found = [doubt for doubt in self._doubts if doubt.is_of(place)]
        # A doubt on a whole list speaks of the row that something else doubts, and of no other.
        doubted = any(not doubt.is_shared and doubt.is_at(place) for doubt in found)
        own = sum(doubt.weight for doubt in found if not doubt.is_shared) if doubted else 0.0
        shared = sum(doubt.weight / len(doubt.members) for doubt in found if doubt.is_shared)
        if not shared:
            return own
        gone = next(select(self._judged.result, render(place)), None) is None
        return own + (GONE if gone else 0) + shared * (VOUCHED if self._is_vouched(place) else 1)

    def _is_vouched(self, place: Steps) -> bool:
        """Say whether a clause holds that relates a place to others, or to what was asked."""
        arguments, result, _ = self._judged
        return any(
            kind.agrees(clause, render(place[: len(parse(clause.path))]), arguments, result)
            for kind, clause, members in self._relations
            if any(len(member) == len(place) and _leads_to(member, place) for member in members)
        )

    @cached_property
    def _relations(self) -> list[tuple[RecordKind, Clause, tuple[Steps, ...]]]:
        """The clauses that are not broken and speak for their members where they hold."""
        broken = {id(doubt.clause) for doubt in self._doubts}
        return [one for one in _vouching(self._judged.clauses) if id(one[1]) not in broken]


@once_for_each(4096)
def _vouching(clauses: Sequence[Clause]) -> list[tuple[RecordKind, Clause, tuple[Steps, ...]]]:
    """Return the clauses of a contract that speak for their members, with these."""
    return [
        (kind, clause, tuple(map(parse, kind.related(clause))))
        for clause in clauses
        if isinstance(kind := KINDS[clause.kind], RecordKind) and kind.vouches
    ]


def _leads_to(member: Steps, place: Steps) -> bool:
    """Say whether a place is one of those that a path speaks of, or stands in one."""
    return len(member) <= len(place) and all(
        mine == other or (isinstance(mine, Each) and not isinstance(other, Each))
        for mine, other in zip(member, place, strict=False)
    )
