"""The benchmarks run, and compare like with like; how fast anything is decides nothing here."""

import json
import random

import pytest
from click.testing import CliRunner

from bench import blame, checking, few_tasks, kinds, mining, priors, proxy, thresholds, wild
from bench._damage import DAMAGES, Damaged, Known, damages
from bench._peers import PEERS, accepts
from bench._report import WIDTH, page, show
from bench._results import ORDER, SEARCH
from bench._same import damaged, same_constraints
from outcome_monitors import Call, Monitor, Violation, mine
from outcome_monitors.traces.reader import write_traces
from tests.evaluation.shop import shop

SUBJECTS = pytest.mark.parametrize("subject", [ORDER, SEARCH], ids=lambda subject: subject.name)


@SUBJECTS
def test_our_clauses_refuse_what_the_peers_refuse(subject):
    monitor, clean = Monitor(same_constraints(subject)), next(subject.fresh())
    assert monitor.check(subject.name, {}, clean.result) == ()
    wrong = dict(damaged(subject, clean.result))
    assert len(wrong) == 5
    for damage, result in wrong.items():
        assert len(monitor.check(subject.name, {}, result)) == 1, damage


@SUBJECTS
@pytest.mark.parametrize("name", PEERS)
def test_every_peer_refuses_the_same(name, subject):
    pytest.importorskip(name.partition(",")[0].replace("-", "_"))
    validator, clean = PEERS[name](subject.schema), next(subject.fresh())
    assert accepts(validator, clean.result)
    assert [damage for damage, result in damaged(subject, clean.result) if accepts(validator, result)] == []


def test_checking_times_each_profile(capsys):
    pytest.importorskip("orjson")
    clean, others = checking.tables([ORDER], rounds=1)
    assert [row[0] for row in clean.rows][2:5] == [
        "Monitor, profile paper",
        "Monitor, profile full",
        "Monitor, same constraints",
    ]
    assert [row[1] for row in others.rows] == ["paper", "full"]
    for table in (clean, others):
        show(table)
    assert max(map(len, capsys.readouterr().out.splitlines())) <= WIDTH
    assert f"## {clean.title}\n\n| " in page([clean])


def test_mining_is_measured_in_both_profiles():
    paper, full = mining.tables(workflows=5, rounds=1)
    paper_clauses, full_clauses = (int(table.rows[0][-1].replace(",", "")) for table in (paper, full))
    assert 0 < paper_clauses < full_clauses


@pytest.mark.parametrize("way", [proxy.over_stdio, proxy.over_http])
def test_the_proxy_is_measured_beside_a_direct_connection(tmp_path, way):
    pytest.importorskip("aiohttp")
    mine(ORDER.mined(), "paper").save(tmp_path / "contracts.json")
    row = way(tmp_path, "bare", calls=5)
    assert len(row) == len(proxy.COLUMNS)


def test_one_field_is_damaged_or_two_change_places():
    calls = list(ORDER.mined())
    known, draw = Known(calls), random.Random(1)
    made = [one for call in calls for one in damages(call, known, draw, 4)]
    assert {one.kind for one in made} == {*DAMAGES}
    assert {(one.kind == "swap", len(one.fields)) for one in made} == {(True, 2), (False, 1)}


@pytest.mark.parametrize(
    ("path", "expected", "named"),
    [
        ("items[1].price", "", (True, True)),
        ("items[].price", "", (True, True)),
        ("items[0].price", "", (False, False)),
        ("", "total = the sum of items[].price", (False, True)),
        ("items[0]", "price agrees", (False, False)),
    ],
)
def test_a_field_is_named_by_its_path_or_among_the_members_of_its_record(path, expected, named):
    wrong = Damaged("scale", (("items", 1, "price"),), {})
    assert blame.blamed(Violation("c", path, expected, "", ""), wrong) == named


