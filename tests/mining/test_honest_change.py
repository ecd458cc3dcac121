"""What is learned in three weeks, or in one afternoon, is not held against a world that has honestly moved on."""

import json
import random
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from outcome_monitors import Call, Monitor, Registry, mine

Result = Any


def codes(registry: Registry, later: Iterable[tuple[str, Mapping[str, Any], Result]]) -> set[str]:
    """Return what is said of results that come later, those of one session."""
    session = Monitor(registry).session()
    return {v.code for tool, asked, result in later for v in session.check(tool, asked, result)}


def said(registry: Registry, tool: str, asked: Mapping[str, Any], result: Result) -> set[str]:
    """Return what is said of one result."""
    return codes(registry, [(tool, asked, result)])


ZONES = {"Europe/Oslo": "+01:00", "Asia/Tokyo": "+09:00", "America/Lima": "-05:00", "UTC": "+00:00"}


def clock(zone: str, minutes: int) -> dict[str, Any]:
    now = datetime(2026, 3, 6, 13, 0) + timedelta(minutes=minutes)
    written = f"{now.isoformat()}{ZONES[zone]}"
    return {"timezone": zone, "datetime": written, "day_of_week": f"{now:%A}", "is_dst": now.month > 3}


def test_an_afternoon_is_no_day_of_the_week():
    tool = "get_current_time"
    calls = [
        Call(tool, {"timezone": zone}, clock(zone, 3 * n + i), task=f"task {n}", session=f"run {n}")
        for n in range(60)
        for i, zone in enumerate(ZONES)
    ]
    registry = mine(calls, "full")
    later = [(tool, {"timezone": zone}, clock(zone, 24 * 60 + n)) for zone in ZONES for n in range(5)]
    assert codes(registry, later) == set()
    summer = [(tool, {"timezone": zone}, clock(zone, 60 * 24 * 60)) for zone in ZONES]
    assert "known_fact_contradicted" not in codes(registry, summer)


STEPS = ("pending", "processed", "shipped", "delivered")


def order(number: int, step: str, **more: Any) -> dict[str, Any]:
    return {
        "order_id": f"W{number:04}",
        "user_id": f"u{number % 17}",
        "city": ("Oslo", "Rome", "Lima", "Bonn", "Nice")[number % 5],
        "status": step,
        "handling": step.upper(),
        "lines": [{"sku": f"S{number % 9}", "quantity": 1 + number % 3}],
        **more,
    }


def shop(weeks: int = 3) -> list[Call]:
    """Return the calls of some weeks in which each order stood where it stood, and only a write moved some on."""
    found = []
    for n in range(80 * weeks):
        number, run = n % 40, (f"task {n}", f"run {n}")
        asked = {"order_id": f"W{number:04}"}
        found.append(Call("get_order", asked, order(number, STEPS[number % 4]), *run))
        if n % 7 == 0:
            written = {"order_id": f"W{500 + n}", "handling": "HELD"}
            found.append(Call("update_order", written, order(500 + n, "pending", handling="HELD"), *run))
    return found


def test_pending_orders_move_on():
    registry = mine(shop(), "full")
    later = [("get_order", {"order_id": f"W{n:04}"}, order(n, STEPS[(n + 1) % 4])) for n in range(40)]
    assert codes(registry, later) == set()
    moved = order(3, STEPS[3], city="Lima")
    assert said(registry, "get_order", {"order_id": "W0003"}, moved) == {"known_fact_contradicted"}


WORDS = "the list of what was said about prices and who will see to it"


def prose(source: random.Random, n: int = 30) -> str:
    return " ".join(source.choice(WORDS.split()) for _ in range(n)).capitalize() + "."


def test_files_that_begin_with_a_heading():
    source = random.Random(5)
    calls = [
        Call("read_text_file", {"path": f"notes/{n}.txt"}, prose(source, 20 + n % 30), task=f"task {n}")
        for n in range(300)
    ]
    registry = mine(calls, "full")
    for n in range(40):
        text = f"# Title {n}\n\n- {prose(source)}\n- `code` and *more*\n"
        assert said(registry, "read_text_file", {"path": f"notes/{n}.md"}, text) == set()
    page = "<html><body>502 Bad Gateway</body></html>"
    assert said(registry, "read_text_file", {"path": "notes/3.txt"}, page) != set()


