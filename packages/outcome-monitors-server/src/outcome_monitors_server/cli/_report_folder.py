"""The page on a folder that a proxy learns in: its events are what happened, its traces what the flagged results were."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any

from outcome_monitors.cli._output import progress
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.events import FLAGGED, read_events
from outcome_monitors.events.places import EventPlace
from outcome_monitors.learning.folder import StateFolder
from outcome_monitors.model import Call, Json
from outcome_monitors.values.folders import recorded
from outcome_monitors_server.report import Observation, TeamReport, TeamTally, from_event
from outcome_monitors_server.report.observation import read_time

__all__ = ["folder_report"]

MOST_RESULTS = 20_000
"""Flagged results of the traces that are looked for among the events; of each sort of alarm the page shows one."""
NEAR = 5.0
"""Seconds between an event and the trace line of the same call, at most."""

Found = tuple[str, str | None, str]
"""A tool, a session, and what was broken first."""


def folder_report(folder: str, events: str | None, registry: Registry | None) -> TeamReport:
    """Return all that the page on a folder is made of; `events` names another store than its own."""
    with closing(StateFolder.at(folder)) as state:
        results = _flagged_results(state)
        tally = TeamTally()
        store = EventPlace.at(events or state.events)
        for event in progress(read_events(store), "event"):
            tally.add(_with_result(from_event(event), results))
        files = [str(file) for file in recorded(state.path)]
        known = state.registry() if registry is None else registry
        return TeamReport(known, tally, traces=[str(store), *files], contracts=state.name, live=True)


def _flagged_results(state: StateFolder) -> dict[Found, list[Call]]:
    """Return the recorded calls that were flagged, by what they break."""
    found: dict[Found, list[Call]] = {}
    for number, call in enumerate(_flagged(state)):
        if number >= MOST_RESULTS:
            break
        found.setdefault((call.tool, call.session, _first(call.extra)), []).append(call)
    return found


def _flagged(state: StateFolder) -> Iterator[Call]:
    return (call for call in state.calls() if call.extra.get("flagged") is True)


def _first(extra: Mapping[str, Any]) -> str:
    findings = extra.get("findings")
    first = findings[0] if isinstance(findings, list) and findings else None
    return str(first[0]) if isinstance(first, list) and first else ""


def _with_result(seen: Observation, results: Mapping[Found, list[Call]]) -> Observation:
    """Return an alarm with what went in and came out, where the traces have that call."""
    if seen.outcome != FLAGGED or seen.payload or not seen.clauses or seen.time is None:
        return seen
    for call in results.get((seen.tool, seen.session, seen.clauses[0]), ()):
        time = read_time(call.extra.get("time"))
        if time is not None and abs((time - seen.time).total_seconds()) <= NEAR:
            payload: dict[str, Json] = {"arguments": dict(call.arguments), "result": call.result}
            return seen._replace(payload=payload)
    return seen
