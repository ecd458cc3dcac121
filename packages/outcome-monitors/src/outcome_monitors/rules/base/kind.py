"""The interface of a rule kind, in two sides.

At run time a kind *checks* a result against a clause and *explains* a clause in a sentence; in mining it *suggests* clauses that
the evidence supports and says on which tasks of other evidence they would have *fired*.

Checking has two forms. `check` is plain and says what is wrong. `fast` is a Python expression that may only be true
where `check` finds nothing; generated code tests it first (`checking.compiled`), so that a clean result costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from operator import add
from typing import TYPE_CHECKING, Any, ClassVar

from outcome_monitors.exceptions import ContractError
from outcome_monitors.jsonvalue.display import LONGEST, clip, clip_around
from outcome_monitors.jsonvalue.paths import ROOT, parent, select
from outcome_monitors.jsonvalue.types import NUMBER_TYPES
from outcome_monitors.model import Clause, Json, Violation
from outcome_monitors.rules.evidence.samples import NO_TASK

from .severity import Severity
from .traits import Build, Cause, Drift, Mining, Traits, strings_in

if TYPE_CHECKING:
    # What is mined from: to check takes none of it.
    from outcome_monitors.features.walk import WalkedCall
    from outcome_monitors.rules.evidence.evidence import Evidence
    from outcome_monitors.rules.evidence.samples import Witness

    from .support import Ground

State = Any  # dicts, lists, sets, numbers and strings only: states are merged, stored and sent

TEXTS: frozenset[type] = frozenset({str})
NUMBERS: frozenset[type] = NUMBER_TYPES


@dataclass(frozen=True, slots=True)
class Candidate:
    """A clause that the traces suggest, and why it was not accepted, if it was not."""

    clause: Clause
    refused: str = ""
    fired: Mapping[int, int] = field(default_factory=dict)
    """The tasks that would have raised a false alarm had they been left out, with the calls that would have."""
    values: int = 1
    """How many values the clause admits, where it lists them: the more, the more tasks must stand behind them."""
    entities: int | None = None
    """How many distinct values stand behind it, where that counts: a hundred tasks on one order are one witness of its form."""
    trusted: bool | None = None
    """Whether it is accepted without trials where there were too few; None is as its kind has it."""
    sort: str = ""
    """What else tells, beside its kind and its support, how likely it is to fire on clean results."""
    pooled: bool = False
    """The evidence is that of all objects of the same shape, not of the tool alone."""
    private: bool = False
    """Something of it, or all, was left out as private."""

    def pooled_at(self, path: str) -> Candidate:
        """Return what objects of one shape suggest, at a path where one of them stands; there may be a hundred thousand."""
        was = self.clause
        clause = Clause(was.kind, path, was.params, was.samples, was.tasks, was.source)
        return Candidate(
            clause, self.refused, self.fired, self.values, self.entities, self.trusted, self.sort, pooled=True
        )


Bind = Callable[[Any], str]
"""Gives an object a name that generated code can use."""

Beside = Mapping[str, Clause]
"""The other clauses of a path, by kind."""


class Hooks:
    """What the run time asks of a kind beside `check` and `explain`; few kinds override it."""

    name: ClassVar[str]
    traits: ClassVar[Traits] = Traits()
    cause: ClassVar[Cause] = Cause.LOOKS
    """What a violation says of the cause."""
    identity: ClassVar[tuple[str, ...]] = ()
    """The parameters that say what a clause is about, and so which clause it is (`contracts.identity`); the others are what it
    has learned. With none, it speaks of its path alone."""
    former_identity: ClassVar[tuple[str, ...] | None] = None
    """Those of earlier releases, where they were others: what was decided under the name that they make still holds."""

    def identified_by(self, params: Mapping[str, Json]) -> dict[str, Json]:
        """Return what a clause is about, by the names of `identity`."""
        return {name: params[name] for name in self.identity}

    # The compiled check.

    def fast(self, clause: Clause, bind: Bind, beside: Beside) -> str | None:
        """Return a Python expression that is true only where `check` finds nothing, or None where there is none.

        The value is written `{v}`, the features of a record `{0}`, `{1}` and so on, in the order of `RecordKind.features`.
        `beside` holds the clauses of the same path, which are tested too.
        """

    def together(self, clauses: list[Clause]) -> list[Clause]:
        """Return clauses of one path that say the same as these, where fewer tests than one a clause can see to them."""
        return clauses

    def speaks_of(self, params: Mapping[str, Json]) -> frozenset[type]:
        """Return the Python types that a clause says something of, and `fast` is made for; none where that is any."""
        return self.traits.types

    # Which results a clause speaks of.

    def stands_at(self, path: str) -> str:
        """Return the path of what must be there for a clause at a path to have something to judge."""
        return parent(path) if self.traits.build is Build.PRESENCE else path

    def covers(self, answer: Json) -> bool:
        """Say whether a clause on an answer as a whole has something to judge in it, beyond its type."""
        if self.traits.build is Build.TYPES:
            return False
        of_objects = self.traits.about in {"object", "record"} or self.traits.build is Build.PRESENCE
        return isinstance(answer, dict if of_objects else str)

    def excuses(self, clause: Clause, arguments: Mapping[str, Json], answer: Json) -> tuple[str, ...]:
        """Return the arguments that an answer refuses, by a clause that tells what an error looks like."""
        return ()

    def admits(self, clause: Clause, place: str, value: Json) -> bool:
        """Say whether clean results had such a value at a place: then no built-in rule is to object to it."""
        return False

    def knows(self, clause: Clause, arguments: Mapping[str, Json], argument: str) -> bool:
        """Say whether a clause has heard of what is given for an argument: there is an answer to that."""
        return False

    # Of a violation.

    def severity(self, clause: Clause, violation: Violation, result: Json) -> Severity:
        """Return how much a violation of a clause says that the result is wrong; it is asked of alarms alone."""
        return self.traits.severity

    def closest(self, clause: Clause, observed: Json) -> Json:
        """Return the value most like the observed one that would have passed; None where `expected` says it, or none is.

        It is asked of alarms alone, of what a violation names as observed, and its cost is bounded whatever that is.
        """

    def members(
        self, clause: Clause, violation: Violation, arguments: Mapping[str, Json], result: Json
    ) -> tuple[str, ...]:
        """Return the places of a result that a broken clause doubts: several where it only says that they do not agree."""
        return (violation.path,)

    def own_place(self, clause: Clause, violation: Violation) -> str:
        """Return the place that a clause names by itself, whichever of its members a violation was told of."""
        return violation.path

    def restate(
        self,
        clause: Clause,
        violation: Violation,
        member: str | None,
        arguments: Mapping[str, Json],
        result: Json,
    ) -> Violation:
        """Return a violation as it is said of one of its members; where that is None, of all of them together."""
        return violation

    def novel_value(self, violation: Violation) -> str:
        """Return what is new about a result that breaks a clause: the same novel_value in many tasks is a change, not a fault."""
        return str(violation.observed) if self.traits.drift is Drift.LISTED else ""

    def changed(self, novel_value: str) -> str:
        """Say in words what is new where a clause is broken for good; the place goes before."""
        if self.traits.change:
            return self.traits.change.format(novel=novel_value)
        return f"breaks `{self.name}`" + (f" with {novel_value!r}" if novel_value else "")

    # What may be shown of what a clause has learned.

    def public(self, params: Mapping[str, Json]) -> bool:
        """Say whether what a clause has learned may be shown to whoever breaks it.

        A list was shown by several tasks for each entry. What is said of one key at a time may be one session's own, unless several keys
        share each value (two, on average): then it is a category.
        """
        tables = [
            value for name, value in params.items() if name not in self.identity and isinstance(value, dict)
        ]
        return all(2 * len({*map(repr, table.values())}) <= len(table) for table in tables)

    def withheld(self, params: Mapping[str, Json]) -> str:
        """Return what is named as expected where that is not for others to see."""
        return "as clean results have it"

    def texts(self, params: Mapping[str, Json]) -> Iterator[tuple[str | None, str]]:
        """Yield the texts that a clause has learned, each with the feature that it is of.

        The feature is empty for the value at the path, and None where the text is of no field.
        """
        learned = [value for name, value in params.items() if name not in self.identity]
        return (("", text) for text in strings_in(learned)) if not self.traits.own_words else iter(())


class Kind(Hooks):
    """One sort of property: a subclass is one file and one row of `rules.KINDS`.

    An author sets `name`, `code`, `params` and, where they differ, `identity`, `cause`, `traits` and `mining`; and writes `check`,
    `explain`, `fast`, `suggest` and `fires`. `ValueKind`, `RecordKind` and `SessionKind` write most of these. What few kinds need at
    run time stands in `Hooks`, and what profile `paper` needs in `Counting`.
    """

    code: ClassVar[str]
    """The code of its violations."""
    params: ClassVar[Mapping[str, Callable[[Any], bool]]] = {}
    """Each parameter of a clause, with the test that a contract file must pass."""
    mining: ClassVar[Mining] = Mining()

    def check(self, clause: Clause, arguments: Mapping[str, Json], result: Json) -> Iterator[Violation]:
        """Yield each place where a result breaks a clause."""
        raise NotImplementedError

    def explain(self, clause: Clause) -> str:
        """Say a clause in words."""
        raise NotImplementedError

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Yield what the evidence of profile `full` suggests."""
        raise NotImplementedError

    def fires(self, clause: Clause, evidence: Evidence) -> Mapping[int, int]:
        """Return the tasks of other clean evidence that break a clause, with the calls that do."""
        raise NotImplementedError

    def validate(self, params: Mapping[str, Json], where: str) -> None:
        """Refuse parameters that a clause of this kind cannot have."""
        for name in params:
            if name not in self.params:
                raise ContractError(f"{where}: a clause of kind {self.name!r} has no parameter {name!r}")
        for name, holds in self.params.items():
            if name in self.traits.optional and name not in params:
                continue
            if name not in params or not holds(params[name]):
                found = "is missing" if name not in params else f"cannot be {clip(params[name])!r}"
                raise ContractError(f"{where}: parameter {name!r} of kind {self.name!r} {found}")

    def code_of(self, clause: Clause) -> str:
        """Return the violation code of a clause, which tells schemas from traces."""
        if self.traits.schema_code and clause.source.startswith("schema:"):
            return self.traits.schema_code
        return self.code


