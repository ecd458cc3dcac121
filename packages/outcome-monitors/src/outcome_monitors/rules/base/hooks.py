"""What the run time asks of a kind beside `check` and `explain`, with an answer that is right for most kinds."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from outcome_monitors.model import Clause, Json, Violation

from .severity import Severity
from .traits import Cause, Drift, Traits, strings_in

__all__ = ["Beside", "Bind", "Fast", "Hooks"]

Bind = Callable[[Any], str]
"""Gives an object a name that generated code can use."""

Beside = Mapping[str, Clause]
"""The other clauses of a path, by kind; of a record those of its fields, by kind and feature: `type.price`."""


@dataclass(frozen=True, slots=True)
class Fast:
    """Expressions that are true only where a clause surely holds.

    `one` speaks of one value, written `{v}`; `column` of a list of values, written `{c}`. A relation between fields of an
    object names them in `fields`, and its `one` speaks of their values, written `{0}`, `{1}` and so on.
    """

    one: str
    column: str
    fields: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    """Of a relation between features of a record: what `{0}`, `{1}` stand for, values in `one` and columns in `column`."""
    pattern: str = ""
    """A regular expression of texts that the clause surely holds of, all of one line: those of several fields are matched together."""


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

    def fast(self, clause: Clause, bind: Bind, beside: Beside) -> Fast | None:
        """Return expressions that are true only where `check` finds nothing, or None where there are none.

        `beside` holds the clauses of the same path, which are tested too.
        """

    def tests(self, clauses: Sequence[Clause], bind: Bind, beside: Beside) -> Iterator[Fast | None]:
        """Yield `fast` for all clauses of one path that relate features of its records; mostly one for each."""
        return (self.fast(clause, bind, beside) for clause in clauses)

    def together(self, clauses: list[Clause]) -> list[Clause]:
        """Return clauses of one path that say the same as these, where fewer tests than one a clause can see to them."""
        return clauses

    def speaks_of(self, params: Mapping[str, Json]) -> frozenset[type]:
        """Return the Python types that a clause says something of, and `fast` is made for; none where that is any."""
        return frozenset()

    def types(self, params: Mapping[str, Json]) -> tuple[type, ...] | None:
        """Return the Python types that a value can have where a clause holds; None where any can come."""

    # Which results a clause speaks of.

    def stands_at(self, path: str) -> str:
        """Return the path of what must be there for a clause at a path to have something to judge."""
        return path

    def covers(self, answer: Json) -> bool:
        """Say whether a clause on an answer as a whole has something to judge in it, beyond its type."""
        return isinstance(answer, dict if self.traits.about in {"object", "record"} else str)

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
