"""The organic study counts what fires on traffic that was held out."""

import json

import pytest

from outcome_monitors import Call
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors_study.organic import as_json, organic, read_cache


def responses(tool, count, result):
    return [Call(tool, {"n": n}, result(n), task=f"{tool}-{n}") for n in range(count)]


def test_violations_are_counted_by_tool_and_code():
    steady = responses("steady", 65, lambda n: {"n": n + 1, "status": "ok"})
    odd = responses("odd", 65, lambda n: {"n": n + 1} if n != 7 else {"message": "Too many requests"})
    few = responses("few", 10, lambda n: {"n": n})
    found = organic([*steady, *odd, *few])
    assert (found.tools, found.too_few) == (2, 1)
    assert found.checked.whole == 2 * 20 * 5
    assert set(found.by_tool) <= {"odd"}
    assert sum(found.by_code.values()) == found.checked.part == sum(share.part for share in found.by_seed)
    assert set(found.by_code) <= set(found.firings)
    assert sum(found.firings.values()) > found.checked.part
    assert as_json(found)["checked"] == 200
    assert organic([*steady, *odd, *few]) == found


# StableToolBench's cache.


def cache(root, files):
    for name, content in files.items():
        file = root / "tool_response_cache" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content if isinstance(content, str) else json.dumps(content))
    return root


def test_successful_objects_of_the_cache_are_calls(tmp_path):
    answers = {
        "{'city': 'Averley', 'days': 3}": {"error": "", "response": {"sun": True}},
        "{'city': 'Caldmoor'}": {"error": "", "response": '{"sun": null}'},
        "{'city': 'Dornholm'}": {"error": "", "response": "{'sun': False}"},
        "{'city': 'Nowhere'}": {"error": "404", "response": {"sun": True}},
        "{'city': 'Fennick'}": {"error": "", "response": [1]},
        "not arguments": {"error": "", "response": {"sun": 1}},
        "{1: 2}": "no answer",
    }
    root = cache(
        tmp_path,
        {
            "Weather/sky_for_Weather/now.json": answers,
            "Weather/sky_for_Weather/torn.json": "{",
            "readme.json": "{}",
        },
    )
    skipped: list[str] = []
    calls = list(read_cache(root, skipped.append))
    assert {call.tool for call in calls} == {"sky_for_Weather/now"}
    assert [call.result for call in calls] == [{"sun": True}, {"sun": None}, {"sun": False}, {"sun": 1}]
    assert calls[0].arguments == {"city": "Averley", "days": 3}
    assert calls[3].arguments == {}
    assert len({call.task for call in calls}) == 4
    assert len(skipped) == 1
    assert list(read_cache(root / "tool_response_cache")) == calls


def test_a_folder_without_a_cache_is_an_error(tmp_path):
    with pytest.raises(OutcomeMonitorsError, match="give StableToolBench's cache"):
        list(read_cache(tmp_path))
