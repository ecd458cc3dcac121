"""An alarm as markup: what broke, what can be done about it, and, closer, what went in, came out and was told."""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from outcome_monitors.contracts.overrides import Overrides
from outcome_monitors.learning.folder import StateFolder
from outcome_monitors.model import Json
from outcome_monitors.reports.markup import Markup, element
from outcome_monitors.reports.page import code, folded
from outcome_monitors.values.display import clip_text

from .alarm_store import SO_FAR
from .marked_json import marked_json
from .recordings import call_behind

__all__ = ["card", "closer", "decision_form", "hidden", "link"]

MOST_VIOLATIONS = 8
LONGEST_RECEIPT = 8_000
UNTIL = {"": "for good", "1d": "for a day", "7d": "for a week", "30d": "for 30 days"}
SIDES = {"arguments": "Arguments", "result": "Result, doubtful places marked"}


def card(
    alarm: Mapping[str, Any],
    silence: Overrides,
    form: str,
    body: Sequence[str] = (),
    *,
    unfolded: bool = False,
) -> Markup:
    """Return one event: in short, with its buttons; `body` is what stands in it when it is opened."""
    number, tool = alarm["event"], alarm["tool"]
    head = element(
        "h3",
        link(tool, "tool", name=tool),
        " ",
        element("time", alarm["time"][:19].replace("T", " "), datetime=alarm["time"]),
        " ",
        element("span", _told(alarm), class_="badge told" if alarm["told"] else "badge"),
    )
    return element(
        "article",
        head,
        element("ul", *_violations(alarm, silence), class_="violations"),
        decision_form(alarm, silence, form),
        element(
            "details",
            element("summary", "Arguments, result, receipt, what came next"),
            element("div", *body, class_="body"),
            link(f"event {number} by itself", f"event/{number}"),
            open="open" if unfolded else None,
        ),
        id=f"event-{number}",
        class_="alarm",
        data_event=str(number),
        tabindex="-1",
    )


def closer(state: StateFolder, alarm: Mapping[str, Any], following: str) -> Iterator[Markup]:
    """Yield all that is known of an event."""
    call = call_behind(state, alarm)
    doubts = alarm.get("violations", ())
    if not call:
        yield element(
            "p",
            "Neither the event nor a recorded trace holds what went in and came out; a proxy keeps it with --payloads or --learn.",
            class_="note",
        )
    parts = ([*_sides(call, doubts)], [*_receipt(alarm)])
    yield element("div", *(element("div", *part) for part in parts if part), class_="pair")
    if following:
        # The page asks again for what is not known yet.
        pending = "" if following.endswith(SO_FAR) else None
        yield element("p", element("strong", "Next, the agent "), following, ".", data_pending=pending)


def _sides(call: Mapping[str, Json], doubts: Sequence[Mapping[str, Any]]) -> Iterator[Markup]:
    for side, words in SIDES.items():
        if side in call:
            shown, absent = marked_json(call[side], doubts if side == "result" else ())
            yield element("figure", element("figcaption", words), shown, class_="code")
            if absent:
                names = element("code", clip_text(", ".join(absent), 400))
                yield element("p", "Not in it: ", names, class_="note")


def _receipt(alarm: Mapping[str, Any]) -> Iterator[Markup]:
    receipt = alarm.get("receipt")
    if receipt is None:
        return
    caption = f"Receipt, {'as the agent saw it' if alarm['told'] else 'which the agent did not see'}"
    if isinstance(receipt, dict) and isinstance(receipt.get("note"), str):
        # Its sentence is what an agent reads first.
        yield element("p", caption, class_="note")
        yield element("blockquote", clip_text(receipt["note"], LONGEST_RECEIPT))
        yield folded(
            "The same as data", code(_written({key: receipt[key] for key in receipt if key != "note"}))
        )
    else:
        yield code(_written(receipt), caption)
    yield element("p", "Arguments of the calls that it lists are not kept with events.", class_="note")


def decision_form(event: Mapping[str, Any], silence: Overrides, form: str) -> Markup:
    """Return the buttons: those that fit the event."""
    clauses = list(dict.fromkeys(event["clauses"]))[:MOST_VIOLATIONS]
    silent = bool(clauses) and _why(event, clauses[0], silence) == "muted"
    return element(
        "form",
        hidden("form", form),
        hidden("event", str(event["event"])),
        *(_of_clauses(clauses, silent=silent) if clauses else ()),
        *([_button("wrong", "Wrong alarm")] if clauses else []),
        *([] if event["told"] else [_button("missed", "Missed fault")]),
        element("input", name="reason", maxlength=400, placeholder="why", aria_label="Why"),
        element("output"),
        method="post",
        action="/decide",
        class_="decide",
    )


def hidden(name: str, value: str) -> Markup:
    """Return a field that a form sends along."""
    return element("input", type="hidden", name=name, value=value)


def link(text: str, path: str, **query: str) -> Markup:
    """Return a link inside the console; what stands in a query is quoted."""
    return element(
        "a",
        clip_text(text) or "(no name)",
        href=f"/{path}{'?' if query else ''}{urlencode(query, errors='replace')}",
    )


def _of_clauses(clauses: Sequence[str], *, silent: bool) -> Iterator[Markup]:
    if len(clauses) == 1:
        yield hidden("clause", clauses[0])
    else:
        options = (element("option", clip_text(clause, 120), value=clause) for clause in clauses)
        yield element("select", *options, name="clause", aria_label="Clause")
    if silent:
        yield _button("unmute", "Unmute")
    else:
        yield _button("mute", "Mute")
        options = (element("option", words, value=until) for until, words in UNTIL.items())
        yield element("select", *options, name="until", aria_label="How long it is muted")
    yield _button("accept", "Accept")


def _button(what: str, words: str) -> Markup:
    return element("button", words, name="what", value=what)


def _violations(alarm: Mapping[str, Any], silence: Overrides) -> Iterator[Markup]:
    # What a schema and the traffic both demand is broken twice, and said once.
    found = dict.fromkeys(
        (str(one.get("detail") or one.get("code") or ""), str(one.get("clause") or ""))
        for one in alarm.get("violations", ())
    )
    for words, clause in [*found][:MOST_VIOLATIONS]:
        why = _why(alarm, clause, silence)
        yield element(
            "li",
            clip_text(words, 300),
            " ",
            element("code", clip_text(clause, 200), class_="address"),
            *([" ", element("span", why, class_="badge")] if why else []),
        )
    if len(found) > MOST_VIOLATIONS:
        yield element("li", f"and {len(found) - MOST_VIOLATIONS:,} more")


def _why(alarm: Mapping[str, Any], clause: str, silence: Overrides) -> str:
    """Say why agents are not told of a clause that an event broke."""
    names = (one.get("id") for one in alarm.get("violations", ()) if one.get("clause") == clause)
    return silence.silences(str(next(names, "")), time.time())


def _told(alarm: Mapping[str, Any]) -> str:
    if alarm["told"]:
        return "the agent was told"
    why = clip_text(str(alarm.get("why") or ""))
    return f"not told: {why}" if why else alarm["outcome"].replace("_", " ")


def _written(receipt: Json) -> str:
    text = receipt if isinstance(receipt, str) else json.dumps(receipt, indent=2, ensure_ascii=False)
    return text if len(text) <= LONGEST_RECEIPT else f"{text[:LONGEST_RECEIPT]}…"