def test_documents_have_keys_of_their_own():
    def document(n: int) -> str:
        return json.dumps({f"key {n % 30}": n, f"part {n % 7}": {"size": n}, "name": "x"})

    calls = [Call("read_text_file", {"path": f"{n}.json"}, document(n), task=f"task {n}") for n in range(120)]
    registry = mine(calls, "full")
    whole = '{"private": true, "workspaces": []}'
    assert said(registry, "read_text_file", {"path": "a.json"}, whole) == set()
    assert said(registry, "read_text_file", {"path": "a.json"}, whole[:24]) == {
        "learned_type_mismatch",
        "text_garbled",
    }


CITIES = ("Oslo", "Rome", "Lima", "Bonn", "Nice", "Turin")


def hotels(city: str, most: int) -> dict[str, Any]:
    source = random.Random(city)
    prices = [source.randrange(60, 200) for _ in range(7)]
    rows = [{"id": f"{city[:2]}{n}", "nightly": price} for n, price in enumerate(prices) if price <= most]
    return {"city": city, "total_count": len(rows), "hotels": rows}


def test_that_nothing_is_so_cheap_is_an_answer():
    calls = []
    for n in range(120):
        city, most = CITIES[n % 6], 200 + 10 * (n % 9)
        asked = {"city": city, "max_nightly": most}
        calls.append(Call("search_hotels", asked, hotels(city, most), task=f"task {n}"))
    registry = mine(calls, "full")
    for city in CITIES:
        assert said(registry, "search_hotels", {"city": city, "max_nightly": 1}, hotels(city, 1)) == set()
    broken = {**hotels("Oslo", 260), "total_count": -7}
    assert said(registry, "search_hotels", {"city": "Oslo", "max_nightly": 260}, broken) != set()


def towns(number: int) -> tuple[dict[str, Any], dict[str, Any]]:
    names = [f"{name} {quarter}" for name in CITIES for quarter in ("North", "South", "Port", "Hill")]
    name = names[number % len(names)]
    return {"town": name}, {"town": name, "code": f"T{number % len(names):02}", "people": 4000 + 7 * number}


LOOKUPS = [Call("find_town", *towns(n), task=f"task {n}") for n in range(120)]


def test_a_town_that_never_was_is_not_found():
    registry = mine(LOOKUPS, "full")
    for refusal in (
        {"error": "There is no town Atlantis.", "code": "not_found"},
        {"error": {"message": "Unknown town: 'Atlantis'", "status": 404}},
        "Error: town Atlantis not found",
    ):
        assert said(registry, "find_town", {"town": "Atlantis"}, refusal) == set()


def test_what_fails_or_denies_what_was_there_is_a_fault():
    registry = mine(LOOKUPS, "full")
    asked, _ = towns(3)
    denied = {"error": f"There is no town {asked['town']}.", "code": "not_found"}
    assert "explicit_error" in said(registry, "find_town", asked, denied)
    for failure in ("The service is unavailable", "Invalid API key", "Unknown error"):
        assert "explicit_error" in said(registry, "find_town", {"town": "Atlantis"}, {"error": failure})


def test_a_list_of_ids_is_not_closed():
    """Twenty tasks of one afternoon knew one basket."""
    calls = [
        Call("open_basket", {"n": n}, {"basket_id": "B34", "colour": "red"}, task=f"task {n}")
        for n in range(20)
    ]
    registry = mine(calls, "full")
    assert said(registry, "open_basket", {"n": 99}, {"basket_id": "B35", "colour": "red"}) == set()
    wrong = said(registry, "open_basket", {"n": 99}, {"basket_id": "B34", "colour": "mauve"})
    assert "unseen_category" in wrong
