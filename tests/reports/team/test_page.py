"""The page: what it says, that nothing put into it becomes markup, and that it stays small."""

import json
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, settings, strategies as st

from outcome_monitors import Registry, Relations
from outcome_monitors.events import CLEAN, NOT_CHECKED
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Clause, Contract
from outcome_monitors_server.report import Observation, TeamReport, as_html, from_event, read_audit
from tests.places import GOLDEN
from tests.reports.hostile import HOSTILE
from tests.reports.team.observations import BEGIN, alarm, shop, tallied

AUDIT = GOLDEN / "audit.json"
LARGEST = 2_500_000


def _read(made: str) -> ET.Element:
    return ET.fromstring(made.removeprefix("<!DOCTYPE html>\n"))


def _text(made: str) -> str:
    return " ".join(" ".join(_read(made).find("body").itertext()).split())  # type: ignore[union-attr]


def _hostile(text: str) -> TeamReport:
    """A report that has the text wherever one can come from elsewhere."""
    seen = [
        alarm(
            text,
            text,
            text,
            session=text,
            receipt={text: text},
            listed=(text,),
            payload={"result": {text: text}},
        ),
        alarm(text, text, text, session=text, receipt=text, where=text, time=BEGIN),
        Observation(text, CLEAN, BEGIN, text),
        Observation(text, NOT_CHECKED, BEGIN, text, why=text),
    ]
    audit = json.loads(AUDIT.read_text(encoding="utf-8"))
    audit |= {"advice": text, "codes": {text: next(iter(audit["codes"].values()))}}
    audit["settings"]["profile"] = audit["faults"][0]["fault"] = text
    clause = Clause("required", "a", {}, 1, 1, text)
    return TeamReport(
        Registry({text: Contract(text, (clause,))}, text),
        tallied(*seen),
        Relations.declared({text: ["b", f"{text}c"]}),
        tallied(*seen),
        audit,
        [text] * 9,
        text,
        made_from={"relations": text},
    )


def test_a_small_page(golden):
    golden("team_report.html", as_html(shop()))


@pytest.mark.parametrize("text", [*HOSTILE, "</style>", "\u200f\u2067abc", "x" * 100_000, ""])
def test_hostile_text_stays_text(text):
    _no_way_out(as_html(_hostile(text)))


@settings(max_examples=15)
@given(st.text(max_size=40))
def test_any_text_stays_text(text):
    _no_way_out(as_html(_hostile(text)))


def _no_way_out(made: str) -> None:
    read = _read(made)
    assert not {each.tag for each in read.iter()} & {
        "script",
        "img",
        "link",
        "iframe",
        "object",
        "base",
        "form",
    }
    names = {name for each in read.iter() for name in each.attrib}
    assert not {name for name in names if name.startswith("on")} | names & {"style", "src"}
    assert all(each.attrib["href"].startswith("#") for each in read.iter("a"))
    assert len(list(read.iter("style"))) == 1
    assert len(made) < LARGEST
    made.encode()


def test_the_page_stays_small_whatever_comes():
    many = [
        alarm(f"tool {n}" * 9, f"code {n}", "p" * 999, payload={"result": ["x" * 99] * 9999}, session=str(n))
        for n in range(1500)
    ]
    clauses = tuple(Clause("required", f"field_{n}" * 40, {}, 9, 9, "traces") for n in range(200))
    registry = Registry({f"tool {n}" * 9: Contract(f"tool {n}" * 9, clauses) for n in range(200)})
    relations = Relations.declared({f"tool {n}": [f"tool {m}" for m in range(9)] for n in range(200)})
    made = as_html(TeamReport(registry, tallied(*many), relations, tallied(*many)))
    assert len(made) < LARGEST
    said = _text(made)
    for left in (
        "The 60 first of 1,500 tools; 1,440 are left out.",
        "Of rarer sorts, not shown: 1,475 alerts.",
        "The 40 first of 200 contracts; 160 are left out.",
        "The 30 first of 200 clauses; 170 are left out.",
        "The 24 first of 200 tools; 176 are left out.",
    ):
        assert left in said


def test_the_audit_is_told():
    said = _text(as_html(TeamReport(Registry(), tallied(), audit=read_audit(AUDIT))))
    assert json.loads(AUDIT.read_text(encoding="utf-8"))["advice"] in said
    assert "Silent faults that were caught" in said


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("[", "is not JSON"),
        ("{}", "is not an audit"),
        ('{"format": "outcome-monitors/audit", "version": 99}', "another version"),
        ('{"format": "outcome-monitors/audit", "version": 1}', "broken audit"),
    ],
)
def test_what_is_no_audit_is_refused(tmp_path, content, why):
    (tmp_path / "a.json").write_text(content, encoding="utf-8")
    with pytest.raises(OutcomeMonitorsError, match=why):
        read_audit(tmp_path / "a.json")


def test_events_of_every_receipt_are_understood():
    event = {"tool": "t", "outcome": "flagged", "time": "2026-03-01T09:00:00.000+00:00", "session": None}
    lists = {"admissible_recovery_tools": ["a", 1]}
    acts = {"admissible_recovery_actions": [{"tool": "a"}, {}, 3]}
    for receipt, listed in ((lists, ["a"]), (acts, ["a"]), ("text", []), (None, [])):
        found = from_event({**event, "receipt": receipt, "violations": [{"code": "c"}]})
        assert found.listed == listed
        assert found.time == BEGIN
        assert found.violations[0].code == "c"
