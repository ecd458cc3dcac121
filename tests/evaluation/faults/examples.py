"""A small hand-made world of calls, of the kinds that real tools answer: the faults are tried on these."""

import copy
from typing import Any

from outcome_monitors.evaluation.faults import Corpus, Subject
from outcome_monitors.model import Call

ORDERS: dict[str, dict[str, Any]] = {
    "#W1001": {
        "order_id": "#W1001",
        "user_id": "ana_silva_3411",
        "status": "delivered",
        "items": [
            {"item_id": "4202497723", "name": "Desk Lamp", "price": 42.5, "weight": "2 kg"},
            {"item_id": "4602305039", "name": "Office Chair", "price": 180.25, "weight": "14 kg"},
            {"item_id": "1151293680", "name": "Paper Bin", "price": 19.0, "weight": "1 kg"},
        ],
        "item_count": 3,
        "amount": 241.75,
        "address": {"city": "Lisbon", "country": "Portugal", "currency": "EUR"},
        "created_at": "2026-03-01T09:00:00Z",
        "delivered_at": "2026-03-05T16:30:00Z",
        "updated_at": "2026-03-06T08:00:00Z",
        "gift_note": None,
    },
    "#W1002": {
        "order_id": "#W1002",
        "user_id": "ben_cohen_2204",
        "status": "delivered",
        "items": [
            {"item_id": "8323284863", "name": "Tea Kettle", "price": 61.0, "weight": "1 kg"},
            {"item_id": "4602305039", "name": "Office Chair", "price": 180.25, "weight": "14 kg"},
        ],
        "item_count": 2,
        "amount": 241.25,
        "address": {"city": "Osaka", "country": "Japan", "currency": "JPY"},
        "created_at": "2026-02-11T10:00:00Z",
        "delivered_at": "2026-02-20T11:00:00Z",
        "updated_at": "2026-02-21T08:15:00Z",
        "gift_note": None,
    },
    "#W1003": {
        "order_id": "#W1003",
        "user_id": "ana_silva_3411",
        "status": "pending",
        "items": [
            {"item_id": "1151293680", "name": "Paper Bin", "price": 19.0, "weight": "1 kg"},
            {"item_id": "5753502325", "name": "Garden Hose", "price": 96.35, "weight": "3 kg"},
        ],
        "item_count": 2,
        "amount": 115.35,
        "address": {"city": "Porto", "country": "Portugal", "currency": "EUR"},
        "created_at": "2026-03-08T12:00:00Z",
        "delivered_at": "2026-03-12T12:00:00Z",
        "updated_at": "2026-03-12T12:30:00Z",
        "gift_note": "Happy birthday",
    },
}


def _moved(city: str) -> dict[str, Any]:
    order = copy.deepcopy(ORDERS["#W1003"])
    order["address"]["city"] = city
    return order


def _flights(origin: str, day: str) -> list[dict[str, Any]]:
    return [
        {
            "flight_number": f"HAT0{10 + hour}",
            "origin": origin,
            "date": day,
            "departure_time": f"{hour:02d}:00:00",
            "arrival_time": f"{hour + 3:02d}:30:00",
            "status": "available",
            "available_seats": {"economy": 9 + hour, "business": 3},
            "prices": {"economy": 100 + hour, "business": 300 + hour},
        }
        for hour in (6, 9, 14)
    ]


def _events(page: int) -> dict[str, Any]:
    names = [
        "Stand-up in room four",
        "Lunch with the new client",
        "Quarterly planning",
        "Retrospective of May",
    ]
    return {
        "events": [
            {
                "id": f"ev-{page}{index}",
                "title": title,
                "description": f"{title}. Everyone who works on page {page} is asked to come.",
                "start_time": f"2026-05-1{index}T10:00:00",
                "end_time": f"2026-05-1{index}T11:00:00",
            }
            for index, title in enumerate(names)
        ],
        "count": 4,
        "has_more": page < 2,
        "fetched_at": "2026-05-20T08:00:00",
    }


