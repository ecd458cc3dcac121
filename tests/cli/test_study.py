"""`study` from the command line: `amend`, `organic`, `audit`, `prices`, `fetch`."""

import json
from pathlib import Path

from outcome_monitors_study.detector import as_json, audit_detector, world_tasks
from outcome_monitors_study.world.toolmaze import dump_task
from tests.commandline import Run, Sentence, Write
from tests.study.checkouts import make_checkout

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
    assert "not the known revision" in done.stdout
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


def test_it_says_what_it_will_do_and_does_nothing_without_leave(run: Run, one_sentence: Sentence):
    result = run("study", "fetch", "tau-bench")
    assert "from:      https://github.com/sierra-research/tau-bench at commit 59a200c6d575\n" in result.stdout
    assert "licence:   MIT, (c) Sierra\n" in result.stdout
    assert "nothing was fetched; say --yes" in one_sentence(result)
    assert "nothing was fetched" in one_sentence(run("study", "fetch", "tau-bench"))
    assert not Path("tau-bench").exists()


def test_a_local_copy_is_taken_once_and_can_be_studied(run: Run):
    make_checkout(Path("own"))
    taken = run("study", "fetch", "tau-bench", "--from", "own", "--yes")
    assert taken.exit_code == 0
    assert taken.stdout.splitlines()[-1] == (
        "tau-bench: 7 files, all that is needed; whether it is the pinned revision is not known"
    )
    assert (
        run("study", "fetch", "tau-bench").stdout == "tau-bench holds tau-bench already, as it was fetched\n"
    )
    frozen = run(
        "study", "freeze", "trial", "--environment", "tau-retail", "--checkout", "tau-bench",
        "--per-stratum", "2", "--profile", "paper",
    )  # fmt: skip
    assert frozen.stdout.startswith("trial: frozen, 2 tasks, 2 arms, 1 agent, 12 episodes\n")
    assert run("study", "run", "trial").stdout == "trial: 12 of 12 episodes done, cost 0.00\n"


def test_a_folder_with_something_else_in_it_is_left_alone(run: Run, one_sentence: Sentence):
    Path("tau-bench").mkdir()
    Path("tau-bench", "mine").write_text("x")
    assert "is not empty" in one_sentence(run("study", "fetch", "tau-bench", "--yes"))
