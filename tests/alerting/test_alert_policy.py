"""What is told under change: a lasting change is quiet, a fault is not, and the two are told apart."""

import pytest

from outcome_monitors.alerting.alert_policy import AlertPolicy
from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.model import Clause, Contract

FIELDS = ["order_id", "status", "total"]
CLAUSES = (
    Clause("type", "", {"kinds": ["object"]}, 200, 60, "traces"),
    Clause("type", "total", {"kinds": ["number"]}, 200, 60, "traces"),
    *(Clause("required", field, {}, 200, 60, "traces") for field in FIELDS),
    Clause("positive", "total", {}, 200, 60, "traces"),
    Clause("domain", "status", {"values": ["delivered", "pending", "processed", "sent"]}, 200, 60, "traces"),
    Clause("closed_fields", "", {"fields": FIELDS}, 200, 60, "traces"),
)
REGISTRY = Registry({"get_order": Contract("get_order", CLAUSES)}, profile="full")


def order(**changes):
    return {"order_id": "W1", "status": "sent", "total": 12.5, **changes}


class Traffic:
    """One monitor, one policy, a run for each result."""

    def __init__(self):
        self.monitor, self.policy, self.runs = Monitor(REGISTRY), AlertPolicy(), 0

    def see(self, result, when=""):
        self.runs += 1
        session = self.monitor.session(f"task-{self.runs}")
        return session.judge("get_order", {}, result, policies=[self.policy], when=when)

    def alerts(self, results):
        return [self.see(result).told for result in results]


def test_a_new_field_alone_is_for_people():
    outcome = Traffic().see(order(gift=None))
    assert (outcome.verdict, outcome.told, outcome.untold, outcome.proven) == ("flagged", False, "slight", ())
    assert 0 < outcome.odds < 0.25


def test_a_field_that_is_gone_for_good_alerts_at_first_and_is_then_reported_once():
    traffic = Traffic()
    gone = {"order_id": "W1", "total": 3.0}
    told = traffic.alerts([gone] * 12)
    assert (told[0], any(told[4:])) == (True, False)
    outcome = traffic.see(gone)
    assert (outcome.untold, len(outcome.suspended)) == ("a change", 1)
    assert outcome.suspended[0].startswith("get_order.status/required#")
    [novelty] = traffic.policy.changes.report()
    assert traffic.policy.changes.report() == []
    assert novelty.sentence() == "status of get_order is gone, in 13 tasks; accept?"


def test_a_fault_beside_a_lasting_change_alerts():
    traffic = Traffic()
    traffic.alerts([order(gift=None)] * 20)
    assert traffic.see(order(gift=None)).untold == "a change"
    assert traffic.see(order(gift=None, total=-3.0)).told
    # A second new field is not the one that has become usual.
    strange = traffic.see(order(gift=None, error="backend gone"))
    assert strange.told
    assert strange.proven[0][1].path == "error"


def test_a_change_that_returns_alerts_again():
    traffic = Traffic()
    gone = {"order_id": "W1", "total": 3.0}
    traffic.alerts([gone] * 10)
    assert not traffic.see(gone).told
    traffic.alerts([order()] * 60)
    assert traffic.see(gone).told


@pytest.mark.parametrize(
    "page", ["<html><body>Bad gateway</body></html>", {"message": "try later"}, None, []]
)
def test_an_outage_goes_on_alerting_and_says_since_when(page):
    traffic = Traffic()
    traffic.alerts([order()] * 5)
    outcomes = [traffic.see(page, f"2026-01-{day:02}") for day in range(1, 29)]
    assert all(outcome.told for outcome in outcomes)
    assert {outcome.since for outcome in outcomes} == {"2026-01-01"}
    traffic.see(order())
    assert traffic.see(page, "2026-02-09").since == "2026-02-09"


def test_faults_that_come_and_go_go_on_alerting():
    traffic = Traffic()
    results = [order(status="<b>oops</b>") if number % 33 == 0 else order() for number in range(660)]
    told = traffic.alerts(results)
    assert [number for number, seen in enumerate(told) if seen] == list(range(0, 660, 33))


def test_the_same_result_checked_again_is_no_second_witness():
    traffic = Traffic()
    gone = {"order_id": "W1", "total": 3.0}
    session = traffic.monitor.session("one")
    first = session.judge("get_order", {}, gone, policies=[traffic.policy])
    for _ in range(50):
        again = session.judge("get_order", {}, gone, policies=[traffic.policy], remember=False)
        assert again.told
    assert first.told
    assert not traffic.policy.changes.changes()


LISTED = Registry(
    {
        "get_order": Contract(
            "get_order",
            (
                Clause("non_empty", "tags", {"of": "list"}, 200, 60, "traces"),
                Clause("range", "weight", {"low": 1, "high": 200, "room": 0}, 200, 60, "traces"),
            ),
        )
    },
    profile="full",
)


@pytest.mark.parametrize("change", [{"tags": []}, {"weight": 950}])
def test_what_nearly_all_results_have_come_to_and_may_be_a_fault_alerts_once_a_session(change):
    traffic = Traffic()
    traffic.monitor = Monitor(LISTED)
    traffic.alerts([{"tags": [1], "weight": 20.5, **change}] * 40)
    assert traffic.alerts([{"tags": [1], "weight": 20.5, **change}] * 20) == [True] * 20
    session = traffic.monitor.session("one")
    results = [{"tags": [1], "weight": 20.5, **change}] * 3
    outcomes = [session.judge("get_order", {}, one, policies=[traffic.policy]) for one in results]
    assert [outcome.told for outcome in outcomes] == [True, False, False]
    [line] = traffic.policy.report()
    assert "Agents are told of it once a session until it is accepted" in line


def test_a_list_that_has_come_to_be_empty_now_and_then_does_not():
    traffic = Traffic()
    traffic.monitor = Monitor(LISTED)
    results = [{"tags": [] if number % 3 else [1], "weight": 20.5} for number in range(120)]
    assert not any(traffic.alerts(results))
