"""The status in one document: of each tool its stage and why, what is checked and alerted, what waits for a person, what is muted.

The command `status`, a running proxy (`--status`) and pages give the same. It is made anew each time it is asked for, in a time that
does not grow with the store of events: what is checked is a share of the last results.
"""

import json
import logging
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from math import ceil
from pathlib import Path
from typing import NamedTuple, TypeVar

from outcome_monitors.alerting.change_store import read_changes
from outcome_monitors.alerting.changes import ObservedDrift, merged, questions
from outcome_monitors.contracts.identity import ALL_TOOLS
from outcome_monitors.contracts.overrides import Overrides
from outcome_monitors.events import events_at
from outcome_monitors.events.summary import EventCounts, EventSummary, alerts_between, last_results
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.files import refuse_special
from outcome_monitors.model import Json
from outcome_monitors.rules import KINDS
from outcome_monitors.storage.layout import (
    CHANGES,
    CONTRACTS,
    EVIDENCE,
    GIVEN,
    OVERRIDES,
    STAGES,
    TOOLS,
)
from outcome_monitors.storage.storage import EventTable, Storage

from .rollout import (
    ADVISING,
    LEAST_RECENT,
    OBSERVING,
    SHADOW,
    ClauseRollout,
    Thresholds,
    ToolRollout,
    ToolSnapshot,
    coverage,
)
from .rollout_store import AllTools, read_rollout

log = logging.getLogger("outcome_monitors.mcp")

RECENT = 20_000
"""The last results, of which the share is taken that was checked."""

DAY = 86400.0
GIVEN_WHY = "its contract was given"

T = TypeVar("T")
File = TypeVar("File", Path, EventTable)


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusSource:
    """What a status is read off; what is None, or not there yet, says nothing."""

    folder: Path | None = None
    """That of a state, or a host's copy."""
    events: Path | EventTable | None = None
    contracts: Path | None = None
    """Files that are elsewhere than in the folder."""
    changes: Path | None = None
    overrides: Path | None = None
    stage: str = ""
    """The stage of all tools with a contract, where nothing is learned."""
    trouble: str = ""
    """What is known to be wrong already."""
    tools: Collection[str] | None = None
    """Those that are spoken of, where the store has events of other servers too."""
    behind: float = 0.0
    """Seconds by which this host's clock is behind the one that events go by."""

    @classmethod
    def of(cls, storage: Storage) -> "StatusSource":
        """Return that of a state; while a fleet's cannot be reached, nothing is said of its events."""
        return cls(
            folder=storage.folder,
            events=None if storage.trouble else storage.events,
            trouble=storage.trouble,
            behind=storage.behind,
        )

    def file(self, name: str) -> Path | None:
        """Return a file of the folder."""
        return None if self.folder is None else self.folder / name


def status_of(
    source: StatusSource, now: float | None = None, thresholds: Thresholds | None = None
) -> dict[str, Json]:
    """Return the document; a file that cannot be read is named in `troubles`, and the rest is told."""
    reading = _FileReading([source.trouble] if source.trouble else [])
    moment = time.time() + source.behind if now is None else now
    today = moment // DAY * DAY
    events = None if source.events is None else events_at(source.events)
    recent = reading.read(events, lambda file: last_results(file, RECENT), EventSummary())
    told = reading.read(events, lambda file: alerts_between(file, today, today + DAY), Counter[str]())
    if source.tools is not None:
        recent = recent.only(source.tools)
        told = Counter({tool: number for tool, number in told.items() if tool in source.tools})
    progress = reading.read(source.file(STAGES), read_rollout, AllTools({}))
    tasks: dict[str, int] = reading.read(source.contracts or source.file(CONTRACTS), _tasks, {})
    given: dict[str, int] = reading.read(source.file(GIVEN), _tasks, {})
    listed: list[str] = reading.read(source.file(TOOLS), _names, [])
    changes: list[ObservedDrift] = reading.read(source.changes or source.file(CHANGES), read_changes, [])
    decided = reading.read(source.overrides or source.file(OVERRIDES), Overrides.load, Overrides())
    reading.troubles += reading.read(source.file(EVIDENCE), _shrunk, [])
    names = {
        *recent.tools,
        *told,
        *progress.tools,
        *tasks,
        *given,
        *listed,
        *(one.tool for one in changes if one.tool),
    }
    limits = Thresholds() if thresholds is None else thresholds
    tools: dict[str, Json] = {}
    for tool in sorted(names - {""}):
        stage = _stage(tool, source.stage, progress, tasks.get(tool), limits)
        if tool in given and stage.stage != ADVISING:
            stage = stage._replace(stage=ADVISING, why=GIVEN_WHY)
        tools[tool] = _tool(stage, recent.tools.get(tool), told[tool])
        tools[tool].update(_of_people(tool, changes, decided, moment))
    return {
        "time": datetime.fromtimestamp(moment, UTC).isoformat(timespec="seconds"),
        "results": recent.total.results,
        "checked": _share(recent.total),
        "told": told.total(),
        "waiting": [_change(one) for one in _waiting(None, changes, decided)],
        "silent": decided.suppressed(ALL_TOOLS, moment),
        "troubles": reading.troubles,
        "tools": tools,
    }


