"""Trace files: one tool call a line, as JSON.

A bad line is reported, counted and skipped; it never stops the rest.
"""

import gzip
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from outcome_monitors.exceptions import TraceError
from outcome_monitors.model import Call, Json
from outcome_monitors.values.choices import refuse_one
from outcome_monitors.values.files import FilePath, replacing
from outcome_monitors.values.packed_files import without_suffix
from outcome_monitors.values.types import is_number

from .form import plain_call
from .lines import Held, Line, file_names, read_lines

__all__ = [
    "Located",
    "Skipped",
    "TraceReport",
    "call_from_json",
    "call_to_json",
    "parse_line",
    "read_located",
    "read_traces",
    "write_traces",
]

EXAMPLES_KEPT = 5


class Skipped(NamedTuple):
    """A line that is not a call, and why; `why` is one of a few dozen phrases, so that it can be counted."""

    file: str
    line: int
    why: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.why}"

    def error(self) -> TraceError:
        """Return the error that it is where nothing may be skipped."""
        return TraceError(f"{self}; mend the line, or skip it by reading without strict")


class Located(NamedTuple):
    """A call, and the line that holds it."""

    file: str
    line: int
    call: Call


@dataclass(slots=True)
class TraceReport:
    """What became of the lines read: `lines` is always `calls` and `skipped` together. Blank lines do not count."""

    on_skip: Callable[[Skipped], None] | None = None
    """Called with every skipped line, for those who print them all."""
    files: list[str] = field(default_factory=list)
    lines: int = 0
    calls: int = 0
    skipped: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    examples: list[Skipped] = field(default_factory=list)
    """The first few skipped lines."""

    def skip(self, line: Skipped) -> None:
        """Count a line that is not a call."""
        self.lines += 1
        self.skipped += 1
        self.reasons[line.why] += 1
        if len(self.examples) < EXAMPLES_KEPT:
            self.examples.append(line)
        if self.on_skip is not None:
            self.on_skip(line)

    def require_calls(self) -> None:
        """Raise TraceError where all the files together gave no call at all."""
        if self.calls:
            return
        first, more = (self.files or ["no file"])[0], len(self.files) - 1
        where = first if more < 1 else f"{first} and {more} other file{'' if more == 1 else 's'}"
        found = f"every line was skipped, first {self.examples[0]}" if self.examples else "there are no lines"
        table = without_suffix(first).endswith((".csv", ".tsv"))
        if table or any(BUT in example.why for example in self.examples):
            raise TraceError(
                f"no calls in {where}: {found}; `outcome-monitors import {first} -o traces.jsonl` makes trace lines of it"
            )
        raise TraceError(f"no calls in {where}: {found}; a trace file holds one JSON object a line")


def read_traces(
    paths: Iterable[FilePath], *, strict: bool = False, report: TraceReport | None = None
) -> Iterator[Call]:
    """Yield the calls of trace files in order, one line in memory at a time.

    Bad lines go to `report`; with `strict` the first one raises TraceError. A file that cannot be opened raises at once,
    before any is read.
    """
    return (located.call for located in read_located(paths, strict=strict, report=report))


def read_located(
    paths: Iterable[FilePath], *, strict: bool = False, report: TraceReport | None = None
) -> Iterator[Located]:
    """Yield the calls as `read_traces` does, each with its file and line."""
    refuse_one("read_traces({})", paths)
    files = tuple(paths)
    report = TraceReport() if report is None else report
    report.files.extend(names := file_names(files))
    return _read_lines(read_lines(files), names, strict, report)


def write_traces(path: FilePath, calls: Iterable[Call]) -> None:
    """Write calls as a trace file, packed where the name ends in `.gz`; the file appears whole or not at all."""
    with replacing(path) as file:
        if os.fspath(path).endswith(".gz"):
            # No name and no time inside: the same calls give the same bytes.
            with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packed:
                _write_lines(packed.write, calls)
        else:
            _write_lines(file.write, calls)


