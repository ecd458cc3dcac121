"""`study audit` and `study prices`."""

import json

from outcome_monitors_study.detector import as_json, audit_detector, world_tasks
from outcome_monitors_study.world.toolmaze import dump_task
from tests.commandline import Run, Sentence


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