class ToolStage(NamedTuple):
    """How far a tool has come."""

    stage: str
    why: str
    missing: str
    """What the next stage takes; empty where there is none."""
    proven: int = 0
    """Clauses that agents may be alerted of,"""
    on_trial: int = 0
    """and those that are being validated."""


def stage_of(tool: str, progress: AllTools, tasks: int | None, thresholds: Thresholds) -> ToolStage:
    """Say how far a tool has come; `tasks` stand behind its contract, where one was mined."""
    now = progress.tools.get(tool)
    if now is None or now.rollout is None:
        return _observing(progress, tasks, thresholds)
    proven = sum(one.proven for one in now.clauses.values())
    on_trial = sum(one.pending for one in now.clauses.values())
    if now.rollout.stage == ADVISING:
        said = (
            f"{proven} of {len(now.clauses)} clauses are proven" if now.clauses else "its contract is proven"
        )
        more = f"{on_trial} clause{'' if on_trial == 1 else 's'} on trial" if on_trial else ""
        return ToolStage(ADVISING, said, more, proven, on_trial)
    if proven:
        return ToolStage(SHADOW, *_loud(now.rollout, thresholds), proven, on_trial)
    said = f"none of its {len(now.clauses)} clauses is proven yet"
    return ToolStage(SHADOW, said, _nearest(now, now.rollout, thresholds), proven, on_trial)


