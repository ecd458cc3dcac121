"""Records of JSON come out the same however they are laid out, and bad text costs no more than itself."""

import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, strategies as st

from outcome_monitors.traces.importers import ImportTally
from outcome_monitors.traces.importers._json_records import json_records

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)
RECORDS = st.lists(st.dictionaries(st.text('abé\\"\n', max_size=3), JSON, min_size=1, max_size=3), max_size=8)


def read(data: bytes, tally: ImportTally | None = None) -> list[object]:
    found = json_records(io.BytesIO(data), "file", tally or ImportTally(strict=True))
    return [record.value for record in found]


LAYOUTS: dict[str, Callable[[list[Any]], str]] = {
    "lines": lambda values: "\n".join(json.dumps(value, ensure_ascii=False) for value in values),
    "documents": lambda values: "\n".join(json.dumps(value, indent=1) for value in values),
    "list": json.dumps,
    "list over lines": lambda values: json.dumps(values, indent=1),
    "lists in lists": lambda values: json.dumps(
        {"resourceSpans": [{"resource": {"a": [1]}, "scopeSpans": [{"spans": values}]}], "end": 1}, indent=2
    ),
}


@given(RECORDS, st.sampled_from(sorted(LAYOUTS)))
def test_records_are_the_same_in_every_layout(values, layout):
    assert read(LAYOUTS[layout](values).encode()) == values


@given(RECORDS.filter(len), st.data())
def test_a_document_cut_short_is_counted(values, data):
    text = json.dumps({"data": values})
    tally = ImportTally()
    assert read(text[: data.draw(st.integers(1, len(text) - 1))].encode(), tally) == []
    assert sum(tally.reasons.values()) == 1


@given(
    RECORDS,
    RECORDS,
    st.sampled_from(['{"a": "b', "oops", '{"a": 1,', "{]", '{"a": tru', "\\", "12", "x" * 100]),
)
def test_a_broken_line_costs_itself_alone(before, after, broken):
    lines = [*map(json.dumps, before), broken, *map(json.dumps, after)]
    tally = ImportTally()
    assert read("\n".join([*lines, ""]).encode(), tally) == [*before, *after]
    assert sum(tally.reasons.values()) == 1


def test_a_log_line_may_begin_with_a_time():
    line = b'2026-11-15 10:00:00 [info] Message from client: {"jsonrpc": "2.0"}\n'
    assert read(line) == [{"jsonrpc": "2.0"}]


def test_places_are_lines():
    data = b'{"a": 1}\n\n{"b": 2}\n[\n{"c": 3},\n{"d":\n4}]\n{"e": 5}'
    found = json_records(io.BytesIO(data), "file", ImportTally())
    assert [(record.line, record.value) for record in found] == [
        (1, {"a": 1}),
        (3, {"b": 2}),
        (4, {"c": 3}),
        (4, {"d": 4}),
        (8, {"e": 5}),
    ]


@pytest.mark.parametrize("data", [b"[" * 100_000, b'{"a":' * 100_000, b"[\n" * 10_000, b"[1,\n" * 10_000])
def test_hostile_nesting_ends(data):
    tally = ImportTally()
    assert read(data, tally) == []
    assert tally.lost
