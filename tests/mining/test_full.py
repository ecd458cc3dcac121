"""Mining in profile `full`: evidence in parts, and what sessions heard."""

import pytest

from outcome_monitors import Call, mine
from outcome_monitors.mining.observations import Observations
from outcome_monitors.mining.state import to_state


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
