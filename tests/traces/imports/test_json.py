"""Records come out the same however the text is cut, and bad text costs no more than itself."""

import io
import json

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from outcome_monitors.traces.imports import _jsonstream
from outcome_monitors.traces.imports._jsonstream import records
from outcome_monitors.traces.imports._losses import ImportTally

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.floats(allow_nan=False)
    | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)
RECORDS = st.lists(st.dictionaries(st.text('abé\\"\n', max_size=3), JSON, min_size=1, max_size=3), max_size=8)
WINDOWS = st.integers(1, 60)


def read(data: bytes, tally: ImportTally | None = None) -> list[object]:
    return [record.value for record in records(io.BytesIO(data), "file", tally or ImportTally(strict=True))]


@pytest.fixture(autouse=True)
def window(monkeypatch):
    def narrow(size: int) -> None:
        monkeypatch.setattr(_jsonstream, "WINDOW", size)

    return narrow


same_window = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@same_window
@given(RECORDS, WINDOWS, st.booleans())
def test_lines_of_any_length(window, values, size, ascii_only):
    window(size)
    text = "".join(json.dumps(value, ensure_ascii=ascii_only) + "\n" for value in values)
    assert read(text.encode()) == values


@same_window
@given(RECORDS, WINDOWS, st.sampled_from([None, 1]))
def test_a_list_of_any_length(window, values, size, indent):
    window(size)
    assert read(json.dumps(values, indent=indent).encode()) == values


@same_window
@given(RECORDS, WINDOWS, st.sampled_from([None, 2]))
def test_a_document_with_lists_in_lists(window, values, size, indent):
    window(size)
    document = {
        "resourceSpans": [{"resource": {"a": [1]}, "scopeSpans": [{"spans": values, "z": {}}]}],
        "end": 1,
    }
    assert read(json.dumps(document, indent=indent).encode()) == values


@same_window
@given(RECORDS, WINDOWS)
def test_documents_one_after_another(window, values, size):
    window(size)
    text = "\n".join(json.dumps(value, indent=1) for value in values)
    assert read(text.encode()) == values


@same_window
@given(RECORDS.filter(len), WINDOWS, st.data())
def test_what_is_cut_short_is_read_up_to_the_cut(window, values, size, data):
    window(size)
    text = json.dumps({"data": values})
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    tally = ImportTally()
    found = read(cut.encode(), tally)
    assert found == values[: len(found)]
    assert sum(tally.reasons.values()) == 1


@same_window
@given(
    RECORDS,
    RECORDS,
    WINDOWS,
    st.sampled_from(['{"a": "b', "oops", '{"a": 1,', "{]", '{"a": tru', "\\", "12"]),
)
def test_a_broken_line_costs_itself_alone(window, before, after, size, broken):
    window(size)
    lines = [*map(json.dumps, before), broken, *map(json.dumps, after)]
    tally = ImportTally()
    found = read("\n".join([*lines, ""]).encode(), tally)
    assert found == [*before, *after]
    assert sum(tally.reasons.values()) == 1


def test_a_log_line_may_begin_with_a_time():
    assert read(b'2026-11-15 10:00:00 [info] Message from client: {"jsonrpc": "2.0"}\n') == [
        {"jsonrpc": "2.0"}
    ]


def test_a_record_that_is_too_long_is_skipped(window, monkeypatch):
    window(16)
    monkeypatch.setattr(_jsonstream, "LONGEST", 1000)
    tally = ImportTally()
    long = json.dumps({"text": "x" * 5000})
    assert read(f'{{"a": 1}}\n{long}\n{{"b": 2}}\n'.encode(), tally) == [{"a": 1}, {"b": 2}]
    [explained] = tally.explain()
    assert "(first file:2)" in explained


def test_lines_are_numbered(window):
    window(8)
    data = b'{"a": 1}\n\n{"bbbbbbbbbbbbbbbbbbb": 2}\n{"c": 3}\n'
    found = [(record.line, record.value) for record in records(io.BytesIO(data), "file", ImportTally())]
    assert found == [(1, {"a": 1}), (3, {"bbbbbbbbbbbbbbbbbbb": 2}), (4, {"c": 3})]


def test_bytes_that_are_not_utf_8_in_a_document_are_carried_through(window):
    window(4)
    [record] = read(b'[\n{"a": "\xff"}\n]')
    assert record == {"a": "\udcff"}


def test_a_long_line_of_plain_text_costs_itself_alone(window):
    window(16)
    tally = ImportTally()
    assert read(b"x" * 100 + b'\n{"a": 1}\n', tally) == [{"a": 1}]
    assert sum(tally.reasons.values()) == 1
