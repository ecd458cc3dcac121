"""`study` from the command line: `amend`, `organic`, `audit`, `prices`, and tau-bench."""

import json
from pathlib import Path

from outcome_monitors_study.detector import audit_detector, audit_tables, world_tasks
from outcome_monitors_study.tables import as_json
from tests.commandline import Run, Sentence, Write
from tests.study.checkouts import dump_task, make_checkout

SMALL = ("--workflows", "16", "--strata", "C3/P4,C4/P4", "--per-stratum", "1", "--profile", "paper")


def test_a_study_is_amended_with_a_reason(run: Run) -> None:
    assert "Scripted agents, not models" in run("study", "freeze", "trial", *SMALL).output
    amended = run("study", "amend", "trial", "--reason", "none in particular")
    assert amended.output == "trial: amended (nothing) after 0 episodes\n"


def test_organic(run: Run, write: Write) -> None:
    lines = [{"tool": "t", "result": {"n": n + 1}, "task": f"{n}"} for n in range(30)]
    done = run(
        "study", "organic", write("t.jsonl", lines), "--learn", "20", "--hold", "5", "--json", "o.json"
    )
    assert done.exit_code == 0, done.output
    assert done.output.startswith("1 tool with enough responses, 0 without; flagged 0 of 25")


def test_bad_input_is_one_sentence(run: Run, one_sentence: Sentence) -> None:
    assert "name what to do" in one_sentence(run("study"))
    assert "make one with study freeze" in one_sentence(run("study", "run", "nowhere"))
    assert "there is no arm 'x'" in one_sentence(run("study", "freeze", "trial", "--arms", "baseline,x"))


def test_the_command_reads_toolmazes_files(run: Run, tmp_path):
    tasks = world_tasks(24, 0)
    folder = tmp_path / "perturbed_tasks"
    for task in tasks:
        place = folder / task.complexity.lower()
        place.mkdir(parents=True, exist_ok=True)
        dump_task(task, place / f"{task.task_id}_{task.perturbation_mode}.json")
    done = run("study", "audit", "--data", str(folder), "--folds", "3", "--json", str(tmp_path / "f.json"))
    assert done.exit_code == 0
    assert "(79.6%)" in done.stdout
    figures = json.loads((tmp_path / "f.json").read_text())
    assert figures["tables"] == json.loads(json.dumps(as_json(audit_tables(audit_detector(tasks, folds=3)))))


def test_power_is_in_points_and_of_the_form_that_it_asks_for(run: Run, one_sentence: Sentence):
    assert run("study", "power", "35/50").stdout == "gain of 23 points\n"
    assert run("study", "power", "43/114", "--tasks", "57", "--loss").stdout == "loss of 18 points\n"
    assert "is not of the form COMPLETED/PAIRS" in one_sentence(run("study", "power", "0.7"))


def test_an_inventory_lists_studies_and_packages_no_outcome_of_a_task(run: Run, tmp_path):
    for name in ("first", "second", "third"):
        run("study", "freeze", f"studies/{name}", *SMALL)
    run("study", "run", "studies/first")
    run("study", "run", "studies/second")
    run("study", "amend", "studies/second", "--reason", "the wrong faults", "--invalidate")
    manifest = Path("studies/third/manifest.json")
    manifest.write_text(manifest.read_text().replace('"version": 4', '"version": 2', 1))
    done = run("study", "inventory", "studies", "--package", "review")
    assert done.exit_code == 0
    assert "2 in all, 8 episodes" in done.stdout
    assert "is of version 2, and this release reads version 4" in done.stderr
    files = {file.relative_to("review").as_posix(): file.read_text() for file in Path("review").rglob("*.*")}
    assert files.keys() == {
        *("inventory.csv", "digests.json", "first/manifest.json", "first/figures.json"),
        *("second/manifest.json", "second/invalidation.json"),
    }
    assert "the wrong faults" in files["second/invalidation.json"]
    assert files["inventory.csv"].splitlines()[2].startswith("second,invalidated,world,2,1,2,4,")
    assert not any("delivered" in text for text in files.values())


def test_without_the_dataset_the_sentence_says_what_to_get(run: Run, one_sentence: Sentence):
    assert "dongsheng/ToolMaze" in one_sentence(run("study", "audit", "--checkout", "nowhere"))


def test_prices_are_listed_with_day_and_page(run: Run):
    done = run("study", "prices")
    assert done.exit_code == 0
    assert "gpt-4o-mini" in done.stdout
    assert "2026-03" in done.stdout


def test_a_checkout_is_studied(run: Run):
    make_checkout(Path("tau-bench"))
    frozen = run(
        "study", "freeze", "trial", "--environment", "tau-retail", "--checkout", "tau-bench",
        "--per-stratum", "2", "--profile", "paper",
    )  # fmt: skip
    assert frozen.stdout.startswith("trial: frozen, 2 tasks, 2 arms, 1 agent, 12 episodes\n")
    assert run("study", "run", "trial").stdout == "trial: 12 of 12 episodes done, cost 0.00\n"
