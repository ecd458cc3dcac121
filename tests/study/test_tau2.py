"""tau-bench and tau2-bench: what both have; the airline's tools against recorded traffic, tasks from a checkout, faults, judge, user, and whole studies."""

import gzip
import itertools
import json
from collections import defaultdict
from typing import Any

import pytest

from outcome_monitors import Monitor
from outcome_monitors.exceptions import SourceError
from outcome_monitors_study._ledger import read_ledger
from outcome_monitors_study.design import Design
from outcome_monitors_study.environments import environment
from outcome_monitors_study.environments.environment import Cell
from outcome_monitors_study.environments.tau.airline import AIRLINE
from outcome_monitors_study.environments.tau.domain import Records
from outcome_monitors_study.environments.tau.retail import RETAIL
from outcome_monitors_study.manifest import freeze
from outcome_monitors_study.run import run
from tests.shared import shared
from tests.study.checkouts import DAYS, made_airline, made_tables, make_checkout, make_tau2_checkout

SHOP = ("status", "conservation", "clean")
STRATA = {"tau2-airline": ("cabin", "price", "clean"), "tau2-retail": SHOP, "tau-retail": SHOP}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    return make_tau2_checkout(tmp_path_factory.mktemp("tau2"))


@pytest.fixture(scope="module", params=STRATA)
def settings(request, checkout, tmp_path_factory):
    """The environments of both benchmarks."""
    first = request.param == "tau-retail"
    root = make_checkout(tmp_path_factory.mktemp("tau")) if first else checkout
    return {"environment": request.param, "checkout": str(root)}


@pytest.fixture(scope="module")
def place(settings):
    return environment(settings)


@pytest.fixture(scope="module")
def airline(checkout):
    return environment({"environment": "tau2-airline", "checkout": str(checkout)})


def opened(place, number=0, stratum="clean"):
    name = f"{place.DOMAIN.name}/{number}"
    return place.open(Cell(f"{name}/{stratum}", stratum, name))


def plan_of(place, number):
    return place._tasks[f"{place.DOMAIN.name}/{number}"].actions


# The tools.


def test_the_airline_answers_as_the_recorded_one_did():
    """Records of the airline are not at hand; what earlier calls of a run have shown is held against later ones."""
    sessions = defaultdict(list)
    with gzip.open(shared("data/traces/tau2_airline.jsonl.gz"), "rt") as lines:
        for line in lines:
            call = json.loads(line)
            sessions[call["session"]].append(call)
    checked = 0
    for whole in sessions.values():
        # What the others leave behind needs flights that were never shown.
        calls = list(itertools.takewhile(lambda call: call["tool"] not in UNSEEN, whole))
        shop = Records(_as_shown(calls))
        for call in calls:
            if call["tool"] in CHECKED and shop.find("reservations", call["arguments"].get("reservation_id")):
                checked += 1
                assert AIRLINE.call(shop, call["tool"], call["arguments"]) == call["result"]
    assert checked > 100


CHECKED = (
    "get_reservation_details",
    "cancel_reservation",
    "update_reservation_baggages",
    "update_reservation_passengers",
)
UNSEEN = ("update_reservation_flights", "book_reservation", "send_certificate")


def _as_shown(calls):
    """Return the records that a run begins with, as far as it shows them before it changes them."""
    tables: dict[str, dict[str, Any]] = {"flights": {}, "users": {}, "reservations": {}}
    for call in calls:
        result = call["result"]
        if call["tool"] == "get_user_details":
            tables["users"].setdefault(result["user_id"], result)
        elif call["tool"] == "get_reservation_details" and not result["status"]:
            tables["reservations"].setdefault(result["reservation_id"], result)
    known = tables["reservations"].items()
    tables["reservations"] = {name: each for name, each in known if each["user_id"] in tables["users"]}
    return tables


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("get_user_details", {"user_id": "nobody"}, "Error: User nobody not found"),
        ("cancel_reservation", {"reservation_id": "none"}, "Error: Reservation none not found"),
        ("update_reservation_passengers", {"reservation_id": "R00000", "passengers": []}, "Error: Number of"),
        ("calculate", {"expression": "import os"}, "Error: Invalid characters"),
        ("sell", {}, "Error: There is no tool sell"),
    ],
)
def test_a_refusal_is_a_text_and_changes_nothing(tool, arguments, said):
    shop = Records(made_airline())
    assert AIRLINE.call(shop, tool, arguments).startswith(said)
    assert shop.changed() == {}