PAGE = (
    "Opening hours: see below\nMus\u00e9e du Village\nIt's open 9:30 AM - 5:30 PM on weekdays. Tickets have a price of 12.50.\n"
    "The collection doesn't change in summer; guided visits last 90 minutes."
)

CALLS: list[Call] = [
    Call("get_order", {"order_id": "#W1001"}, ORDERS["#W1001"], "shop/1", "s1"),
    Call("get_order", {"order_id": "#W1002"}, ORDERS["#W1002"], "shop/1", "s1"),
    Call("get_order", {"order_id": "#W1003"}, ORDERS["#W1003"], "shop/1", "s1"),
    Call("set_city", {"order_id": "#W1003", "city": "Braga"}, _moved("Braga"), "shop/1", "s1"),
    Call("get_order", {"order_id": "#W1003"}, _moved("Braga"), "shop/1", "s1"),
    Call("find_user", {"email": "ana@example.com"}, "ana_silva_3411", "shop/1", "s1"),
    Call("search_flights", {"origin": "LIS", "date": "2026-06-01", "limit": 10}, _flights("LIS", "2026-06-01"), "air/1", "s2"),
    Call("search_flights", {"origin": "LIS", "date": "2026-06-02", "limit": 10}, _flights("LIS", "2026-06-02"), "air/1", "s2"),
    Call("search_flights", {"origin": "OPO", "date": "2026-06-01", "limit": 10}, _flights("OPO", "2026-06-01"), "air/1", "s2"),
    Call("list_events", {"page": 1}, _events(1), "office/1", "s3"),
    Call("list_events", {"page": 2}, _events(2), "office/1", "s3"),
    Call("read_page", {"url": "https://example.com/museum"}, PAGE, "office/1", "s3"),
    Call("get_prices", {"names": ["Le Baratin", "Miznon", "Royal Panda"]}, {"Le Baratin": 30.0, "Miznon": 15.0, "Royal Panda": 20.0}, "air/2", "s4"),
    Call("get_rate_limit", {}, {"limit": 5000, "remaining": 4990, "reset": 1773946285}, "repo/1", "s5"),
    Call("get_key", {"repo": "docs"}, {"key_id": 568250167242549743, "key": "zi9jX3s2mwHr2g"}, "repo/1", "s5"),
    Call("send_money", {"recipient": "GB29NWBK60161331926819", "amount": 50}, {"message": "Transaction to GB29NWBK60161331926819 for 50 sent."}, "bank/1", "s6"),
    Call("create_file", {"name": "notes.txt"}, None, "office/2", "s7"),
    Call("mean", {"numbers": [3, 16, 60]}, {"result": 26.333333333333332}, "sums/1", "s8"),
]  # fmt: skip

CORPUS = Corpus.of(CALLS)


def subject(index: int) -> Subject:
    """Return the call at an index with the calls of its session before it."""
    call = CALLS[index]
    return Subject(call, [earlier for earlier in CALLS[:index] if earlier.session == call.session], CORPUS)


SUBJECTS = [subject(index) for index in range(len(CALLS))]


def changes(before: Any, after: Any, place: str = "") -> list[str]:
    """Say in lines what two results differ in."""
    if isinstance(before, dict) and isinstance(after, dict):
        lines = [f"{place}.{key}: removed" for key in before if key not in after]
        lines += [f"{place}.{key}: added {after[key]!r}" for key in after if key not in before]
        return lines + [
            line
            for key in before
            if key in after
            for line in changes(before[key], after[key], f"{place}.{key}")
        ]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        return [
            line
            for i, (one, two) in enumerate(zip(before, after, strict=True))
            for line in changes(one, two, f"{place}[{i}]")
        ]
    same = type(before) is type(after) and before == after
    return [] if same else [f"{place or 'result'}: {before!r} -> {after!r}"]
