"""Frozen means frozen, appended means appended, and a run that is broken off goes on as if it had not been."""

import json
import shutil
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from outcome_monitors import mine
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors_study._ledger import Ledger, read_ledger
from outcome_monitors_study._receipt_outcomes import contaminated
from outcome_monitors_study.analysis import analyse
from outcome_monitors_study.design import Design
from outcome_monitors_study.environments import environment
from outcome_monitors_study.inputs import fold_index, registry_of
from outcome_monitors_study.manifest import amend, freeze, load
from outcome_monitors_study.run import run
from outcome_monitors_study.study_tables import report, tables

DESIGN = Design(
    environment={"environment": "world", "workflows": 24, "seed": 0, "suites": ["toolmaze"]},
    agents=("scripted-follows:1", "scripted-careful"),
    arms=("baseline", "advisory-v2", "always-verify"),
    strata=("C3/P3", "C4/P4", "C3/P0"),
    per_stratum=2,
    profile="paper",
)
EPISODES = 2 * 3 * 2 * 3


@pytest.fixture(scope="module")
def frozen(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study") / "frozen"
    freeze(folder, DESIGN)
    return folder


@pytest.fixture(scope="module")
def finished(frozen, tmp_path_factory):
    folder = tmp_path_factory.mktemp("study") / "finished"
    shutil.copytree(frozen, folder)
    run(folder)
    return folder


@pytest.fixture
def folder(frozen, tmp_path):
    return shutil.copytree(frozen, tmp_path / "trial")


def test_equal_designs_give_equal_manifests(frozen, tmp_path):
    manifest = load(frozen).manifest
    strata = [cell["stratum"] for cell in manifest["cells"]]
    assert strata == ["C3/P3"] * 2 + ["C4/P4"] * 2 + ["C3/P0"] * 2
    assert len({cell["task"] for cell in manifest["cells"]}) == 6
    assert manifest["scripted"] is True
    assert manifest["clean"] == ["C3/P0"]
    again = freeze(
        tmp_path / "again", DESIGN, lambda: datetime.fromisoformat(manifest["frozen"]["time"])
    ).manifest
    assert again == manifest


def test_the_ledger_records_calls_injections_and_scores(finished):
    records = read_ledger(finished / "ledger.jsonl")
    assert len(records) == EPISODES
    assert all(record["scripted"] for record in records)
    hit = next(r for r in records if r["score"]["hit"] and r["arm"] == "advisory-v2")
    call = next(call for call in hit["calls"] if "injection" in call)
    told = json.loads(call["delivered"])
    assert told.get("tool_result", told) != call["raw"]
    assert {"path"} < set(call["injection"][0])
    clean = [r for r in records if r["stratum"] == "C3/P0" and r["arm"] == "baseline"]
    assert clean
    assert all(r["completed"] and not r["score"]["hit"] and r["score"]["path"] for r in clean)


def test_an_interrupted_run_resumes_to_the_same_ledger(folder, finished):
    class Killed(Exception):  # noqa: N818 - it stands for a signal
        pass

    def kill(progress):
        if progress.done == 5:
            raise Killed

    with pytest.raises(Killed):
        run(folder, on_progress=kill)
    ledger = folder / "ledger.jsonl"
    assert len(read_ledger(ledger)) == 5
    with ledger.open("ab") as file:
        file.write(b'{"episode": "torn')
    assert len(read_ledger(ledger)) == 5
    assert run(folder).done == EPISODES
    assert ledger.read_bytes() == (finished / "ledger.jsonl").read_bytes()
    before = ledger.read_bytes()
    assert run(folder).done == EPISODES
    assert ledger.read_bytes() == before


@pytest.mark.parametrize("name", ["contracts.json", "relations.json"])
def test_a_run_refuses_changed_inputs_until_they_are_amended(folder, name):
    (folder / name).write_text((folder / name).read_text() + " ")
    with pytest.raises(OutcomeMonitorsError, match=f"this differs: {name}"):
        run(folder)
    made = amend(folder, "a blank at the end")
    assert made["changed"] == [name]
    assert run(folder).done == EPISODES
    assert "a blank at the end" in report(analyse(load(folder)))


def test_a_manifest_edited_by_hand_is_refused(folder):
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["cells"] = manifest["cells"][:-1]
    path.write_text(json.dumps(manifest))
    with pytest.raises(OutcomeMonitorsError, match="not as it was frozen"):
        run(folder)
    assert amend(folder, "one task fewer")["changed"] == ["manifest", "tasks"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"arms": ("baseline", "nonsense")}, "there is no arm 'nonsense'"),
        ({"arms": ("baseline",)}, "at least two arms"),
        ({"arms": ("baseline", "reviewer")}, "needs a model"),
        ({"agents": ("scripted-genius",)}, "there is no script"),
        ({"strata": ("C9/P3",)}, "there is no stratum"),
        ({"strata": ("C3/P3", "C3/P3:2")}, "twice"),
        ({"per_stratum": 99}, "ask for fewer"),
        ({"settings": {"prices": {"m": {"input": "dear"}}}}, "the price of m is not of the form"),
        ({"environment": {"environment": "moon"}}, "there is no environment"),
        ({"settings": {"reasoning": "off", "reasoning_tokens": 10}}, "not both"),
        ({"settings": {"model_args": [1]}}, "model_args is an object"),
    ],
)
def test_impossible_designs_are_errors(tmp_path, change, told):
    with pytest.raises(OutcomeMonitorsError, match=told):
        freeze(tmp_path / "bad", replace(DESIGN, **change))


