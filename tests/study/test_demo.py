"""The demonstration: its files, its figures, and that the same settings give the same bytes."""

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from outcome_monitors import Registry, Relations, mine, read_traces
from outcome_monitors.audit.faults import SUITES, Corpus, faults
from outcome_monitors.cli import commands
from outcome_monitors.contracts.folds import FoldIndex
from outcome_monitors.reports import Share, percent
from outcome_monitors_study.demo import DemoSettings, Figures, demonstrate, run
from outcome_monitors_study.demo._cases import choose_cases
from outcome_monitors_study.demo._runs import play
from outcome_monitors_study.demo._settings import in_silence
from outcome_monitors_study.demo.examples import Difference, choose_examples, describe, differences
from outcome_monitors_study.demo.figures import GROUPS
from outcome_monitors_study.world import declared_substitutes, nominal_traces, workflows
from tests.commandline import runner
from tests.pages import with_part
from tests.places import DOCS
from tests.strategies import json_values

SMALL = DemoSettings(workflows=24, runs=3, profile="paper")
FILES = {
    "contracts.json",
    "figures.json",
    "folds.fold0.json",
    "folds.fold1.json",
    "folds.fold2.json",
    "folds.json",
    "relations.json",
    "report.html",
    "traces.jsonl.gz",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo") / "made" / "here"


@pytest.fixture(scope="module")
def figures(folder: Path) -> Figures:
    return run(folder, SMALL)


@pytest.fixture(scope="module")
def written(folder: Path, figures: Figures) -> Any:
    return json.loads((folder / "figures.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def html(folder: Path, figures: Figures) -> str:
    return (folder / "report.html").read_text(encoding="utf-8")


def _tables(html: str) -> list[list[list[str]]]:
    """Return the tables of a page: rows of texts, the names of the columns first."""
    root = ET.fromstring(html.partition("\n")[2])
    return [
        [["".join(cell.itertext()) for cell in row] for row in table.iter("tr")]
        for table in root.iter("table")
    ]


def _table(html: str, column: str) -> list[list[str]]:
    """Return the rows of the table whose first column is named so."""
    [found] = [table for table in _tables(html) if table[0][0] == column]
    return found[1:]


def test_all_files_are_there_and_can_be_read(folder, figures, written):
    assert {path.name for path in folder.iterdir()} == FILES
    calls = list(read_traces([folder / "traces.jsonl.gz"], strict=True))
    assert (len(calls), len({call.task for call in calls})) == (written["calls"], SMALL.workflows)
    assert Registry.load(folder / "contracts.json") == mine(calls, "paper")
    assert Relations.load(folder / "relations.json") == Relations.declared(declared_substitutes())


def test_no_workflow_is_judged_by_contracts_that_saw_it(folder, figures):
    calls = list(read_traces([folder / "traces.jsonl.gz"]))
    index = FoldIndex.load(folder / "folds.json")
    assert set(index.tasks) == {call.task for call in calls}
    for fold, registry in enumerate(index.load_registries()):
        others = [call for call in calls if index.tasks[call.task or ""] != fold]
        assert registry == mine(others, "paper")


def test_check_finds_the_flagged_clean_results_of_the_figures(folder, written):
    result = runner().invoke(
        commands,
        [
            "check",
            f"{folder / 'traces.jsonl.gz'}",
            "--folds",
            f"{folder / 'folds.json'}",
            "--format",
            "jsonl",
        ],
    )
    flagged = [line for line in map(json.loads, result.stdout.splitlines()) if line["violations"]]
    calls = list(read_traces([folder / "traces.jsonl.gz"]))
    struck = {calls[line["index"]].task for line in flagged}
    assert len(flagged) == written["flagged_results"]["part"]
    assert len(struck) == written["flagged_workflows"]["part"] < len(flagged), "some of them twice"
    assert result.stdout.count("\n") == written["flagged_results"]["whole"]


def test_the_page_refers_to_nothing_outside_itself(html):
    assert not re.search(r"(?i)(src|href|action|data|poster)\s*=", html)
    assert not re.search(r"(?i)https?://|<script|<link|<img|<iframe|@import|url\(", html)
    tags = {element.tag for element in ET.fromstring(html.partition("\n")[2]).iter()}
    assert {"svg", "table", "details"} <= tags


def test_the_page_says_what_the_file_says(html, written):
    rows = _table(html, "fault")
    assert sorted((row[0], row[1], row[2], row[3]) for row in rows) == sorted(
        (each["fault"], each["summary"], str(each["share"]["whole"]), str(each["share"]["part"]))
        for each in written["faults"]
    )
    assert {row[0]: row[4] for row in rows} == {
        each["fault"]: percent(each["share"]["share"]) for each in written["faults"]
    }
    assert _table(html, "the fault strikes") == [
        [
            row["group"],
            *(str(n) for n in (row["without"]["whole"], row["without"]["part"], row["monitored"]["part"])),
            str(row["rescued"]),
            str(row["broken"]),
        ]
        for row in written["completed"]
    ]
    assert [row[0] for row in _table(html, "workflows")] == [
        str(point["workflows"]) for point in written["learning"]
    ]
    assert [row[0] for row in _table(html, "clause")] == [
        clause["words"] for clause in written["contract"]["clauses"]
    ]


def test_the_bars_say_what_the_file_says(html, written):
    root = ET.fromstring(html.partition("\n")[2])
    charts = [svg for svg in root.iter("svg") if any(e.get("class") == "bar" for e in svg.iter())]
    shown = {}
    for row in (group for chart in charts for group in chart.iter("g")):
        name, remark = (text.text or "" for text in row.iter("text"))
        [bar] = [rect for rect in row.iter("rect") if rect.get("class") == "bar"]
        [track] = [rect for rect in row.iter("rect") if rect.get("class") == "track"]
        shown[name] = (remark, float(bar.attrib["width"]) / float(track.attrib["width"]))
    for each in written["faults"]:
        remark, length = shown.pop(each["fault"])
        share = Share(each["share"]["part"], each["share"]["whole"])
        assert str(share) in remark
        assert length == pytest.approx(share.value, abs=1e-3)
    assert not shown


def test_the_figures_agree_with_each_other(figures):
    clean, *groups, overall = figures.completed
    assert clean.without == Share(SMALL.workflows, SMALL.workflows)
    assert sum(row.without.whole for row in groups) == overall.without.whole == figures.caught.whole
    for row in figures.completed:
        assert row.monitored.part - row.without.part == row.rescued - row.broken
    assert sum(row.share.part for row in figures.faults) == figures.caught.part
    known = {fault.name for fault in faults(SUITES)}
    assert {row.fault for row in figures.faults} | set(figures.without_place) == known
    assert all(row.share.whole <= SMALL.runs for row in figures.faults)
    last = figures.learning[-1]
    assert last.workflows < SMALL.workflows
    assert last.caught.part <= figures.caught.part
    assert last.flagged.part <= figures.flagged_results.part


def test_the_monitor_catches_some_and_rescues_some(figures):
    assert 0 < figures.caught.part < figures.caught.whole
    assert figures.overall.rescued > 0


def test_the_examples_are_real(figures):
    assert figures.examples
    for example in figures.examples:
        assert example.envelope["tool_result"] == example.result
        receipt = example.envelope["outcome_contract"]
        assert receipt["violation"]["tool"] == example.tool
        assert receipt["admissible_recovery_tools"][0] == example.tool
        assert example.differences


def test_the_page_opens_with_the_question_the_wrong_result_the_receipt_and_what_the_agent_did(html, figures):
    first = figures.examples[0]
    parts = [
        first.request,
        describe(first.differences),
        "The receipt that the monitor puts beside it",
        "What the agent did",
        first.did,
        "of silently wrong results caught",
    ]
    text = "".join(ET.fromstring(html.partition("\n")[2]).itertext())
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


def test_the_first_receipt_is_beyond_doubt_and_lists_more_than_one_tool(written):
    """Another record was asked for by its name, and the agent went on with one that came without a receipt."""
    first = written["examples"][0]
    receipt = first["envelope"]["outcome_contract"]
    violation = receipt["violation"]
    assert violation["property"] == "learned_echo_mismatch"
    assert violation["expected"] in first["arguments"].values()
    assert violation["path"] in {each["path"] for each in first["differences"]}
    assert len(receipt["admissible_recovery_tools"]) > 1
    assert first["without"].startswith("failed")
    assert first["monitored"] == "completed"
    assert first["did"].endswith("which came without a receipt.")


def test_cases_take_no_workflow_twice_for_a_fault_and_every_one_strikes():
    calls = list(nominal_traces(12, 0))
    corpus, relations = Corpus.of(calls), Relations.declared(declared_substitutes())
    demonstration = demonstrate(DemoSettings(workflows=12, runs=1, profile="paper", suites=("toolmaze",)))
    made = list(workflows(12, 0))
    cases = list(choose_cases(made, faults(["toolmaze"]), corpus, relations, 4, 0))
    assert max(Counter((case.fault.name, case.workflow.task_id) for case in cases).values()) == 1
    assert {case.permanent for case in cases} == {False, True}
    outcomes = []
    for case in cases:
        outcome = play(case, demonstration.learned.judge(case.workflow.task_id), corpus)
        assert outcome.call.tool == case.victim
        assert outcome.call.result != outcome.true
        assert [belongs(outcome) for belongs in GROUPS.values()].count(True) == 1
        outcomes.append(outcome)
    missed = [outcome for outcome in outcomes if not outcome.caught]
    assert choose_examples(missed) == ()
    caught = [o for o in outcomes if o.caught and o.case.fault.name == "missing_required_fields"]
    assert [e.story for e in choose_examples(caught)] == ["a receipt"]


def test_equal_settings_give_equal_bytes_in_any_process(tmp_path, folder, figures):
    """Python hashes text anew in every process, unless told otherwise."""
    program = (
        "import sys; from pathlib import Path; from outcome_monitors_study.demo import DemoSettings, run;"
        f"run(Path(sys.argv[1]), {SMALL!r})"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "1"}
    subprocess.run([sys.executable, "-c", program, tmp_path / "again"], env=environment, check=True)
    for name in FILES:
        assert (tmp_path / "again" / name).read_bytes() == (folder / name).read_bytes(), name


def test_another_seed_gives_another_world(figures):
    other = demonstrate(DemoSettings(workflows=8, runs=1, seed=7, profile="paper", suites=("toolmaze",)))
    assert other.figures.settings.seed == 7
    assert other.calls != tuple(nominal_traces(8, 0))
    assert len(other.figures.faults) <= len(SUITES["toolmaze"])


@given(json_values)
def test_a_value_does_not_differ_from_itself(value):
    assert list(differences(value, value)) == []


@given(json_values, json_values)
def test_values_that_differ_do_so_somewhere(one, other):
    written = [json.dumps(value, sort_keys=True) for value in (one, other)]
    assert bool(list(differences(one, other))) == (written[0] != written[1])


def test_differences_are_named_by_place_and_the_first_few_told():
    true = {"a": [{"b": 1}, {"b": 2}], "c": "x", "d": {"e": 1}, "f": 0}
    seen: Any = {"a": [{"b": 1}, {"b": -2}], "c": "y", "d": {}, "f": None}
    found = tuple(differences(true, seen))
    assert found[0] == Difference("a[1].b", 2, -2)
    assert describe(found) == (
        'a[1].b is -2, not 2; c is "y", not "x"; d is "an object of 0 fields", not "an object of 1 field"; 1 more'
    )


def test_progress_is_told_what_is_counted():
    nouns: list[str] = []

    def progress(items: Any, noun: str, /) -> Any:
        nouns.append(noun)
        return in_silence(items, noun)

    demonstrate(DemoSettings(workflows=8, runs=1, profile="paper", suites=("toolmaze",)), progress)
    assert nouns == [
        "clean call",
        "contract file",
        "faulty run",
        "clean run",
        "run to show",
        "training size",
    ]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> str:
    out = tmp_path_factory.mktemp("cli") / "out"
    result = runner().invoke(
        commands, ["demo", "--out", f"{out}", "--workflows", "16", "--runs", "2", "--profile", "paper"]
    )
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    # The folder of a test has a long name.
    return result.stdout.replace(str(out), "OUT")


def test_the_command_ends_with_ten_lines_of_80_columns(told):
    lines = told.splitlines()
    assert len(lines) == 10
    assert max(map(len, lines)) <= 80
    assert lines[-3:] == [
        "outcome-monitors show OUT/contracts.json",
        "outcome-monitors check OUT/traces.jsonl.gz --folds OUT/folds.json",
        "report: OUT/report.html",
    ]


def _labels(text: str) -> list[str]:
    """Return what each line is about, without what depends on the run."""
    return [re.split(r"[:(]| demo-out| OUT", line)[0] for line in text.splitlines()[1:]]


def test_the_page_of_the_documentation_shows_a_run(told):
    """OUTCOME_MONITORS_GOLDEN=write makes a real run and writes its output there."""
    page = DOCS / "start" / "demo.md"
    if os.environ.get("OUTCOME_MONITORS_GOLDEN") == "write":
        program = [sys.executable, "-m", "outcome_monitors", "demo", "--out", "demo-out"]
        done = subprocess.run(program, cwd=DOCS.parent, capture_output=True, text=True, check=True)
        shown = f"```console\n$ outcome-monitors demo --out demo-out\n{done.stdout.rstrip()}\n```\n"
        page.write_text(with_part(page.read_text(encoding="utf-8"), "output", shown), encoding="utf-8")
    shown = (
        page.read_text(encoding="utf-8")
        .partition("$ outcome-monitors demo --out demo-out\n")[2]
        .partition("```")[0]
    )
    assert _labels(shown) == _labels(told)


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    result = runner().invoke(commands, ["demo", "--out", f"{tmp_path / 'file'}"])
    assert result.exit_code == 2
    assert result.stderr.startswith("error: cannot write to the folder ")
    assert result.stderr.count("\n") == 1
