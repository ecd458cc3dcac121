"""One run of an agent: its results in order, each held against what the run has heard before."""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from ._features import Features, shown
from ._memory import Memory, reads, records_to_remember
from ._model import Clause, Json, Violation
from ._values import clip
from .rules import KINDS
from .rules._record import noun, place_of, said

if TYPE_CHECKING:
    from ._monitor import Monitor

__all__ = ["Session"]

Broken = tuple[tuple[Clause, Violation], ...]


class Session:
    """Checks the results of one run, in order; bounded memory, no I/O, as silent as the monitor it belongs to."""

    def __init__(self, monitor: "Monitor") -> None:
        self._monitor = monitor
        self._memory = Memory()

    def check(
        self, tool: str, arguments: Mapping[str, Json], result: Json, *, remember: bool = True
    ) -> tuple[Violation, ...]:
        """Return the violations of a result; `remember` says whether later results are held against it."""
        return tuple(violation for _, violation in self._broken(tool, arguments, result, remember=remember))

    def advise(
        self, tool: str, arguments: Mapping[str, Json], result: Json, tools: Collection[str] | None = None
    ) -> Any:
        """Return the result itself, or, where it breaks its contract, the envelope with the result and a receipt."""
        return self._monitor._advised(tool, result, self._broken(tool, arguments, result), tools)  # noqa: SLF001 - its own monitor

    def skip(self, tool: str) -> None:
        """Note a call whose result is not checked: if the tool may write, what was heard before may no longer hold."""
        if not reads(tool):
            self._memory.wrote()

    def _broken(
        self, tool: str, arguments: Mapping[str, Json], result: Json, *, remember: bool = True
    ) -> Broken:
        broken = self._monitor._broken(tool, arguments, result)  # noqa: SLF001 - its own monitor
        clauses = self._monitor._remembers.get(tool)  # noqa: SLF001 - its own monitor
        try:
            if remember and not reads(tool):
                self._memory.wrote()
            if not self._monitor._remembers:  # noqa: SLF001 - its own monitor
                return broken
            records = records_to_remember(arguments, result)
            if clauses:
                wrote = Memory() if not remember and not reads(tool) else self._memory
                contradicted = _contradicted(clauses, wrote, tool, records)
                self._monitor.counts.flagged += bool(contradicted and not broken)
                broken = (*broken, *contradicted)
            # What is suspect is not held against the next result.
            if remember and not broken:
                self._memory.remember(tool, records)
        except Exception as error:  # noqa: BLE001 - nothing leaves the monitor
            self._monitor._memory_failed(tool, error)  # noqa: SLF001 - its own monitor
        return broken


def _contradicted(
    clauses: Mapping[tuple[str, str, str], Clause],
    memory: Memory,
    tool: str,
    records: list[tuple[str, Features]],
) -> Broken:
    """Return what contradicts the memory: of each record and identity the first field."""
    found: dict[tuple[str, str], tuple[Clause, Violation]] = {}
    for path, key, field, before, now in memory.recall(tool, records):
        clause = clauses.get((path, key, field))
        if clause is not None and before != now and (path, key) not in found:
            detail = f"{said(field)} is not what this session heard before for the same {noun(key)}"
            code, place = KINDS[clause.kind].code_of(clause), place_of(path, field)
            found[path, key] = (clause, Violation(code, place, clip(shown(before)), clip(shown(now)), detail))
    return tuple(found.values())