def test_episodes_of_another_study_are_refused(folder, finished):
    lines = (finished / "ledger.jsonl").read_bytes().splitlines(keepends=True)
    foreign = {**json.loads(lines[0]), "manifest": "0" * 64}
    for wrong in ([lines[0], lines[0]], [json.dumps(foreign).encode() + b"\n"]):
        (folder / "ledger.jsonl").write_bytes(b"".join(wrong))
        with pytest.raises(OutcomeMonitorsError, match="of another study, or stands there twice"):
            run(folder)


def test_figures_of_the_analysis_add_up(finished):
    found = analyse(load(finished))
    records = read_ledger(finished / "ledger.jsonl")
    for contrast in found.contrasts:
        assert contrast.clean
        assert (contrast.pairs.count, contrast.clean.pairs.count) == (8, 4)
        completed = sum(r["completed"] for r in records if r["arm"] == contrast.treatment)
        assert contrast.pairs.treatment + contrast.clean.pairs.treatment == completed
    assert [contrast.primary for contrast in found.contrasts] == [True, False]
    seen = found.seen["advisory-v2"]
    assert sum(seen.first_actions.values()) == seen["receipts"] > 0
    assert found.seen["baseline"]["receipts"] == 0
    shown = {table.name: table.records for table in tables(found)}
    assert {row["stratum"]: row["p"] for row in shown["strata"]}.keys() == {"C3/P3", "C4/P4", "C3/P0"}
    [envelopes] = shown["envelopes"]
    assert envelopes["receipt schema version"] == "tool_property_path_expected_observed_first_v2"
    assert envelopes["receipts"] == envelopes["with a list"] == envelopes["result intact"] == seen["receipts"]
    page = report(found)
    assert load(finished).manifest["digest"] in page
    assert "Scripted agents, not models" in page


