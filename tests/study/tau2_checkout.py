"""A small checkout in the form of tau2-bench: a made-up shop and a made-up airline, with a handful of tasks each."""

import json
import random
from pathlib import Path
from typing import Any

from tests.study.retail_checkout import FIRST, LAST, made_tables

__all__ = ["made_airline", "make_tau2_checkout"]

Record = dict[str, Any]
Step = tuple[str, Record]

PORTS = ("JFK", "SEA", "BOS", "DEN")
DAYS = tuple(f"2024-05-{day}" for day in range(16, 22))

TOOLS = '''
class AirlineTools(ToolKitBase):
    @is_tool(ToolType.READ)
    def get_reservation_details(self, reservation_id: str) -> Reservation:
        """
        A reservation, as the checkout describes it.

        It has two paragraphs.

        Args:
            reservation_id: The id, such as 'R00001'.
                It has a second line.

        Returns:
            The reservation.
        """
        raise RuntimeError("a checkout is read, not run")
'''

AGENT = '''
AGENT_INSTRUCTION = """
Help the customer.
""".strip()

SYSTEM_PROMPT = """
<instructions>
{agent_instruction}
</instructions>
<policy>
{domain_policy}
</policy>
""".strip()
raise RuntimeError("a checkout is read, not run")
'''


def make_tau2_checkout(root: Path) -> Path:
    """Write the files of a checkout and return its folder."""
    shop, airline = made_tables(), made_airline()
    _domain(root, "retail", shop, _shop_tasks(shop))
    _domain(root, "airline", airline, _airline_tasks(airline))
    users = root / "data" / "tau2" / "user_simulator"
    users.mkdir(parents=True)
    (users / "simulation_guidelines.md").write_text("# Guidelines\nBe brief.<PERSONA_GUIDELINES>\n")
    code = root / "src" / "tau2"
    (code / "domains" / "airline").mkdir(parents=True)
    (code / "domains" / "airline" / "tools.py").write_text(TOOLS)
    (code / "agent").mkdir()
    (code / "agent" / "llm_agent.py").write_text(AGENT)
    return root


def _domain(root: Path, name: str, tables: Record, tasks: list[Record]) -> None:
    folder = root / "data" / "tau2" / "domains" / name
    folder.mkdir(parents=True)
    (folder / "db.json").write_text(json.dumps(tables))
    (folder / "tasks.json").write_text(json.dumps(tasks))
    splits = {"base": [task["id"] for task in tasks], "test": [tasks[0]["id"]]}
    (folder / "split_tasks.json").write_text(json.dumps(splits))
    (folder / "policy.md").write_text(f"# Policy of the {name}\n")


def _task(number: int, known: str, wish: str, actions: list[Step], said: tuple[str, ...] = ()) -> Record:
    told = {
        "domain": "made up",
        "reason_for_call": wish,
        "known_info": known,
        "unknown_info": None,
        "task_instructions": "Be brief.",
    }
    listed = [
        {"action_id": f"{number}_{place}", "name": tool, "arguments": arguments, "info": None}
        for place, (tool, arguments) in enumerate(actions)
    ]
    return {
        "id": str(number),
        "description": {"purpose": None},
        "user_scenario": {"persona": None, "instructions": told},
        "initial_state": None,
        "evaluation_criteria": {
            "actions": listed,
            "communicate_info": list(said),
            "nl_assertions": None,
        },
    }


def _shop_tasks(tables: Record) -> list[Record]:
    """Cancel, return, and ask what an order cost."""
    orders = tables["orders"].values()
    pending = next(order for order in orders if order["status"] == "pending")
    delivered = [order for order in orders if order["status"] == "delivered"]

    def begun(order: Record) -> list[Step]:
        user = tables["users"][order["user_id"]]
        return [
            ("find_user_id_by_name_zip", {**user["name"], "zip": user["address"]["zip"]}),
            ("get_order_details", {"order_id": order["order_id"]}),
        ]

    cancel = ("cancel_pending_order", {"order_id": pending["order_id"], "reason": "no longer needed"})
    give_back = (
        "return_delivered_order_items",
        {
            "order_id": delivered[1]["order_id"],
            "item_ids": [delivered[1]["items"][0]["item_id"]],
            "payment_method_id": delivered[1]["payment_history"][0]["payment_method_id"],
        },
    )
    price = f"{delivered[4]['payment_history'][0]['amount']:.2f}"
    return [
        _task(0, "You know your name.", "Cancel it.", [*begun(pending), cancel]),
        _task(1, "You know your name.", "Return the first thing.", [*begun(delivered[1]), give_back]),
        _task(2, "You know your name.", "Ask what it cost.", begun(delivered[4]), (price,)),
    ]


