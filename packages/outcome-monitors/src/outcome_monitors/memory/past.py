"""The past of a session: what was said of things, which answers were given, how far counts have run; beside what is said now."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from outcome_monitors.records.feature import Feature
from outcome_monitors.records.features import Features
from outcome_monitors.values.paths import ROOT
from outcome_monitors.values.verbs import may_write

from . import What
from .answers import Answers
from .counters import Counted, Heights, counted_in
from .flat import Glance
from .statements import Identity, Statement, Statements, records_to_remember, statements_of
from .summary import Summary, summary_of

__all__ = ["Keepsake", "Past", "Recalled", "Records", "all_of", "records_to_remember"]

MOST_PUT_BY = 64
MOST_READ = 256

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
        self._memory = Statements()
        self._answers = Answers(writes)
        self._heights = Heights(writes)
        self._put_by: dict[Identity, Glance] = {}
        """Answers that contradict nothing and are still to be read, under all that they are known by; no two of them by the same."""
        self._read: dict[Identity, tuple[Glance, Mapping[Feature, Any]]] = {}
        """Those that were read, under the first of it, and what they say."""

    def takes(self, glance: Glance) -> bool:
        """Put an answer by, if it can contradict nothing: it is the same again, or of something that was never heard of."""
        put_by, identities = self._put_by, glance.identities
        before = put_by.get(identities[0])
        if before is not None:
            return before.content == glance.content
        known = self._read.get(identities[0])
        if known is not None and known[0].content == glance.content:
            return self._memory.still_hold(known[0].identities, known[1])
        if glance.summed_up and not self._memory.complete:
            return False
        for identity in identities:
            if identity in self._memory or identity in put_by:
                return False
        if len(put_by) >= MOST_PUT_BY:
            self._settle()
        for identity in identities:
            put_by[identity] = glance
        return True

    def _settle(self) -> None:
        """Read what was put by."""
        for glance in {id(glance): glance for glance in self._put_by.values()}.values():
            tool, statements, summary = glance.read()
            self._memory.remember(statements)
            if summary is not None:
                self._answers.remember(tool, summary, renews=False)
            self._note(glance, statements)
        self._put_by.clear()

    def _note(self, glance: Glance, statements: Sequence[Statement]) -> None:
        """Keep what an answer looks like that was read: when it comes again, it need not be read again."""
        if len(self._read) >= MOST_READ:
            self._read.clear()
        self._read[glance.identities[0]] = (glance, statements[0][3])

    def recall(self, tool: str, heard: Keepsake) -> Iterator[Recalled]:
        """Yield all that is said now and can be held against the past; after a write, what was said of things is void."""
        self._settle()
        if not self._writes(tool):
            for path, key, field, before, now in self._memory.recall(heard.statements):
                yield Recalled((path, key, field), before == now, before, now)
        if heard.answer is not None:
            for key, field, held, value in self._answers.recall(tool, heard.answer):
                yield Recalled((ROOT, key, field), held, None, value)
        yield from self._steps(tool, heard.counted)

    def contradicted(self, tool: str, heard: Keepsake) -> list[Recalled]:
        """Return what of it does not hold."""
        if self._put_by:
            self._settle()
        found: list[Recalled] = []
        statements = self._memory.contradicted(heard.statements)
        if statements and not self._writes(tool):
            found += [
                Recalled((p, key, field), held=False, before=b, now=n) for p, key, field, b, n in statements
            ]
        if heard.answer is not None:
            repeated = self._answers.repeated(tool, heard.answer)
            found += [Recalled((ROOT, key, field), held, None, now) for key, field, held, now in repeated]
        if heard.counted:
            found += [step for step in self._steps(tool, heard.counted) if not step.held]
        return found

    def _steps(self, tool: str, counted: Sequence[Counted]) -> Iterator[Recalled]:
        for path, key, field, held, before, now in self._heights.recall(tool, counted):
            yield Recalled((path, key, field), held, before, now)

    def remember(self, tool: str, heard: Keepsake, glance: Glance | None = None) -> None:
        """Keep what is said now; `glance` is the same answer as it came."""
        if self._put_by:
            self._settle()
        self._memory.remember(heard.statements)
        if heard.answer is not None:
            self._answers.remember(tool, heard.answer, renews=heard.renews)
        if heard.counted:
            self._heights.remember(tool, heard.counted)
        if glance is not None:
            self._note(glance, heard.statements)

    def called(self, tool: str, arguments: Mapping[str, Any], *, renews: bool = True) -> bool:
        """Note a call before its result is known: a tool that may write makes void what was said of things. Say whether it may.

        `renews` says whether it may be asked which answers should be others now.
        """
        if not self._writes(tool):
            return False
        self._settle()
        self._memory.wrote()
        if renews:
            self._answers.wrote(tool, arguments)
        return True

    def missed(self, tool: str) -> None:
        """Note a call of which no more is known: it may have failed, and have written all the same."""
        if self._writes(tool):
            self._settle()
            self._memory.wrote()
            self._answers.may_have_written()