EDITS = {
    "another outcome": lambda lines: [lines[0].replace(b'"completed":', b'"completed":!', 1), *lines[1:]],
    "the last two left out": lambda lines: lines[:-2],
    "cut in the middle": lambda lines: [b"".join(lines)[: len(b"".join(lines)) // 2]],
    "two lines that changed places": lambda lines: [lines[1], lines[0], *lines[2:]],
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_an_edited_ledger_is_refused_until_it_is_amended(finished, tmp_path, edit):
    folder = shutil.copytree(finished, tmp_path / "edited")
    ledger = folder / "ledger.jsonl"
    lines = ledger.read_bytes().splitlines(keepends=True)
    changed = [line.replace(b":!true", b":false").replace(b":!false", b":true") for line in edit(lines)]
    assert changed != lines
    ledger.write_bytes(b"".join(changed))
    for refused in (lambda: analyse(load(folder)), lambda: run(folder)):
        with pytest.raises(OutcomeMonitorsError, match=r"ledger\.jsonl:\d+ is not as it was written"):
            refused()
    assert amend(folder, "edited in a test")["changed"] == ["ledger"]
    assert analyse(load(folder)).amendments[0]["reason"] == "edited in a test"


def test_a_ledger_line_without_its_digest_is_accepted_and_sealed(finished, tmp_path):
    folder = shutil.copytree(finished, tmp_path / "crashed")
    whole = (folder / "ledger.seal").read_bytes()
    (folder / "ledger.seal").write_bytes(whole[:-20])
    assert analyse(load(folder)).done == EPISODES
    assert run(folder).done == EPISODES
    assert (folder / "ledger.seal").read_bytes() == whole


def test_strata_may_be_of_unequal_size_and_tasks_of_other_studies_left_out(frozen, tmp_path):
    design = replace(DESIGN, strata=("C3/P3:2", "C4/P4"), per_stratum=1, without=(frozen,))
    study = freeze(tmp_path / "fresh", design)
    assert [cell.stratum for cell in study.cells] == ["C3/P3"] * 2 + ["C4/P4"]
    had = load(frozen)
    assert not {cell.task for cell in study.cells} & {cell.task for cell in had.cells}
    assert study.manifest["sampling"]["without"] == [
        {"study": had.manifest["digest"], "tasks": 6, "episodes seen": 0}
    ]


def test_another_studys_tasks_are_taken_with_a_fault_and_without(frozen, finished, tmp_path):
    had = load(finished)
    design = replace(
        DESIGN, strata=("C3/P3", "C3/P0", "C4/P0"), tasks_of=finished, clean_arms=("advisory-v2",)
    )
    study = freeze(tmp_path / "again", design)
    assert {cell.task for cell in study.cells} == {cell.task for cell in had.cells}
    assert {cell for cell in study.cells if not study.is_clean(cell.stratum)} == {
        cell for cell in had.cells if cell.stratum == "C3/P3"
    }
    clean = {planned.arm for planned in study.episodes() if study.is_clean(planned.cell.stratum)}
    assert clean == {"advisory-v2"}
    assert study.manifest["sampling"]["tasks of"]["episodes seen"] == EPISODES
    run(study.folder)
    [first, *_] = analyse(study).contrasts
    assert (first.pairs.count, first.clean) == (4, None)


def test_an_invalidated_study_ends_and_says_why(finished, tmp_path):
    folder = shutil.copytree(finished, tmp_path / "invalid")
    assert load(folder).status == "frozen"
    amend(folder, "a word was changed")
    assert load(folder).status == "retrospective"
    (folder / "contracts.json").unlink()
    assert amend(folder, "placed on the wrong tool", invalidates=True)["changed"] == []
    assert load(folder).status == "invalidated"
    for refused in (lambda: analyse(load(folder)), lambda: run(folder)):
        with pytest.raises(OutcomeMonitorsError, match="is invalidated, .*placed on the wrong tool"):
            refused()


def test_a_study_of_another_version_is_one_sentence(folder):
    path = folder / "manifest.json"
    path.write_text(path.read_text().replace('"version": 4', '"version": 3', 1))
    with pytest.raises(OutcomeMonitorsError, match="is of version 3, and this release reads version 4; use"):
        load(folder)


def test_in_profile_paper_a_task_is_held_against_a_fold_that_never_saw_it(frozen):
    study, place = load(frozen), environment(load(frozen).manifest["environment"])
    assert study.manifest["settings"]["folds"] == 5
    index = fold_index(frozen)
    assert index is not None
    assert {f"contracts.{fold}.json" for fold in range(5)} < study.manifest["hashes"].keys()
    calls = list(place.clean_calls(frozenset()))
    hard = {call.task for call in calls if (call.task or "").startswith(("C3", "C4"))}
    assert index["tasks"].keys() == hard
    registry = registry_of(frozen)
    for cell in study.cells:
        fold = index["tasks"][cell.task]
        seen = [call for call in calls if index["tasks"].get(call.task or "") != fold]
        assert registry(cell.task).dumps() == mine(seen, "paper").dumps()


def test_contamination_is_a_wrong_value_in_a_later_call():
    struck: dict[str, Any] = {"tool": "a", "by": "agent", "arguments": {}, "raw": {"id": "W100"}}
    struck["injection"] = [{"path": "$.id", "true": "W100", "seen": "X999"}]
    used = {"tool": "b", "by": "agent", "arguments": {"id": "X999"}, "raw": {}}
    other = {"tool": "b", "by": "agent", "arguments": {"id": "W100"}, "raw": {}}
    assert contaminated([struck, used]) is True
    assert contaminated([struck, other]) is False
    assert contaminated([other]) is None
    assert contaminated([struck, used], distinctive=8) is None
    told = {**used, "arguments": {"message": "Your order X999 is on its way."}}
    assert contaminated([struck, told]) is True
    assert contaminated([struck, {**other, "raw": {"note": "It was X999 before."}}, told]) is False


def test_two_runs_do_not_write_one_ledger(tmp_path):
    pytest.importorskip("fcntl", reason="only POSIX locks files")
    path = tmp_path / "ledger.jsonl"
    with (
        Ledger.opened(path, 0),
        pytest.raises(OutcomeMonitorsError, match="another run is writing"),
        Ledger.opened(path, 0),
    ):
        pass
