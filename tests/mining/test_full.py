"""Mining in profile `full`: evidence in parts, and what sessions heard."""

import pytest

from outcome_monitors import Call, mine
from outcome_monitors.features.walk import look
from outcome_monitors.mining.config import CONFIG
from outcome_monitors.mining.full import FullObservations
from outcome_monitors.mining.observations import Observations
from outcome_monitors.mining.parallel import bucket_of
from outcome_monitors.mining.state import to_state


def call(number, session=None, tool="get_order", **changes):
    result = {"order_id": f"W{number}", "status": "open", **changes}
    return Call(tool, {"order_id": f"W{number}"}, result, task=f"task {number}", session=session)


def learned(calls):
    found = FullObservations()
    for one in calls:
        found.add(look(one))
    return found


def recalled(found, tool="get_order"):
    """Return how often a status was said again, and how often it had changed."""
    counts = {True: 0, False: 0}
    for part in found.parts:
        if tool in part and ("", ".order_id", ".status") in part[tool].recalled:
            for agreed, witness in part[tool].recalled["", ".order_id", ".status"].items():
                counts[agreed] += witness.calls
    return counts[True], counts[False]


def test_a_session_is_held_against_itself_alone():
    assert recalled(learned([call(1, "a"), call(1, "b"), call(1, "a"), call(1, "b")])) == (2, 0)
    assert recalled(learned([call(1, "a"), call(1, "b", status="shut")])) == (0, 0)
    assert recalled(learned([call(1, "a"), call(1, "a", status="shut")])) == (0, 1)
    assert recalled(learned([call(1), call(1)])) == (0, 0)


def test_a_write_in_between_forgets():
    writes = call(1, "a", "cancel_order", status="shut")
    assert recalled(learned([call(1, "a"), writes, call(1, "a", status="shut")])) == (1, 0)
    assert recalled(learned([call(1, "a"), call(1, "b", "cancel_order"), call(1, "a")])) == (1, 0)


def test_as_many_sessions_as_are_open_may_be_interleaved():
    names = [name for name in map(str, range(4000)) if bucket_of(name) == bucket_of("one more")]
    first = [call(number, name) for number, name in enumerate(names[: CONFIG.open_sessions])]
    assert recalled(learned([*first, *first])) == (CONFIG.open_sessions, 0)
    one_more = call(9999, "one more")
    assert recalled(learned([*first, one_more, first[-1], first[0]])) == (1, 0)
    assert sum(map(len, learned([*first, one_more])._sessions.values())) == CONFIG.open_sessions


@pytest.mark.parametrize("name", [".", "", "a.b", "[x]", "@", 'x"y', "*"])
def test_a_field_or_an_argument_may_have_any_name(name):
    for made in (lambda n: n * 1.5, lambda n: f"t{n % 2}", lambda n: {name: n}, lambda n: [n]):
        calls = [
            Call("update_thing", {name: n, "id": n}, {name: made(n), "id": n}, task=f"t{n}")
            for n in range(12)
        ]
        assert mine(calls, "full").contracts["update_thing"].clauses


def test_what_a_caller_changes_afterwards_was_observed_as_it_was():
    def observed(*, change):
        found = Observations("full")
        for number in range(40):
            arguments, rows = {"ids": [number % 3]}, [{"id": number % 3}]
            found.add(Call("set_it", arguments, {"rows": rows}, task=f"{number}", session=f"{number % 5}"))
            if change:
                arguments["ids"].append(99)
                rows.append({"id": 99})
        return to_state(found)

    assert observed(change=True) == observed(change=False)
