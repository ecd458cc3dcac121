"""What is written: canonical JSON, and a page that stands by itself."""

import json
import re
from collections import Counter
from dataclasses import replace
from xml.etree import ElementTree as ET

from outcome_monitors.evaluation import as_html, as_json
from outcome_monitors.evaluation.counts import AuditCounts
from outcome_monitors.evaluation.figures import figures
from tests.evaluation.counts import SETTINGS, WANTED, audited


def test_the_json_is_canonical(golden):
    golden("audit.json", as_json(audited(), SETTINGS, ["traces.jsonl"], 4))


def test_the_json_holds_all_that_is_counted():
    document = json.loads(as_json(audited(), SETTINGS, ["traces.jsonl"], 4), parse_constant=lambda _: 1 / 0)
    assert document["clean"]["rate"] == 0.01
    assert document["clean"]["tasks"]["flagged"] == 1
    assert [one["fault"] for one in document["faults"]] == [fault.name for fault in WANTED]
    assert sum(one["n"] for one in document["faults"]) == 36
    assert len(document["curve"]) == 2


def test_the_json_of_nothing_caught_and_nothing_tried_is_json_too():
    empty = figures(WANTED, [AuditCounts(calls=Counter(t=1))])
    document = json.loads(as_json(empty, SETTINGS, []))
    assert document["faults"][0]["recall"] is None
    assert document["suites"]["toolmaze"] == {"kinds_in_mean": 0, "recall": None, "net_recall": None}


def _page(text: str) -> ET.Element:
    return ET.fromstring(text.removeprefix("<!DOCTYPE html>\n"))


def test_the_page_is_whole_and_needs_nothing_else():
    text = as_html(audited(), SETTINGS, ["traces.jsonl"], 4)
    assert not re.search(r"https?:|//|<script|<link|<img|url\(|@import|\bsrc=|\bhref=", text)
    charts = [chart.findtext("title") for chart in _page(text).iter("svg")]
    assert charts == [
        "Recall by kind: toolmaze",
        "Recall by kind: incident",
        "Recall by kind: variants of incident",
        "Mean recall against clean results flagged, as the budget moves",
    ]
    words = "".join(_page(text).itertext())
    for figure in ("1.00%", "99%", "55%", "90% of 20", "order_broken", "4 calls that failed openly"):
        assert figure in words, figure


def test_without_other_budgets_there_is_no_curve():
    text = as_html(replace(audited(), curve=()), SETTINGS, ["traces.jsonl"])
    assert "as the budget moves" not in text


def test_names_in_traces_cannot_become_markup():
    hostile = "<script>alert(1)</script>"
    tally = AuditCounts(calls=Counter({hostile: 1}), flagged=Counter({hostile: 1}))
    tally.alarms[hostile, "<b>"] += 1
    tally.clean["<b>"] += 1
    text = as_html(figures(WANTED, [tally]), SETTINGS, [hostile])
    assert "<script" not in text
    assert "<b>" not in text
    assert hostile in "".join(_page(text).itertext())
