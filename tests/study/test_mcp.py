"""MCP servers: tasks, faults in front of a server that runs, receipts that are the proxy's own, and the judge."""

import json
import shlex
import sys
from pathlib import Path

import pytest

from outcome_monitors.exceptions import OutcomeMonitorsError, SourceError
from outcome_monitors.receipts.carriers import paragraph
from outcome_monitors_study.arms import ARMS, Bench
from outcome_monitors_study.conversation import EpisodeRecorder
from outcome_monitors_study.environments import environment
from outcome_monitors_study.environments.environment import Cell
from outcome_monitors_study.environments.mcp import read_mcp_tasks

HERE = Path(__file__).parent
PLAIN = shlex.join([sys.executable, str(HERE / "plain_stock_server.py")])


def look(number):
    return {
        "id": f"look {number}",
        "query": f"How many of P{number} are there, and what does one cost?",
        "calls": [{"tool": "get_part", "arguments": {"part": f"P{number}"}}],
        "answer": ["0.stock", "0.price"],
    }


MOVE = {
    "id": "move",
    "query": "Move 3 of P1 to P2, and say how many of P1 are left.",
    "calls": [
        {"tool": "move", "arguments": {"part": "P1", "to": "P2", "quantity": 3}},
        {"tool": "get_part", "arguments": {"part": "P1"}},
    ],
    "answer": ["1.stock"],
    "state": [{"tool": "get_part", "arguments": {"part": "P2"}}],
}


@pytest.fixture(scope="module")
def tasks(tmp_path_factory):
    file = tmp_path_factory.mktemp("mcp") / "tasks.json"
    file.write_text(json.dumps([look(3), look(4), MOVE]))
    return str(file)


@pytest.fixture(scope="module")
def place(tasks):
    return environment({"environment": "mcp", "command": PLAIN, "tasks": tasks})


def recorded(place, cell, arm):
    bench = Bench(place.schema_contracts(), place.schema_contracts(), place.relations())
    episode = place.open(cell)
    return episode, EpisodeRecorder(episode, ARMS[arm], bench)


ONCE = Cell("look 3/once", "once", "look 3", "missing_required_fields")


def test_a_fault_is_put_before_a_real_server_and_the_proxy_alerts_on_it(place):
    episode, recorder = recorded(place, ONCE, "proxy")
    first, second = (recorder("get_part", {"part": "P3"}) for _ in range(2))
    episode.close()
    wrong, right = recorder.calls
    assert wrong["fault"] == "missing_required_fields"
    assert wrong["raw"] == right["raw"] == right["delivered"] == second
    shown, _, words = first.partition("\n\n")
    assert json.loads(shown) == {**wrong["raw"], "price": None}
    assert words == paragraph(wrong["receipt"])
    assert wrong["violations"][0]["path"] == "price"
    assert "get_part" in words
    assert "receipt" not in right


def test_a_fault_strikes_once_or_always_and_never_in_the_clean_stratum(place):
    for stratum, injected in (("once", [True, False]), ("always", [True, True]), ("clean", [False, False])):
        fault = "" if stratum == "clean" else "missing_required_fields"
        episode = place.open(Cell(f"look 3/{stratum}", stratum, "look 3", fault))
        served = [episode.call("get_part", {"part": "P3"}) for _ in range(2)]
        assert [each.injected for each in served] == injected
        assert not episode.call("get_part", {"part": "P4"}).injected
        assert episode.call("get_part", {"part": "none"}).failed
        assert episode.judge("").details["hit"] == (stratum != "clean")
        assert place.is_clean(stratum) == (stratum == "clean")


def test_the_judge_checks_state_and_answer(place):
    def judged(answer, *moves):
        episode = place.open(Cell("move/clean", "clean", "move"))
        for quantity in moves:
            episode.call("move", {"part": "P1", "to": "P2", "quantity": quantity})
        return episode.judge(answer)

    assert judged("I moved them; the stock of P1 is 14 now.", 1, 2).completed
    assert judged("The stock is 17.", 3).details["unsaid"] == ["1.stock"]
    over = judged("The stock is 14.", 3, 3)
    assert not over.completed
    assert over.details["wrong_state"] == ["get_part"]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("no-such-program-here", "cannot start no-such-program-here"),
        (shlex.join([sys.executable, "-c", "raise SystemExit('no key is set')"]), "no key is set"),
    ],
)
def test_a_server_that_does_not_run_is_an_error(tasks, command, said):
    place = environment({"environment": "mcp", "command": command, "tasks": tasks})
    with pytest.raises(OutcomeMonitorsError, match=said):
        place.specs()


@pytest.mark.parametrize(
    ("listed", "said"),
    [
        ([], "no list of tasks"),
        ([3], 'task 1 has no "id" and "query"'),
        ([look(1), look(1)], "two tasks have the same id"),
        ([{**look(1), "answer": ["1.stock"]}], 'an "answer" that is no list of places'),
        ([{**look(1), "calls": [{"tool": 3}]}], 'task 1 needs "calls"'),
        ([{**look(1), "anwser": []}], "has 'anwser', which tasks have not"),
    ],
)
def test_task_files_of_another_form_are_errors(tmp_path, listed, said):
    file = tmp_path / "tasks.json"
    file.write_text(json.dumps(listed))
    with pytest.raises(SourceError, match=said):
        read_mcp_tasks(file)


def test_a_script_plays_the_tasks_own_calls(place):
    for arm, completed in (("baseline", False), ("proxy", True)):
        episode, recorder = recorded(place, ONCE, arm)
        run = episode.played(recorder, "follows", lambda: True)
        assert episode.judge(run).completed == completed
        assert run.heeded == completed
