"""What the next honest result may bring that no trace had: another digit, another day, a second order, a discount."""

import random

import pytest

from outcome_monitors import Call, Monitor, mine

CHOSEN = random.Random(7)
STATES = ("Pending", "SHIPPED", "Delivered")


def learned(*results, tool="get_order", arguments=lambda _: {}):
    return Monitor(mine(Call(tool, arguments(n), result, task=f"t{n}") for n, result in enumerate(results)))


def codes(monitor, result, tool="get_order", **arguments):
    return [violation.code for violation in monitor.check(tool, arguments, result)]


NUMBERED = [
    ("order_id", [f"ORD-{n}" for n in range(1, 501)], "ORD-1000", "ORD_1000"),
    ("order_id", [f"{n}" for n in range(1, 501)], "1000", "N1000"),
    ("email", [f"user{n}@example.com" for n in range(1, 100)], "user100@example.com", "user100"),
    ("price", [f"${n / 100:.2f}" for n in range(1000, 9999, 50)], "$100.50", "100.50 USD"),
    ("price", [f"${n}.00" for n in range(100, 999, 3)], "$1,000.00", "$1'000.00"),
]


@pytest.mark.parametrize(("field", "texts", "next_one", "wrong"), NUMBERED)
def test_a_number_in_a_text_may_have_one_more_digit(field, texts, next_one, wrong):
    monitor = learned(*({field: text, "state": CHOSEN.choice(STATES)} for text in texts))
    assert codes(monitor, {field: next_one, "state": "Pending"}) == []
    assert codes(monitor, {field: wrong, "state": "Pending"}) == ["unseen_form"]


def test_a_code_is_as_long_as_it_is():
    monitor = learned(*({"code": f"{n * 7919 % 10**6:06}"} for n in range(200)))
    assert codes(monitor, {"code": "0412345"}) == ["unseen_form"]


def test_fields_that_agree_where_nothing_is_taxed_or_moved_are_no_promise():
    def order(n, tax=0, sent_to="Rome"):
        towns = {"billing": {"city": ("Rome", "Oslo", "Bern", "Lyon")[n % 4]}, "shipping": {"city": sent_to}}
        price = 100 + 37 * n % 911
        times = {
            "created_at": f"2026-03-{n % 28 + 1:02}T10:00:00Z",
            "changed_at": f"2026-03-{n % 28 + 1:02}T10:00:00Z",
        }
        return {
            "net": price,
            "gross": price + tax,
            "list_rate": f"{n * n % 53}.50",
            "rate": f"{n * n % 53}.50",
            **towns,
            **times,
        }

    monitor = learned(*(order(n, sent_to=order(n)["billing"]["city"]) for n in range(80)))
    later = {**order(4, tax=12, sent_to="Oslo"), "rate": "31.50", "changed_at": "2026-03-09T12:00:00Z"}
    assert codes(monitor, order(4)) == []
    assert codes(monitor, later) == []


def test_a_customer_may_order_twice():
    def session(n, orders=3):
        for k in range(orders):
            result = {
                "order_id": f"W{n}{k}",
                "customer_id": f"C{n % 10}{n // 10}{k}",
                "total": 10 + CHOSEN.randrange(90),
            }
            yield Call("get_order", {"order_id": f"W{n}{k}"}, result, task=f"t{n}", session=f"s{n}")

    monitor = Monitor(mine(call for n in range(40) for call in session(n)))
    run = monitor.session()
    for order in ("W50", "W51"):
        result = {"order_id": order, "customer_id": "C777", "total": 20}
        assert run.check("get_order", {"order_id": order}, result) == ()


def test_categories_are_shown_as_they_are_written_and_compared_whatever_the_case():
    monitor = learned(*({"state": STATES[n % 3], "total": n} for n in range(90)))
    assert codes(monitor, {"state": "pending", "total": 5}) == []
    [found] = monitor.check("get_order", {}, {"state": "shiped", "total": 5})
    assert (found.expected, found.closest) == (["Delivered", "Pending", "SHIPPED"], "SHIPPED")
