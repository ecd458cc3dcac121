"""`hook`: events that Claude Code has sent, and what it is told; whatever else comes, it is told nothing."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from outcome_monitors import mine
from outcome_monitors.contracts.identity import address
from outcome_monitors.hook import FOLDER, LARGEST
from tests.commandline import Run
from tests.events.shop import calls, order
from tests.places import FIXTURES

EVENTS = [json.loads(line) for line in (FIXTURES / "hook_events.jsonl").read_text().splitlines()]
WRONG = EVENTS[3]


def called(event: object, *arguments: str) -> str:
    """Return what the hook writes; it has no other exit status than 0."""
    data = event if isinstance(event, bytes) else json.dumps(event).encode()
    command = [sys.executable, "-m", "outcome_monitors", "hook", *arguments]
    done = subprocess.run(command, input=data, capture_output=True, check=True)
    return done.stdout.decode()


def told(event: object, *arguments: str) -> str:
    """Return what the agent is told."""
    said = json.loads(called(event, *arguments))["hookSpecificOutput"]
    assert said.pop("hookEventName") == "PostToolUse"
    [(key, text)] = said.items()
    assert key == "additionalContext"
    return str(text)


def test_of_the_events_of_a_session_the_wrong_result_alone_is_told() -> None:
    said = [called(event) for event in EVENTS]
    assert [bool(each) for each in said] == [event is WRONG for event in EVENTS]
    assert told(WRONG).startswith('This result is inconsistent (total: expected "at least 0", observed -5).')


def test_contracts_and_decisions_are_those_of_the_project(tmp_path: Path, run: Run) -> None:
    place = tmp_path / FOLDER
    place.mkdir(parents=True)
    tool = WRONG["tool_name"]
    registry = mine([replace(call, tool=tool) for call in calls()], "paper")
    registry.save(place / "contracts.json")
    strange = {**WRONG, "cwd": str(tmp_path), "tool_response": json.dumps(order(2, status="eaten"))}
    assert "status" in told(strange)
    assert told(strange, str(place)) == told(strange)
    [clause] = [each for each in registry.contracts[tool].clauses if each.kind == "domain"]
    assert run("mute", address(tool, clause), "--in", str(place)).exit_code == 0
    assert called(strange) == ""


@pytest.mark.parametrize(
    "event",
    [
        b"",
        b"\xff{",
        b"[" * 100_000,
        [],
        {},
        {"hook_event_name": "PreToolUse"},
        {**WRONG, "tool_name": 5},
        {**WRONG, "tool_response": None},
        {**WRONG, "tool_input": [1], "tool_response": {"outcome_contract": {}, "total": -5}},
        {**WRONG, "tool_response": "x" * LARGEST},
    ],
    ids=lambda event: str(event)[:30],
)
def test_what_is_no_result_is_told_nothing_of(event: object) -> None:
    assert called(event) == ""


def test_a_broken_contract_file_stops_no_agent(tmp_path: Path) -> None:
    (tmp_path / "contracts.json").write_text("{")
    assert called(WRONG, str(tmp_path)) == ""


def test_no_library_of_the_command_line_is_loaded() -> None:
    program = (
        "import sys; sys.argv = ['outcome-monitors', 'hook']\n"
        "from outcome_monitors.__main__ import main\n"
        "try: main()\n"
        "finally: print(','.join({'click', 'rich'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", program], input=b"{}", capture_output=True, check=True)
    assert done.stdout.strip() == b""
