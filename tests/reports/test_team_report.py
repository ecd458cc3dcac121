"""The page for a team: what it says of events, that nothing put into it becomes markup, and that it stays small."""

import xml.etree.ElementTree as ET
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings, strategies as st

from outcome_monitors import Registry
from outcome_monitors.events import CLEAN, FLAGGED, NOT_CHECKED, NOT_COVERED, Event, Payload
from outcome_monitors.events.event import storable_row
from outcome_monitors.events.summary import summarise
from outcome_monitors.model import Clause, ClauseName, Contract, Violation
from outcome_monitors.storage.event_file import EventFile
from outcome_monitors_server.followups import AGAIN, LISTED, NOTHING, OTHER, UNKNOWN, Followups
from outcome_monitors_server.report import TeamReport, as_html
from tests.reports.hostile import HOSTILE

BEGIN = datetime(2026, 3, 1, 9, tzinfo=UTC).timestamp()
DAY = 86400.0
LARGEST = 2_500_000


def alarm(tool="get_order", code="nonpositive_value", path="total", **more) -> Event:
    found = Violation(code, path, "> 0", -62.5, f"nominally positive field {path} is not positive")
    return Event(
        **{
            "time": BEGIN,
            "session": None,
            "tool": tool,
            "outcome": FLAGGED,
            "violations": (found,),
            "clauses": (ClauseName("0123456789", f"{tool}.{path}/positive#012345"),),
            "receipt": {"status": "inconsistent", "admissible_recovery_tools": [tool, "find_order"]},
            "payload": Payload('{"order_id": "W1"}', '{"total": -62.5}'),
            **more,
        }
    )


def page(folder, events, registry=None, named="today.jsonl") -> str:
    store = EventFile(folder / "events.sqlite")
    store.append(storable_row(event)[0] for event in events)
    report = TeamReport(store, registry or Registry(), named, "contracts.json", skipped=1)
    return as_html(report, summarise(store))


def text_of(made: str) -> str:
    body = ET.fromstring(made.removeprefix("<!DOCTYPE html>\n")).find("body")
    assert body is not None
    return " ".join(" ".join(body.itertext()).split())


def test_a_small_page(golden, tmp_path):
    clauses = tuple(Clause(kind, "total", {}, 12, 6, "traces") for kind in ("required", "positive"))
    events = [
        alarm(session="a", why="today.jsonl:1"),
        Event(BEGIN, "a", "get_order", CLEAN),
        alarm(session="b", time=BEGIN + 2 * DAY, advised=True),
        Event(BEGIN + 2 * DAY, "b", "find_order", NOT_COVERED),
        Event(0.0, "b", "cancel_order", NOT_CHECKED),
    ]
    registry = Registry({"get_order": Contract("get_order", clauses)}, "paper")
    golden("team_report.html", page(tmp_path, events, registry))


def no_way_out(made: str) -> None:
    read = ET.fromstring(made.removeprefix("<!DOCTYPE html>\n"))
    tags = {each.tag for each in read.iter()}
    assert not tags & {"script", "img", "link", "iframe", "object", "base", "form"}
    names = {name for each in read.iter() for name in each.attrib}
    assert not {name for name in names if name.startswith("on")} | names & {"style", "src"}
    assert all(each.attrib["href"].startswith("#") for each in read.iter("a"))
    assert len(list(read.iter("style"))) == 1
    assert len(made) < LARGEST
    made.encode()


def hostile(tmp_path_factory, text):
    events = [
        alarm(text, text, text, session=text, receipt={text: text}, payload=Payload('{"a": 1}', '"x"')),
        alarm(text, text, text, session=text, receipt=text, why=text),
        Event(BEGIN, text, text, CLEAN),
        Event(BEGIN, text, text, NOT_CHECKED, why=text),
    ]
    registry = Registry({text: Contract(text, (Clause("required", "a", {}, 1, 1, text),))}, text)
    no_way_out(page(tmp_path_factory.mktemp("hostile"), events, registry, text))


@pytest.mark.parametrize("text", [*HOSTILE, "</style>", "\u200f\u2067abc", "x" * 100_000, ""])
def test_hostile_text_stays_text(tmp_path_factory, text):
    hostile(tmp_path_factory, text)


@settings(max_examples=15)
@given(text=st.text(max_size=40))
def test_any_text_stays_text(tmp_path_factory, text):
    hostile(tmp_path_factory, text)


def test_the_page_stays_small_whatever_comes(tmp_path):
    large = Payload("{}", f"[{', '.join(['9'] * 9999)}]")
    many = [
        alarm(f"tool {n}" * 9, f"code {n}", "p" * 999, payload=large, session=str(n)) for n in range(1500)
    ]
    clauses = tuple(Clause("required", f"field_{n}" * 40, {}, 9, 9, "traces") for n in range(200))
    registry = Registry({f"tool {n}" * 9: Contract(f"tool {n}" * 9, clauses) for n in range(200)})
    made = page(tmp_path, many, registry)
    assert len(made) < LARGEST
    said = text_of(made)
    for left in (
        "The 60 first of 1,500 tools; 1,440 are left out.",
        "Of rarer sorts, not shown: 1,475 alerts.",
        "The 40 first of 200 contracts; 160 are left out.",
        "The 30 first of 200 clauses; 170 are left out.",
    ):
        assert left in said


def result(tool="get_order", outcome=CLEAN, session=None, **more):
    return {"tool": tool, "outcome": outcome, "session": session, **more}


def flagged(tool="get_order", session=None, receipt=None, **more):
    listed = {"admissible_recovery_tools": [tool, "find_order"]} if receipt is None else receipt
    return result(tool, FLAGGED, session, receipt=listed, **more)


def deeds(*events, told=False):
    found = Followups()
    for event in events:
        found.add(event)
    return {deed: number for deed, number in found.counts[told].items() if number}


def test_each_deed():
    first = flagged(session="a")
    assert deeds(first, result(session="a")) == {AGAIN: 1}
    assert deeds(first, result("find_order", session="a")) == {LISTED: 1}
    assert deeds(first, result("send_mail", session="a")) == {OTHER: 1}
    assert deeds(first, result(session="b")) == {NOTHING: 1}
    assert deeds(flagged(), result()) == {UNKNOWN: 1}
    # One that follows an alert counts as both, and those who were alerted are counted apart.
    assert deeds(first, first) == {AGAIN: 1, NOTHING: 1}
    told = (flagged(session="a", told=True), result("find_order", session="a"))
    assert (deeds(*told), deeds(*told, told=True)) == ({}, {LISTED: 1})
    acts = {"admissible_recovery_actions": [{"tool": "a"}, {}, 3]}
    assert deeds(flagged(session="a", receipt=acts), result("a", session="a")) == {LISTED: 1}
    for receipt in ("text", 3, {"admissible_recovery_tools": "a"}):
        assert deeds(flagged(session="a", receipt=receipt), result("a", session="a")) == {OTHER: 1}


TOOLS, SESSIONS = st.sampled_from(["get_order", "find_order"]), st.sampled_from(["a", None])


@given(st.lists(st.tuples(TOOLS, st.booleans(), SESSIONS)))
def test_every_alert_is_followed_by_exactly_one_deed(calls):
    events = [(flagged if bad else result)(tool, session=session) for tool, bad, session in calls]
    assert sum(deeds(*events).values()) == sum(event["outcome"] == FLAGGED for event in events)
