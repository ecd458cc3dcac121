"""The edges of the forms of faults: where several are offered and where none; an example of each is in test_examples.py."""

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
from outcome_monitors.evaluation.faults.fault import Form
from outcome_monitors.evaluation.faults.places import changed
from outcome_monitors.model import Call, Json
from tests.evaluation.faults.examples import CORPUS

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
    view = Subject(Call(tool, arguments, result), history, corpus)
    return [changed(result, edits) for edits in form(view)]


@pytest.mark.parametrize(
    ("form", "result", "expected"),
    [
        (fields.negated, [{"prices": {"economy": 5}}], [[{"prices": {"economy": -5}}]]),
        (fields.confirmed_without_id, {"confirmed": False, "booking_id": 7}, []),
        (fields.end_before_start, {"start": "2026-01-05", "end": "2026-01-06"}, [{"start": "2026-01-05", "end": "2026-01-02"}]),
        (fields.dates_swapped_in_text, "open 9:30 AM - 5:30 PM", ["open 5:30 PM - 9:30 AM"]),
        (relations.flag_against_stock, {"available": False, "stock": 4}, []),
        (relations.count_of_nothing, {"count": 2, "items": [1, 2]}, [{"count": 2, "items": []}]),
        (relations.count_of_nothing, {"forks_count": 2, "items": [1, 2]}, []),
        (relations.state_against_date, {"state": "open", "closed_at": None}, [{"state": "closed", "closed_at": None}]),
        (relations.state_against_date, {"state": "closed", "closed_at": "2026-01-01"}, [{"state": "closed", "closed_at": None}]),
        (values.rounded_ids, {"id": 568250167242549743}, [{"id": 568250167242549760}]),
        (values.rounded_ids, {"id": "568250167242549743"}, [{"id": "568250167242549760"}]),
        (values.rounded_ids, {"id": 7, "n": 568250167242549743}, []),
        (values.offset_lost, ["2026-01-01T10:00:00Z", "2026-01-01T10:00:00+02:00"], [["2026-01-01T10:00:00"] * 2]),
        (values.milliseconds, {"reset": 1773946285000}, [{"reset": 1773946285}]),
        (values.milliseconds, {"population": 1773946285}, []),
        (values.units_swapped_in_text, "8-inch and $12", ["8-cm and $12"]),
        (values.units_swapped_in_text, "only $12", ["only \u20ac12"]),
        (values.units_swapped_in_text, "code XXDC1KM", []),
        (values.null_as_zero, {"n": None}, [{"n": 0}, {"n": ""}, {"n": False}]),
        (values.enumeration_renamed, {"status": "in_stock", "name": "Ana"}, [{"status": "available", "name": "Ana"}]),
        (forms.wrapped, 7, [{"data": 7}, {"response": 7}]),
        (forms.renamed_key, {"rows": [{"price": 1}, {"price": 2}]}, [{"rows": [{"unit_price": 1}, {"unit_price": 2}]}]),
        (answers.flag_over_nothing, {"state": "TX", "city": "Austin"}, []),
        (volume.denied_rows, {"total": 2, "rows": [1, 2]}, [{"total": 0, "rows": []}]),
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
