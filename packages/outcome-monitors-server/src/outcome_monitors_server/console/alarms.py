"""Events as the console shows them: in short with what can be decided, and closer, with all that is known of one.

Of a store with millions of events few are read: the flagged have an index of their own, and of one tool's the last are looked for.
"""

import itertools
import json
import re
import time
from collections.abc import Collection, Iterable, Mapping
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

MOST_READ = 500
"""Flagged results that are looked at for a page, and as many that agents were alerted of."""
MOST_EXPECTED = 3
LONGEST_VALUE, LONGEST_WORDS = 60, 120
TIMES = (
    "2026-01-31",
    "2026-01-31T12:30:00Z",
    "2026-01-31T12:30:00.000Z",
    "2026-01-31T12:30:00+00:00",
    "2026-01-31T12:30:00",
    "2026-01-31 12:30:00",
    "12:30:00",
)
"""Times as they are written; a form that one has is shown by it."""
MOST_VIOLATIONS = 8
REACH = 200_000
"""Events that are looked through for those of one tool."""
PATIENCE = 20_000
"""Events within which an agent's next call is looked for."""
LONGEST_RECEIPT = 8_000
PRECISION = 0.002
"""Seconds to which recorded times are exact."""
NEAR = 5.0
"""Seconds between an event and the recorded line of the same call, at most."""
REACH_OF_CALL, REACH_OF_PAGE = 64 * 2**20, 4 * 2**20
"""Bytes of traces that are looked through for one call, and for the page on a tool."""
SO_FAR = " so far"
"""Ends what is said of an agent that may yet make a call."""

Alarm = dict[str, Any]
"""An event, as `read_events` gives it."""


def last_alarms(store: EventTable, before: int | None = None) -> list[Alarm]:
    """Return the last flagged results, or the last before an event, the newest first: of those that agents were alerted of more."""
    if not store.exists():
        return []
    found = {
        alarm["event"]: alarm
        for which in ({"advised": 1}, {})
        for alarm in read_last(store, MOST_READ, outcome=FLAGGED, before=before, **which)
    }
    return [found[number] for number in sorted(found, reverse=True)]


def last_alarm(store: EventTable, after: int) -> int:
    """Return the number of the last flagged result behind an event; 0 where there is none."""
    found = read_last(store, 1, outcome=FLAGGED, after=after) if store.exists() else []
    return int(found[0]["event"]) if found else 0


def grouped(alarms: Iterable[Alarm], silence: Overrides, changing: Collection[str]) -> list[dict[str, Any]]:
    """Return alarms as what is wrong: those of one tool that violate the same first of all, by the newest, those that agents were alerted of first.

    What is changing waits for a person, and what a person has decided on is decided: neither is wrong now.
    """
    groups: dict[tuple[str, str], dict[str, Any]] = {}
    for alarm in alarms:
        event = event_summary(alarm, silence, changing)
        wrong = next((one for one in event["broken"] if not one["settled"]), None)
        if wrong is None and event["broken"]:
            continue
        group = groups.setdefault((alarm["tool"], wrong["clause"] if wrong else ""), {**event, "events": []})
        group["events"].append(event)
    return sorted(groups.values(), key=lambda group: not any(one["told"] for one in group["events"]))


def last_events(store: EventTable, tool: str, most: int) -> list[Alarm]:
    """Return the last results of a tool, the newest first."""
    if not store.exists():
        return []
    return read_last(store, most, tool=tool, after=max(0, newest(store) - REACH))[::-1]


def event_numbered(store: EventTable, number: int) -> Alarm | None:
    """Return one event; None where there is none of that number."""
    found = read_last(store, 1, after=number - 1, before=number + 1) if store.exists() else []
    return found[0] if found else None


def event_summary(
    event: Mapping[str, Any], silence: Overrides, changing: Collection[str] = ()
) -> dict[str, Any]:
    """Return an event with what its card says of it: what broke, who was told, and which decisions fit it."""
    now, broken = time.time(), dict[tuple[str, str], dict[str, Any]]()
    for one in event.get("violations", ()):
        clause, name = str(one.get("clause") or ""), str(one.get("id") or "")
        why, entry = silence.suppression(name, now), silence.entries.get(name)
        words = str(one.get("detail") or one.get("code") or "")
        # What a schema and the traffic both demand is broken twice, and said once.
        broken[words, clause] = {
            "place": str(one.get("path") or "") or "the result",
            "observed": clip_text(_text(one.get("observed")), LONGEST_VALUE),
            "expected": _expected(one.get("expected"), str(one.get("code"))),
            "words": words,
            "clause": clause,
            "why": why,
            "settled": bool(why) or clause in changing or bool(entry and entry.accepted),
        }
    shown = sorted(broken.values(), key=lambda one: bool(one["settled"]))
    addresses = [*dict.fromkeys(one["clause"] for one in shown if one["clause"])][:MOST_VIOLATIONS]
    reason = clip_text(str(event.get("why") or ""))
    untold = f"suppressed: {reason}" if reason else event["outcome"].replace("_", " ")
    return {
        **event,
        "when": event["time"][:19].replace("T", " "),
        "said": "the agent was alerted" if event["told"] else untold,
        "broken": shown[:MOST_VIOLATIONS],
        "more": max(0, len(shown) - MOST_VIOLATIONS),
        "addresses": addresses,
        "muted": bool(addresses) and shown[0]["why"] == "muted",
    }


def _expected(value: Any, code: str) -> str:
    """Say what was expected, a form by a text that has it; empty where the words of the violation say it."""
    listed = value if isinstance(value, list) else [] if value is None else [value]
    texts = [*map(_text, listed)]
    if code == "unseen_form":
        texts = [f"like {_example(text)}" for text in texts]
    elif isinstance(value, list) and texts:
        texts[0] = f"one of {texts[0]}" if texts[1:] else texts[0]
    more = ["…"] if len(texts) > MOST_EXPECTED else []
    return clip_text(", ".join([*texts[:MOST_EXPECTED], *more]), LONGEST_WORDS)


def _text(value: Any) -> str:
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)


def _example(form: str) -> str:
    """Return a text of a form, in which `0` stands for a digit: a time where one has it, else with the digits in order."""
    for time_ in TIMES:
        if form == re.sub("[A-Z]", "A", re.sub("[0-9]", "0", time_)):
            return time_
    digits = itertools.cycle("1234567890")
    return re.sub("0", lambda _found: next(digits), form)


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
    calls = map(_read, state.storage.recent_lines(tool, REACH_OF_CALL, near))
    found = [
        call
        for call in calls
        if call.get("session") == session and call.get("tool") == tool and _broken(call) == broken
    ]

    def unlike(call: dict[str, Any]) -> tuple[bool, bool, float]:
        # It has what was observed, and is recorded once it is checked: the first from then on.
        off = (time_of(call) or 0.0) - when
        return (
            not all(_observed(call, one) for one in event.get("violations", ())),
            off < -PRECISION,
            abs(off),
        )

    call = min(found, key=unlike, default=None)
    return {} if call is None else {"arguments": call.get("arguments", {}), "result": call.get("result")}


def _observed(call: Mapping[str, Any], violation: Mapping[str, Any]) -> bool:
    """Say whether a call may be the one in which a violation was observed: a plain value stands in it."""
    observed = violation.get("observed")
    written = json.dumps(observed, ensure_ascii=False).strip('"')
    return written in json.dumps([call.get("arguments"), call.get("result")], ensure_ascii=False)


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
