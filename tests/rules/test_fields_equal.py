"""`fields_equal`: two texts of a record that say the same."""

from itertools import pairwise

import pytest

from outcome_monitors.model import Violation
from outcome_monitors.rules import explain
from outcome_monitors.rules.config import CONFIG
from tests.rules.relations import Row, clause, flags, params

TOWNS = ["Oslo", "Rome", "Lima", "Cairo", "Quito", "Turin", "Paris", "Seoul", "Delhi", "Accra"]


def both(*features):
    return dict(zip(("first", "second"), features, strict=True))


def route(number, stops=3):
    towns = [TOWNS[(number + 3 * i) % len(TOWNS)] for i in range(stops + 1)]
    legs = [{"from": a, "to": b} for a, b in pairwise(towns)]
    return {"origin": towns[0], "destination": towns[-1], "legs": legs}


def test_two_fields_that_are_equal_and_vary_are_found():
    rows: list[Row] = [
        ({}, {"id": f"W{n}", "order": {"ref": f"W{n}"}, "town": TOWNS[n % 10]}) for n in range(30)
    ]
    assert params("fields_equal", rows) == [both(".id", ".order.ref")]


def test_the_ends_of_a_route_are_found():
    found = params("fields_equal", [({}, route(n)) for n in range(40)])
    assert both(".origin", "<legs[].from") in found
    assert both(".destination", ">legs[].to") in found
    assert len(found) == 2


ROUTE = clause("fields_equal", **both(".destination", ">legs[].to"))


def test_a_route_that_ends_elsewhere_is_flagged():
    assert flags(ROUTE, route(3)) == []
    wrong = {**route(3), "destination": "Nowhere"}
    assert flags(ROUTE, wrong) == [
        Violation(
            "fields_disagree",
            "",
            "destination and the last legs[].to are the same",
            f"destination 'Nowhere', legs[].to {route(3)['destination']!r}",
            "destination and the last legs[].to do not agree",
        )
    ]
    assert explain(ROUTE) == "destination and the last legs[].to are the same"


@pytest.mark.parametrize(
    "rows",
    [
        [({}, {"a": "x", "b": "x"})] * 40,
        [
            ({}, {"a": f"{n % (CONFIG.min_values - 1)}", "b": f"{n % (CONFIG.min_values - 1)}"})
            for n in range(40)
        ],
        [({}, {"a": f"w{n}", "b": f"w{n}"}) for n in range(CONFIG.min_tasks - 1)],
        [({}, {"a": n, "b": n}) for n in range(40)],
        [({"a": f"w{n}"}, {"b": f"w{n}"}) for n in range(40)],
        [({}, {"a": f"w{n}", "b": f"W{n}"}) for n in range(40)],
        [
            (
                {},
                {
                    "town": TOWNS[n % (CONFIG.min_values_of_ends - 1)],
                    "rows": [{"t": TOWNS[n % (CONFIG.min_values_of_ends - 1)]}],
                },
            )
            for n in range(40)
        ],
        [({}, {"rows": [{"t": TOWNS[n % 10]}] * 2}) for n in range(40)],
    ],
    ids=[
        *("a constant", "few values", "few tasks", "numbers", "an argument", "another spelling"),
        *("few ends", "both ends of one column"),
    ],
)
def test_what_shows_nothing(rows):
    assert params("fields_equal", rows) == []
