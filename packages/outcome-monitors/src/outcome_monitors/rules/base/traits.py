"""What a kind is to the other rooms, as typed data with defaults that are right for most kinds.

Mining, checking, drift, review and lint ask here; none of them knows a kind by its name. A kind says in its own class what differs.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, Flag, IntEnum, auto
from typing import Any, ClassVar, Literal

from outcome_monitors.model import Clause, Json

from .gravity import Gravity

__all__ = [
    "LEAST_TOOLS",
    "MANY_TOOLS",
    "Build",
    "Cause",
    "Drift",
    "Subject",
    "Told",
    "Tools",
    "Traits",
    "strings_in",
]

Subject = Literal["value", "object", "record", "session", "shape"]

LEAST_TOOLS = 5
"""Fewer tools say nothing about others."""
MANY_TOOLS = 20
"""It takes so many to speak of values, or of objects whatever their shape."""


ALIKE = 2
"""Keys that share a value, on average, where values are categories."""


class Cause(IntEnum):
    """What a broken clause says of the cause, the most telling first.

    One cause breaks many clauses: an error object lacks every field, another customer's record has another status and another
    city. Of its violations some name the cause, and the others only say that the result does not look as it should. The nearer
    to a cause that the agent can act on, the earlier.
    """

    ANOTHER_TOOL = auto()
    """It is another tool's answer (`checking.misrouted_response`)."""
    FAILURE = auto()
    """The tool says itself that it failed."""
    NO_ANSWER = auto()
    """Something else than the answer was written there: an error page, a log, a placeholder."""
    ANOTHER_QUESTION = auto()
    """It is the answer to another question."""
    REPEATED = auto()
    """It is the answer that another question was given."""
    STALE = auto()
    """It is the answer from before the write."""
    OLDER = auto()
    """It is older than what this very run has heard."""
    DENIES_RUN = auto()
    """It denies what this very run has heard."""
    DENIES_FACTS = auto()
    """It denies what clean runs have heard."""
    NAMES_DISAGREE = auto()
    """It denies itself: the names,"""
    NUMBERS_DISAGREE = auto()
    """the numbers,"""
    TIMES_DISAGREE = auto()
    """the times,"""
    WORDS_DISAGREE = auto()
    """the words."""
    NO_SUCH_TIME = auto()
    """There is no such time."""
    LOOKS = auto()
    """It does not look as clean results do. Violations of this rank stay in the order of the clauses."""


class Drift(Enum):
    """What can become usual although a clause has never seen it, while the rest of the result is as ever."""

    LISTED = auto()
    """The clause lists what it admits: one new thing that many tasks show."""
    BOUNDED = auto()
    """It bounds what is measured: many tasks lie beyond."""
    FIXED = auto()
    """Nothing: where it does not break for good, it is a fault."""


class Build(Enum):
    """What a clause says of how a result is built; generated code, and who reads fields off a contract, go by it."""

    TYPES = auto()
    """Of what JSON types a value is: parameter `kinds`."""
    PRESENCE = auto()
    """That a field is there."""
    FIELDS = auto()
    """Which fields an object has: parameter `fields`."""
    JSON = auto()
    """That a text is JSON."""


class Told(Flag):
    """What a clause tells of the texts at its path so fully that others need not."""

    NOTHING = 0
    VALUES = auto()
    """Each of them."""
    FORM = auto()
    """What characters stand where."""
    LENGTH = auto()
    """How long they are."""
    INSIDE = auto()
    """What stands in them: they are JSON."""


@dataclass(frozen=True, slots=True)
class Tools:
    """How many tools must stand behind a clause that is said of tools never seen (`mining.shapes`)."""

    of_a_shape: int
    of_anything: int | None = None
    """Of objects whatever their shape; None where it is not said of those."""


