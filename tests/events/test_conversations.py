"""What a watch says of results that can't be checked or are of another form, and which run a call belongs to."""

import logging

import pytest

from outcome_monitors import Call, Monitor, Watch, mine
from outcome_monitors.events import unchecked
from outcome_monitors.events.watch import FIRST
from tests.events.shop import Kept, monitor, order

PICTURE = "the content is a picture or a sound"


@pytest.fixture
def log(monkeypatch, caplog):
    """Return what gives the warnings that results are not checked."""
    monkeypatch.setattr(unchecked, "_logged", set())
    caplog.set_level(logging.INFO)
    return lambda: [text for text in caplog.messages if "is not checked" in text]


def test_an_unchecked_result_is_logged_once_for_each_tool_whatever_the_run_and_the_watch(log):
    for watch in (Watch(monitor()), Watch(monitor())):
        for name in "ab":
            watch.conversation(name).skip("draw", PICTURE)
            watch.conversation(name).skip("sing", PICTURE)
        assert watch.unchecked.counts == {("draw", PICTURE): 2, ("sing", PICTURE): 2}
    assert log() == [
        f"a result of {tool!r} is not checked: {PICTURE}; further ones are counted alone"
        for tool in ("draw", "sing")
    ]


OTHER = [f"Order W{n} was sent to Rome." for n in range(6)]


def suppressed(watch, results):
    talk = watch.conversation("c1")
    return [talk.look("get_order", {"id": "W1"}, result).untold for result in results]


def wrapped(number):
    """Return an order in a wrapper that nothing is known of."""
    return {"data": order(number), "request": f"r{number}"}


def test_alerts_end_where_the_first_results_are_of_another_type_until_one_fits(caplog):
    watch = Watch(monitor())
    assert suppressed(watch, OTHER) == [""] * (FIRST - 1) + ["another form"] * (len(OTHER) - FIRST + 1)
    [said] = [text for text in caplog.messages if "another form" in text]
    assert "'get_order' are all strings, and its contract knows object" in said
    assert suppressed(watch, [order(1), OTHER[0]]) == ["nothing broken", ""]


@pytest.mark.parametrize(
    "failure",
    [
        '{"id": "W1", "tot',
        "",
        None,
        "<html>502 Bad Gateway</html>",
        "Error: no route",
        {"error": "internal"},
        {"detail": {"message": "gone"}},
        {},
    ],
)
def test_a_failure_is_not_another_form(failure):
    watch = Watch(monitor(), kept := Kept())
    assert "another form" not in suppressed(watch, [failure] * 6)
    assert kept.outcomes == ["flagged"] * 6


def test_contracts_or_results_in_a_wrapper_are_of_another_form(caplog):
    """What an import left a wrapper around flags every right result: until one fits, nothing more is said."""
    learned = [Call("get_order", {"id": f"W{n}"}, wrapped(n), task=f"t{n}") for n in range(30)]
    watch = Watch(Monitor(mine(learned, "full")))
    assert suppressed(watch, map(order, range(6))) == [""] * (FIRST - 1) + ["another form"] * 4
    assert "have what its contract speaks of at another depth" in caplog.text
    assert suppressed(watch, [wrapped(1), order(1)]) == ["nothing broken", ""]
    assert suppressed(Watch(monitor()), map(wrapped, range(4)))[FIRST - 1 :] == ["another form"] * 2


def test_a_run_is_known_by_its_name_and_without_one_each_is_new():
    watch = Watch(monitor())
    assert watch.run("a") is watch.run("a")
    assert watch.run("a") is not watch.run("b")
    assert watch.run("a").name == "a"
    assert watch.run(None) is not watch.run(None)
    assert watch.run("") is not watch.run("")
