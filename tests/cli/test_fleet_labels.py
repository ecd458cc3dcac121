"""Labels in a fleet: events and traces bear them; contracts and decisions are for all."""

import json
from contextlib import closing
from urllib.parse import quote_plus

import pytest

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.learning.decisions import mute
from outcome_monitors.learning.folder import StateFolder
from outcome_monitors.storage.address import StateAddress
from outcome_monitors_server.cli.state import state_at
from outcome_monitors_server.retention.copy import copy_state
from outcome_monitors_server.storage.postgres import Postgres
from outcome_monitors_server.versions.learn_job import LearnJob
from tests.commandline import Run, Sentence
from tests.mcp.fleets import asked

HOSTILE = ["shop'; DROP TABLE trials; --", "%s?%", "../ÄÖ 🎛", "a&environment=live"]


def at(fleet: str, **labels: str) -> str:
    return fleet + "".join(f"&{name}={quote_plus(value)}" for name, value in labels.items())


def record(fleet: str, **labels: str) -> None:
    """Record thirty calls of `search` as a proxy with these labels does."""
    names, marks = "".join(f", {name}" for name in labels), ", ?" * len(labels)
    with Postgres(StateAddress.read(fleet)).writing() as shared:
        for number in range(30):
            line = {"tool": "search", "result": {"total": 5.5 + number % 7}, "task": f"t{number}"}
            shared.execute(
                f"INSERT INTO traces (time, tool, line{names}) VALUES (1.0, 'search', ?{marks})",
                (json.dumps(line), *labels.values()),
            )


def learn(place: str):
    return LearnJob(place).run(lambda lines, _: lines).version


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_labels_are_data(fleet, name):
    record(fleet, service=name)
    record(fleet, service="other")
    with closing(StateFolder.at(at(fleet, service=name))) as state:
        assert len([*state.calls()]) == 30
    assert learn(fleet).evidence["lines"] == 60


def test_contracts_and_decisions_are_for_the_whole_fleet(fleet):
    record(fleet, service="orders")
    with pytest.raises(
        OutcomeMonitorsError, match="leave labels out, or give the service a fleet of its own"
    ):
        learn(at(fleet, service="orders"))
    learn(fleet)
    with closing(StateFolder.at(at(fleet, service="orders"))) as state:
        clause = next(one for one, (_, said) in state.known().items() if said.path == "total")
        assert mute(state, clause).endswith("is muted for the whole fleet")
    with closing(StateFolder.at(at(fleet, service="catalogue"))) as state:
        assert [*state.overrides().named("mute")] == [clause]


def test_a_state_is_copied_with_its_labels(fleet, tmp_path):
    record(fleet, service="orders")
    with Postgres(StateAddress.read(fleet)).writing() as shared:
        shared.execute(
            "INSERT INTO events (time, tool, outcome, advised, duration, why, violations, receipt, service)"
            " VALUES (1, 'search', 'clean', 0, 0, '', '[]', 'null', 'orders')"
        )
    learn(fleet)
    target = fleet + "-copy"
    copy_state(state_at(fleet), state_at(target))
    assert asked(target, "SELECT service, count(*) FROM traces GROUP BY service") == [("orders", 30)]
    assert asked(target, "SELECT service FROM events") == [("orders",)]
    assert learn(target).number == 1


def test_no_command_shows_a_password(fleet, run: Run):
    secret = fleet.replace("postgres:@", "postgres:hunter2@")
    with Postgres(StateAddress.read(fleet)).writing():
        pass
    for arguments in (["list", secret], ["diff", secret], ["rollback", at(secret, service="a")]):
        assert "hunter2" not in run("contracts", *arguments).output


def test_an_address_with_labels_is_refused_in_the_words_of_one_without(
    fleet, run: Run, one_sentence: Sentence
):
    for place in (fleet, at(fleet, service="a")):
        said = one_sentence(run("status", place))
        assert "there is no state at" in said
        assert "(--learn)" in said
