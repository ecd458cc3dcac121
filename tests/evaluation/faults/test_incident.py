"""Each incident fault on the example of its description and at its edges."""

from typing import Any

import pytest

from outcome_monitors.evaluation.faults import NOT_APPLICABLE, SUITES, Corpus, Subject
from outcome_monitors.evaluation.faults.incident import PAGE
from outcome_monitors.model import Call, Json

BY_NAME = {fault.name: fault for fault in SUITES["incident"]}
EMPTY = Corpus.of([])
FIRST = {"id": "P-101", "name": "Slate 13", "brand": "Acme", "note": "Light"}
SECOND = {"id": "P-102", "name": "Anvil", "brand": "Ironworks", "note": "Workstation laptop with a keypad"}
THIRD = {"id": "P-103", "name": "Slate 14", "brand": "Acme", "note": "Larger"}
HEAD = {"status": "ok", "query": "laptop", "total": 3, "fetched_at": "2026-08-20T09:00:00Z"}
SEARCH: dict[str, Any] = {**HEAD, "items": [FIRST, SECOND, THIRD]}
NAMES = {"n": 1, "first": "Ana", "middle": "B", "last": "Cohen", "inner": {"x": "y"}}
FAILED = {
    "success": False,
    "is_error": True,
    "state": "failed",
    "errors": ["boom"],
    "deep": {"n": 4, "f": True},
}
DATED = {
    "posted": "2026-08-20T09:00:00Z",
    "day": "2026-08-20",
    "fetched_at": "2026-08-21T00:00:00Z",
    "note": "2026",
}
REPLY = {"status": "ok", "order_id": "7", "query": "laptop", "detail": "all good", "rows": [1, 2]}


def faulty(
    name: str, result: Json, *history: Call, tool: str = "search", corpus: Corpus = EMPTY, **arguments: Json
) -> Json:
    call = Call(tool, arguments or {"query": "laptop"}, result)
    return BY_NAME[name].apply(Subject(call, history, corpus))


@pytest.mark.parametrize(
    ("name", "result", "expected"),
    [
        ("vacuous_exec_swallow", SEARCH, {**HEAD, "total": 0, "items": []}),
        ("vacuous_exec_swallow", FAILED, {"success": True, "is_error": False, "state": "success", "deep": {"n": 0, "f": True}}),
        ("vacuous_exec_swallow_keep_counts", {"name": "x"}, NOT_APPLICABLE),
        (
            "positional_field_shift",
            SEARCH,
            {
                **HEAD,
                "items": [
                    FIRST,
                    {"id": "P-102", "name": "Ironworks", "brand": SECOND["note"], "note": "P-103"},
                    {"id": "Slate 14", "name": "Acme", "brand": "Larger", "note": None},
                ],
            },
        ),
        ("positional_field_shift", NAMES, {**NAMES, "middle": "Cohen", "last": None}),
        ("positional_field_shift", {"a": "x", "n": 1}, NOT_APPLICABLE),
        ("stale_declared_state_rewind", DATED, {**DATED, "posted": "2025-12-10T09:00:00Z", "day": "2025-12-10"}),
        (
            "cause_stripped_http_payload",
            REPLY,
            {"status": "ok", "order_id": "7", "query": "laptop", "detail": "HTTP 502: Bad Gateway"},
        ),
        ("error_page_as_payload", SEARCH, {**HEAD, "items": [FIRST, {**SECOND, "note": PAGE}, THIRD]}),
        ("error_page_as_payload", {"rows": [{"n": 1}]}, {"rows": PAGE}),
        ("error_page_as_payload", {"n": 1}, PAGE),
        ("context_pollution_fabrication", {"n": 1}, NOT_APPLICABLE),
        ("ref_id_substitution", {"id": "P-099"}, {"id": "P-100"}),
        ("ref_id_substitution", {"name": "x"}, NOT_APPLICABLE),
        ("env_threshold_truncation", "x" * 10000, "x" * 3998),
        ("env_threshold_truncation", 7, NOT_APPLICABLE),
    ],
)  # fmt: skip
def test_fault(name: str, result: Json, expected: Json):
    assert faulty(name, result) == expected


def test_stale_is_the_oldest_state_under_the_present_stamp():
    old = {"order_id": "7", "state": "open", "city": "Porto", "updated_at": "2026-01-01"}
    new = {"order_id": "7", "state": "closed", "city": "Braga", "updated_at": "2026-02-02"}
    history = [
        Call("read", {"order_id": "7", "verbose": True}, old),
        Call("read", {"order_id": "8"}, {**old, "order_id": "8"}),
    ]
    assert faulty("stale_declared_state", new, *history, tool="read", order_id="7") == {
        **new,
        "city": "Porto",
    }
    assert faulty("stale_declared_state", new, *history, tool="read", order_id="9") is NOT_APPLICABLE
    assert faulty("stale_declared_state", new, *history, tool="other", order_id="7") is NOT_APPLICABLE


def test_id_becomes_the_smallest_other_one_known_everywhere_in_the_result():
    corpus = Corpus.of([Call("list", {}, [{"order_id": "9"}, {"order_id": "3"}, {"order_id": "5"}])])
    result = {"order_id": "3", "lines": {"3": {"of": "3", "n": 3}}}
    swapped = {"order_id": "5", "lines": {"5": {"of": "5", "n": 3}}}
    assert faulty("ref_id_substitution", result, corpus=corpus) == swapped
    earlier = Call("x", {"order_id": "1"}, None)
    assert faulty("ref_id_substitution", result, earlier, corpus=corpus)["order_id"] == "1"
