"""Which answers a session was given for which questions: another question has another answer, and so has the same one after a write.

Held apart from what was said of things (`statements`): a write makes that void, but not this. Bounded: the answers given longest
ago are forgotten first.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from outcome_monitors.features.aggregates import digest
from outcome_monitors.features.feature import Feature, Features, Sort
from outcome_monitors.features.field_names import IDS, names_a_thing
from outcome_monitors.features.limits import RECORD_FEATURES, SESSION_ANSWERS
from outcome_monitors.features.tool_names import may_write
from outcome_monitors.jsonvalue.paths import ROOT
from outcome_monitors.jsonvalue.text import last_word

OTHERS = "?"
"""Stands, as the key of a repeat, for the calls with other arguments."""
AFTER = "after "
"""Begins the key of a repeat that follows a write."""
WHOLE = Sort.WHOLE.of(ROOT)
"""The field that stands for an answer as a whole."""


LARGEST_ID = 10**18
LEAST_WORD = 3
"""Shorter texts are in any two calls by chance."""
DEEPEST_ID = 2
"""Steps to an id of the answer itself: `id`, `order.id`."""

_QUESTION = Sort.ARGUMENTS.of()
_HOLDING = frozenset({Sort.FIELD, Sort.NUMBER})
"""Sorts that show whether there is something in an answer."""
_CONTENT = frozenset({*_HOLDING, Sort.SUM, Sort.WHOLE})
"""Sorts that an answer as a whole is known by."""
_NOTHING = (None, "", 0, False)
_SCALARS = frozenset({bool, float, int, str})
_SCALAR_CODES = frozenset("bns")


class Summary(NamedTuple):
    """One answer."""

    asked: str
    whole: Hashable
    """All that it says; None of one so wide that not all of it is kept."""
    tells: bool
    """There is something in it."""
    ids: tuple[tuple[Feature, Any, str], ...]
    """What names the answer: fields, their values, and these as words."""
    said: frozenset[tuple[str, Any]]
    """What it says, under the last name of each field."""
    about: frozenset[str]
    """What was asked about."""


def summary_of(arguments: Mapping[str, Any], root: Features) -> Summary:
    """Sum up an answer by its features."""
    features = list(zip(root.names, root.codes, root.values, strict=True))
    return Summary(
        # The features of a root record carry the hash of the arguments, unless there are too many others.
        next((str(value) for name, _, value in features if name == _QUESTION), None) or digest(arguments),
        # Types, too, since a large number that is whole equals one that need not be.
        tuple([(name, code, type(value), value) for name, code, value in features if name.sort in _CONTENT])
        if len(features) < RECORD_FEATURES
        else None,
        any(value not in _NOTHING for name, _, value in features if name.sort in _HOLDING),
        tuple(
            [
                (name, value, word)
                for name, _, value in features
                if _names_it(name) and (word := word_of(value))
            ]
        ),
        frozenset(
            [
                (str(name.steps[-1]), value)
                for name, code, value in features
                if name.sort is Sort.FIELD and name.steps and code in _SCALAR_CODES
            ]
        ),
        about(arguments),
    )


@lru_cache(maxsize=16384)
def _names_it(name: Feature) -> bool:
    """Say whether a feature names what the answer is about: what lies deeper names what that belongs to."""
    return name.sort is Sort.FIELD and len(name.steps) <= DEEPEST_ID and names_a_thing(name)


def word_of(value: Any) -> str:
    """Return a text, or a whole number as one; nothing of what is neither, or too large to be written."""
    if type(value) is int:
        return str(value) if -LARGEST_ID < value < LARGEST_ID else ""
    return value if type(value) is str else ""


def about(arguments: Mapping[str, Any]) -> frozenset[str]:
    """Return the texts and whole numbers that a call is about."""
    return frozenset([word for value in arguments.values() if len(word := word_of(value)) >= LEAST_WORD])


class Repeat(NamedTuple):
    """A field of an answer that could have been that of an earlier one, and whether it was not."""

    key: str
    field: Feature
    held: bool
    value: Any


class _Question(NamedTuple):
    """An earlier question: its answer, what it was about, the tools that wrote since, and what the answer says under which name."""

    whole: Hashable
    about: frozenset[str]
    writers: frozenset[str]
    said: frozenset[tuple[str, Any]]

    def concerned_by(self, named: frozenset[str]) -> bool:
        """Say whether a write may be about the same things: by what it names, and all where this is about everything."""
        return not self.about or not self.about.isdisjoint(named)

    def doubtful(self) -> "_Question":
        """Return the question without its answer: who knows whether that should change?"""
        return self._replace(whole=None)


class Answers:
    """What a session was given so far; `writes` says of a tool whether calling it may change something."""

    def __init__(self, writes: Callable[[str], bool] = may_write) -> None:
        self._writes = writes
        self._given: OrderedDict[tuple[str, Feature, Any], str] = OrderedDict()
        """For each tool, field and value the arguments, known by their hash, that first gave it."""
        self._asked: OrderedDict[tuple[str, str], _Question] = OrderedDict()
        self._questions: OrderedDict[str, set[str]] = OrderedDict()
        """Which ones each tool was asked."""
        self._written: OrderedDict[tuple[str, str], None] = OrderedDict()
        """The writes so far, with their arguments."""

    def recall(self, tool: str, answer: Summary) -> Iterator[Repeat]:
        """Yield what could have been repeated."""
        for field, value, held in self._given_before(tool, answer):
            yield Repeat(OTHERS, field, held, value)
        yield from self._since_a_write(tool, answer.asked, answer.whole)

    def _given_before(self, tool: str, answer: Summary) -> Iterable[tuple[Feature, Any, bool]]:
        """Return what other questions could have been given, and whether they were not."""
        asked, questions = answer.asked, self._questions.get(tool)
        if not questions:
            return ()
        writes = self._writes(tool)
        # Clauses are mined by names: of what reads by its name, nothing shows that each answer is a new one.
        new = writes and may_write(tool)
        if not new and len(questions) == 1 and asked in questions:
            return ()
        return [
            (field, value, given is None or (given == asked and not new))
            for field, value in _distinctive(answer, writes=writes)
            for given in (self._given.get((tool, field, value)),)
        ]

    def _since_a_write(self, tool: str, asked: str, whole: Hashable) -> Iterator[Repeat]:
        """Yield the answer that the same question had before one write; a write that is made again may change nothing."""
        before = self._asked.get((tool, asked))
        if before is None or before.whole is None or whole is None or self._writes(tool):
            return
        if len(before.writers) == 1:
            yield Repeat(AFTER + min(before.writers), WHOLE, before.whole != whole, None)

    def remember(self, tool: str, answer: Summary) -> None:
        """Keep an answer, to be held against others and against its own after a write."""
        asked = answer.asked
        for field, value in _distinctive(answer, writes=self._writes(tool)):
            self._given.setdefault((tool, field, value), asked)
        _bound(self._given)
        questions = self._questions.get(tool)
        if questions is None:
            questions = self._questions[tool] = set()
            _bound(self._questions)
        if len(questions) < SESSION_ANSWERS:
            questions.add(asked)
        if self._writes(tool) and _says_no(answer):
            self._doubt(tool, answer.about)
        self._asked[tool, asked] = _Question(answer.whole, answer.about, frozenset(), answer.said)
        self._asked.move_to_end((tool, asked))
        _bound(self._asked)
        _bound(self._written)

    def wrote(self, tool: str, arguments: Mapping[str, Any]) -> None:
        """Note a write against all questions about the same things, and those about everything.

        One that was made before, or that sets what is so already, may change nothing: then an answer that stays is not stale.
        """
        named, sets = about(arguments), frozenset(_sets(arguments))
        write = (tool, digest(arguments))
        again = write in self._written
        self._written[write] = None
        for question, asked in self._asked.items():
            if asked.concerned_by(named):
                noted = _Question(asked.whole, asked.about, asked.writers | {tool}, asked.said)
                idle = (again and tool not in asked.writers) or (bool(sets) and sets <= asked.said)
                self._asked[question] = noted.doubtful() if idle else noted

    def _doubt(self, tool: str, named: frozenset[str]) -> None:
        """Note that a write says itself that it has changed nothing."""
        for question, asked in self._asked.items():
            if tool in asked.writers and asked.concerned_by(named):
                self._asked[question] = asked.doubtful()

    def may_have_written(self) -> None:
        """Note a call that may have changed anything, or nothing: no answer is known to be from before a write."""
        self._asked.clear()


def _distinctive(answer: Summary, *, writes: bool) -> list[tuple[Feature, Any]]:
    """Return the answer as a whole, where there is something in it, and its ids, where the caller named none of them."""
    # That a write says "done" twice shows nothing.
    found = [(WHOLE, answer.whole)] if answer.whole is not None and answer.tells and not writes else []
    # What was asked for by its id was there before; its other ids are of what it belongs to, as a second order is of the same customer.
    if not any(word in answer.about for *_, word in answer.ids):
        found += [(name, value) for name, value, _ in answer.ids]
    return found


def _sets(arguments: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield what a write is told to set: its arguments, but for those that name a thing."""
    for name, value in arguments.items():
        if last_word(name) not in IDS:
            yield name, value if type(value) in _SCALARS else digest(value)


def _says_no(answer: Summary) -> bool:
    """Say whether a write's answer bears an error, denies success, or counts nothing that it has changed."""
    said = {name.lower(): value for name, value in answer.said}
    denied = any(said.get(name) is False for name in _DONE)
    idle = any(name in said and said[name] in (0, False) for name in _CHANGED)
    return denied or idle or any(value and name.startswith(_FAILED) for name, value in said.items())


_DONE = ("done", "ok", "success", "succeeded", "successful")
_CHANGED = ("affected", "changed", "modified", "updated", "rows_affected", "updated_count", "modified_count")
_FAILED = ("err", "exception", "fail")
"""How the names of fields that bear errors begin."""


def _bound(kept: OrderedDict[Any, Any]) -> None:
    while len(kept) > SESSION_ANSWERS:
        kept.popitem(last=False)
