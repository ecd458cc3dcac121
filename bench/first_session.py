"""`python -m bench.first_session`: what `proxy --learn` tells in the first session before a server that declares no output schemas.

A real server (the official SDK) and a real proxy with an empty folder. After so many right calls of a tool, one result is wrong in one way:
it counts where a receipt comes with it, and a kind where most of its results count. The first list has what anyone would think of, the second
the suites of published faults (docs/reference/faults.md), on up to three tools each; both were at hand when the rules were written. The third
damages one field of an order at random, and was not. Right results are those of whole sessions.

With `--history 30`, `init --from auto` has learned before from so many sessions in logs of Claude Code, of one customer each: the first hour.
"""

import asyncio
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import click

from outcome_monitors import Call
from outcome_monitors.evaluation.faults import NOT_APPLICABLE, SUITES, Corpus, Subject, faults
from outcome_monitors.model import Json
from outcome_monitors.reports import Share, percent
from outcome_monitors.storage.layout import HISTORY
from outcome_monitors_study.world import World

from ._damage import DAMAGES, Known, damages
from ._report import Table, show
from .demo_traffic import serve_customer

__all__ = ["KINDS", "right_sessions", "told", "trials"]

SEED = 11
SESSIONS, CUSTOMERS = 8, 10
TOOL = "get_order"
TOOLS_EACH = 3
PAGE = "<!DOCTYPE html>\n<html><head><title>{0}</title></head><body><h1>{0}</h1><p>{1}</p></body></html>"
Order = dict[str, Any]
Trial = tuple[str, list[Call]]
"""A kind of wrong result, and right calls with a wrong one at the end."""


def _without(order: Order, name: str) -> Order:
    return {key: value for key, value in order.items() if key != name}


def _scaled(order: Order, factor: float) -> Order:
    totals = {name: value * factor for name, value in order["totals"].items()}
    return {**order, "totals": totals, "net_paid": order["net_paid"] * factor}


