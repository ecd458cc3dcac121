import pytest

from outcome_monitors.evaluation.faults.places import walk
from outcome_monitors.evaluation.faults.vocabulary import (
    is_count,
    is_error,
    is_flag,
    is_fresh,
    is_id,
    primary_list,
    succeeded,
    successor,
    text_slot,
    words,
)


def test_words_do_not_depend_on_how_a_key_is_written():
    assert words("flightNumber") == words("flight_number") == words("Flight Number") == ("flight", "number")
    assert words("id_") == ("id",)


@pytest.mark.parametrize("key", ["status", "ok", "http_status", "isError", "State"])
def test_flag_keys(key: str):
    assert is_flag(key)


@pytest.mark.parametrize("key", [None, "available", "status_text", "flag"])
def test_keys_that_are_no_flags(key: str | None):
    assert not is_flag(key)


def test_the_other_families():
    assert all(map(is_error, ["error", "errors", "error_code", "warnings", "traceback"]))
    assert all(map(is_count, ["count", "total", "num_items", "n_rows", "reply_count", "totalPages", "size"]))
    assert not any(map(is_count, ["account", "discount", "name", None]))
    assert all(map(is_id, ["id", "order_id", "flight_number", "userId", "ticker", "email", "uuid"]))
    assert not any(map(is_id, ["paid", "identity", "numbers", "", None]))


def test_a_stamp_that_begins_with_last_needs_a_time():
    assert is_fresh("updated_at", "anything")
    assert is_fresh("last_checked", "2026-03-01")
    assert not is_fresh("last_name", "Silva")
    assert not is_fresh("created_at", "2026-03-01")


def test_flags_of_success():
    assert succeeded("ok", False) is True
    assert succeeded("is_error", True) is False
    assert succeeded("status", "FAILED") == "success"
    assert succeeded("status", "pending") == "pending"
    assert succeeded("http_status", 500) == 500


def test_the_primary_list_is_the_longest_of_objects_and_the_first_of_equals():
    found = primary_list(walk({"a": [1, 2, 3, 4], "b": [{}, {}], "c": [{"d": []}, {}]}))
    assert found is not None
    assert found.place == ("b",)
    assert primary_list(walk({"a": [], "b": [1, {}]})) is None


def test_the_text_slot_is_the_longest_string_that_is_nothing_else():
    result = {
        "status": "a very long status text indeed",
        "order_id": "an id that is longer than all",
        "date": "2026-03-01T09:00:00+00:00",
        "query": "what was asked for, given back",
        "note": "short",
        "body": "a body",
        "last": "a tail",
    }
    slot = text_slot(walk(result), {"what was asked for, given back"})
    assert slot is not None
    assert slot.place == ("body",)
    assert text_slot(walk({"id": "x", "n": 1}), ()) is None


@pytest.mark.parametrize(
    ("value", "following"),
    [
        (7, 8),
        ("P-102", "P-103"),
        ("A09", "A10"),
        ("a99b", "a100b"),
        ("abc", "abd"),
        ("", ""),
        ("7-x-009", "7-x-010"),
    ],
)
def test_successor(value: str | int, following: str | int):
    assert successor(value) == following
