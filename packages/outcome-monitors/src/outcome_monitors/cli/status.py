"""`status`: how far each tool has come, what is checked and told, and what waits for a person."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import click

from outcome_monitors.learning.rollout import ADVISING, STAGES
from outcome_monitors.learning.status import RECENT, StatusSource, status_of
from outcome_monitors.storage.address import shown
from outcome_monitors.storage.opening import current_storage

from ._inputs import format_option
from ._output import count, warn, write, write_line

MOST_LISTED = 10
"""Changes and muted clauses of one tool, as text."""
MOST_REASONS = 3
_OF = re.compile(r"(\d+) of (\d+)")

EPILOG = """\b
Example:
  outcome-monitors status shop

Exit status: 0, or 2 where the work could not be done."""


@click.command("status", epilog=EPILOG)
@click.argument("folder")
@format_option("text", "json")
def command(folder: str, form: str) -> None:
    """Show the stage, coverage, alerts, changes and mutes of each tool in FOLDER."""
    with closing(current_storage(folder, required=False)) as storage:
        document = status_of(StatusSource.of(storage))
    if form == "json":
        write(json.dumps(document, indent=2) + "\n")
        return
    for trouble in document["troubles"]:
        warn(str(trouble))
    for line in _text(shown(folder), document):
        write_line(line)


def _text(folder: str, document: dict[str, Any]) -> Iterator[str]:
    tools = document["tools"]
    stages = Counter(tool["stage"] for tool in tools.values())
    said = ", ".join(f"{stages[stage]} {stage}" for stage in reversed([*STAGES]) if stages[stage])
    yield f"{folder}: {count(len(tools), 'tool')}{': ' if said else ''}{said}"
    if not tools:
        yield "Nothing was seen here yet: put a proxy before a server with --learn, and let an agent call tools."
    elif document["results"]:
        last = "" if document["results"] < RECENT else "last "
        yield f"{_share(document['checked'])} of the {last}{count(document['results'], 'result')} checked, {count(document['told'], 'alert')} today"
    if tools:
        yield _guarded(tools)
    for name, tool in tools.items():
        yield ""
        yield from _tool(name, tool)
    if document["silent"]:
        yield ""
        yield "in all tools"
        yield from _listed("muted", [_muted(one) for one in document["silent"]])
    if document["waiting"]:
        yield ""
        yield "in several tools"
        yield from _listed("waiting", [change["words"] for change in document["waiting"]])


def _guarded(tools: dict[str, Any]) -> str:
    """Say in a line what results are held against now, and what comes next."""
    learned = sum(tool["stage"] == ADVISING for tool in tools.values())
    now = (
        f"guarded now: {count(len(tools), 'tool')} by the built-in rules and schemas, {learned} by contracts"
    )
    waiting = [
        (_progress(tool["missing"]), name) for name, tool in tools.items() if tool["stage"] != ADVISING
    ]
    if not waiting:
        return now
    _, nearest = max(waiting)
    return f"{now}; next {nearest}: {_missing(tools[nearest]['missing'])}"


def _progress(missing: str) -> float:
    """Return how far a tool has come, by what it lacks most."""
    return min((int(have) / int(want) for have, want in _OF.findall(missing) if int(want)), default=0.0)


def _missing(missing: str) -> str:
    return f"so far {missing}" if _OF.search(missing) else f"waits for {missing or 'calls'}"


def _tool(name: str, tool: dict[str, Any]) -> Iterator[str]:
    yield f"{name}: {tool['stage']}, {tool['why']}"
    if tool["missing"]:
        yield f"  {_missing(tool['missing'])}"
    if tool["results"]:
        parts = [f"checked: {_share(tool['checked'])} of {count(tool['results'], 'result')}"]
        reasons = [*tool["why_not"].items()][:MOST_REASONS]
        if reasons:
            parts.append("not the rest: " + ", ".join(f"{why} ({number:,})" for why, number in reasons))
        yield f"  {'; '.join(parts)}"
    if tool["told"]:
        yield f"  alerts today: {tool['told']:,}"
    yield from _listed("waiting", tool["waiting"])
    yield from _listed("muted", [_muted(one) for one in tool["silent"]])


def _muted(one: dict[str, Any]) -> str:
    until = f" until {one['until']}" if one.get("until") else ""
    reason = f" ({one['reason']})" if one.get("reason") else ""
    why = "" if one["why"] == "muted" else f", {one['why']}"
    return f"{one['clause']}{why}{until}{reason}"


def _listed(what: str, lines: list[str]) -> Iterator[str]:
    for line in lines[:MOST_LISTED]:
        yield f"  {what}: {line}"
    if len(lines) > MOST_LISTED:
        yield f"  {what}: and {len(lines) - MOST_LISTED:,} more"


def _share(share: float | None) -> str:
    if share is None:
        return "none"
    return "100%" if share == 1 else f"{share:.1%}" if share > 0.99 else f"{share:.0%}"