class Traits:
    """What other rooms ask of a kind."""

    name: ClassVar[str]
    code: ClassVar[str]
    schema_code: ClassVar[str | None] = None
    """The code of clauses that come from a schema, where it differs."""
    profiles: ClassVar[frozenset[str]] = frozenset()
    """The profiles that mine this kind from traces."""
    params: ClassVar[Mapping[str, Callable[[Any], bool]]] = {}
    """Each parameter of a clause, with the test that a contract file must pass."""
    optional: ClassVar[frozenset[str]] = frozenset()
    """Those of them that a clause may do without."""
    identity: ClassVar[tuple[str, ...]] = ()
    """The parameters that say what a clause is about, and so which clause it is (`contracts.identity`); the others are what it
    has learned. With none, it speaks of its path alone."""
    variant: ClassVar[tuple[str, ...]] = ()
    """Of those that it has learned, the ones that make it another clause on trial: how it did as one says nothing of the other."""
    about: ClassVar[Subject] = "value"
    """What `fast` speaks of: a `value`, the fields of an `object`, the features of a `record`, or nothing (`shape`: generated code
    sees to it; `session`: there is nothing to test in a result by itself)."""
    build: ClassVar[Build | None] = None
    """What it says of how a result is built, where it does."""
    of_null: ClassVar[bool] = False
    """It speaks of null as of any other value: where there is one, generated code looks at that too."""
    light: ClassVar[bool] = False
    """Its `fast` of one value is a comparison or two, which cost less in a loop over rows than a column of their values does."""
    texts_alone: ClassVar[bool] = False
    """`fast` is true of nothing but texts, so that generated code need not look at the type."""

    # Trust.
    trusted: ClassVar[bool] = False
    """Profile `full` accepts clauses of this kind that could not be tried on tasks left out: there were too few."""
    exact: ClassVar[bool] = False
    """With many tasks behind it, what breaks it is wrong, not rare: a few traces that do are taken for dirt."""
    exact_where_common: ClassVar[bool] = False
    """The same where many tasks stand behind each value that it lists."""
    worth: ClassVar[float] = 1.0
    """How much of the budget a clause of this kind may cost, against one that only says what values look like."""

    # Pooling.
    pools: ClassVar[bool] = False
    """Objects of one shape, in whatever tool, may stand for each other as evidence (`mining.families`)."""
    tools: ClassVar[Tools | None] = None
    """The tools that must stand behind a clause of a shape, where shapes have such clauses."""

    # Need.
    of_the_answer: ClassVar[bool] = False
    """It speaks of what values look like, which shows nothing where the caller supplies them."""
    grades: ClassVar[str | None] = None
    """The parameter by which clauses of one path are stricter or laxer, where there is one; the strictest is kept."""
    judged: ClassVar[str | None] = None
    """The parameter that names the feature whose value is judged as it stands, where it is not the value at the path."""

    # What becomes of a clause.
    cause: ClassVar[Cause] = Cause.LOOKS
    drift: ClassVar[Drift] = Drift.FIXED
    weighs: ClassVar[Gravity] = Gravity.FAIR
    """How much a break of it says, where that is always the same (`Kind.gravity`)."""
    of_the_data: ClassVar[bool] = False
    """It speaks of what there is rather than of what an answer is like: where it breaks for good, the data has changed."""
    vouches: ClassVar[bool] = False
    """Where it holds, its members agree as they would not by chance: that speaks for each of them."""
    lasting: ClassVar[bool] = False
    """It says of things what they are, and so nothing of what changes: `mining.mutability` tells what that is."""
    of_the_day: ClassVar[bool] = False
    """It states facts, what a run has heard, or a closed list, and these may be those of one day: learned beside live traffic, it is
    told of after several (`proxy.stages`)."""
    discreet: ClassVar[bool] = False
    """What it says of a violation shows what it has learned only where that is `public`; of others `checking.localization` takes it away."""
    own_words: ClassVar[bool] = False
    """The texts among what it has learned are words of ours, such as the name of a type, and never the data's."""

    def excuses(self, clause: Clause, arguments: Mapping[str, Json], answer: Json) -> tuple[str, ...]:
        """Return the arguments that an answer refuses, by a clause that tells what an error looks like."""
        return ()

    def knows(self, clause: Clause, arguments: Mapping[str, Json], argument: str) -> bool:
        """Say whether a clause has heard of what is given for an argument: there is an answer to that."""
        return False

    def tells(self, params: Mapping[str, Json]) -> Told:
        """Return what a clause tells of the texts at its path so fully that others need not."""
        return Told.NOTHING

    def needless_where(self, params: Mapping[str, Json]) -> Told:
        """Return what another may tell of the texts at a path so that a clause has nothing to add."""
        return Told.NOTHING

    def follows(self, clause: Clause, taken: Sequence[Clause]) -> bool:
        """Say whether a clause follows from others of its kind and path."""
        return False

    def supplied(self, clause: Clause) -> tuple[str, ...]:
        """Return the paths whose values are the caller's, by a clause, and say nothing of the tool."""
        return ()

    def sort(self, clause: Clause) -> str:
        """Return which clauses of a kind are about as likely to fire: those of one grade, where there are grades."""
        return f"{self.name} {clause.params[self.grades]}" if self.grades else self.name

    def looser(self, clause: Clause) -> Clause | None:
        """Return a clause that admits more, to be taken where few tasks show this one and that is not enough; or None."""

    def for_strangers(self, clause: Clause) -> Clause:
        """Return a clause without what is for each tool to say, as it is said of tools never seen."""
        return clause

    def holds_for_strangers(self, clause: Clause, checked: int, fired: int) -> bool:
        """Say whether a clause is said of tools never seen, tried on so many calls of some that were left out."""
        return not fired

    def stands_at(self, path: str) -> str:
        """Return the path of what must be there for a clause at a path to have something to judge."""
        return path

    def covers(self, answer: Json) -> bool:
        """Say whether a clause on an answer as a whole has something to judge in it, beyond its type."""
        return isinstance(answer, dict if self.about in {"object", "record"} else str)

    def types(self, params: Mapping[str, Json]) -> tuple[type, ...] | None:
        """Return the Python types that a value can have where a clause holds; None where any can come."""

    def public(self, params: Mapping[str, Json]) -> bool:
        """Say whether what a clause has learned may be shown to whoever breaks it.

        A list was shown by several tasks for each entry. What is said of one key at a time may be one session's own, unless several keys
        share each value: then it is a category.
        """
        tables = [
            value for name, value in params.items() if name not in self.identity and isinstance(value, dict)
        ]
        return all(ALIKE * len({*map(repr, table.values())}) <= len(table) for table in tables)

    def withheld(self, params: Mapping[str, Json]) -> str:
        """Return what is named as expected where that is not for others to see."""
        return "as clean results have it"

    def texts(self, params: Mapping[str, Json]) -> Iterator[tuple[str | None, str]]:
        """Yield the texts that a clause has learned, each with the feature that it is of.

        The feature is empty for the value at the path, and None where the text is of no field.
        """
        learned = [value for name, value in params.items() if name not in self.identity]
        return (("", text) for text in strings_in(learned)) if not self.own_words else iter(())


def strings_in(value: Json) -> Iterator[str]:
    """Yield the texts in a value, keys among them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from strings_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings_in(item)
