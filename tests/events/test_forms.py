"""A tool whose contract was learned from another form falls silent, and people are told once."""

import pytest

from outcome_monitors import Call, Monitor, mine
from outcome_monitors.events import Watch
from outcome_monitors.events.forms import FIRST
from tests.events.shop import Kept, monitor, order

OTHER = [f"Order W{n} was sent to Rome." for n in range(6)]


def told(watch, results):
    conversation = watch.conversation("c1")
    return [conversation.look("get_order", {"id": "W1"}, result).untold for result in results]


def test_first_results_of_another_type_end_the_telling(caplog):
    assert told(Watch(monitor()), OTHER) == [""] * (FIRST - 1) + ["another form"] * (len(OTHER) - FIRST + 1)
    [said] = [record.message for record in caplog.records if "another form" in record.message]
    assert "'get_order' are all strings, and its contract knows object" in said


def test_a_result_that_fits_brings_it_back():
    assert told(Watch(monitor()), [*OTHER, order(1), OTHER[0]])[-2:] == ["nothing broken", ""]


def test_a_tool_that_fitted_once_is_told_of():
    assert told(Watch(monitor()), [order(1, total=-1), *OTHER]) == [""] * 7


@pytest.mark.parametrize(
    "failure", ['{"id": "W1", "tot', "", None, "<html>502 Bad Gateway</html>", "Error: no route"]
)
def test_a_failure_is_no_form(failure):
    kept = Kept()
    assert "another form" not in told(Watch(monitor(), kept), [failure] * 6)
    assert kept.outcomes == ["flagged"] * 6


def wrapped(number):
    """Return an order in a wrapper that nothing is known of."""
    return {"data": order(number), "request": f"r{number}"}


def test_contracts_of_a_wrapper_are_of_another_form(caplog):
    """What an import left a wrapper around flags every right result: until one fits, nothing more is said."""
    learned = [Call("get_order", {"id": f"W{n}"}, wrapped(n), task=f"t{n}") for n in range(30)]
    watch = Watch(Monitor(mine(learned, "full")))
    assert told(watch, map(order, range(6))) == [""] * (FIRST - 1) + ["another form"] * 4
    assert "have what its contract speaks of at another depth" in caplog.text
    assert told(watch, [wrapped(1), order(1)]) == ["nothing broken", ""]


def test_results_in_a_wrapper_are_of_another_form():
    assert told(Watch(monitor()), map(wrapped, range(4)))[FIRST - 1 :] == ["another form"] * 2


@pytest.mark.parametrize("failure", [{"error": "internal"}, {"detail": {"message": "gone"}}, {}])
def test_an_object_that_has_nothing_of_the_result_is_no_form(failure):
    assert "another form" not in told(Watch(monitor()), [failure] * 6)