class Counting(Kind):
    """A kind that profile `paper` mines: it observes calls into a state, merges states, and accepts what a state supports.

    States are plain data and form a commutative monoid: observing A and B apart and merging gives what observing both together
    gives, in any order.
    """

    def start(self) -> State:
        """Return the state that has observed nothing."""
        return {}

    def observe(self, state: State, seen: WalkedCall) -> None:
        """Add one call to a state; `Ground` counts presence for all kinds."""

    def merge(self, state: State, other: State) -> None:
        """Add all that `other` has observed to `state`: counts, unless a kind says otherwise."""
        for key, counts in other.items():
            mine = state.setdefault(key, [0] * len(counts))
            mine[:] = map(add, mine, counts)

    def accept(self, state: State, ground: Ground) -> Iterator[Candidate]:
        """Yield what the observations suggest, accepted or refused."""
        raise NotImplementedError


class ValueKind(Kind):
    """A kind that judges each value at a path by itself."""

    sentence: ClassVar[str] = "{path} is {expected}"
    """A clause in words."""
    wrong: ClassVar[str] = "field {place} is not as clean results have it"
    """What is wrong, in words."""

    def holds(self, params: Mapping[str, Json]) -> Callable[[Json], bool]:
        """Return the test of one value; it is true of values that are none of this kind's business."""
        raise NotImplementedError

    def fires(self, clause: Clause, evidence: Evidence) -> Mapping[int, int]:
        """Test every distinct text and number of other evidence."""
        place = evidence.places.get(clause.path)
        if place is None:
            return {}
        holds = self.holds(clause.params)
        values = (*place.texts.items(), *place.numbers.items())
        return witnesses(witness for value, witness in values if not holds(value))

    def expected(self, params: Mapping[str, Json]) -> Json:
        """Return what to name as expected: what was learned, where that is one parameter."""
        [learned] = [value for name, value in params.items() if name not in self.identity]
        return learned

    def observed(self, value: Json) -> Json:
        """Return what to name as observed."""
        return clip(value)

    def where(self, params: Mapping[str, Json], text: str) -> int:
        """Return the place in a text that fails the test, which is shown of a long one."""
        return 0

    def explain(self, clause: Clause) -> str:
        """Say it in words."""
        return self.sentence.format(path=named(clause.path), expected=self.expected(clause.params))

    def check(self, clause: Clause, arguments: Mapping[str, Json], result: Json) -> Iterator[Violation]:
        """Yield each value that fails the test."""
        holds = self.holds(clause.params)
        for place, value in select(result, clause.path):
            if not holds(value):
                yield Violation(
                    self.code_of(clause),
                    place,
                    self.expected(clause.params),
                    self._shown(clause.params, value),
                    self.wrong.format(place=named(place)),
                )

    def _shown(self, params: Mapping[str, Json], value: Json) -> Json:
        long = isinstance(value, str) and len(value) > LONGEST
        place = self.where(params, value) if long else 0
        return clip_around(value, place) if place else self.observed(value)

    def fast(self, clause: Clause, bind: Bind, beside: Beside) -> str | None:
        """Call the test itself; kinds that can do better with a builtin say so."""
        return f"{bind(self.holds(clause.params))}({{v}})"


def named(path: str) -> str:
    """Return a path as it stands in a sentence."""
    return path if path != ROOT else "(the result)"


def witnesses(found: Iterable[Witness]) -> dict[int, int]:
    """Return the tasks behind witnesses, with their calls."""
    fired: dict[int, int] = {}
    for calls, first, second in found:
        fired[first] = fired.get(first, 0) + (calls if second == NO_TASK else calls - calls // 2)
        if second != NO_TASK:
            fired[second] = fired.get(second, 0) + calls // 2
    return fired