def made_airline() -> Record:
    """Draw the tables: flights between four airports, and forty customers with two reservations each."""
    rng = random.Random(3)
    pairs = [(one, other) for one in PORTS for other in PORTS if one != other]
    tables: Record = {"flights": {}, "users": {}, "reservations": {}}
    for number, (origin, destination) in enumerate(pairs):
        name = f"HAT{number:03}"
        tables["flights"][name] = {
            "flight_number": name,
            "origin": origin,
            "destination": destination,
            "scheduled_departure_time_est": f"{6 + number:02}:00:00",
            "scheduled_arrival_time_est": f"{8 + number:02}:00:00",
            "dates": {day: _day(rng) for day in DAYS},
        }
    tables["flights"]["HAT000"]["dates"][DAYS[0]] = {"status": "cancelled"}
    for number in range(40):
        _customer(tables, number, rng)
    return tables


def _day(rng: random.Random) -> Record:
    cabins = ("basic_economy", "economy", "business")
    prices = {cabin: rng.randrange(60, 400) * (place + 1) for place, cabin in enumerate(cabins)}
    return {"status": "available", "available_seats": dict.fromkeys(cabins, 9), "prices": prices}


def _customer(tables: Record, number: int, rng: random.Random) -> None:
    first, last = FIRST[number % 10], LAST[number % 5]
    name, card = f"{first}_{last}_{1000 + number}".lower(), f"credit_card_{5000 + number}"
    person = {"first_name": first, "last_name": last, "dob": f"19{50 + number}-01-02"}
    gift, certificate = f"gift_card_{6000 + number}", f"certificate_{7000 + number}"
    tables["users"][name] = {
        "user_id": name,
        "name": {"first_name": first, "last_name": last},
        "email": f"{name}@example.com",
        "payment_methods": {
            card: {"source": "credit_card", "id": card, "brand": "visa", "last_four": "1234"},
            gift: {"source": "gift_card", "id": gift, "amount": float(rng.randrange(100, 900))},
            certificate: {"source": "certificate", "id": certificate, "amount": 100.0},
        },
        "saved_passengers": [{**person, "first_name": "Ines"}],
        "membership": rng.choice(("gold", "silver", "regular")),
        "reservations": [],
    }
    for _ in range(2):
        _reservation(tables, name, person, card, rng)


def _reservation(tables: Record, user: str, person: Record, card: str, rng: random.Random) -> None:
    name = f"R{len(tables['reservations']):05}"
    flight = tables["flights"][rng.choice(list(tables["flights"])[1:])]
    cabin, day, people = (
        rng.choice(("basic_economy", "economy", "business")),
        rng.choice(DAYS),
        rng.randint(1, 3),
    )
    price = flight["dates"][day]["prices"][cabin]
    ends = {"origin": flight["origin"], "destination": flight["destination"]}
    tables["reservations"][name] = {
        "reservation_id": name,
        "user_id": user,
        **ends,
        "flight_type": rng.choice(("one_way", "round_trip")),
        "cabin": cabin,
        "flights": [{**ends, "flight_number": flight["flight_number"], "date": day, "price": price}],
        "passengers": [person] * people,
        "payment_history": [{"payment_id": card, "amount": price * people}],
        "created_at": "2024-05-02T03:10:19",
        "total_baggages": rng.randint(0, 3),
        "nonfree_baggages": 0,
        "insurance": rng.choice(("yes", "no")),
    }
    tables["users"][user]["reservations"].append(name)


def _airline_tasks(tables: Record) -> list[Record]:
    """Cancel, add a bag, book, and ask for nothing that can be had."""
    reservations = list(tables["reservations"].values())
    cancelled, packed = reservations[0], reservations[4]
    card = packed["payment_history"][0]["payment_id"]
    buyer, person = reservations[8]["user_id"], reservations[8]["passengers"][0]
    price = tables["flights"]["HAT002"]["dates"][DAYS[1]]["prices"]["economy"]
    bags = {"total_baggages": packed["total_baggages"] + 1, "nonfree_baggages": 1, "payment_id": card}
    booking = {
        "user_id": buyer,
        "origin": tables["flights"]["HAT002"]["origin"],
        "destination": tables["flights"]["HAT002"]["destination"],
        "flight_type": "one_way",
        "cabin": "economy",
        "flights": [{"flight_number": "HAT002", "date": DAYS[1]}],
        "passengers": [person],
        "payment_methods": [
            {"payment_id": reservations[8]["payment_history"][0]["payment_id"], "amount": price}
        ],
        "total_baggages": 0,
        "nonfree_baggages": 0,
        "insurance": "no",
    }
    look = "get_reservation_details"
    return [
        _task(
            0,
            f"You are {cancelled['user_id']}.",
            "Cancel your first flight.",
            [
                (look, {"reservation_id": cancelled["reservation_id"]}),
                ("cancel_reservation", {"reservation_id": cancelled["reservation_id"]}),
            ],
        ),
        _task(
            1,
            f"You are {packed['user_id']}.",
            "One more bag.",
            [
                (look, {"reservation_id": packed["reservation_id"]}),
                ("update_reservation_baggages", {"reservation_id": packed["reservation_id"], **bags}),
            ],
        ),
        _task(2, f"You are {buyer}.", "Book it.", [("book_reservation", booking)], (f"{price}",)),
        _task(
            3,
            f"You are {reservations[12]['user_id']}.",
            "Cancel without a reason.",
            [(look, {"reservation_id": reservations[12]["reservation_id"]})],
        ),
    ]
