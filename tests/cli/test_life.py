"""The commands on the life of a contract: what they write, their exit statuses, and bad input."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from tests.commandline import Line, Run, Write, violations


@pytest.fixture
def many(orders: list[Line]) -> list[Line]:
    """Sixty clean calls, in as many tasks."""
    found = []
    for number in range(60):
        line = copy.deepcopy(orders[number % 6])
        line["arguments"]["id"] = line["result"]["id"] = f"W{number}"
        found.append({**line, "task": f"retail/{number}"})
    return found


@pytest.fixture
def learned(run: Run, write: Write, many: list[Line]) -> str:
    assert run("mine", write("many.jsonl", many), "-o", "c.json", "--profile", "paper").exit_code == 0
    return "c.json"


@pytest.fixture
def changed(write: Write, many: list[Line]) -> str:
    """Sixty calls of other tasks: from the twentieth on a field has another name, and two results are wrong before."""
    later = copy.deepcopy(many)
    for number, line in enumerate(later):
        line["task"] += "/later"
        if number >= 20:
            line["result"]["amount"] = line["result"].pop("total")
        if number in {3, 9}:
            line["result"]["status"] = "<lost & \x1b[31mfound>"
    return write("later.jsonl", later)


def ids(run: Run, contracts: str) -> dict[str, str]:
    listed = json.loads(run("review", contracts, "--overrides", "none.json", "--format", "json").stdout)
    return {entry["words"]: entry["id"] for entry in listed}


@pytest.mark.parametrize("form", ["text", "json"])
def test_drift_in_every_form(run: Run, learned: str, changed: str, form: str, golden: Any) -> None:
    result = run("drift", changed, "--contracts", learned, "--format", form)
    assert result.exit_code == 1, result.output
    assert result.stderr == ""
    golden(f"cli/drift.{form}", result.stdout)


@pytest.mark.parametrize("form", ["text", "json"])
def test_diff_in_both_forms(run: Run, learned: str, changed: str, form: str, golden: Any) -> None:
    assert run("mine", changed, "-o", "new.json", "--profile", "paper").exit_code == 0
    result = run("diff", learned, "new.json", "--format", form)
    assert result.exit_code == 1
    golden(f"cli/diff.{form}", result.stdout)


def test_decisions_outlive_mining_and_are_heeded_by_check(
    run: Run, write: Write, learned: str, many: list[Line]
) -> None:
    names = ids(run, learned)
    mute, pin = names["status is one of delivered, pending, sent"], names["total is above zero"]
    said = run(
        "review", learned, "--overrides", "o.json", "--mute", mute, "--pin", pin, "--note", f"{mute}=many"
    )
    assert (said.exit_code, said.stdout) == (0, "o.json: 2 decisions, 2 changed\n")
    for line in many:
        line["result"]["total"] -= 20
    new = write("new.jsonl", many)
    assert run("mine", new, "-o", "new.json", "--profile", "paper", "--overrides", "o.json").exit_code == 0
    after = ids(run, "new.json")
    assert pin in after.values()
    assert mute not in after.values()
    many[0]["result"].update(status="lost", total=5.0)
    check = ("check", write("t.jsonl", many[:1]), "--contracts", learned, "--format", "jsonl")
    assert violations(run(*check).stdout) == [["unseen_category"]]
    muted = run(*check, "--overrides", "o.json")
    assert (muted.exit_code, violations(muted.stdout)) == (0, [[]])


def test_review_lists_and_takes_back(run: Run, contracts: str, golden: Any) -> None:
    first, second, *_ = ids(run, contracts).values()
    both = ("--accept", first, "--note", f"{second}=ask the shop = Bo")
    assert run("review", contracts, "--overrides", "o.json", *both).exit_code == 0
    golden("cli/review.txt", run("review", contracts, "get_order", "--overrides", "o.json").stdout)
    still_open = run("review", contracts, "--overrides", "o.json", "--open").stdout
    assert first not in still_open
    assert second in still_open
    assert run("review", contracts, "--overrides", "o.json", "--undo", first).exit_code == 0
    assert first not in Path("o.json").read_text(encoding="utf-8")


@pytest.fixture
def shared(tmp_path: Path) -> str:
    clause = {"samples": 9, "tasks": 9, "source": "traces"}
    clauses = [
        {**clause, "kind": "domain", "path": "agent", "params": {"values": ["ada@mail.example", "bo"]}},
        {**clause, "kind": "positive", "path": "discount", "params": {}, "tasks": 2},
    ]
    body = {
        "format": "outcome-monitors/contracts",
        "version": 1,
        "tools": {"get_order": {"clauses": clauses}},
    }
    (tmp_path / "shared.json").write_text(json.dumps(body), encoding="utf-8")
    return "shared.json"


@pytest.mark.parametrize("form", ["text", "json"])
def test_lint_in_every_form(run: Run, shared: str, form: str, golden: Any) -> None:
    result = run("lint", shared, "--format", form)
    assert result.exit_code == 1
    assert "ada@mail" not in result.output
    golden(f"cli/lint.{form}", result.stdout)
