"""The past of a session: what was said of things, which answers were given, how far counts have run; beside what is said now."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from outcome_monitors.records.features import Features
from outcome_monitors.values.paths import ROOT
from outcome_monitors.values.verbs import may_write

from .answers import Answers, about
from .counters import Heights
from .statements import Statements, records_to_remember

__all__ = ["Past", "Recalled", "Records", "records_to_remember"]

Records = list[tuple[str, Features]]


class Recalled(NamedTuple):
    """Something of the past that a result could contradict: whether it holds, what was said before, and now."""

    what: tuple[str, str, str]
    held: bool
    before: Any
    now: Any


class Past:
    """What one session has heard so far; bounded.

    `writes` says of a tool whether calling it may change something: by its name, where nobody knows more.
    """

    def __init__(self, writes: Callable[[str], bool] = may_write) -> None:
        self._writes = writes
        self._memory = Statements()
        self._answers = Answers(writes)
        self._heights = Heights(writes)

    def recall(
        self, tool: str, arguments: Mapping[str, Any], records: Records, *, counts: bool = True
    ) -> Iterator[Recalled]:
        """Yield all that is said now and can be held against the past; after a write, what was said of things is void."""
        if not self._writes(tool):
            for path, key, field, before, now in self._memory.recall(tool, records):
                yield Recalled((path, key, field), before == now, before, now)
        for key, field, held, value in self._answers.recall(tool, arguments, records[0][1]):
            yield Recalled((ROOT, key, field), held, None, value)
        steps = self._heights.recall(tool, arguments, records) if counts else ()
        for path, key, field, held, before, now in steps:
            yield Recalled((path, key, field), held, before, now)

    def remember(
        self, tool: str, arguments: Mapping[str, Any], records: Records, *, counts: bool = True
    ) -> None:
        """Keep what is said now; of counts and clocks, where anybody asks for them."""
        self._memory.remember(tool, records)
        self._answers.remember(tool, arguments, records[0][1])
        if counts:
            self._heights.remember(tool, arguments, records)

    def called(self, tool: str, arguments: Mapping[str, Any]) -> None:
        """Note a call before its result is known: a tool that may write makes void what was said of things."""
        if self._writes(tool):
            self._memory.wrote()
            self._answers.wrote(tool, about(arguments))

    def missed(self, tool: str) -> None:
        """Note a call of which no more is known: it may have failed, and have written all the same."""
        if self._writes(tool):
            self._memory.wrote()
            self._answers.may_have_written()
