"""`study` from the command line, start to finish."""

from tests.commandline import Run, Sentence, Write

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
