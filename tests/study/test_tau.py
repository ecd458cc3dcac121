"""tau-bench and tau2-bench: the tools against recorded traffic, tasks from a checkout, faults, judge, user, and whole studies."""

import gc
import gzip
import itertools
import json
from collections import defaultdict
from typing import Any

import pytest

from outcome_monitors import Monitor
from outcome_monitors.exceptions import OutcomeMonitorsError, SourceError
from outcome_monitors_study._ledger import read_ledger
from outcome_monitors_study.design import Design
from outcome_monitors_study.environments import environment
from outcome_monitors_study.environments.environment import Cell
from outcome_monitors_study.environments.tau import TauRetailEnvironment
from outcome_monitors_study.environments.tau.airline import AIRLINE
from outcome_monitors_study.environments.tau.checkout import read_tables, read_tasks
from outcome_monitors_study.environments.tau.domain import Records
from outcome_monitors_study.environments.tau.retail import RETAIL, TAU_RETAIL
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
        ("update_reservation_passengers", {"reservation_id": "R00000", "passengers": []}, "Error: Number of"),
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
        (
            "tasks.json",
            '[{"id": "0", "evaluation_criteria": null, "user_scenario": {"instructions": "hi"}, "initial_state": {"a": 1}}]',
            "task 0 begins in a state of its own",
        ),
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


@pytest.fixture(scope="module")
def first_checkout(tmp_path_factory):
    return make_checkout(tmp_path_factory.mktemp("tau"))


@pytest.fixture(scope="module")
def retail(first_checkout):
    return environment({"environment": "tau-retail", "checkout": str(first_checkout)})


def test_the_tools_answer_as_the_recorded_ones_did():
    tables = read_tables(shared("data/tau_bench_retail"), TAU_RETAIL.needed)
    sessions = defaultdict(list)
    with gzip.open(shared("data/traces/tau_retail.jsonl.gz"), "rt") as lines:
        for line in lines:
            call = json.loads(line)
            sessions[call["session"]].append(call)
    differing = []
    for calls in sessions.values():
        shop = Records(tables)
        differing += [
            call for call in calls if TAU_RETAIL.call(shop, call["tool"], call["arguments"]) != call["result"]
        ]
    assert sum(map(len, sessions.values())) == 4504
    assert differing == []


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("2 + 2", 4.0),
        ("1 / 0", "Error: division by zero"),
        ("__import__", "Error: invalid characters in expression"),
        ("9 ** 9 ** 9", "Error: the power is too large"),
        ("(" * 3000 + ")" * 3000, "Error: "),
    ],
)
def test_the_calculator_works_out_numbers_and_nothing_else(expression, expected):
    found = TAU_RETAIL.call(Records(made_tables()), "calculate", {"expression": expression})
    assert found == expected if isinstance(expected, float) else found.startswith(expected)


def test_tasks_are_read_and_no_code_of_the_checkout_is_run(retail):
    tasks = list(retail._tasks.values())
    assert [task.name for task in tasks] == [f"retail/{n}" for n in range(6)]
    assert tasks[0].actions[-1].tool == "cancel_pending_order"
    assert tasks[5].outputs
    [spec] = [spec for spec in retail.specs() if spec["name"] == "get_order_details"]
    assert spec["description"] == "An order, as the checkout describes it."
    assert {spec["name"] for spec in retail.specs()} == set(TAU_RETAIL.tools)
    assert retail.system_prompt.startswith("# Policy")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("TASKS = [Task(user_id=f(), instruction='b', actions=[])]", "line 1: not of the form Task"),
        ("TASKS = [", "line 1: not Python"),
    ],
)
def test_task_files_in_python_of_another_form_are_errors(tmp_path, text, said):
    file = tmp_path / "tasks_test.py"
    file.write_text(text)
    with pytest.raises(SourceError, match=said):
        read_tasks(file)


def test_missing_files_and_strata_are_errors(tmp_path, first_checkout):
    elsewhere = environment({"environment": "tau-retail", "checkout": str(tmp_path)})
    with pytest.raises(SourceError, match=r"tasks_test.py.*study fetch tau-bench"):
        elsewhere.cells({"status": 1}, 0)
    (tmp_path / "orders.json").write_text('{"#W1": {"order_id": "#W1"}}')
    with pytest.raises(SourceError, match="orders #W1 lacks user_id"):
        read_tables(tmp_path, TAU_RETAIL.needed)
    place = environment({"environment": "tau-retail", "checkout": str(first_checkout)})
    with pytest.raises(OutcomeMonitorsError, match="has 6 tasks, not 50"):
        place.cells({"status": 50}, 0)
    with pytest.raises(OutcomeMonitorsError, match="no stratum 'C3/P3'"):
        place.cells({"C3/P3": 1}, 0)


DESIGN: dict[str, Any] = {
    "agents": ("scripted-naive", "scripted-careful", "scripted-follows:1"),
    "arms": ("baseline", "advisory-v1", "generic", "always-warn", "hard-guard", "always-verify"),
    "strata": ("status", "conservation", "clean"),
    "per_stratum": 6,
    "profile": "paper",
}


@pytest.mark.filterwarnings("ignore")
def test_two_models_talk_one_of_them_as_the_user(tmp_path, first_checkout):
    models = pytest.importorskip("inspect_ai.model", reason="the extra `study` is not installed")
    agent, user = "mockllm/agent", "mockllm/user"
    prices = {name: {"input": 1.0, "output": 1.0, "date": "2026-11-01"} for name in (agent, user)}
    study = freeze(
        tmp_path / "trial",
        Design(
            environment={"environment": "tau-retail", "checkout": str(first_checkout)},
            **{**DESIGN, "agents": (agent,), "arms": ("baseline", "advisory-v1"), "per_stratum": 1},
            settings={"user_model": user, "prices": prices},
        ),
    )
    place = TauRetailEnvironment(str(first_checkout))
    plans = {task.instruction: task for task in place._tasks.values()}
    systems = set()

    def counted(output):
        output.usage = models.ModelUsage(input_tokens=100, output_tokens=10, total_tokens=110)
        return output

    def as_user(messages, *_):
        asked = sum(message.role == "user" for message in messages)
        instruction = messages[0].text.split("Instruction: ")[1].split("\n")[0]
        line = (instruction, "Yes, please.", "###STOP###")[asked - 1]
        return counted(models.ModelOutput.from_content(user, line))

    def as_agent(messages, *_):
        systems.add(messages[0].text)
        task = plans[messages[1].text]
        if len(messages) == 2:
            return counted(models.ModelOutput.from_content(agent, "Shall I?"))
        done = sum(message.role == "tool" for message in messages)
        if done < len(task.actions):
            tool, arguments = task.actions[done]
            return counted(models.ModelOutput.for_tool_call(agent, tool, dict(arguments)))
        return counted(models.ModelOutput.from_content(agent, f"Done: {task.outputs}"))

    done = run(
        study.folder,
        models={
            agent: models.get_model(agent, custom_outputs=as_agent),
            user: models.get_model(user, custom_outputs=as_user),
        },
    )
    gc.collect()
    records = read_ledger(study.ledger)
    assert done.done == done.planned == 6
    assert all(record["completed"] for record in records)
    assert systems == {place.system_prompt}
    usage = records[0]["usage"]
    assert usage["user_input_tokens"] == 300
    assert usage["cost"] == pytest.approx((usage["input_tokens"] + usage["output_tokens"] + 330) / 1e6)


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
