"""How far each tool has come, why, and what it still lacks, in words: read off `stages.sqlite`, which nothing here changes."""

import sqlite3
from collections.abc import Iterable, Mapping
from math import ceil
from pathlib import Path
from typing import NamedTuple

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.rules import KINDS, RETIRED
from outcome_monitors.state.tables import STAGES_VERSION as VERSION
from outcome_monitors.values.sqlite_files import looking_into

from .stages import ADVISING, LEAST_RECENT, OBSERVING, SHADOW, ClauseTrial, StageTrial, Thresholds
from .tallies import Snapshot
from .witnesses import ClientHour, spread

__all__ = ["AllStages", "ToolStage", "read_stages", "stage_of"]

_TRIALS = """
SELECT trials.tool, stage, contract, checked, flagged, coalesce(recent, 0.0), coalesce(told, 0.0)
FROM trials LEFT JOIN shares ON shares.tool = trials.tool"""
_CLAUSES = """
SELECT tool, clause, kind, begun, flagged, proven IS NOT NULL, proven IS NULL OR proven <> trial, noise FROM clauses"""
_WITNESSES = "SELECT client, hour, results, last FROM witnesses WHERE tool = ?"


class AllStages(NamedTuple):
    """What a file knows of all tools."""

    tools: Mapping[str, Snapshot]
    recorded: int = 0
    """Calls that were recorded,"""
    mined: int = 0
    """and how many there were when contracts were last mined."""


class ToolStage(NamedTuple):
    """How far a tool has come."""

    stage: str
    why: str
    missing: str
    """What the next stage takes; empty where there is none."""
    proven: int = 0
    """Clauses that agents may be told of,"""
    on_trial: int = 0
    """and those that are tried."""


def read_stages(file: Path) -> AllStages:
    """Read a file of any version up to ours; one of a later is refused."""
    with looking_into(file) as connection:
        [version] = connection.execute("PRAGMA user_version").fetchone()
        if version > VERSION:
            raise OutcomeMonitorsError(
                f"{file} is of version {version}, and this release knows {VERSION}: pip install -U outcome-monitors"
            )
        return _first(connection) if version < VERSION else _whole(connection)


def _first(connection: sqlite3.Connection) -> AllStages:
    """Read what was there before clauses had trials of their own; nothing where the file is still being made."""
    tables = {name for [name] in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not {"trials", "progress"} <= tables:
        return AllStages({})
    rows = connection.execute("SELECT tool, stage, contract, checked, flagged FROM trials")
    tools = {tool: Snapshot(StageTrial(*rest), {}, {}) for tool, *rest in rows}
    recorded, mined = connection.execute("SELECT recorded, mined FROM progress").fetchone() or (0, 0)
    return AllStages(tools, recorded or 0, mined or 0)


def _whole(connection: sqlite3.Connection) -> AllStages:
    clauses: dict[str, dict[str, ClauseTrial]] = {}
    for tool, name, kind, begun, flagged, proven, pending, noise in connection.execute(_CLAUSES):
        if kind in RETIRED:
            continue
        trial = ClauseTrial(kind, begun, flagged, bool(proven), bool(pending), noise)
        clauses.setdefault(tool, {})[name] = trial
    tools = {}
    for tool, *rest in connection.execute(_TRIALS).fetchall():
        stage = StageTrial(*rest)
        # Of a tool that advises nobody asks who has seen it.
        rows = connection.execute(_WITNESSES, (tool,)) if stage.stage == SHADOW else ()
        witnesses = {ClientHour(client, hour, results): last for client, hour, results, last in rows}
        tools[tool] = Snapshot(stage, clauses.get(tool, {}), witnesses)
    recorded, mined = connection.execute("SELECT recorded, mined FROM progress").fetchone()
    return AllStages(tools, recorded, mined)


def stage_of(tool: str, progress: AllStages, tasks: int | None, thresholds: Thresholds) -> ToolStage:
    """Say how far a tool has come; `tasks` stand behind its contract, where one was mined."""
    now = progress.tools.get(tool)
    if now is None or now.trial is None:
        return _observing(progress, tasks, thresholds)
    proven = sum(one.proven for one in now.clauses.values())
    on_trial = sum(one.pending for one in now.clauses.values())
    if now.trial.stage == ADVISING:
        said = (
            f"{proven} of {len(now.clauses)} clauses are proven" if now.clauses else "its contract is proven"
        )
        more = f"{on_trial} clause{'' if on_trial == 1 else 's'} on trial" if on_trial else ""
        return ToolStage(ADVISING, said, more, proven, on_trial)
    if proven:
        return ToolStage(SHADOW, *_loud(now.trial, thresholds), proven, on_trial)
    said = f"none of its {len(now.clauses)} clauses is proven yet"
    return ToolStage(SHADOW, said, _nearest(now, now.trial, thresholds), proven, on_trial)


def _observing(progress: AllStages, tasks: int | None, thresholds: Thresholds) -> ToolStage:
    if tasks is not None and tasks >= thresholds.tasks:
        return ToolStage(OBSERVING, "its contract is new", "the next call that is recorded")
    if tasks is not None:
        said = "its contract rests on too few tasks"
        return ToolStage(OBSERVING, said, f"{min(tasks, thresholds.tasks)} of {thresholds.tasks} tasks")
    due = max(thresholds.calls, progress.mined // 5)
    new = max(0, min(progress.recorded - progress.mined, due))
    said = "nothing was mined of it yet"
    return ToolStage(OBSERVING, said, f"{new} of {due} calls until contracts are mined")


def _loud(trial: StageTrial, thresholds: Thresholds) -> tuple[str, str]:
    """Say why a tool with proven clauses is not advising: it was told of too often, or too little is known of late."""
    if trial.recent < LEAST_RECENT:
        return (
            "its clauses are proven, and it was called little of late",
            f"{trial.recent:.0f} of {LEAST_RECENT:.0f} recent results",
        )
    share, most = trial.told / trial.recent, thresholds.told / 2
    return (
        "agents were told of too many of its results",
        f"{share:.0%} of recent results would be told, and {most:.0%} may be",
    )


def _nearest(now: Snapshot, trial: StageTrial, thresholds: Thresholds) -> str:
    """Say what the clause lacks that is nearest to being proven."""
    found = [_lack(one, now, trial, thresholds) for one in _tried(now.clauses.values())]
    return max(found, default=(0.0, 0.0, "a clause that can be tried"))[2]


def _tried(clauses: Iterable[ClauseTrial]) -> Iterable[ClauseTrial]:
    return (one for one in clauses if one.pending and one.kind in KINDS)


def _lack(
    one: ClauseTrial, now: Snapshot, trial: StageTrial, thresholds: Thresholds
) -> tuple[float, float, str]:
    """Return how far a clause has come, in what it lacks most and in all, and that in words."""
    needed = thresholds.needed(KINDS[one.kind])
    seen = spread(now.since(one.begun), ceil(thresholds.witness * needed.results))
    # Of a client that is alone another day is asked.
    parts = (
        (seen.results, needed.results, "results"),
        (seen.hours, thresholds.hours, "hours"),
        (seen.days, needed.days + (seen.clients < 2), "days"),
    )
    words = ", ".join(f"{min(have, want)} of {want} {what}" for have, want, what in parts)
    tried = trial.checked - one.begun
    if one.flagged > thresholds.flagged * max(tried, 1):
        return (
            -1.0,
            0.0,
            f"{words}; {one.flagged} of {tried} results flagged, {thresholds.flagged:.0%} may be",
        )
    shares = [min(have, want) / want for have, want, _ in parts]
    return min(shares), sum(shares), words
