"""Tasks for an MCP server: a request, calls that carry it out, and what of their results has to be told or left behind."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from outcome_monitors.exceptions import SourceError
from outcome_monitors.model import Json
from outcome_monitors.values.documents import read_json

__all__ = ["McpStep", "McpTask", "fact", "facts_of", "read_mcp_tasks"]


class McpStep(NamedTuple):
    """A call."""

    tool: str
    arguments: Mapping[str, Json]


class McpTask(NamedTuple):
    """A task; nothing but the judge and scripts, which cannot read a request, sees its calls."""

    id: str
    query: str
    calls: tuple[McpStep, ...]
    answer: tuple[str, ...]
    """Where the facts stand that have to be told: `0.total` is `total` in the result of the first call."""
    state: tuple[McpStep, ...]
    """Reads that show, afterwards, what was done: they have to give what they give after the calls."""


def read_mcp_tasks(file: Path) -> list[McpTask]:
    """Read a list of tasks."""
    listed = read_json(file)
    if not isinstance(listed, list) or not listed:
        raise SourceError(f"{file} is no list of tasks")
    tasks = [_task(file, number, each) for number, each in enumerate(listed, 1)]
    if len({task.id for task in tasks}) < len(tasks):
        raise SourceError(f"{file}: two tasks have the same id")
    return tasks


def _task(file: Path, number: int, task: Json) -> McpTask:
    def wrong(what: str) -> SourceError:
        return SourceError(f"{file}: task {number} {what}")

    if not isinstance(task, dict) or not all(isinstance(task.get(key), str) for key in ("id", "query")):
        raise wrong('has no "id" and "query" that are texts')
    unknown = task.keys() - {"id", "query", "calls", "answer", "state"}
    if unknown:
        raise wrong(f"has {min(unknown)!r}, which tasks have not")
    calls, state = (_steps(task.get(key, [])) for key in ("calls", "state"))
    if not calls or state is None:
        raise wrong(
            'needs "calls", a list of {"tool": ..., "arguments": {...}}; "state" is such a list as well'
        )
    answer = task.get("answer", [])
    if not isinstance(answer, list) or not all(_names_a_call(each, len(calls)) for each in answer):
        raise wrong('has an "answer" that is no list of places such as "0.total", with the number of a call')
    if not answer and not state:
        raise wrong('has neither "answer" nor "state", so nobody could say whether it was done')
    return McpTask(task["id"], task["query"], calls, tuple(answer), state)


def _steps(listed: Json) -> tuple[McpStep, ...] | None:
    if not isinstance(listed, list):
        return None
    found = [
        McpStep(each["tool"], each.get("arguments") or {})
        for each in listed
        if isinstance(each, dict)
        and isinstance(each.get("tool"), str)
        and isinstance(each.get("arguments") or {}, dict)
    ]
    return tuple(found) if len(found) == len(listed) else None


def _names_a_call(place: Json, calls: int) -> bool:
    number = place.partition(".")[0] if isinstance(place, str) else ""
    return number.isdecimal() and int(number) < calls


def facts_of(places: Iterable[str], results: Sequence[Json]) -> list[Json]:
    """Return the facts that stand at places of results, None where there is nothing."""
    return [fact(place, results) for place in places]


def fact(place: str, results: Sequence[Json]) -> Json:
    """Return what stands at a place."""
    number, *path = place.split(".")
    found: Json = results[int(number)] if int(number) < len(results) else None
    for part in path:
        if isinstance(found, dict):
            found = found.get(part)
        elif (
            isinstance(found, list) and part.lstrip("-").isdecimal() and -len(found) <= int(part) < len(found)
        ):
            found = found[int(part)]
        else:
            return None
    return found