WHOLE: Mapping[str, Json] = {
    "an error in a field": {"error": "upstream returned 503"},
    "success is false": {"success": False, "message": "order service is down"},
    "a text that the call timed out": "Tool call timed out.",
    "a stack trace": 'Traceback (most recent call last):\n  File "a.py", line 3\nKeyError: 0',
    "an error page": PAGE.format("502 Bad Gateway", "nginx"),
    "a page to sign in": PAGE.format("Sign in", "<form><input type='password'></form>"),
    "a placeholder": "Loading...",
    "an empty object": {},
    "null": None,
    "an empty text": "",
}
"""What stands in place of an order."""
CHANGED: Mapping[str, Callable[[Order], Json]] = {
    "JSON that was cut off": lambda order: json.dumps(order)[: len(json.dumps(order)) // 2],
    "a list in place of an object": lambda order: [order],
    "another wrapper": lambda order: {"data": {"order": order}},
    "all fields null": dict.fromkeys,
    "most fields gone": lambda order: {name: order[name] for name in ("order_id", "status")},
    "a field that is gone": lambda order: _without(order, "status"),
    "a field that was renamed": lambda order: {**_without(order, "net_paid"), "paid": order["net_paid"]},
    "a total below zero": lambda order: {**order, "totals": {**order["totals"], "total": -12.5}},
    "amounts times 100": lambda order: _scaled(order, 100),
    "a number as text": lambda order: {**order, "net_paid": f"{order['net_paid']} EUR"},
    "a sentence for a status": lambda order: {**order, "status": "We could not find out what became of it."},
}
"""What is made of one."""
OTHER = "another order"
KINDS = (*WHOLE, *CHANGED, OTHER)


def right_sessions(
    numbers: Sequence[int] = range(SESSIONS), customers: int = CUSTOMERS
) -> Iterator[list[Call]]:
    """Yield sessions of a shop whose results are right."""
    for number in numbers:
        world, draw = World(SEED), random.Random(number)
        for _ in range(customers):
            try:
                serve_customer(world, draw)
            except (IndexError, KeyError):
                # There is nothing left to sell to this customer.
                continue
        name = f"session {number}"
        yield [Call(one.tool, one.arguments, one.result, name, name) for one in world.log if not one.failed]


def _first_of(tool: str, session: Sequence[Call], count: int) -> list[int]:
    """Return the places of so many different calls of a tool, and of the one after them; fewer where there are no more."""
    places, asked = list[int](), set[str]()
    for place, call in enumerate(session):
        question = json.dumps(call.arguments, sort_keys=True)
        if call.tool == tool and question not in asked and len(places) <= count:
            asked.add(question)
            places.append(place)
    return places


def own_trials(sessions: Sequence[Sequence[Call]], count: int) -> Iterator[Trial]:
    """Yield each kind of the first list, after so many right calls."""
    *right, last, other = _orders(sessions[0])[: count + 2]
    wrong = {OTHER: other.result, **WHOLE, **{kind: make(last.result) for kind, make in CHANGED.items()}}
    return ((kind, [*right, _answered(last, wrong[kind])]) for kind in KINDS)


def damage_trials(sessions: Sequence[Sequence[Call]], count: int) -> Iterator[Trial]:
    """Yield orders of which one field is damaged, up to three of each kind of damage."""
    known, draw = Known(call for session in sessions for call in session), random.Random(SEED)
    for session in sessions[:TOOLS_EACH]:
        *right, last = _orders(session)[: count + 1]
        for one in damages(last, known, draw, len(DAMAGES)):
            yield one.kind, [*right, _answered(last, one.result)]


def _orders(session: Sequence[Call]) -> list[Call]:
    """Return the different questions for orders."""
    return list({json.dumps(call.arguments): call for call in session if call.tool == TOOL}.values())


def _answered(call: Call, result: Json) -> Call:
    return Call(call.tool, call.arguments, result, call.task, call.session)


def suite_trials(sessions: Sequence[Sequence[Call]], count: int) -> Iterator[Trial]:
    """Yield each published fault, on up to three tools, in what led up to it."""
    corpus = Corpus.of([call for session in sessions for call in session])
    for fault in faults(SUITES):
        made = set[str]()
        for session in sessions:
            for tool in sorted({call.tool for call in session} - made):
                places = _first_of(tool, session, count)
                if len(places) <= count or len(made) == TOOLS_EACH:
                    continue
                call, before = session[places[-1]], session[: places[-1]]
                wrong = fault.apply(Subject(call, tuple(before), corpus))
                if wrong is not NOT_APPLICABLE:
                    made.add(tool)
                    yield fault.name, [*before, _answered(call, wrong)]


@cache
def learned_from(sessions: int) -> str:
    """Return what `init` writes of the session logs of a project."""
    with tempfile.TemporaryDirectory() as name:
        project = Path(name).resolve() / "shop"
        logs = Path(name).resolve() / ".claude" / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(project))
        project.mkdir()
        logs.mkdir(parents=True)
        server = {"mcpServers": {"shop": {"command": "python", "args": ["server.py"]}}}
        (project / ".mcp.json").write_text(json.dumps(server), encoding="utf-8")
        for number, calls in enumerate(right_sessions(range(100, 100 + sessions), customers=1)):
            rows = [row for call in calls for row in _logged(call, f"{number:08}", project)]
            text = "".join(f"{json.dumps(row)}\n" for row in rows)
            (logs / f"{number:08}.jsonl").write_text(text, encoding="utf-8")
        init = [sys.executable, "-m", "outcome_monitors", "init", "--write", "--from", "auto"]
        home = {**os.environ, "HOME": name, "CLAUDE_CONFIG_DIR": str(Path(name) / ".claude")}
        subprocess.run(init, cwd=project, env=home, check=True, stdout=subprocess.DEVNULL)
        return (project / ".outcome-monitors" / "shop" / HISTORY).read_text(encoding="utf-8")