def _observing(progress: AllTools, tasks: int | None, thresholds: Thresholds) -> ToolStage:
    if tasks is not None and tasks >= thresholds.tasks:
        return ToolStage(OBSERVING, "its contract is new", "the next call that is recorded")
    if tasks is not None:
        said = "its contract rests on too few tasks"
        return ToolStage(OBSERVING, said, f"{min(tasks, thresholds.tasks)} of {thresholds.tasks} tasks")
    due = max(thresholds.calls, progress.mined // 5)
    new = max(0, min(progress.recorded - progress.mined, due))
    return ToolStage(
        OBSERVING, "nothing was mined of it yet", f"{new} of {due} calls until contracts are mined"
    )


def _loud(tool: ToolRollout, thresholds: Thresholds) -> tuple[str, str]:
    """Say why a tool with proven clauses is not advising: it alerted too often, or too little is known of late."""
    if tool.recent < LEAST_RECENT:
        return (
            "its clauses are proven, and it was called little of late",
            f"{tool.recent:.0f} of {LEAST_RECENT:.0f} recent results",
        )
    share, most = tool.told / tool.recent, thresholds.told / 2
    return (
        "agents were told of too many of its results",
        f"{share:.0%} of recent results would be told, and {most:.0%} may be",
    )


def _nearest(now: ToolSnapshot, tool: ToolRollout, thresholds: Thresholds) -> str:
    """Say what the clause lacks that is nearest to being proven."""
    found = [
        _lack(one, now, tool, thresholds) for one in now.clauses.values() if one.pending and one.kind in KINDS
    ]
    return max(found, default=(0.0, 0.0, "a clause that can be tried"))[2]


def _lack(
    one: ClauseRollout, now: ToolSnapshot, tool: ToolRollout, thresholds: Thresholds
) -> tuple[float, float, str]:
    """Return how far a clause has come, in what it lacks most and in all, and that in words."""
    results, days = thresholds.needed(KINDS[one.kind])
    seen = coverage(now.since(one.begun), ceil(thresholds.witness * results))
    # Of a client that is alone another day is asked.
    parts = (
        (seen.results, results, "results"),
        (seen.hours, thresholds.hours, "hours"),
        (seen.days, days + (seen.clients < 2), "days"),
    )
    words = ", ".join(f"{min(have, want)} of {want} {what}" for have, want, what in parts)
    checked = tool.checked - one.begun
    if one.flagged > thresholds.flagged * max(checked, 1):
        said = f"{words}; {one.flagged} of {checked} results flagged, {thresholds.flagged:.0%} may be"
        return -1.0, 0.0, said
    shares = [min(have, want) / want for have, want, _ in parts]
    return min(shares), sum(shares), words


class _FileReading:
    """Reads files, and keeps what went wrong."""

    def __init__(self, troubles: list[Json]) -> None:
        self.troubles = troubles

    def read(self, file: File | None, read: Callable[[File], T], nothing: T) -> T:
        try:
            if isinstance(file, Path):
                refuse_special(file)
            return read(file) if file is not None and file.exists() else nothing
        except (OSError, ValueError, KeyError, TypeError, OutcomeMonitorsError, sqlite3.Error) as error:
            words = str(error)
            said = words if str(file) in words else f"{file} cannot be read: {words}"
            if said not in self.troubles:
                self.troubles.append(said)
            return nothing


def _stage(tool: str, fixed: str, progress: AllTools, tasks: int | None, limits: Thresholds) -> ToolStage:
    if not fixed:
        return stage_of(tool, progress, tasks, limits)
    if tasks is None:
        return ToolStage(OBSERVING, "there is no contract for it", "a contract")
    return ToolStage(fixed, GIVEN_WHY, "")


def _tool(stage: ToolStage, counts: EventCounts | None, told: int) -> dict[str, Json]:
    return {
        "stage": stage.stage,
        "why": stage.why,
        "missing": stage.missing,
        "proven": stage.proven,
        "on_trial": stage.on_trial,
        "results": 0 if counts is None else counts.results,
        "flagged": 0 if counts is None else counts.outcomes["flagged"],
        "checked": None if counts is None else _share(counts),
        "why_not": {} if counts is None else counts.why_not(),
        "told": told,
    }


def _share(counts: EventCounts) -> float | None:
    return round(counts.checked / counts.results, 4) if counts.results else None


def _of_people(
    tool: str, changes: Iterable[ObservedDrift], decided: Overrides, now: float
) -> dict[str, Json]:
    """Return what waits for people, and what they have silenced."""
    waiting = _waiting(tool, changes, decided)
    asked = questions(waiting)
    found: dict[str, Json] = {
        "waiting": [one.addressed() for one in asked],
        "questions": [{"clause": one.name, "words": one.sentence()} for one in asked],
        "changes": [_change(one) for one in waiting],
    }
    silent = decided.suppressed(tool, now)
    return found | {"muted": [one["clause"] for one in silent], "silent": silent}


def _waiting(tool: str | None, changes: Iterable[ObservedDrift], decided: Overrides) -> list[ObservedDrift]:
    """Return the changes of a tool, or with None those of fields of one name in several, that nobody has decided on."""
    return [
        one
        for one in merged(change for change in changes if (change.tool or None) == tool)
        if not decided.knows(one.address, one.novel_value)
    ]


def _change(one: ObservedDrift) -> Json:
    return {"clause": one.address, "words": one.sentence(), "since": one.first, "tasks": one.test.violated}


def _tasks(file: Path) -> dict[str, int]:
    """Return the tasks behind each contract; the file is ours, and to hold it against all rules would take longer than all else."""
    tools = json.loads(file.read_bytes())["tools"]
    return {
        tool: max((clause["tasks"] for clause in contract["clauses"]), default=0)
        for tool, contract in tools.items()
    }


def _shrunk(file: Path) -> list[str]:
    """Say of which tools less is known than their contracts say."""
    return [
        f"the contract of {tool} is kept: it was mined from {before} tasks, and what is recorded now shows {left}"
        for tool, (before, left) in json.loads(file.read_bytes())["kept"].items()
    ]


def _names(file: Path) -> list[str]:
    return [tool["name"] for tool in json.loads(file.read_bytes())["tools"]]
