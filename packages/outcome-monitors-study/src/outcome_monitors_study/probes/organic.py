"""Probes at failures that nobody injected: a recorded session, cut at a silent failure, or at the later call that proves it.

Each point is shown without a receipt and, where rules without learning find something, with one: at the failure itself (`at once`), or
at a later result whose receipt names the earlier call (`an earlier call`). What got the right thing was read by hand
(`recoveries.jsonl`); calling it, or the failed tool with the argument changed that helped, counts as looking again by a substitute.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from outcome_monitors.checking.failures import quiet
from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.files import read_json
from outcome_monitors.model import Call, Json
from outcome_monitors.receipts.carriers import text_block
from outcome_monitors.receipts.encoders import NOTE, envelope
from outcome_monitors.recovery.mining import Sources, build, from_tools_list
from outcome_monitors.recovery.relations import Relations
from outcome_monitors.traces.reader import read_traces
from outcome_monitors_study._json import written
from outcome_monitors_study.batches import listed_tool
from outcome_monitors_study.world.agents import listed_tools

from .plan import BASE, WRONG, Plan, save_plan

_NOTED = "advisory-note"
_QUERY = "Go on with the task."
"""What the user said, where the recording does not say."""
_SYSTEM = "You are a helpful assistant. Use the tools to do what the user asks."
_AT_ONCE, _EARLIER = "at once", "an earlier call"


def freeze_recorded(folder: Path, calls: Path, recoveries: Path, tools: Path) -> Plan:
    """Freeze a point for each silent failure, and one for each receipt that names such a failure later on."""
    specs = {spec["name"]: spec for spec in read_json(tools)["tools"]}
    relations = build(Sources(tools=from_tools_list({"tools": list(specs.values())}, tools.name)))
    sessions: defaultdict[str | None, list[Call]] = defaultdict(list)
    for call in read_traces([calls]):
        sessions[call.session].append(replace(call, tool=_listed_name(call.tool)))
    labels: defaultdict[str, dict[tuple[int, str], Json]] = defaultdict(dict)
    for label in map(json.loads, recoveries.read_text(encoding="utf-8").splitlines()):
        labels[label["session"]][label["step"], _listed_name(label["tool"])] = label
    with quiet():
        rows = [
            row
            for session, failed in labels.items()
            for row in _points(session, sessions[session], failed, relations, specs)
        ]
    if not rows:
        raise OutcomeMonitorsError(f"{calls} has none of the failures of {recoveries}")
    named = sorted({tool for row in rows for tool in row["tools"]})
    manifest = {
        "study": "",
        "arms": [BASE, _NOTED],
        "forms": None,
        "passed over": {"nothing was found": sum(_NOTED not in row["shown"][WRONG] for row in rows)},
        "system_prompt": _SYSTEM,
        "tools": {name: listed_tool({"description": "", **specs[name]}) for name in named},
    }
    folder.mkdir(parents=True, exist_ok=True)
    return save_plan(folder, manifest, rows)


def _listed_name(tool: str) -> str:
    """Return the name of a tool as a model is given it, which has no dots."""
    return tool.replace(".", "__", 1)


def _points(
    session: str,
    calls: Sequence[Call],
    failed: Mapping[tuple[int, str], Json],
    relations: Relations,
    specs: Mapping[str, Json],
) -> Iterator[dict[str, Json]]:
    """Yield the points of one session; in sight are the tools of its servers, and those that got the right thing."""
    helped = {_listed_name(one["tool"]) for label in failed.values() for one in label["worked"]}
    servers = {name.partition("__")[0] for name in (*helped, *(call.tool for call in calls))}
    visible = sorted(name for name in specs if name.partition("__")[0] in servers)
    monitor = Monitor(relations=relations, encoder="note", listing="safe").session(session)
    for number, call in enumerate(calls):
        outcome = monitor.judge(
            call.tool, call.arguments, call.result, visible, failed_openly=bool(call.error)
        )
        about = outcome.violations[0].about if outcome.violations else None
        about = number if about is None else about
        for place in {about, number} if about < len(calls) else {number}:
            label = failed.get((calls[place].extra["step"], calls[place].tool))
            if label is not None:
                given = outcome.receipt if place == about else None
                yield _row(session, calls, number, place, label, visible, given)


def _row(
    session: str,
    calls: Sequence[Call],
    number: int,
    place: int,
    label: Json,
    visible: Sequence[str],
    receipt: Json,
) -> dict[str, Json]:
    call, failure = calls[number], calls[place]
    raw = written(call.result)
    shown = {BASE: raw}
    if receipt is not None:
        said = receipt.get(NOTE)
        shown[_NOTED] = text_block(raw, said) if said else written(envelope(call.result, receipt))
    worked = [{**one, "tool": _listed_name(one["tool"])} for one in label["worked"]]
    return {
        "cell": f"{session}/{number}/{place}",
        "task": call.task,
        "stratum": _AT_ONCE if place == number else _EARLIER,
        "fault": None,
        "query": call.extra.get("query", _QUERY),
        "tools": list(visible),
        "before": [
            {"tool": one.tool, "arguments": dict(one.arguments), "result": written(one.result)}
            for one in calls[:number]
        ],
        "tool": call.tool,
        "arguments": dict(call.arguments),
        "suspect": {"tool": failure.tool, "arguments": dict(failure.arguments)},
        "changed": sorted({name for one in worked for name in one.get("changed", ())}),
        "raw": None,
        "injection": [],
        "listed": {_NOTED: listed_tools(receipt)},
        "substitutes": sorted({one["tool"] for one in worked} - {failure.tool}),
        "shown": {WRONG: shown},
    }
