"""`study` from the command line: `amend`, `organic`, `audit`, `prices`, and tau-bench."""

import json
from pathlib import Path

from outcome_monitors_study.detector import as_json, audit_detector, world_tasks
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
    assert figures == json.loads(json.dumps(as_json(audit_detector(tasks, folds=3))))


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
