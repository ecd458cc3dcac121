"""What is pinned in a folder that a proxy learns in outlives its mining, as it was."""

from pathlib import Path

import pytest

from outcome_monitors import Call, Registry
from outcome_monitors.cli import commands
from outcome_monitors.learning.learner import Learner
from outcome_monitors.learning.miner import mine_folder
from outcome_monitors.traces.reader import write_traces
from tests.commandline import runner
from tests.events.shop import calls, order

DOMAIN = "get_order.status/domain"


def statuses(folder: Path) -> list[object]:
    contract = Registry.load(folder / "contracts.json").contracts["get_order"]
    [clause] = [clause for clause in contract.clauses if (clause.kind, clause.path) == ("domain", "status")]
    return list(clause.params["values"])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "traces").mkdir()
    write_traces(tmp_path / "traces" / "2026-03-01-0000.jsonl", calls(60))
    mine_folder(tmp_path)
    assert statuses(tmp_path) == ["paid", "sent"]
    return tmp_path


def later(folder: Path) -> None:
    """Have another status be as usual as the others, and mine again."""
    new = [
        Call("get_order", {"id": f"W{n}"}, order(n, status=("paid", "sent", "returned")[n % 3]), task=f"n{n}")
        for n in range(60)
    ]
    write_traces(folder / "traces" / "2026-03-02-0000.jsonl", new)
    mine_folder(folder)


def test_what_is_pinned_stays_and_a_proxy_takes_it_up(folder: Path) -> None:
    pinned = runner().invoke(commands, ["review", str(folder), "--pin", DOMAIN], prog_name="outcome-monitors")
    assert pinned.exit_code == 0, pinned.output
    later(folder)
    assert statuses(folder) == ["paid", "sent"]
    learner = Learner(folder)
    learner.written(1)
    assert learner.monitor().check("get_order", {"id": "W1"}, order(1)) == ()
    learner.close()
    undone = runner().invoke(
        commands, ["review", str(folder), "--undo", DOMAIN], prog_name="outcome-monitors"
    )
    assert undone.exit_code == 0, undone.output
    mine_folder(folder)
    assert statuses(folder) == ["paid", "returned", "sent"]
