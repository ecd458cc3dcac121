"""The state of a session: what was said of things and which answers were given; beside what is said now."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from outcome_monitors.features.feature import Features
from outcome_monitors.features.tool_names import may_write
from outcome_monitors.jsonvalue.paths import ROOT

from . import What
from .answers import Answers, Summary, summary_of
from .statements import Statement, Statements, records_to_remember, statements_of

__all__ = ["Recalled", "Records", "SessionEntry", "SessionState", "extract", "records_to_remember"]

Records = list[tuple[str, Features]]


class Recalled(NamedTuple):
    """Something of the past that a result could contradict: whether it holds, what was said before, and now."""

    what: What
    held: bool
    before: Any
    now: Any


class SessionEntry(NamedTuple):
    """What is kept of one answer."""

    statements: Sequence[Statement]
    answer: Summary
    """The answer as a whole."""


def extract(tool: str, arguments: Mapping[str, Any], records: Records) -> SessionEntry:
    """Return what is kept of an answer with these records."""
    return SessionEntry([*statements_of(tool, records)], summary_of(arguments, records[0][1]))


class SessionState:
    """What one session has heard so far; bounded.

    `writes` says of a tool whether calling it may change something: by its name, where nobody knows more.
    """

    def __init__(self, writes: Callable[[str], bool] = may_write) -> None:
        self._writes = writes
        self._statements = Statements()
        self._answers = Answers(writes)

    def recall(self, tool: str, entry: SessionEntry) -> Iterator[Recalled]:
        """Yield all that is said now and can be held against the past; after a write, what was said of things is void."""
        if not self._writes(tool):
            for path, key, field, before, now in self._statements.recall(entry.statements):
                yield Recalled((path, key, field), before == now, before, now)
        for key, field, held, value in self._answers.recall(tool, entry.answer):
            yield Recalled((ROOT, key, field), held, None, value)

    def contradicted(self, tool: str, entry: SessionEntry) -> list[Recalled]:
        """Return what of it does not hold."""
        return [one for one in self.recall(tool, entry) if not one.held]

    def remember(self, tool: str, entry: SessionEntry) -> None:
        """Keep what is said now."""
        self._statements.remember(entry.statements)
        self._answers.remember(tool, entry.answer)

    def called(self, tool: str, arguments: Mapping[str, Any]) -> None:
        """Note a call before its result is known: a tool that may write makes void what was said of things."""
        if self._writes(tool):
            self._statements.wrote()
            self._answers.wrote(tool, arguments)

    def missed(self, tool: str) -> None:
        """Note a call of which no more is known: it may have failed, and have written all the same."""
        if self._writes(tool):
            self._statements.wrote()
            self._answers.may_have_written()
