"""Each incident fault on the example of its description and at its edges."""

import pytest

from outcome_monitors.evaluation.faults import NOT_APPLICABLE, SUITES, Corpus, Subject
from outcome_monitors.evaluation.faults.incident_payload import PAGE
from outcome_monitors.model import Call, Json

BY_NAME = {fault.name: fault for fault in SUITES["incident"]}
EMPTY = Corpus.of([])

SEARCH = {
    "status": "ok",
    "query": "laptop",
    "total": 3,
    "fetched_at": "2026-08-20T09:00:00Z",
    "items": [
        {"id": "P-101", "name": "Slate 13", "brand": "Acme", "note": "Light"},
        {
            "id": "P-102",
            "name": "Anvil",
            "brand": "Ironworks",
            "note": "Workstation laptop with a numeric keypad",
        },
        {"id": "P-103", "name": "Slate 14", "brand": "Acme", "note": "Larger"},
    ],
}


def faulty(
    name: str, result: Json, *history: Call, tool: str = "search", corpus: Corpus = EMPTY, **arguments: Json
) -> Json:
    return BY_NAME[name].apply(Subject(Call(tool, arguments, result), history, corpus))


def test_swallow_leaves_the_flag_the_stamp_and_what_was_asked():
    assert faulty("vacuous_exec_swallow", SEARCH, query="laptop") == {
        "status": "ok",
        "query": "laptop",
        "total": 0,
        "fetched_at": "2026-08-20T09:00:00Z",
        "items": [],
    }


def test_swallow_turns_failure_into_success_and_drops_errors():
    result = {
        "success": False,
        "is_error": True,
        "state": "failed",
        "errors": ["boom"],
        "deep": {"n": 4, "f": True, "x": None},
    }
    assert faulty("vacuous_exec_swallow", result) == {
        "success": True,
        "is_error": False,
        "state": "success",
        "deep": {"n": 0, "f": True, "x": None},
    }


def test_swallow_can_keep_the_counts():
    result = faulty("vacuous_exec_swallow_keep_counts", SEARCH, query="laptop")
    assert (result["total"], result["items"]) == (3, [])
    assert faulty("vacuous_exec_swallow_keep_counts", {"name": "x"}) is NOT_APPLICABLE


def test_shift_moves_values_across_rows_from_the_second_on():
    first, second, third = faulty("positional_field_shift", SEARCH)["items"]
    assert first == SEARCH["items"][0]  # type: ignore[index] # the example is a plain literal
    assert second == {
        "id": "P-102",
        "name": "Ironworks",
        "brand": "Workstation laptop with a numeric keypad",
        "note": "P-103",
    }
    assert third == {"id": "Slate 14", "name": "Acme", "brand": "Larger", "note": None}


def test_shift_in_a_single_object_starts_after_its_first_slot():
    result = {"n": 1, "first": "Ana", "middle": "B", "last": "Cohen", "inner": {"x": "y"}}
    assert faulty("positional_field_shift", result) == {**result, "middle": "Cohen", "last": None}
    assert faulty("positional_field_shift_separator", result) == {**result, "middle": "Cohen", "last": "---"}


def test_shift_needs_two_keys_of_one_type():
    assert faulty("positional_field_shift", {"a": "x", "n": 1}) is NOT_APPLICABLE


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


def test_rewind_moves_dates_but_not_the_stamp():
    result = {
        "posted": "2026-08-20T09:00:00Z",
        "day": "2026-08-20",
        "fetched_at": "2026-08-21T00:00:00Z",
        "note": "2026",
    }
    assert faulty("stale_declared_state_rewind", result) == {
        **result,
        "posted": "2025-12-10T09:00:00Z",
        "day": "2025-12-10",
    }


def test_stripped_payload_keeps_flags_ids_and_what_was_asked():
    result = {"status": "ok", "order_id": "7", "query": "x", "detail": "all good", "rows": [1, 2]}
    kept = {"status": "ok", "order_id": "7", "query": "x", "detail": "HTTP 502: Bad Gateway"}
    assert faulty("cause_stripped_http_payload", result, query="x") == kept
    assert faulty("cause_stripped_http_payload_proxy_hop", ["x"]) == {"result": "HTTP Error 502: Bad Gateway"}
    assert faulty("cause_stripped_http_payload", {"rows": []}) == {"message": "HTTP 502: Bad Gateway"}


def test_error_page_takes_the_text_slot_then_the_rows_then_all():
    page = faulty("error_page_as_payload", SEARCH, query="laptop")
    assert page["items"][1]["note"] == PAGE
    assert page["status"] == "ok"
    assert faulty("error_page_as_payload", {"rows": [{"n": 1}]}) == {"rows": PAGE}
    assert faulty("error_page_as_payload", {"n": 1}) == PAGE
    assert faulty("error_page_as_payload_captured_log", "text").startswith("LLM raw response: ")


def test_pollution_invents_a_row_with_text_of_another_tool():
    earlier = Call("alerts", {}, {"message": "Disk almost full on host nine"})
    result = faulty("context_pollution_fabrication", SEARCH, earlier, query="laptop")
    assert result["total"] == 4
    assert result["items"][:3] == SEARCH["items"]
    assert result["items"][3] == {
        "id": "P-104",
        "name": "Disk almost full on host nine",
        "brand": "Acme",
        "note": "Larger",
    }


def test_pollution_without_rows_adds_to_the_text():
    result = faulty("context_pollution_fabrication", "All quiet.")
    assert result.startswith("All quiet. Platform crisis signal:")
    assert faulty("context_pollution_fabrication", {"n": 1}) is NOT_APPLICABLE


def test_id_becomes_the_smallest_other_one_known_everywhere_in_the_result():
    corpus = Corpus.of([Call("list", {}, [{"order_id": "9"}, {"order_id": "3"}, {"order_id": "5"}])])
    result = {"order_id": "3", "lines": {"3": {"of": "3", "n": 3}}}
    swapped = {"order_id": "5", "lines": {"5": {"of": "5", "n": 3}}}
    assert faulty("ref_id_substitution", result, corpus=corpus) == swapped
    assert (
        faulty("ref_id_substitution", result, Call("x", {"order_id": "1"}, None), corpus=corpus)["order_id"]
        == "1"
    )


def test_an_unknown_id_becomes_its_successor():
    assert faulty("ref_id_substitution", {"id": 41, "n": 41}) == {"id": 42, "n": 42}
    assert faulty("ref_id_substitution", {"id": "P-099"}) == {"id": "P-100"}
    assert faulty("ref_id_substitution", {"name": "x"}) is NOT_APPLICABLE


def test_truncation_drops_rows_to_half_and_leaves_the_count():
    result = faulty("env_threshold_truncation", SEARCH)
    assert result == {**SEARCH, "items": SEARCH["items"][:1]}  # type: ignore[index] # the example is a plain literal


def test_truncation_cuts_text_without_a_mark():
    assert faulty("env_threshold_truncation", "x" * 10000) == "x" * 3998
    assert faulty("env_threshold_truncation", {"id": "P-1", "body": "abcdefghij"})["body"] == "a"
    assert faulty("env_threshold_truncation", 7) is NOT_APPLICABLE


@pytest.mark.parametrize("name", BY_NAME)
def test_nothing_depends_on_task_or_session(name: str):
    one = Subject(Call("search", {"query": "laptop"}, SEARCH, "a", "b"), (), EMPTY)
    two = Subject(Call("search", {"query": "laptop"}, SEARCH, "c", "d"), (), EMPTY)
    assert BY_NAME[name].apply(one) == BY_NAME[name].apply(two)