NEARLY = {"tool": ("name", "tool_name", "function"), "result": ("output", "tool_output", "response")}
"""What other logs call the two fields that a line must have."""
BUT = ", but "


def call_from_json(line: Json) -> Call:
    """Return the call that a trace line holds; raise TraceError, naming the field, where it holds none."""
    if not isinstance(line, dict):
        raise TraceError("not an object")
    for required in ("tool", "result"):
        if required not in line:
            other = next((name for name in NEARLY[required] if name in line), None)
            raise TraceError(f"no `{required}`" if other is None else f"no `{required}`{BUT}`{other}`")
    fields = {name: read(name, line.get(name)) for name, read in _READERS.items()}
    extra = {key: value for key, value in line.items() if key not in _FIELDS}
    return Call(result=line["result"], extra=extra, **fields)


def call_to_json(call: Call) -> dict[str, Json]:
    """Return the trace line of a call as an object; what says nothing is left out."""
    line: dict[str, Json] = {"tool": call.tool, "arguments": dict(call.arguments), "result": call.result}
    if call.task is not None:
        line["task"] = call.task
    if call.session is not None:
        line["session"] = call.session
    line.update((key, value) for key, value in call.extra.items() if key not in _FIELDS)
    if call.error:
        line["error"] = True
    if call.tools is not None:
        line["tools"] = list(call.tools)
    return line


def _text(name: str, value: Json) -> str:
    if not isinstance(value, str):
        raise TraceError(f"`{name}` is not a string")
    return value


def _label(name: str, value: Json) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if not is_number(value):
        raise TraceError(f"`{name}` is not a string or a number")
    return str(value)


def _object(name: str, value: Json) -> dict[str, Json]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise TraceError(f"`{name}` is not an object")
    return value


def _flag(name: str, value: Json) -> bool:
    if value is None or isinstance(value, bool):
        return bool(value)
    raise TraceError(f"`{name}` is not true or false")


def _names(name: str, value: Json) -> tuple[str, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise TraceError(f"`{name}` is not a list of strings")
    return tuple(value)


_READERS: dict[str, Callable[[str, Json], Any]] = {
    "tool": _text,
    "arguments": _object,
    "task": _label,
    "session": _label,
    "error": _flag,
    "tools": _names,
}
_FIELDS = frozenset((*_READERS, "result"))


def _read_lines(
    lines: Iterable[Line], names: list[str], strict: bool, report: TraceReport
) -> Iterator[Located]:
    for index, number, held in lines:
        try:
            call = parse_line(held)
        except TraceError as bad:
            skipped = Skipped(names[index], number, str(bad))
            report.skip(skipped)
            if strict:
                raise skipped.error() from None
            continue
        report.lines += 1
        report.calls += 1
        yield Located(names[index], number, call)


def parse_line(line: Held) -> Call:
    """Return the call that a line or a row holds; raise TraceError where it holds none."""
    if isinstance(line, TraceError):
        raise line
    if isinstance(line, bytes):
        return call_from_json(_decode(line))
    # Databases have dates, decimals and bytes of their own.
    return plain_call(call_from_json(line))


def _decode(line: bytes) -> Json:
    try:
        return json.loads(line.decode())
    except UnicodeDecodeError:
        raise TraceError("not UTF-8") from None
    except json.JSONDecodeError:
        raise TraceError("not JSON") from None
    except RecursionError:
        raise TraceError("nested too deeply") from None
    except ValueError:
        # Python refuses to read integers of thousands of digits: that takes quadratic time.
        raise TraceError("a number has too many digits") from None


def _write_lines(write: Callable[[bytes], object], calls: Iterable[Call]) -> None:
    for number, call in enumerate(calls, 1):
        try:
            # ASCII: a result may hold half of a surrogate pair, which has no UTF-8 form.
            text = json.dumps(call_to_json(call))
        except (TypeError, ValueError, RecursionError) as error:
            raise TraceError(
                f"call {number} (tool {call.tool!r}) cannot be written as JSON: {error}"
            ) from error
        write(text.encode() + b"\n")
