"""How a kind differs from most, as data: `Traits` for the run time, `Mining` for mining.

Mining, checking, drift, review and lint ask here; none of them knows a kind by its name. A kind sets what differs, and no more.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, Flag, IntEnum, auto
from typing import Literal

from outcome_monitors.model import Clause, Json

from .severity import Severity

Subject = Literal["value", "object", "record", "session", "shape"]


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


class Determined(Flag):
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What the run time asks of a kind."""

    # Parameters.
    schema_code: str | None = None
    """The code of clauses that come from a schema, where it differs."""
    optional: frozenset[str] = frozenset()
    """The parameters that a clause may do without."""
    variant: tuple[str, ...] = ()
    """Learned parameters that make it another clause in validation: how it did as one says nothing of the other."""

    # The compiled check.
    about: Subject = "value"
    """What `fast` speaks of: a `value`, the fields of an `object`, the features of a `record`, or nothing (`shape`: generated code
    sees to it; `session`: there is nothing to test in a result by itself)."""
    build: Build | None = None
    """What it says of how a result is built, where it does."""
    of_null: bool = False
    """It speaks of null as of any other value: where there is one, generated code looks at that too."""
    types: frozenset[type] = frozenset()
    """The Python types that it says something of, and `fast` is made for; none where that is any."""

    # What becomes of a violation.
    drift: Drift = Drift.FIXED
    never_normal: bool = False
    """No honest change brings it, however long it lasts: another thing than asked for, a sum that does not add up."""
    change: str = ""
    """What is new where a clause is broken for good, in words; `{novel}` stands for the new value."""
    severity: Severity = Severity.MEDIUM
    """How much a violation says, where that is always the same (`Hooks.severity`)."""
    of_the_data: bool = False
    """It speaks of what there is rather than of what an answer is like: where it breaks for good, the data has changed."""
    ambiguous_change: bool = False
    """Where nearly all results have come to break it, that is as likely a fault as a change: a scale that jumps, all items gone."""
    of_the_day: bool = False
    """It states facts, what a run has heard, or a closed list, and these may be those of one day: learned beside live traffic, it is
    told of after several (`learning.rollout`)."""
    informs: bool = False
    """It says how to get more, and is no alarm."""
    corroborates: bool = False
    """Where it holds, its members agree as they would not by chance: that speaks for each of them."""
    discreet: bool = False
    """What it says of a violation shows what it has learned only where that is `public`; of others `checking.localization` takes it away."""
    own_words: bool = False
    """The texts among what it has learned are words of ours, such as the name of a type, and never the data's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mining:
    """What mining asks of a kind; where few kinds differ, by a function."""

    profiles: frozenset[str] = frozenset({"full"})
    """The profiles that mine this kind from traces."""
    budget_weight: float = 1.0
    """How much of the budget a clause of this kind may cost, against one that only says what values look like."""
    grades: str | None = None
    """The parameter by which clauses of one path are stricter or laxer, where there is one; the strictest is kept."""
    sort: Callable[[Clause], str] | None = None
    """Which clauses of a kind are about as likely to fire; without it those of one grade, where there are grades."""
    looser: Callable[[Clause], Clause | None] = lambda _: None
    """A clause that admits more, to be taken where few tasks show this one and that is not enough; or None."""

    # Trust.
    trusted: bool = False
    """Profile `full` accepts clauses of this kind that could not be tried on tasks left out: there were too few."""

    # Pooling.
    pools: bool = False
    """Objects of one shape, in whatever tool, may stand for each other as evidence (`mining.shapes`)."""
    tools: Tools | None = None
    """The tools that must stand behind a clause of a shape, where shapes have such clauses."""
    generalize: Callable[[Clause], Clause] = lambda clause: clause
    """A clause without what is for each tool to say, as it is said of tools never seen."""
    generalizes: Callable[[Clause, int, int], bool] = lambda _clause, _checked, fired: not fired
    """Whether a clause is said of tools never seen, tried on so many calls of some that were left out, of which so many fired."""

    # Redundancy.
    of_the_answer: bool = False
    """It speaks of what values look like, which shows nothing where the caller supplies them."""
    judged: str | None = None
    """The parameter that names the feature whose value is judged as it stands, where it is not the value at the path."""
    lasting: bool = False
    """It says of things what they are, and so nothing of what changes: `mining.mutability` tells what that is."""
    determines: Callable[[Mapping[str, Json]], Determined] = lambda _: Determined.NOTHING
    """What a clause tells of the texts at its path so fully that others need not."""
    redundant_given: Callable[[Mapping[str, Json]], Determined] = lambda _: Determined.NOTHING
    """What another may tell of the texts at a path so that a clause has nothing to add."""
    follows: Callable[[Clause, Sequence[Clause]], bool] = lambda _clause, _taken: False
    """Whether a clause follows from others of its kind and path."""
    supplied: Callable[[Clause], tuple[str, ...]] = lambda _: ()
    """The paths whose values are the caller's, by a clause, and say nothing of the tool."""

    def sort_of(self, clause: Clause) -> str:
        """Return which clauses are about as likely to fire as this one."""
        if self.sort is not None:
            return self.sort(clause)
        return f"{clause.kind} {clause.params[self.grades]}" if self.grades else clause.kind


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
