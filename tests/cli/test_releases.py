"""A release of a tool changes many things at once: that is one question to a person, and the answer holds from then on."""

import json
import logging
import time
from itertools import count
from pathlib import Path

import pytest

from outcome_monitors.alerting.alert_policy import AlertPolicy
from outcome_monitors.alerting.suppression import LiveOverrides, SuppressionPolicy
from tests.commandline import Run, Sentence
from tests.events.shop import order
from tests.mcp.folders import closed, live
from tests.mcp.live_shop import Shop, told

RELEASE = {"paid_in": "EUR", "gift": None, "channel": "web", "version": 2}
"""What all results have from a release on; the server's schema says nothing of it."""
names = map("n{}".format, count())


def running(shop: Path) -> Shop:
    desk = live(shop, time.time, weighs=[AlertPolicy(state=shop)])
    decided = SuppressionPolicy(LiveOverrides(shop / "overrides.json", lambda: float(time.monotonic_ns())))
    desk.watch.policies = [decided, *desk.watch.policies]
    return desk


def sessions(desk: Shop, number: int, **changes: object) -> list[int]:
    """Return how many results the agent is alerted of in each of so many sessions."""
    return [
        sum(
            told(
                desk.talk(
                    order(one % 9, **changes), order(one % 9 + 1, **changes), name=next(names), client="c"
                )
            )
        )
        for one in range(number)
    ]


@pytest.fixture
def released(learned_folder: Path) -> Path:
    """A folder in which a release has become usual."""
    desk = running(learned_folder)
    sessions(desk, 40, **RELEASE)
    closed(desk)
    return learned_folder


def test_it_is_one_line_of_the_log_and_names_the_commands(learned_folder, caplog):
    with caplog.at_level(logging.WARNING):
        desk = running(learned_folder)
        sessions(desk, 40, **RELEASE)
        closed(desk)
    [line] = [one.message for one in caplog.records if "accept?" in one.message]
    assert line.startswith("get_order has changed in ")
    assert "channel is a new field" in line
    assert line.endswith(
        "accept? Agents of c are no longer told of it: `outcome-monitors accept get_order --in FOLDER` if it is right,"
        " `reject` if it is a fault"
    )


def test_it_is_one_question_and_one_answer(run: Run, released: Path):
    tool = json.loads(run("status", str(released), "--format", "json").stdout)["tools"]["get_order"]
    assert len(tool["changes"]) == 4
    [question] = tool["waiting"]
    assert question.startswith("get_order has changed in 4 ways, in ")
    assert question.endswith("; accept? [get_order]")
    assert f"  waiting: {question}\n" in run("status", str(released)).stdout
    done = run("accept", "get_order", "--in", str(released))
    assert done.stdout == "get_order is accepted, with 4 changes\n"
    assert (
        json.loads(run("status", str(released), "--format", "json").stdout)["tools"]["get_order"]["waiting"]
        == []
    )
    desk = running(released)
    assert sessions(desk, 5, **RELEASE) == [0] * 5
    assert sessions(desk, 1, **RELEASE, status="<b>oops</b>") == [2]
    closed(desk)


def test_what_is_rejected_alerts_for_as_long_as_it_lasts(run: Run, released: Path):
    desk = running(released)
    assert sessions(desk, 5, **RELEASE) == [0] * 5
    assert (
        run("reject", "get_order", "--in", str(released)).stdout == "get_order is rejected, with 4 changes\n"
    )
    assert sessions(desk, 30, **RELEASE) == [2] * 30
    assert sessions(desk, 5) == [0] * 5
    run("accept", "get_order", "--in", str(released))
    assert sessions(desk, 5, **RELEASE) == [0] * 5
    closed(desk)


def test_what_may_be_a_fault_alerts_once_a_session_until_it_is_accepted(run: Run, learned_folder, caplog):
    strange = {"status": "The order is being looked at by our team."}
    with caplog.at_level(logging.WARNING):
        desk = running(learned_folder)
        sessions(desk, 40, **strange)
        assert sessions(desk, 30, **strange) == [1] * 30
        closed(desk)
    [line] = [one.message for one in caplog.records if "accept?" in one.message]
    assert "Agents of c are told of it once a session until it is accepted" in line
    address = line.partition("outcome-monitors accept ")[2].partition(" ")[0]
    assert run("accept", address, "--in", str(learned_folder)).exit_code == 0
    desk = running(learned_folder)
    assert sessions(desk, 10, **strange) == [0] * 10
    closed(desk)


def test_nothing_to_reject_is_one_sentence(run: Run, one_sentence: Sentence, learned_folder: Path):
    folder = str(learned_folder)
    said = one_sentence(run("reject", "get_order.total/positive", "--in", folder))
    assert said.startswith("nothing has changed at get_order.total/positive#f3e21b")
    assert "there is no clause 'get_order'" in one_sentence(run("accept", "get_order", "--in", folder))
