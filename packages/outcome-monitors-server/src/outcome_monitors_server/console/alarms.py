"""Events as the console shows them: in short with what can be decided, and closer, with all that is known of one.

Of a store with millions of events few are read: the flagged have an index of their own, and of one tool's the last are looked for.
"""

import json
import time
from collections.abc import Mapping
from typing import Any

from outcome_monitors.contracts.overrides import Overrides
from outcome_monitors.events import FLAGGED
from outcome_monitors.events.reader import newest, read_last
from outcome_monitors.jsonvalue.display import clip_text
from outcome_monitors.learning.folder import StateFolder
from outcome_monitors.model import Json
from outcome_monitors.storage.storage import EventTable, time_of
from outcome_monitors_server.followups import DEEDS, NOTHING, UNKNOWN, Followups

from .marked_json import marked_json

MOST_ALARMS = 50
"""On one page."""
MOST_VIOLATIONS = 8
REACH = 200_000
"""Events that are looked through for those of one tool."""
PATIENCE = 20_000
"""Events within which an agent's next call is looked for."""
LONGEST_RECEIPT = 8_000
NEAR = 5.0
"""Seconds between an event and the recorded line of the same call, at most."""
REACH_OF_CALL, REACH_OF_PAGE = 64 * 2**20, 4 * 2**20
"""Bytes of traces that are looked through for one call, and for the page on a tool."""
SO_FAR = " so far"
"""Ends what is said of an agent that may yet make a call."""

Alarm = dict[str, Any]
"""An event, as `read_events` gives it."""


def last_alarms(store: EventTable, before: int | None = None) -> list[Alarm]:
    """Return the last flagged results, or the last before an event, the newest first."""
    if not store.exists():
        return []
    return read_last(store, MOST_ALARMS, outcome=FLAGGED, before=before)[::-1]


def alarms_after(store: EventTable, number: int) -> list[Alarm]:
    """Return the flagged results behind an event, oldest first; of many the last."""
    return [alarm for alarm in reversed(last_alarms(store)) if alarm["event"] > number]


def last_events(store: EventTable, tool: str, most: int) -> list[Alarm]:
    """Return the last results of a tool, the newest first."""
    if not store.exists():
        return []
    return read_last(store, most, tool=tool, after=max(0, newest(store) - REACH))[::-1]


def event_numbered(store: EventTable, number: int) -> Alarm | None:
    """Return one event; None where there is none of that number."""
    found = read_last(store, 1, after=number - 1, before=number + 1) if store.exists() else []
    return found[0] if found else None


def event_summary(event: Mapping[str, Any], silence: Overrides) -> dict[str, Any]:
    """Return an event with what its card says of it: what broke, who was told, and which decisions fit it."""
    now = time.time()
    why = {
        str(one.get("clause") or ""): silence.suppression(str(one.get("id") or ""), now)
        for one in event.get("violations", ())
    }
    # What a schema and the traffic both demand is broken twice, and said once.
    broken = dict.fromkeys(
        (str(one.get("detail") or one.get("code") or ""), str(one.get("clause") or ""))
        for one in event.get("violations", ())
    )
    shown = [(words, clause, why[clause]) for words, clause in [*broken][:MOST_VIOLATIONS]]
    addresses = [*dict.fromkeys(event["clauses"])][:MOST_VIOLATIONS]
    reason = clip_text(str(event.get("why") or ""))
    untold = f"suppressed: {reason}" if reason else event["outcome"].replace("_", " ")
    return {
        **event,
        "when": event["time"][:19].replace("T", " "),
        "said": "the agent was alerted" if event["told"] else untold,
        "broken": shown,
        "more": len(broken) - len(shown),
        "addresses": addresses,
        "muted": bool(addresses) and why.get(addresses[0]) == "muted",
    }


def event_detail(state: StateFolder, event: Alarm) -> dict[str, Any]:
    """Return all that is known of an event: what went in and came out, the receipt, and what the agent did next."""
    call, violations = call_behind(state, event), event.get("violations", ())
    sides = []
    for side, caption in (("arguments", "Arguments"), ("result", "Result, doubtful places marked")):
        if side in call:
            shown, absent = marked_json(call[side], violations if side == "result" else ())
            sides.append((caption, shown, ", ".join(absent)))
    receipt, note = event.get("receipt"), ""
    if isinstance(receipt, dict) and isinstance(receipt.get("note"), str):
        # Its sentence is what an agent reads first.
        receipt = {**receipt}
        note = clip_text(receipt.pop("note"), LONGEST_RECEIPT)
    if receipt is not None and not isinstance(receipt, str):
        receipt = json.dumps(receipt, indent=2, ensure_ascii=False)
    if receipt is not None and len(receipt) > LONGEST_RECEIPT:
        receipt = f"{receipt[:LONGEST_RECEIPT]}…"
    following = next_call(state.events, event) if violations else ""
    return {
        "sides": sides,
        "told": event["told"],
        "receipt": receipt,
        "note": note,
        "next": following,
        "pending": following.endswith(SO_FAR),
    }


def next_call(store: EventTable, event: Alarm) -> str:
    """Say what the agent did next, as far as the store shows it."""
    followups = Followups()
    coming = followups.add(event)
    if coming is None or coming.deed == UNKNOWN:
        return DEEDS[UNKNOWN]
    number, session = event["event"], event["session"]
    within = {"after": number, "before": number + PATIENCE + 1}
    with store.reading() as rows:
        found = rows.select("events", "id", "tool", "outcome", session=session, most=1, **within)
    if not found:
        return f"{DEEDS[NOTHING]}{SO_FAR}"
    following, tool, outcome = found[0].values()
    followups.add({"tool": tool, "outcome": outcome, "session": session})
    return f"{DEEDS[coming.deed]}: {tool}, {outcome.replace('_', ' ')} (event {following})"


def call_behind(state: StateFolder, event: Mapping[str, Any]) -> dict[str, Json]:
    """Return the arguments and the result of an event: its own, or those of the line that was recorded with it."""
    own = {side: event[side] for side in ("arguments", "result") if side in event}
    when = time_of(event)
    if own or when is None:
        return own
    tool, session, broken = event["tool"], event["session"], list(event["clauses"])
    near = (session, when - NEAR, when + NEAR)
    for line in state.storage.recent_lines(tool, REACH_OF_CALL, near):
        call = _read(line)
        # Calls of one session may be close; what was found tells them apart.
        if call.get("session") == session and call.get("tool") == tool and _broken(call) == broken:
            return {"arguments": call.get("arguments", {}), "result": call.get("result")}
    return {}


def last_calls(state: StateFolder, tool: str, most: int) -> list[dict[str, Any]]:
    """Return the last recorded calls of a tool that did not fail, oldest first."""
    found: list[dict[str, Any]] = []
    for line in state.storage.recent_lines(tool, REACH_OF_PAGE):
        call = _read(line)
        if call.get("tool") == tool and not call.get("error"):
            found.append(call)
            if len(found) == most:
                break
    return found[::-1]


def _broken(call: Mapping[str, Any]) -> list[str]:
    findings = call.get("findings")
    return [str(one[0]) for one in findings if one] if isinstance(findings, list) else []


def _read(line: bytes) -> dict[str, Any]:
    try:
        call = json.loads(line)
    except (ValueError, RecursionError):
        # The last line may be half written.
        return {}
    return call if isinstance(call, dict) else {}
