"""The organic study counts what fires on traffic that was held out."""

import pytest

from outcome_monitors import Call
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.study.organic import as_json, organic


def responses(tool, count, result):
    return [Call(tool, {"n": n}, result(n), task=f"{tool}-{n}") for n in range(count)]


def test_only_what_is_odd_fires_and_is_counted_by_class():
    steady = responses("steady", 65, lambda n: {"n": n + 1, "status": "ok"})
    odd = responses("odd", 65, lambda n: {"n": n + 1} if n % 16 else {"message": "Too many requests"})
    few = responses("few", 10, lambda n: {"n": n})
    found = organic([*steady, *odd, *few])
    assert (found.tools, found.too_few) == (2, 1)
    assert found.checked.whole == 2 * 20 * 5
    assert set(found.by_tool) <= {"odd"}
    assert sum(found.by_code.values()) == found.checked.part == sum(share.part for share in found.by_seed)
    assert as_json(found)["checked"] == 200
    assert organic([*steady, *odd, *few]) == found


def test_too_little_traffic_is_a_sentence():
    with pytest.raises(OutcomeMonitorsError, match="no tool has 65 responses"):
        organic(responses("few", 10, lambda n: {"n": n}))
