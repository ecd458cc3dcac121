"""Rows of one's own: a table or a log in which each row is a call, under names that are nearly ours.

A CSV file with a heading, or JSON objects: `name`, `input`, `output` are taken for `tool`, `arguments`, `result`, and so on. What is JSON
in a cell is read. Records that carry the marks of another system are left to that.
"""

import csv
import io
from collections.abc import Iterator, Mapping
from typing import IO

from outcome_monitors.files import without_suffix
from outcome_monitors.model import Call, Json

from ._payloads import arguments_of, instant, label, parsed, time_text
from ._source import ANOTHER_SHAPE, ImportTally, Reason, Record, call

NAMES: Mapping[str, tuple[str, ...]] = {
    "tool": ("tool", "tool_name", "name", "function", "function_name"),
    "result": ("result", "output", "tool_output", "tool_result", "response", "returned"),
    "arguments": ("arguments", "input", "inputs", "args", "tool_input", "parameters", "params"),
    "session": ("session", "session_id", "conversation_id", "thread_id", "run_id"),
    "task": ("task", "task_id"),
    "time": ("time", "timestamp", "created_at", "started_at"),
    "error": ("error", "is_error", "failed"),
}
"""What each field of a trace line may be called, the surest name first."""
_OTHERS = frozenset(
    {"trace_id", "traceId", "span_id", "spanId", "type", "kind", "role", "messages", "jsonrpc", "metadata"}
)
"""Marks of other systems' records."""
_TRUE = frozenset({True, "true", "True", "1", "yes"})

NO_RESULT = Reason(
    "row has no result", "rows have no result", "the call has failed, or its result was not kept"
)
CELLS = Reason(
    "row has more cells than the heading",
    "rows have more cells than the heading",
    "quote cells that hold commas",
)
LARGEST_CELL = 64 << 20


def recognise(value: Json) -> bool:
    """Say whether a record names a tool and a result in words that are nearly ours."""
    if not isinstance(value, dict) or not _OTHERS.isdisjoint(value) or {"tool", "result"} <= value.keys():
        return False
    return isinstance(_field(value, "tool"), str) and any(name in value for name in NAMES["result"])


def is_table(name: str) -> bool:
    """Say whether a file is a table, by its name."""
    return without_suffix(name).endswith((".csv", ".tsv"))


def rows(stream: IO[bytes], name: str, tally: ImportTally) -> Iterator[Record]:
    """Yield the rows of a table with a heading; cells that are empty say nothing."""
    tabs = without_suffix(name).endswith(".tsv")
    text = io.TextIOWrapper(stream, "utf-8-sig", "replace", newline="")
    lines = csv.DictReader(text, delimiter="\t" if tabs else ",")
    before = csv.field_size_limit(LARGEST_CELL)
    try:
        for row in lines:
            if row.pop(None, None) is not None:  # what stands beyond the heading
                tally.count(CELLS, f"{name}:{lines.line_num}")
                continue
            held = {key.strip(): value for key, value in row.items() if value}
            yield Record(name, lines.line_num, sum(map(len, held.values())), held, {})
    except csv.Error:
        tally.count(CELLS, f"{name}:{lines.line_num}")
    finally:
        # The stream is another's, to close.
        text.detach()
        csv.field_size_limit(before)


def read(record: Record, tally: ImportTally) -> list[Call]:
    """Return the call that a record is."""
    row = record.value
    if not isinstance(row, dict) or not isinstance(_field(row, "tool"), str):
        tally.count(ANOTHER_SHAPE, record.place)
        return []
    if not any(name in row for name in NAMES["result"]):
        tally.count(NO_RESULT, record.place)
        return []
    error = _field(row, "error")
    found = call(
        _field(row, "tool"),
        arguments_of(parsed(_field(row, "arguments"))) or {},
        parsed(_field(row, "result")),
        session=label(_field(row, "session")),
        task=label(_field(row, "task")),
        error=not isinstance(error, (dict, list)) and error in _TRUE,
        time=time_text(instant(_field(row, "time"))),
    )
    return [found]


def _field(row: Mapping[str, Json], field: str) -> Json:
    return next((row[name] for name in NAMES[field] if name in row), None)
