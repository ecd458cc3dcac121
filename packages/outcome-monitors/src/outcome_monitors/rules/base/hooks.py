"""What the run time asks of a kind beside `check` and `explain`, with an answer that is right for most kinds."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

from outcome_monitors.jsonvalue.paths import parent
from outcome_monitors.model import Clause, Json, Violation

from .severity import Severity
from .traits import Build, Cause, Drift, Traits, strings_in

__all__ = ["Beside", "Bind", "Hooks"]

Bind = Callable[[Any], str]
"""Gives an object a name that generated code can use."""

Beside = Mapping[str, Clause]
"""The other clauses of a path, by kind."""


class Hooks:
    """Overridden by the kinds that need it."""

    name: ClassVar[str]
    traits: ClassVar[Traits] = Traits()
    cause: ClassVar[Cause] = Cause.LOOKS
    """What a violation says of the cause."""
    identity: ClassVar[tuple[str, ...]] = ()
    """The parameters that say what a clause is about, and so which clause it is (`contracts.identity`); the others are what it
    has learned. With none, it speaks of its path alone."""

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
