"""`replay`: what would have been told, why, and what changed; its state outlives it."""

import shutil
from pathlib import Path

import pytest

from tests.commandline import Line, Run, Write
from tests.homes import Home


def order(number: int) -> Line:
    name, status = f"W{1000 + number}", ("sent", "pending")[number % 2]
    result = {"id": name, "status": status, "total": 10.5 + number * 7 % 50}
    return {"tool": "get_order", "arguments": {"id": name}, "result": result, "task": f"shop/{number}"}


@pytest.fixture
def learned(run: Run, write: Write) -> str:
    done = run("mine", write("clean.jsonl", [order(number) for number in range(60)]), "-o", "c.json")
    assert done.exit_code == 0, done.output
    return "c.json"


@pytest.fixture
def week(write: Write) -> str:
    """A field is gone for good from the fifth call on; one price is negative, one answer a page."""
    calls = [order(number) for number in range(100, 104)] + [order(number) for number in range(104, 130)]
    for call in calls[4:]:
        del call["result"]["status"]
    calls[20]["result"]["total"] = -1.0
    calls[25]["result"] = "<html><body>Bad gateway</body></html>"
    return write("week.jsonl", [{**call, "time": f"2026-03-{day + 1:02}"} for day, call in enumerate(calls)])


def test_what_is_usual_outlives_the_command(
    run: Run, write: Write, learned: str, week: str, home: Home
) -> None:
    Path("state").mkdir()
    shutil.copy(learned, "state/contracts.json")
    state = home(Path("state"))
    run("replay", week, "--contracts", learned, "--state", state)
    assert "waiting: status of get_order is gone" in run("status", state).stdout
    next_week = [order(number) for number in range(200, 210)]
    for call in next_week:
        del call["result"]["status"]
    done = run("replay", write("next.jsonl", next_week), "--contracts", learned, "--state", state)
    assert (done.exit_code, "0 alerts" in done.stdout) == (0, True)
    anew = run("replay", "next.jsonl", "--contracts", learned)
    assert anew.exit_code == 1