def test_a_booking_is_paid_for_or_refused():
    tables = made_airline()
    user, [card, _, certificate] = next(
        (name, list(user["payment_methods"])) for name, user in tables["users"].items()
    )
    price = tables["flights"]["HAT002"]["dates"][DAYS[1]]["prices"]["economy"]
    booking = {
        "user_id": user,
        "origin": "JFK",
        "destination": "DEN",
        "flight_type": "one_way",
        "cabin": "economy",
        "total_baggages": 2,
        "nonfree_baggages": 1,
        "insurance": "yes",
        "flights": [{"flight_number": "HAT002", "date": DAYS[1], "price": 1}],
        "passengers": [{"first_name": "Ada", "last_name": "Abernot", "dob": "1950-01-02"}],
    }

    def booked(shop, *payments):
        paid = [{"payment_id": name, "amount": amount} for name, amount in payments]
        return AIRLINE.call(shop, "book_reservation", {**booking, "payment_methods": paid})

    shop = Records(tables)
    assert booked(shop, (card, price)).startswith("Error: Payment amount does not add up")
    assert booked(shop, (certificate, price + 80)).startswith("Error: Not enough balance")
    assert shop.changed() == {}
    assert booked(shop, (certificate, 100), (card, price - 20))["flights"][0]["price"] == price
    after = AIRLINE.call(shop, "get_user_details", {"user_id": user})
    assert certificate not in after["payment_methods"]
    assert after["reservations"][-1] == "HATHAT"


def test_the_shop_differs_from_that_of_tau_bench_where_tau2_does():
    shop = Records(made_tables())
    order = next(order for order in made_tables()["orders"].values() if order["status"] == "pending")
    item = order["items"][0]
    variants = made_tables()["products"][item["product_id"]]["variants"]
    new = next(name for name, each in variants.items() if each["available"] and name != item["item_id"])
    method = order["payment_history"][0]["payment_method_id"]
    RETAIL.call(
        shop,
        "modify_pending_order_items",
        {
            "order_id": order["order_id"],
            "item_ids": [item["item_id"]],
            "new_item_ids": [new],
            "payment_method_id": method,
        },
    )
    moved = RETAIL.call(
        shop, "modify_pending_order_address", {"order_id": order["order_id"], **order["address"]}
    )
    assert moved["status"] == "pending (item modified)"
    assert moved["return_items"] is None
    assert RETAIL.call(shop, "get_item_details", {"item_id": new})["price"] == variants[new]["price"]
    assert RETAIL.call(shop, "calculate", {"expression": "2 + 2"}) == "4.0"
    assert RETAIL.call(shop, "think", {"thought": "hm"}) == "Error: There is no tool think"
    assert RETAIL.call(shop, "get_order_details", {"order_id": "#W0"}) == "Error: Order not found"


# The checkout.


def test_descriptions_and_prompts_come_from_the_checkout_without_running_it(airline):
    [spec] = [spec for spec in airline.specs() if spec["name"] == "get_reservation_details"]
    assert spec["description"] == ("A reservation, as the checkout describes it.\n\nIt has two paragraphs.")
    [argument] = spec["inputSchema"]["properties"].values()
    assert argument["description"] == "The id, such as 'R00001'. It has a second line."
    assert airline.system_prompt == (
        "<instructions>\nHelp the customer.\n</instructions>\n<policy>\n# Policy of the airline\n\n</policy>"
    )
    assert len(airline.specs()) == 14


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("tasks.json", "[]", "no list of tasks"),
        ("tasks.json", '[{"id": "0"}]', "task 1 is not of tau2-bench's form"),
        (
            "tasks.json",
            '[{"id": "0", "evaluation_criteria": null, "user_scenario": {"instructions": "hi"}, "initial_state": {"a": 1}}]',
            "task 0 begins in a state of its own",
        ),
        ("db.json", "{}", "has no table 'flights'"),
        ("db.json", '{"flights": {"HAT1": {}}}', "flights HAT1 lacks flight_number"),
        ("split_tasks.json", '{"base": 3}', "no split 'base'"),
    ],
)
def test_files_of_another_form_are_errors(tmp_path, file, text, said):
    root = make_tau2_checkout(tmp_path)
    (root / "data" / "tau2" / "domains" / "airline" / file).write_text(text)
    place = environment({"environment": "tau2-airline", "checkout": str(root)})
    with pytest.raises(SourceError, match=said):
        place.open(place.cells({"clean": 1}, 0)[0])


