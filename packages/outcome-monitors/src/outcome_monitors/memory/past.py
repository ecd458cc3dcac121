"""The past of a session: what was said of things, which answers were given, how far counts have run; beside what is said now."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from outcome_monitors.records.features import Features
from outcome_monitors.values.paths import ROOT
from outcome_monitors.values.verbs import may_write

from . import What
from .answers import Answers, Summary, summary_of
from .counters import Counted, Heights, counted_in
from .statements import Statement, Statements, records_to_remember, statements_of

__all__ = ["Keepsake", "Past", "Recalled", "Records", "all_of", "records_to_remember"]

Records = list[tuple[str, Features]]


class Recalled(NamedTuple):
    """Something of the past that a result could contradict: whether it holds, what was said before, and now."""

    what: What
    held: bool
    before: Any
    now: Any


class Keepsake(NamedTuple):
    """What is kept of one answer, as far as anybody asks for it."""

    statements: Sequence[Statement]
    answer: Summary | None
    """The answer as a whole."""
    counted: Sequence[Counted]
    """The counts and clocks of its records."""
    renews: bool = True
    """It may be asked whether the answer is another one after a write."""


def all_of(tool: str, arguments: Mapping[str, Any], records: Records) -> Keepsake:
    """Return all that can be kept of an answer: mining does not know yet what will be asked for."""
    return Keepsake(
        [*statements_of(tool, records)],
        summary_of(arguments, records[0][1]),
        counted_in(tool, arguments, records),
    )


class Past:
    """What one session has heard so far; bounded.

    `writes` says of a tool whether calling it may change something: by its name, where nobody knows more.
    """

    def __init__(self, writes: Callable[[str], bool] = may_write) -> None:
        self._writes = writes
        self._statements = Statements()
        self._answers = Answers(writes)
        self._heights = Heights(writes)

    def recall(self, tool: str, heard: Keepsake) -> Iterator[Recalled]:
        """Yield all that is said now and can be held against the past; after a write, what was said of things is void."""
        if not self._writes(tool):
            for path, key, field, before, now in self._statements.recall(heard.statements):
                yield Recalled((path, key, field), before == now, before, now)
        if heard.answer is not None:
            for key, field, held, value in self._answers.recall(tool, heard.answer):
                yield Recalled((ROOT, key, field), held, None, value)
        for path, key, field, held, before, now in self._heights.recall(tool, heard.counted):
            yield Recalled((path, key, field), held, before, now)

    def contradicted(self, tool: str, heard: Keepsake) -> list[Recalled]:
        """Return what of it does not hold."""
        return [one for one in self.recall(tool, heard) if not one.held]

    def remember(self, tool: str, heard: Keepsake) -> None:
        """Keep what is said now."""
        self._statements.remember(heard.statements)
        if heard.answer is not None:
            self._answers.remember(tool, heard.answer, renews=heard.renews)
        self._heights.remember(tool, heard.counted)

    def called(self, tool: str, arguments: Mapping[str, Any], *, renews: bool = True) -> None:
        """Note a call before its result is known: a tool that may write makes void what was said of things.

        `renews` says whether it may be asked which answers should be others now.
        """
        if self._writes(tool):
            self._statements.wrote()
            if renews:
                self._answers.wrote(tool, arguments)

    def missed(self, tool: str) -> None:
        """Note a call of which no more is known: it may have failed, and have written all the same."""
        if self._writes(tool):
            self._statements.wrote()
            self._answers.may_have_written()
