"""`study` from the command line, start to finish."""

import json
from pathlib import Path

from tests.commandline import Run, Sentence, Write

SMALL = ("--workflows", "16", "--strata", "C3/P4,C4/P4", "--per-stratum", "1", "--profile", "paper")


def test_freeze_run_analyze(run: Run, tmp_path: Path) -> None:
    frozen = run("study", "freeze", "trial", *SMALL)
    assert frozen.exit_code == 0, frozen.output
    assert "frozen, 2 tasks, 2 arms, 1 agent, 4 episodes" in frozen.output
    assert "Scripted agents, not models" in frozen.output
    assert run("study", "run", "trial").output == "trial: 4 of 4 episodes done, cost 0.00\n"
    shown = run("study", "analyze", "trial", "--json", "f.json", "--latex", "t.tex", "--html", "r.html")
    assert shown.exit_code == 0, shown.output
    assert "advisory-v2 *" in shown.output
    assert max(map(len, shown.output.splitlines())) <= 92
    assert json.loads((tmp_path / "f.json").read_text())["scripted"] is True
    assert "tabular" in (tmp_path / "t.tex").read_text()
    assert (tmp_path / "r.html").read_text().startswith("<!DOCTYPE html>")
    amended = run("study", "amend", "trial", "--reason", "none in particular")
    assert amended.output == "trial: amended (nothing) after 4 episodes\n"


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