# Faults, and what contracts say of them.


def test_faults_persist_and_change_what_is_shown_alone(place):
    look = next(step for step in plan_of(place, 0) if step.tool == place.DOMAIN.caution.look)
    for stratum in place.STRATA[:2]:
        episode = opened(place, 0, stratum)
        first, second = (episode.call(*look) for _ in range(2))
        assert first.injected
        assert first.seen == second.seen != first.raw
        assert first.raw == second.raw == opened(place, 0).call(*look).seen
    assert [place.is_clean(stratum) for stratum in place.STRATA] == [False, False, True]


def test_the_contracts_flag_both_faults_and_no_clean_run(place):
    monitor = Monitor(place.contracts(frozenset(place._tasks), "paper"))
    injected = set()
    for number in range(len(place._tasks)):
        for stratum in place.STRATA:
            episode = opened(place, number, stratum)
            for tool, arguments in plan_of(place, number):
                served = episode.call(tool, arguments)
                assert bool(monitor.check(tool, arguments, served.seen)) == served.injected, (stratum, tool)
                injected.add(served.injected)
    assert injected == {True, False}


def test_contracts_know_nothing_of_the_customers_under_study(place):
    task = f"{place.DOMAIN.name}/0"
    [customer] = place._customers(frozenset({task}))
    seen = json.dumps([call.arguments for call in place.clean_calls(frozenset({task}))])
    assert customer not in seen
    assert customer in json.dumps([call.arguments for call in place.clean_calls(frozenset())])


# The judge, and the user.


def test_tasks_are_completed_by_their_actions_and_not_by_less_or_more(place):
    for number in range(len(place._tasks)):
        task = place._tasks[f"{place.DOMAIN.name}/{number}"]
        episode, idle, mute = (opened(place, number) for _ in range(3))
        for each in (episode, mute):
            for step in task.actions:
                each.call(*step)
        for each in (episode, idle):
            each.reply(f"Done: {', '.join(task.outputs)}.", None)
        changes = any(step.tool in place.DOMAIN.caution.writes for step in task.actions)
        assert episode.judge("").completed
        assert idle.judge("").completed != changes
        assert mute.judge("").completed != bool(task.outputs)
    over = opened(place, 0)
    for step in (*plan_of(place, 0), *plan_of(place, 1)):
        over.call(*step)
    assert not over.judge("").completed


def test_a_model_plays_the_user_with_the_words_of_the_checkout(airline):
    heard = []

    def ask(lines):
        heard.append(list(lines))
        return ("Hello.", "###TRANSFER###")[len(heard) - 1]

    episode = opened(airline)
    assert episode.opening(ask) == "Hello."
    assert episode.reply("I hand you over.", ask) is None
    assert episode.over
    assert heard[0][0] == ("system", f"# Guidelines\nBe brief.\n\n<scenario>\n{episode.query}\n</scenario>")
    assert episode.query.startswith(
        "Instructions:\n\tDomain: made up\n\tReason for call:\n\t\tCancel your first"
    )


# Whole studies.


def test_a_study_by_scripts_from_end_to_end(tmp_path, settings):
    design = Design(
        environment=settings,
        agents=("scripted-careful", "scripted-follows:1"),
        arms=("baseline", "advisory-v1"),
        strata=STRATA[settings["environment"]],
        per_stratum=3,
        profile="paper",
    )
    study = freeze(tmp_path / "trial", design)
    assert study.manifest["clean"] == ["clean"]
    done = run(study.folder)
    assert done.done == done.planned == 3 * 3 * 2 * 2
    completed: defaultdict[tuple[str, str], list[bool]] = defaultdict(list)
    for record in read_ledger(study.ledger):
        met = record["stratum"] != "clean" and record["score"]["hit"]
        completed[record["arm"], "met" if met else "clean"].append(record["completed"])
        assert any("violations" in call for call in record["calls"]) == (met and record["arm"] != "baseline")
    assert all(completed["baseline", "clean"])
    assert all(completed["advisory-v1", "clean"])
    assert sum(completed["advisory-v1", "met"]) > sum(completed["baseline", "met"])
