"""One run of an agent: its results in order, each held against what the run has heard before."""

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from outcome_monitors.memory.past import Past, Recalled, records_to_remember
from outcome_monitors.model import Clause, Json, Violation
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.session import SessionKind, What

from .causes import Broken, explained

if TYPE_CHECKING:
    from .monitor import Monitor

__all__ = ["Session"]

MOST_FLAGGED = 512
"""Tools whose last result was flagged that are remembered."""
_NOTHING: frozenset[str] = frozenset()


class Session:
    """Checks the results of one run, in order; bounded memory, no I/O, as silent as the monitor it belongs to."""

    def __init__(self, monitor: "Monitor") -> None:
        self._monitor = monitor
        self._past = Past(monitor._relations.may_write)  # noqa: SLF001 - its own monitor
        self._flagged: dict[str, frozenset[str]] = {}
        """Of each tool whose last result was flagged, for what."""
        self._before: frozenset[str] = _NOTHING
        """For what the tool called last had been flagged the time before."""

    def check(
        self, tool: str, arguments: Mapping[str, Json], result: Json, *, remember: bool = True
    ) -> tuple[Violation, ...]:
        """Return the violations of a result; `remember` says whether later results are held against it."""
        return tuple(
            violation
            for _, violation in self.broken(self._monitor, tool, arguments, result, remember=remember)
        )

    def advise(
        self, tool: str, arguments: Mapping[str, Json], result: Json, tools: Collection[str] | None = None
    ) -> Any:
        """Return the result itself, or, where it breaks its contract, the envelope with the result and a receipt."""
        broken = self.broken(self._monitor, tool, arguments, result)
        suspects = self.suspects(tool, [violation for _, violation in broken])
        return self._monitor._advised(tool, arguments, result, broken, tools, suspects)  # noqa: SLF001 - its own monitor

    def suspects(self, tool: str, violations: Iterable[Violation]) -> frozenset[str]:
        """Return the tools not to be offered for a flagged result: their own last result was flagged for the same thing.

        The tool itself is one of them where its last result but one was.
        """
        codes = {violation.code for violation in violations}
        found = {name for name, flagged in self._flagged.items() if name != tool and flagged & codes}
        return frozenset(found | {tool} if self._before & codes else found)

    def skip(self, tool: str) -> None:
        """Note a call whose result is not checked: if the tool may write, what was heard before may no longer hold."""
        self._past.missed(tool)

    def broken(
        self,
        monitor: "Monitor",
        tool: str,
        arguments: Mapping[str, Json],
        result: Json,
        *,
        remember: bool = True,
    ) -> Broken:
        """Return each broken clause with its violation, as `monitor` has it: contracts may change during a session."""
        broken = self._held(monitor, tool, arguments, result, remember=remember)
        if remember and (broken or self._flagged):
            self._before = self._flagged.pop(tool, _NOTHING)
            if broken and len(self._flagged) < MOST_FLAGGED:
                self._flagged[tool] = frozenset(violation.code for _, violation in broken)
        return broken

    def _held(
        self, monitor: "Monitor", tool: str, arguments: Mapping[str, Json], result: Json, *, remember: bool
    ) -> Broken:
        """Hold a result against its contract, and against what the run has heard before."""
        broken = monitor._broken(tool, arguments, result)  # noqa: SLF001 - its own monitor
        clauses = monitor._remembers.get(tool)  # noqa: SLF001 - its own monitor
        try:
            if remember:
                self._past.called(tool, arguments)
            if not monitor._remembers:  # noqa: SLF001 - its own monitor
                return broken
            records, counts = records_to_remember(arguments, result), monitor._counts_on  # noqa: SLF001 - its own monitor
            if clauses:
                recalled = self._past.recall(tool, arguments, records, counts=counts)
                contradicted = _contradicted(clauses, recalled)
                monitor.counts.flagged += bool(contradicted and not broken)
                broken = explained((*broken, *contradicted))
            # What is suspect is not held against the next result.
            if remember and not broken:
                self._past.remember(tool, arguments, records, counts=counts)
        except Exception as error:  # noqa: BLE001 - nothing leaves the monitor
            monitor._memory_failed(tool, error)  # noqa: SLF001 - its own monitor
        return broken


def _contradicted(clauses: Mapping[What, Clause], recalled: Iterable[Recalled]) -> Broken:
    """Return what contradicts the past: of each record and identity the first field."""
    found: dict[tuple[str, str], tuple[Clause, Violation]] = {}
    for what, held, before, now in recalled:
        clause = None if held else clauses.get(what)
        if clause is not None and what[:2] not in found:
            kind = KINDS[clause.kind]
            assert isinstance(kind, SessionKind)
            found[what[:2]] = (clause, kind.violation(clause, before, now))
    return tuple(found.values())