AUDIT = {
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


def test_what_a_kind_adds_is_the_mean_over_sets():
    sets = [kinds.Audited("a", AUDIT), kinds.Audited("b", {**AUDIT, "kinds": {}})]
    adds, costs, _ = kinds.tables(sets)
    assert adds.rows == (("domain", "10.00", "", "5.00"), ("memory*", "0.00", "", "0.00"))
    assert costs.rows == (("domain", "0.50", "", "0.25"),)


def test_the_page_of_kinds_is_made_of_traces(tmp_path):
    file = tmp_path / "shop.jsonl"
    write_traces(file, shop())
    options = [str(file), "--limit", "3", "--page", str(tmp_path / "page.md")]
    assert CliRunner().invoke(kinds.main, options, catch_exceptions=False).exit_code == 0
    assert "| domain | " in (tmp_path / "page.md").read_text()


def test_priors_count_clauses_that_fire_on_tasks_that_were_not_mined():
    def calls(cost):
        return [
            Call("get_item", {"id": f"i{n}"}, {"id": f"i{n}", "cost": cost(n)}, task=f"t{n}", session=f"t{n}")
            for n in range(40)
        ]

    for sample in priors.samples(calls(lambda n: n + 1), 10):
        assert not {call.task for call in sample.mined} & {call.task for call in sample.held_out}
    fired = {
        bucket.sort for bucket, row in priors.affordable(calls(lambda n: n % 20 or -1)).items() if row.fired
    }
    assert "positive" in fired
    assert not any(row.fired for row in priors.affordable(calls(lambda n: n + 1)).values())


def test_contracts_from_few_tasks_are_judged_on_others(tmp_path, monkeypatch):
    monkeypatch.setattr(few_tasks, "HELD_OUT", 10)
    monkeypatch.setattr(few_tasks, "SIZES", (1, 10, 10_000))
    points = dict(few_tasks.curve(list(shop())))
    assert [*points] == [1, 10]
    assert points[10].caught > points[1].caught
    assert points[10].results == points[1].results
    assert points[10].corrupted == points[1].corrupted > 0


def test_thresholds_are_halved_and_doubled(tmp_path):
    file = tmp_path / "shop.jsonl"
    write_traces(file, shop())
    options = [str(file), "--limit", "2", "--names", "min_tasks"]
    shown = CliRunner().invoke(thresholds.main, options, catch_exceptions=False).output
    assert "3 -> 1" in shown
    assert "3 -> 6" in shown
    options = [str(file), "--then", str(file), "--limit", "2", "--names", "least_odds"]
    assert "0.25 -> 0.5" in CliRunner().invoke(thresholds.main, options, catch_exceptions=False).output
    assert thresholds.half_and_twice({"a": 0.8, "b": (3, 1.5)}) == (
        {"a": 0.4, "b": (1, 0.75)},
        {"a": 1.0, "b": (6, 3.0)},
    )


def test_labelled_calls_are_scored_in_halves_into_the_page(tmp_path):
    results = {"a.get": "Tool call timed out.", "b.get": {"id": 1}, "g.get": "Tool call timed out."}
    assert [wild.held_out(tool) for tool in results] == [False, False, True]
    calls, labels, page = tmp_path / "calls.jsonl", tmp_path / "labels.jsonl", tmp_path / "page.md"
    write_traces(calls, [Call(tool, {}, result) for tool, result in results.items()])
    verdicts = ["silent-failure", "ok", "silent-failure"]
    labels.write_text(
        "".join(
            json.dumps({"line": line, "tool": tool, "label": label, "kind": "lost", "evidence": "result"})
            + "\n"
            for line, (tool, label) in enumerate(zip(results, verdicts, strict=True))
        )
    )
    page.write_text(f"before\n{wild.BEGIN}\n{wild.END}\nafter\n")
    given = [str(calls), str(labels), "--page", str(page)]
    both = CliRunner().invoke(wild.main, given)
    assert both.exit_code == 0, both.output
    assert "| lost | 1 of 1 (100%) | 20.7 to 100% | 1 of 1 (100%) | 20.7 to 100% |" in page.read_text()
    assert CliRunner().invoke(wild.main, [*given, "--development"]).exit_code == 0
    written = page.read_text()
    assert "| silent failures | 1 of 1 (100%) | 20.7 to 100% |\n" in written
    assert written.startswith("before\n")
    assert written.endswith("\nafter\n")
    page.write_text("nothing")
    assert "has no place between" in CliRunner().invoke(wild.main, given).output
