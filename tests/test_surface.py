# mypy: disable-error-code="arg-type"
# The wrong things are handed over on purpose.
"""The public surface: what it is, what importing it loads, and what it says to those who hand over the wrong thing."""

import inspect
from importlib.metadata import version
from typing import get_args

import pytest

import outcome_monitors
from outcome_monitors import Call, Monitor, Registry, mine, read_traces
from outcome_monitors.cli.mine import command as mine_command
from outcome_monitors.contracts.overrides import Override, Overrides
from outcome_monitors.events.watch import MODES, Watch
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.mining.budget import BUDGET
from outcome_monitors.mining.observations import DEFAULT_PROFILE, PROFILES
from outcome_monitors.model import Encoder, Mode, Profile
from outcome_monitors.receipts.encoders import ENCODERS


def orders(count: int = 12) -> list[Call]:
    statuses = ("pending", "sent")
    return [
        Call(
            "get_order",
            {"id": f"W{n}"},
            {"id": f"W{n}", "total": n + 0.5, "status": statuses[n % 2], "email": f"u{n}@example.org"},
            task=f"t{n}",
        )
        for n in range(count)
    ]


def test_the_public_names_are_sorted_and_there():
    assert sorted(outcome_monitors.__all__) == outcome_monitors.__all__
    assert [name for name in outcome_monitors.__all__ if not hasattr(outcome_monitors, name)] == []
    assert dir(outcome_monitors) == outcome_monitors.__all__


def test_the_version_is_that_of_the_distribution():
    assert outcome_monitors.__version__ == version("outcome-monitors")


def test_the_types_name_what_there_is():
    assert set(get_args(Profile)) == set(PROFILES)
    assert set(get_args(Encoder)) == set(ENCODERS)
    assert get_args(Mode) == MODES


def test_mining_is_by_default_what_the_command_does():
    parameters = inspect.signature(mine).parameters
    assert parameters["profile"].default == DEFAULT_PROFILE == "full"
    assert parameters["budget"].default == BUDGET
    # The command asks for a file of overrides apart, where contracts are used; all else it takes too.
    options = {parameter.name for parameter in mine_command.params}
    assert {"profile", "budget", "private", "workers"} <= options & set(parameters)
    assert mine(orders()) == mine(orders(), "full")
    assert mine(orders()) != mine(orders(), "paper")


def test_mining_takes_workers_private_paths_and_decisions():
    calls = orders(40)
    assert mine(calls, workers=2).dumps() == mine(calls).dumps()
    hidden = mine(calls, private=["email"]).contracts["get_order"].clauses
    assert {clause.kind for clause in hidden if clause.path == "email"} <= {"required", "type"}
    positive = next(c for c in mine(calls, "paper").contracts["get_order"].clauses if c.kind == "positive")
    muted = Overrides().decided(Override.of("get_order", positive, "mute"))
    assert positive not in mine(calls, "paper", overrides=muted).contracts["get_order"].clauses


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (lambda: mine(orders(), "papr"), "there is no profile 'papr'; choose one of full, paper"),
        (lambda: mine(orders(), budget=2), "a budget is a share of clean results, from 0 to 1, not 2"),
        (
            lambda: Monitor(Registry(), encoder="v9"),
            "there is no receipt encoder 'v9'; choose one of generic, note, stripped, text, v1, v2",
        ),
        (
            lambda: Watch(Monitor(Registry()), mode="loud"),
            "there is no mode 'loud'; choose one of shadow, advise",
        ),
    ],
)
def test_a_wrong_name_gets_one_sentence_with_the_right_ones(wrong, sentence):
    with pytest.raises(OutcomeMonitorsError) as raised:
        wrong()
    assert str(raised.value) == sentence


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (
            lambda: Monitor("contracts.json"),
            "a monitor takes a Registry, not the path 'contracts.json': Registry.load('contracts.json')",
        ),
        (
            lambda: Monitor(Registry(), "relations.json"),
            "a monitor takes a Relations, not the path 'relations.json': Relations.load('relations.json')",
        ),
        (
            lambda: Watch("contracts.json"),
            "a watch takes a Monitor, not the path 'contracts.json': Watch.open('contracts.json')",
        ),
        (
            lambda: read_traces("today.jsonl"),
            "a list is needed, not 'today.jsonl' alone: read_traces(['today.jsonl'])",
        ),
        (
            lambda: mine("today.jsonl"),
            "a list is needed, not 'today.jsonl' alone: mine(read_traces(['today.jsonl']))",
        ),
        (lambda: mine([], private="email"), "a list is needed, not 'email' alone: private=['email']"),
    ],
)
def test_a_wrong_thing_gets_one_sentence_with_the_right_call(wrong, sentence):
    with pytest.raises(TypeError) as raised:
        wrong()
    assert str(raised.value) == sentence
