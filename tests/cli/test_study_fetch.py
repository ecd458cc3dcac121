"""`study fetch`: it says what it will do, asks, and does no more."""

from pathlib import Path

from tests.commandline import Run, Sentence
from tests.study.checkouts import make_checkout


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
