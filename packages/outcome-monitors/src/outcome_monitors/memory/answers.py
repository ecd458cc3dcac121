"""Which answers a session was given for which questions: another question has another answer, and so has the same one after a write.

Held apart from what was said of things (`statements`): a write makes that void, but not this. Bounded: the answers given longest
ago are forgotten first.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from outcome_monitors.records.aggregates import digest
from outcome_monitors.records.feature import Feature, Sort
from outcome_monitors.records.identity import IDS
from outcome_monitors.values.paths import ROOT
from outcome_monitors.values.verbs import may_write
from outcome_monitors.values.words import last_word

from .summary import Summary, about

__all__ = ["AFTER", "OTHERS", "WHOLE", "Answers", "Repeat"]

MOST_ANSWERS = 256

OTHERS = "?"
"""Stands, as the key of a repeat, for the calls with other arguments."""
AFTER = "after "
"""Begins the key of a repeat that follows a write."""
WHOLE = Sort.WHOLE.of(ROOT)
"""The field that stands for an answer as a whole."""


class Repeat(NamedTuple):
    """A field of an answer that could have been that of an earlier one, and whether it was not."""

    key: str
    field: Feature
    held: bool
    value: Any


class _Asked(NamedTuple):
    """An earlier question: its answer, what it was about, the tools that wrote since, and what the answer says under which name."""

    whole: Hashable
    about: frozenset[str]
    writers: frozenset[str]
    said: frozenset[tuple[str, Any]]

    def concerned_by(self, named: frozenset[str]) -> bool:
        """Say whether a write may be about the same things: by what it names, and all where this is about everything."""
        return not self.about or not self.about.isdisjoint(named)

    def doubtful(self) -> "_Asked":
        """Return the question without its answer: who knows whether that should change?"""
        return self._replace(whole=None)


class Answers:
    """What a session was given so far; `writes` says of a tool whether calling it may change something."""

    def __init__(self, writes: Callable[[str], bool] = may_write) -> None:
        self._writes = writes
        self._given: OrderedDict[tuple[str, Feature, Any], str] = OrderedDict()
        """For each tool, field and value the arguments, known by their hash, that first gave it."""
        self._asked: OrderedDict[tuple[str, str], _Asked] = OrderedDict()
        self._questions: OrderedDict[str, set[str]] = OrderedDict()
        """Which ones each tool was asked."""
        self._written: OrderedDict[tuple[str, str], None] = OrderedDict()
        """The writes so far, with their arguments."""

    def recall(self, tool: str, answer: Summary) -> Iterator[Repeat]:
        """Yield what could have been repeated."""
        for field, value, held in self._given_before(tool, answer):
            yield Repeat(OTHERS, field, held, value)
        yield from self._since_a_write(tool, answer.asked, answer.whole)

    def repeated(self, tool: str, answer: Summary) -> list[Repeat]:
        """Return what was repeated; mostly nothing was."""
        given = self._given_before(tool, answer)
        found = [Repeat(OTHERS, field, held, value) for field, value, held in given if not held]
        if self._asked:
            found += [one for one in self._since_a_write(tool, answer.asked, answer.whole) if not one.held]
        return found

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
            for field, value in _telling(answer, writes=writes)
            for given in (self._given.get((tool, field, value)),)
        ]

    def _since_a_write(self, tool: str, asked: str, whole: Hashable) -> Iterator[Repeat]:
        """Yield the answer that the same question had before one write; a write that is made again may change nothing."""
        before = self._asked.get((tool, asked))
        if before is None or before.whole is None or whole is None or self._writes(tool):
            return
        if len(before.writers) == 1:
            yield Repeat(AFTER + min(before.writers), WHOLE, before.whole != whole, None)

    def remember(self, tool: str, answer: Summary, *, renews: bool = True) -> None:
        """Keep an answer; `renews` says whether it may be asked which answers should be others after a write."""
        asked = answer.asked
        for field, value in _telling(answer, writes=self._writes(tool)):
            self._given.setdefault((tool, field, value), asked)
        _bound(self._given)
        questions = self._questions.get(tool)
        if questions is None:
            questions = self._questions[tool] = set()
            _bound(self._questions)
        if len(questions) < MOST_ANSWERS:
            questions.add(asked)
        if renews:
            self._note(tool, answer.about, answer)

    def _note(self, tool: str, named: frozenset[str], answer: Summary) -> None:
        """Keep what a question was answered, to be held against its answer after a write."""
        if self._writes(tool) and _says_no(answer):
            self._doubt(tool, named)
        self._asked[tool, answer.asked] = _Asked(answer.whole, named, _NOBODY, answer.said)
        self._asked.move_to_end((tool, answer.asked))
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
                noted = _Asked(asked.whole, asked.about, asked.writers | {tool}, asked.said)
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


def _telling(answer: Summary, *, writes: bool) -> list[tuple[Feature, Any]]:
    """Return the answer as a whole, where there is something in it, and its ids, where the caller did not name them."""
    # That a write says "done" twice shows nothing.
    found = [(WHOLE, answer.whole)] if answer.whole is not None and answer.tells and not writes else []
    if answer.ids:
        named = answer.about
        # What a write was told to change was there before, and may come again.
        if not (writes and any(word in named for *_, word in answer.ids)):
            found += [(name, value) for name, value, word in answer.ids if word not in named]
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


_SCALARS = frozenset({bool, float, int, str})
_DONE = ("done", "ok", "success", "succeeded", "successful")
_CHANGED = ("affected", "changed", "modified", "updated", "rows_affected", "updated_count", "modified_count")
_NOBODY: frozenset[str] = frozenset()
_FAILED = ("err", "exception", "fail")
"""How the names of fields that bear errors begin."""


def _bound(kept: OrderedDict[Any, Any]) -> None:
    while len(kept) > MOST_ANSWERS:
        kept.popitem(last=False)
