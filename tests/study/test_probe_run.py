"""Probes are asked through inspect_ai: its mock, and a server on this machine that speaks OpenAI's form."""

import json
from typing import Any

import pytest
from click.testing import CliRunner

from outcome_monitors.cli import commands
from outcome_monitors_study.batches import read_answers
from outcome_monitors_study.design import Design
from outcome_monitors_study.manifest import freeze as freeze_study
from outcome_monitors_study.probes.plan import freeze, load_plan, requests
from outcome_monitors_study.probes.score import requested, score
from outcome_monitors_study.run import Effort

# Its streams and its dependencies warn of themselves.
pytestmark = pytest.mark.filterwarnings("ignore")

MOCK = "mockllm/model"
SETTINGS = {"temperature": 0}
AT_ONCE = Effort(concurrency=2, timeout=5, retries=0)


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    pytest.importorskip("inspect_ai", reason="the extra `study` is not installed")
    folder = tmp_path_factory.mktemp("probes") / "trial"
    world = {"environment": "world", "workflows": 16, "seed": 3, "suites": ["toolmaze"]}
    # A warning of everything has something to say at every point, whatever was learned.
    arms = ("baseline", "always-warn")
    freeze_study(
        folder, Design(environment=world, arms=arms, strata=("C3/P4",), per_stratum=3, profile="paper")
    )
    freeze(folder)
    return load_plan(folder)


def run_probes(*given, **more):
    return pytest.importorskip("outcome_monitors_study.probes.asking").run_probes(*given, **more)


def mock(seen=None):
    """Return a model that makes the call again whose result it was shown, where a receipt stands beside it."""
    inspect = pytest.importorskip("inspect_ai.model")

    def answer(messages, tools, _choice, config):
        if seen is not None:
            seen.append((messages, tools, config))
        [call] = messages[-2].tool_calls
        output = inspect.ModelOutput.from_content(MOCK, "Done.")
        if "outcome_contract" in messages[-1].text:
            output = inspect.ModelOutput.for_tool_call(MOCK, call.function, call.arguments)
        output.usage = inspect.ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    return inspect.get_model(MOCK, custom_outputs=answer, memoize=False)


def test_every_request_is_asked_as_it_would_be_exported_and_scored(plan, tmp_path):
    seen: list[Any] = []
    out = tmp_path / "answers.jsonl"
    done = run_probes(plan, out, MOCK, settings=SETTINGS, effort=AT_ONCE, model=mock(seen))
    assert (done.done, done.planned, done.failures) == (len(requested(plan)), len(requested(plan)), 0)
    exported = {
        request["body"]["messages"][-1]["content"]: request["body"] for request in requests(plan, MOCK)
    }
    assert len(seen) == done.planned
    for messages, tools, config in seen:
        body = exported[messages[-1].text]
        assert [message.role for message in messages] == [message["role"] for message in body["messages"]]
        assert [tool.name for tool in tools] == [tool["function"]["name"] for tool in body["tools"]]
        assert (config.temperature, config.max_tokens) == (body["temperature"], body["max_tokens"])
    answers = read_answers([out], frozenset(requested(plan)).__contains__)
    assert answers.models == {MOCK}
    assert not answers.broken
    scores = {(each.shown, each.arm): each for each in score(plan, answers)[""]}
    assert scores["wrong", "always-warn"].actions["again"] == len(plan.points)
    assert scores["wrong", "baseline"].actions["none"] == len(plan.points)


def test_answered_requests_are_not_asked_again(plan, tmp_path):
    out = tmp_path / "answers.jsonl"
    second: list[Any] = []
    run_probes(plan, out, MOCK, settings=SETTINGS, effort=AT_ONCE, model=mock())
    whole = out.read_bytes()
    lines = whole.splitlines(keepends=True)
    out.write_bytes(b"".join(lines[:-2]) + lines[-2][:25])
    done = run_probes(plan, out, MOCK, settings=SETTINGS, effort=AT_ONCE, model=mock(second))
    assert (done.done, len(second)) == (len(requested(plan)), 2)
    assert len(read_answers([out], frozenset(requested(plan)).__contains__).by_request) == len(
        requested(plan)
    )


def test_the_command_asks_and_says_what_it_came_to(plan, tmp_path, monkeypatch):
    out, model = tmp_path / "a.jsonl", mock()
    monkeypatch.setattr("inspect_ai.model.get_model", lambda *_, **__: model)
    given = ["study", "probe", "run", str(plan.folder), "-o", str(out), "--model", MOCK]
    done = CliRunner().invoke(commands, given)
    assert done.exit_code == 0, done.output
    number = len(requested(plan))
    assert f"{number} of {number} answers, cost unknown" in done.output
    assert len(out.read_text().splitlines()) == number
    assert json.loads(out.read_text().splitlines()[0])["response"]["body"]["model"] == MOCK
    refused = CliRunner().invoke(commands, [*given[:-1], "x/y", "--max-cost", "1"])
    assert refused.exit_code == 2
    assert "--max-cost needs a price" in refused.output