def _logged(call: Call, session: str, project: Path) -> Iterator[dict[str, Any]]:
    """Yield the two lines that Claude Code logs of a call, as far as they are read."""
    number = f"toolu_{id(call)}"
    text = call.result if isinstance(call.result, str) else json.dumps(call.result)
    use = {"type": "tool_use", "id": number, "name": f"mcp__shop__{call.tool}", "input": call.arguments}
    came = {"type": "tool_result", "tool_use_id": number, "content": text}
    common = {"cwd": str(project), "sessionId": session}
    yield {"type": "assistant", "message": {"role": "assistant", "content": [use]}, **common}
    yield {"type": "user", "message": {"role": "user", "content": [came]}, "toolUseResult": text, **common}


def told(calls: Sequence[Call], history: int = 0) -> list[bool]:
    """Return of which results a new proxy tells the agent that they are wrong; `history` sessions were logged before."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        if history:
            (folder / "state").mkdir()
            (folder / "state" / HISTORY).write_text(learned_from(history), encoding="utf-8")
        script = folder / "calls.jsonl"
        lines = [json.dumps({"tool": call.tool, "result": call.result}) + "\n" for call in calls]
        script.write_text("".join(lines), encoding="utf-8")
        server = [sys.executable, "-m", "bench._scripted_server", str(script)]
        proxy = ["-m", "outcome_monitors", "proxy", "--learn", str(folder / "state"), "--", *server]
        return asyncio.run(_asked(proxy, calls))


async def _asked(arguments: list[str], calls: Sequence[Call]) -> list[bool]:
    """Make the calls as a client, and say which answers have more than the server's one text."""
    from mcp import Client  # noqa: PLC0415 - an extra
    from mcp.client.stdio import StdioServerParameters  # noqa: PLC0415 - an extra

    async with Client(StdioServerParameters(command=sys.executable, args=arguments)) as client:
        answers = [await client.call_tool(call.tool, dict(call.arguments)) for call in calls]
    return [len(answer.content) > 1 for answer in answers]


def trials(named: Iterator[Trial], history: int = 0) -> dict[str, Share]:
    """Return how many wrong results of each kind are told."""
    found = defaultdict[str, list[bool]](list)
    for kind, calls in named:
        found[kind].append(told(calls, history)[-1])
    return {kind: Share(sum(seen), len(seen)) for kind, seen in found.items()}


def _shown(title: str, found: Mapping[str, Share]) -> Table:
    kinds = sum(2 * share.part > share.whole for share in found.values())
    rows = [(kind, f"{share}") for kind, share in found.items()]
    return Table(title, ("kind", ">told"), (*rows, ("kinds told", f"{kinds} of {len(found)}")))


@click.command(epilog="Example: python -m bench.first_session")
@click.option("--after", default=8, help="Right calls of the tool before the wrong one.", show_default=True)
@click.option(
    "--history", default=0, help="Sessions in the logs that `init` learned from.", show_default=True
)
@click.option("--quick", is_flag=True, help="The first list of kinds alone.")
def main(after: int, history: int, quick: bool) -> None:
    """Count what is told of wrong results in a first session, and of right ones."""
    sessions = list(right_sessions())
    show(
        _shown(
            f"After {after} right calls: kinds of the first list",
            trials(own_trials(sessions, after), history),
        )
    )
    if quick:
        return
    show(
        _shown(
            f"After {after} right calls: one damaged field", trials(damage_trials(sessions, after), history)
        )
    )
    show(
        _shown(f"After {after} right calls: published faults", trials(suite_trials(sessions, after), history))
    )
    right = [one for session in sessions for one in told(session, history)]
    share = Share(sum(right), len(right))
    show(
        Table(
            "Right results", ("results", ">told"), ((f"{len(right):,}", f"{share} ({percent(share.value)})"),)
        )
    )


if __name__ == "__main__":
    main()
