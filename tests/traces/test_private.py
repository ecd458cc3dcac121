"""Nothing of a private value is kept: mining cannot tell it from another of the same kind."""

import json

import pytest
from hypothesis import given, settings, strategies as st

from outcome_monitors import Call, Registry
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.mining.observations import PROFILES, Observations
from tests.mining.described import described

PATHS = ("customer.email", "lines[].card", "notes[json].secret", "paid", "@password", "@people[].name")


def call(number: int, secret: str, paid: object, *, session: bool = True) -> Call:
    return Call(
        "get_order",
        {"order_id": f"W{number}", "password": secret, "people": [{"name": secret, "age": number}]},
        {
            "order_id": f"W{number}",
            "customer": {"email": secret, "name": f"name {number % 3}"},
            "lines": [{"card": secret, "price": 2 * number}, {"card": secret, "price": 5}],
            "notes": json.dumps({"secret": secret}),
            "paid": paid,
            "again": secret[:0] + "the same",
        },
        task=f"task {number // 2}",
        session=f"run {number // 2}" if session else None,
    )


def mined(calls, profile):
    observations = Observations(profile, private=PATHS)
    for each in calls:
        observations.add(each)
    return described(observations), observations.contracts().registry.dumps()


@pytest.mark.parametrize("profile", PROFILES)
@settings(max_examples=8, deadline=None)
@given(st.lists(st.text(min_size=1, max_size=5), min_size=12, max_size=12), st.booleans())
def test_another_private_value_gives_the_same_state_and_contracts(profile, secrets, paid):
    some = [call(n, secret, paid) for n, secret in enumerate(secrets)]
    others = [call(n, f"other {n}", not paid) for n in range(len(secrets))]
    assert mined(some, profile) == mined(others, profile)


def test_kinds_and_presence_are_learned_all_the_same():
    _, contracts = mined([call(n, f"s{n}", True) for n in range(12)], "full")
    clauses = Registry.loads(contracts).contracts["get_order"].clauses
    assert {clause.kind for clause in clauses if clause.path == "customer.email"} == {"type", "required"}
    [of_paid] = [clause for clause in clauses if clause.path == "paid" and clause.kind == "type"]
    assert of_paid.params["kinds"] == ["boolean"]


@pytest.mark.parametrize("path", ["a..b", "lines[3].card", "@"])
def test_what_is_no_path_is_refused(path):
    with pytest.raises(OutcomeMonitorsError, match="cannot hide"):
        Observations(private=[path])
