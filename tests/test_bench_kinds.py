"""What a kind adds is what no other kind flags, and the page is made of audits or of traces alike."""

import json

import pytest
from click.testing import CliRunner

from bench import kinds as bench
from bench.kinds import Audited
from outcome_monitors.traces.reader import write_traces
from tests.evaluation.shop import shop

DOCUMENT = {
    "calls": {"clean": 200},
    "clean": {"flagged": 2},
    "faults": [{"n": 40, "caught": 10}, {"n": 10, "caught": 10}],
    "suites": {"drift": {"recall": 0.5}},
    "settings": {"limit": 0},
    "kinds": {
        "domain": {"clean": 2, "clean_alone": 1, "faulted": 12, "faulted_alone": 5},
        "memory": {"clean": 0, "clean_alone": 0, "faulted": 4, "faulted_alone": 0},
    },
}


def test_points_are_of_all_results_of_a_set():
    one = Audited("a", DOCUMENT)
    assert one.adds("domain") == 10.0
    assert one.adds("memory") == 0.0
    assert one.adds("range") is None
    assert one.costs("domain") == 0.5
    assert one.costs("memory") is None


def test_all_is_the_mean_over_sets_and_session_kinds_are_marked():
    adds, costs, sets = bench.tables([Audited("a", DOCUMENT), Audited("b", {**DOCUMENT, "kinds": {}})])
    assert adds.rows == (("domain", "10.00", "", "5.00"), ("memory*", "0.00", "", "0.00"))
    assert costs.rows == (("domain", "0.50", "", "0.25"),)
    assert sets.rows[0] == ("a", "200", "1.00 %", "50", "40.00 %", "50.0", "none")


@pytest.mark.parametrize("form", ["traces", "audit"])
def test_a_page_is_made_of_traces_or_of_an_audit(tmp_path, form):
    file = tmp_path / ("shop.jsonl" if form == "traces" else "shop.json")
    if form == "traces":
        write_traces(file, shop())
    else:
        file.write_text(json.dumps(DOCUMENT))
    done = CliRunner().invoke(
        bench.main, [str(file), "--limit", "3", "--page", str(tmp_path / "page.md")], catch_exceptions=False
    )
    assert done.exit_code == 0
    page = (tmp_path / "page.md").read_text()
    assert page.startswith("# What each kind adds")
    assert "| domain | " in page
    assert bench.COSTS in done.output
