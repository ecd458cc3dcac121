"""What cannot be checked is said once for each tool, and counted with the reason."""

import logging

import pytest

from outcome_monitors import Contract, Monitor, Registry, Watch
from outcome_monitors.adapters.functions import run, watched
from outcome_monitors.events import conversation
from tests.events.shop import Kept, monitor, order

PICTURE = "the content is a picture or a sound"


@pytest.fixture(autouse=True)
def nothing_was_said(monkeypatch):
    monkeypatch.setattr(conversation, "_said", set())


def said(caplog):
    return [record.getMessage() for record in caplog.records if "is not checked" in record.getMessage()]


def test_it_is_said_once_for_each_tool_whatever_the_run_and_the_watch(caplog):
    for watch in (Watch(monitor()), Watch(monitor())):
        for name in "ab":
            watch.conversation(name).skip("draw", PICTURE)
            watch.conversation(name).skip("sing", PICTURE)
        assert watch.unchecked.counts == {("draw", PICTURE): 2, ("sing", PICTURE): 2}
    assert said(caplog) == [
        f"a result of {tool!r} is not checked: {PICTURE}; further ones are counted alone"
        for tool in ("draw", "sing")
    ]


def test_a_call_that_failed_openly_is_counted_alone(caplog):
    caplog.set_level(logging.INFO)
    watch = Watch(monitor())

    @watched(watch)
    def get_order(number):
        raise ValueError(number)

    with run(), pytest.raises(ValueError, match="W1"):
        get_order("W1")
    assert watch.unchecked.sentence() == "1 of get_order, the call raised ValueError"
    assert said(caplog) == []


def test_what_an_adapter_cannot_read_is_said(caplog):
    watch = Watch(monitor(), kept := Kept())

    @watched(watch)
    def get_order(number):
        return iter([number])

    get_order("W1")
    assert [(event.outcome, event.why) for event in kept.events] == [
        ("not_checked", "the result is not JSON")
    ]
    assert len(said(caplog)) == 1


def test_a_contract_without_a_clause_checks_nothing(caplog):
    watch = Watch(Monitor(Registry({"say": Contract("say", ())}, "full")), kept := Kept())
    outcomes = [watch.conversation().look("say", {}, text) for text in ("some prose", "other prose")]
    assert [(outcome.why, outcome.verdict) for outcome in outcomes] == [("no clause", "not_checked")] * 2
    assert [event.why for event in kept.events] == ["its contract has no clause"] * 2
    assert len(said(caplog)) == 1
    assert watch.unchecked.sentence() == "2 of say, its contract has no clause"


def test_what_is_checked_is_in_no_count(caplog):
    watch = Watch(monitor())
    for number in range(3):
        watch.conversation().look("get_order", {"id": f"W{number}"}, order(number))
    assert watch.unchecked.sentence() == ""
    assert said(caplog) == []


def test_however_many_tools_there_are_the_count_is_bounded():
    watch = Watch(monitor())
    for number in range(1500):
        watch.conversation().skip(f"tool_{number}", PICTURE)
    assert len(watch.unchecked.counts) == 1001
    assert watch.unchecked.counts.total() == 1500
    assert watch.unchecked.sentence().startswith("500 of other tools, for other reasons; 1 of ")
    assert watch.unchecked.sentence().endswith("; 991 more")
