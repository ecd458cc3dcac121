"""`learn` and `contracts`, on a folder and on a fleet's database."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from tests.commandline import Run, Sentence
from tests.lifecycle.states import orders, record


@pytest.fixture(params=["folder", "fleet"])
def place(request, tmp_path) -> str:
    """A state of each sort, with calls recorded."""
    if request.param == "fleet":
        address: str = request.getfixturevalue("fleet")
        record(address, orders(40))
        return address
    record("shop" if (tmp_path / "shop").exists() else str(tmp_path / "shop"), orders(40))
    return str(tmp_path / "shop")


def listed(run: Run, place: str):
    return json.loads(run("contracts", "list", place, "--format", "json").stdout)["versions"]


def test_versions_are_made_promoted_and_taken_back(
    run: Run, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUTCOME_MONITORS_USER", "eve")
    first = run("learn", "--state", place)
    assert first.exit_code == 0, first.stderr
    assert first.stdout.startswith("40 lines: version 1 is active; ")
    assert run("learn", "--state", place).stdout.startswith("nothing has come since version 1")
    record(place, orders(40, start=100))
    second = run("learn", "--state", place, "--promote", "none", "--workers", "1")
    assert "version 2 waits" in second.stdout
    changed = run("contracts", "diff", place, "2")
    assert "clauses: " in changed.stdout or "demand the same" in changed.stdout
    assert json.loads(run("contracts", "diff", place, "1", "2", "--format", "json").stdout)["changes"]
    assert run("contracts", "promote", place, "2").stdout == "version 2 is active\n"
    assert [one["stage"] for one in listed(run, place)] == ["active", "retired"]
    back = run("contracts", "rollback", place, "--reason", "flags refunds")
    assert back.stdout == "version 1 is active\n"
    newest, oldest = listed(run, place)
    assert (newest["withdrawn"], newest["reason"]) == (True, "flags refunds")
    assert (oldest["stage"], oldest["accepted_by"].split()[0]) == ("active", "eve")
    assert oldest["evidence"]["lines"] == 40
    record(place, orders(10, start=200))
    assert "version 3 waits" in run("learn", "--state", place).stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["promote", "7"], "there is no version 7"),
        (["rollback"], "no version before 1"),
        (["rollback", "--reason", "x" * 3000], "at most 2000"),
        (["diff", "9"], "there is no version 9"),
    ],
)
def test_bad_input_is_one_sentence(
    run: Run, one_sentence: Sentence, tmp_path, arguments: list[str], words: str
) -> None:
    record(str(tmp_path / "shop"), orders(40))
    run("learn", "--state", "shop")
    assert words in one_sentence(run("contracts", arguments[0], "shop", *arguments[1:]))


def test_sigterm_ends_a_learner_that_waits(tmp_path) -> None:
    record(str(tmp_path), orders(40))
    command = [sys.executable, "-m", "outcome_monitors", "learn", "--state", str(tmp_path), "--every", "1h"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ}) as learner:
        until = time.monotonic() + 60
        while not (tmp_path / "contracts.json").exists() and time.monotonic() < until:
            time.sleep(0.05)
        learner.send_signal(signal.SIGTERM)
        said, _ = learner.communicate(timeout=60)
    assert learner.returncode == 0
    assert "version 1 is active" in said
