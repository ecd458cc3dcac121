"""What today's calls did to each clause of a tool, in the order of time."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from .._explaining import Broken
from .._model import Call, Clause, Contract
from .._registry import Registry
from .._tasks import task_hash
from .._values import clip_text
from ._applies import Applies, applies
from ._holding import held

__all__ = ["Break", "ClauseRecord", "ToolRecord", "records"]

SILENT, HELD, BROKEN = 0, 1, 2
"""What a call did to a clause: nothing that it could judge, or what it demands, or not."""
MOST_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Break:
    """A call that breaks a clause."""

    place: int
    """Which of the tool's calls it is."""
    observed: str
    beside: int
    """Places of the result that are broken beside this one."""


@dataclass(slots=True)
class ClauseRecord:
    """One clause, and what each call did to it."""

    clause: Clause
    applies: Applies
    states: bytearray = field(default_factory=bytearray)
    breaks: list[Break] = field(default_factory=list)


@dataclass(slots=True)
class ToolRecord:
    """One tool, and its calls in order."""

    tool: str
    clauses: list[ClauseRecord]
    tasks: list[int] = field(default_factory=list)
    times: list[str] = field(default_factory=list)
    """When each call was; empty where the trace does not say."""
    flagged: int = 0

    def add(self, call: Call, broken: Broken) -> None:
        """Note one call."""
        found = {id(clause): violation for clause, violation in broken}
        places = {violation.path for violation in found.values()}
        for record in self.clauses:
            violation = found.get(id(record.clause))
            if violation is not None:
                shown = clip_text(str(violation.observed), MOST_SHOWN)
                record.breaks.append(Break(len(self.tasks), shown, len(places - {violation.path})))
                record.states.append(BROKEN)
            else:
                record.states.append(HELD if _applies(record, call) else SILENT)
        self.tasks.append(task_hash(call))
        self.times.append(_time(call))
        self.flagged += bool(broken)


def records(calls: Iterable[Call], registry: Registry) -> Mapping[str, ToolRecord]:
    """Hold calls against contracts, and return what became of each tool that has one, called or not."""
    found = {tool: _empty(contract) for tool, contract in sorted(registry.contracts.items())}
    for call, broken in held(calls, registry):
        found[call.tool].add(call, broken)
    for record in found.values():
        _in_order_of_time(record)
    return found


def _empty(contract: Contract) -> ToolRecord:
    return ToolRecord(contract.tool, [ClauseRecord(clause, applies(clause)) for clause in contract.clauses])


def _applies(record: ClauseRecord, call: Call) -> bool:
    try:
        return record.applies(call.arguments, call.result)
    except Exception:  # noqa: BLE001 - a result of any shape may come; what cannot be asked says nothing
        return False


def _time(call: Call) -> str:
    """Return the time of a call in one form, which sorts as it passes; nothing where it has none."""
    text = call.extra.get("time")
    try:
        moment = datetime.fromisoformat(text) if isinstance(text, str) else None
        if moment is None:
            return ""
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return ""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _in_order_of_time(record: ToolRecord) -> None:
    """Put the calls in the order of their times; where one has none, they stand as they were read."""
    if not all(record.times):
        record.times = [""] * len(record.times)
        return
    order = sorted(range(len(record.times)), key=record.times.__getitem__)
    if order == list(range(len(order))):
        return
    place = {old: new for new, old in enumerate(order)}
    record.tasks = [record.tasks[old] for old in order]
    record.times = [record.times[old] for old in order]
    for clause in record.clauses:
        clause.states = bytearray(clause.states[old] for old in order)
        moved = [Break(place[b.place], b.observed, b.beside) for b in clause.breaks]
        clause.breaks = sorted(moved, key=lambda b: b.place)
