"""The forms of the ToolMaze and drift faults, one by one: what each offers on a result that has a place for it."""

from collections.abc import Mapping

import pytest

from outcome_monitors.evaluation.faults import (
    Corpus,
    Subject,
    drift_answers as answers,
    drift_forms as forms,
    drift_values as values,
    drift_volume as volume,
    toolmaze as fields,
    toolmaze_relations as relations,
)
from outcome_monitors.evaluation.faults.fault import Form, View, view_of
from outcome_monitors.evaluation.faults.places import changed
from outcome_monitors.model import Call, Json
from tests.evaluation.faults.examples import CORPUS, PAGE

NOTHING: Mapping[str, Json] = {}


def offered(
    form: Form,
    result: Json,
    arguments: Mapping[str, Json] = NOTHING,
    *,
    tool: str = "tool",
    history: tuple[Call, ...] = (),
    corpus: Corpus = CORPUS,
) -> list[Json]:
    """Return every corrupted result that a form offers."""
    view = view_of(Subject(Call(tool, arguments, result), history, corpus))
    assert isinstance(view, View)
    return [changed(result, edits) for edits in form(view)]


@pytest.mark.parametrize(
    ("form", "result", "expected"),
    [
        (fields.negated, {"price": 3, "id": 4, "note": "x"}, [{"price": -3, "id": 4, "note": "x"}]),
        (fields.negated, [{"prices": {"economy": 5}}], [[{"prices": {"economy": -5}}]]),
        (fields.millionfold, {"temperature_c": 21.5}, [{"temperature_c": 21500000.0}]),
        (fields.beyond_hundred, {"humidity": 40, "n": 1}, [{"humidity": 150, "n": 1}]),
        (fields.impossible_clock, {"at": "06:30:00"}, [{"at": "30:30:00"}]),
        (fields.born_long_ago, {"dob": "1990-04-05"}, [{"dob": "1790-04-05"}]),
        (fields.negated_in_text, "Price range: 80.0 - 150.0", ["Price range: -80.0 - 150.0"]),
        (fields.confirmed_without_id, {"confirmed": True, "booking_id": 7}, [{"confirmed": True, "booking_id": None}]),
        (fields.confirmed_without_id, {"confirmed": False, "booking_id": 7}, []),
        (fields.end_before_start, {"start": "2026-01-05", "end": "2026-01-06"}, [{"start": "2026-01-05", "end": "2026-01-02"}]),
        (fields.not_yet_happened, {"created_at": "2024-02-29"}, [{"created_at": "2124-02-28"}]),
        (fields.dates_swapped_in_text, "from 2026-01-01 to 2026-02-01", ["from 2026-02-01 to 2026-01-01"]),
        (fields.dates_swapped_in_text, "open 9:30 AM - 5:30 PM", ["open 5:30 PM - 9:30 AM"]),
        (relations.flag_against_stock, {"available": True, "stock": 4}, [{"available": True, "stock": 0}]),
        (relations.flag_against_stock, {"available": False, "stock": 4}, []),
        (relations.count_of_nothing, {"count": 2, "items": [1, 2]}, [{"count": 2, "items": []}]),
        (relations.count_of_nothing, {"forks_count": 2, "items": [1, 2]}, []),
        (relations.done_with_nothing, {"status": "delivered", "items": [1]}, [{"status": "delivered", "items": []}]),
        (relations.state_against_date, {"state": "open", "closed_at": None}, [{"state": "closed", "closed_at": None}]),
        (relations.state_against_date, {"state": "closed", "closed_at": "2026-01-01"}, [{"state": "closed", "closed_at": None}]),
        (relations.id_against_key, {"card_7": {"id": "card_7"}}, [{"card_7": {"id": "card_8"}}]),
        (relations.id_against_text, {"id": 4711, "url": "/x/4711"}, [{"id": 4712, "url": "/x/4711"}]),
        (relations.success_denied, "Room booked and confirmed.", ["Room booked and confirmed. Status: failed, nothing was changed."]),
        (relations.count_beside_rows, {"total_count": 1, "rows": [5]}, [{"total_count": 9, "rows": [5]}]),
        (relations.length_of_text, {"size": 3, "content": "abc"}, [{"size": 30, "content": "abc"}]),
        (relations.average_outside, {"average": 5, "max": 9}, [{"average": 19, "max": 9}]),
        (relations.above_whole, {"total_bags": 2, "free_bags": 1}, [{"total_bags": 2, "free_bags": 4}]),
        (values.rounded_ids, {"id": 568250167242549743}, [{"id": 568250167242549760}]),
        (values.rounded_ids, {"id": "568250167242549743"}, [{"id": "568250167242549760"}]),
        (values.rounded_ids, {"id": 7, "n": 568250167242549743}, []),
        (values.garbled, ["Caf\u00e9"], [["Caf\u00c3\u00a9"]]),
        (values.offset_lost, ["2026-01-01T10:00:00Z", "2026-01-01T10:00:00+02:00"], [["2026-01-01T10:00:00"] * 2]),
        (values.milliseconds, {"reset": 1773946285}, [{"reset": 1773946285000}]),
        (values.milliseconds, {"reset": 1773946285000}, [{"reset": 1773946285}]),
        (values.milliseconds, {"population": 1773946285}, []),
        (values.labels_swapped, {"currency": "USD"}, [{"currency": "EUR"}]),
        (values.units_swapped_in_text, "8-inch and $12", ["8-cm and $12"]),
        (values.units_swapped_in_text, "only $12", ["only \u20ac12"]),
        (values.units_swapped_in_text, "code XXDC1KM", []),
        (values.null_as_zero, {"n": None}, [{"n": 0}, {"n": ""}, {"n": False}]),
        (values.enumeration_renamed, {"status": "in_stock", "name": "Ana"}, [{"status": "available", "name": "Ana"}]),
        (forms.wrapped, 7, [{"data": 7}, {"response": 7}]),
        (forms.encoded_whole, {"a": [None]}, ['{"a": [null]}', "{'a': [None]}"]),
        (forms.renamed_key, {"rows": [{"price": 1}, {"price": 2}]}, [{"rows": [{"unit_price": 1}, {"unit_price": 2}]}]),
        (forms.camel_case_key, {"user_id": 1}, [{"userId": 1}]),
        (forms.headings_only, PAGE, ["Opening hours:"]),
        (answers.flag_over_nothing, {"ok": False, "rows": [1]}, [{"ok": True, "rows": []}]),
        (answers.flag_over_nothing, {"state": "TX", "city": "Austin"}, []),
        (volume.denied_rows, {"total": 2, "rows": [1, 2]}, [{"total": 0, "rows": []}]),
        (volume.first_page, {"rows": [1, 2], "next_cursor": "x", "total": 2}, [{"rows": [1], "total": 2}]),
        (volume.first_page_recounted, {"rows": [1, 2], "total": 2}, [{"rows": [1], "total": 1}]),
        (volume.twice, {"rows": ["a"], "count": 1}, [{"rows": ["a", "a"], "count": 2}]),
        (volume.scaled_row, [{"score": 2}, {"score": 3}], [[{"score": 200}, {"score": 3}], [{"score": 2}, {"score": 300}]]),
        (volume.scaled_row, [{"score": 2}, {"score": 300}], []),
    ],
)  # fmt: skip
def test_form(form: Form, result: Json, expected: list[Json]):
    assert offered(form, result) == expected


def test_an_empty_answer_is_offered_only_where_the_tool_never_gave_one():
    assert offered(fields.emptied_answer, "ana", tool="find_user") == [""]
    quiet = Corpus.of([Call("think", {}, "")])
    assert offered(fields.emptied_answer, "hm", tool="think", corpus=quiet) == []


def test_a_write_that_did_nothing():
    before, after = {"order_id": "7", "city": "Porto", "n": 1}, {"order_id": "7", "city": "Braga", "n": 2}
    read = Call("read", {"order_id": "7"}, before)
    write = Call("write", {"order_id": "7", "city": "Braga"}, after)
    assert offered(answers.write_undone, after, write.arguments, tool="write", history=(read,)) == [before]
    assert offered(answers.unwritten, after, read.arguments, tool="read", history=(read, write)) == [
        {**after, "city": "Porto"}
    ]
    assert offered(answers.cached, after, read.arguments, tool="read", history=(read, write)) == [before]
