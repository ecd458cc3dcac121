"""Episodes in lock-step: a model that answers files carries out whole tasks, and completes them."""

import json
from pathlib import Path
from typing import Any

import pytest

from outcome_monitors.cli import commands
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors_study._ledger import read_ledger
from outcome_monitors_study.design import Design
from outcome_monitors_study.manifest import freeze
from outcome_monitors_study.turns import turn
from outcome_monitors_study.world import workflows
from outcome_monitors_study.world.agents import naive
from tests.commandline import runner

MODEL = "somebody/some-model"


class Enough(Exception):  # noqa: N818 - it ends a script at the next call that nobody has answered
    """No more results."""


def design(**more):
    world = {"environment": "world", "workflows": 4, "seed": 2, "suites": ["toolmaze"]}
    return Design(**{"environment": world, "agents": (MODEL,), "profile": "paper", "per_stratum": 1, **more})


def answered(request, made):
    """Answer as somebody who knows the world: the next call, or the last words."""
    query, *results = [m["content"] for m in request["body"]["messages"] if m["role"] in {"user", "tool"}]
    calls = []

    def interface(tool, arguments):
        calls.append((tool, arguments))
        if len(calls) > len(results):
            raise Enough
        return json.loads(results[len(calls) - 1])

    try:
        message: Any = {"content": "Here you are. " + naive(made[query], interface).said, "tool_calls": None}
    except Enough:
        tool, arguments = calls[-1]
        function = {"name": tool, "arguments": json.dumps(arguments)}
        message = {
            "content": None,
            "tool_calls": [{"id": f"c{len(calls)}", "type": "function", "function": function}],
        }
    usage = {"prompt_tokens": 10, "completion_tokens": 2}
    return {
        "custom_id": request["custom_id"],
        "response": {"body": {"choices": [{"message": message}], "usage": usage}},
    }


def test_an_arm_that_asks_a_model_needs_an_endpoint(tmp_path):
    folder = tmp_path / "trial"
    freeze(folder, design(arms=("baseline", "reviewer"), strata=("C1/P0",)))
    with pytest.raises(OutcomeMonitorsError, match="use `study run`"):
        turn(folder, [], MODEL)


def test_turns_complete_all_episodes_whatever_befalls_the_files(tmp_path, monkeypatch):
    """Lines that are missing, doubled, failed, out of order, of another study or no lines cost a turn at most."""
    monkeypatch.chdir(tmp_path)
    made = {each.query: each for each in workflows(4, 2)}
    freeze(Path("trial"), design(arms=("baseline", "advisory-v2"), strata=("C1/P0",)))
    said = _turn("requests-0.jsonl")
    assert said.output == "trial: 0 of 2 episodes done; requests-0.jsonl: 2 requests\n"
    files: list[str] = []
    while requests := [*map(json.loads, Path(f"requests-{len(files)}.jsonl").read_text().splitlines())]:
        lines = [json.dumps(answered(request, made)) for request in reversed(requests)]
        if not files:
            failed = {"custom_id": requests[0]["custom_id"], "response": {"status_code": 500, "body": None}}
            foreign = {**json.loads(lines[0]), "custom_id": "C9_task_001/P0|nobody|baseline|0"}
            lines = [lines[0], lines[0], json.dumps(failed), json.dumps(foreign), "{torn", ""]
        files.append(f"responses-{len(files)}.jsonl")
        Path(files[-1]).write_text("\n".join(lines) + "\n")
        said = _turn(f"requests-{len(files)}.jsonl", *files)
        assert said.exit_code == 0, said.output
        read = turn(Path("trial"), files, MODEL).answers
        assert (read.failed, read.twice, read.foreign, len(read.broken)) == (1, 1, 1, 1)
        assert "1 line: failed at the endpoint" in said.stderr
        assert "1 line: answer other requests" in said.stderr
    assert said.stdout.startswith("trial: 2 of 2 episodes done")
    assert all(episode["completed"] for episode in read_ledger(Path("trial/ledger.jsonl")))


def _turn(output, *responses):
    return runner().invoke(
        commands, ["study", "turn", "trial", *responses, "-o", output, "--model", "some-model"]
    )
