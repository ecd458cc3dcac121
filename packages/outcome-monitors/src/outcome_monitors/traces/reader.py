"""Trace files: one tool call a line, as JSON.

A bad line is reported, counted and skipped; it never stops the rest.
"""

import codecs
import gzip
import json
import os
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from outcome_monitors.exceptions import TraceError
from outcome_monitors.files import (
    ERRORS,
    STANDARD_INPUT,
    FilePath,
    open_text,
    replacing,
    trouble,
    without_suffix,
)
from outcome_monitors.jsonvalue.canonical import NOT_JSON, arguments_of, canonical, is_plain
from outcome_monitors.jsonvalue.display import refuse_one
from outcome_monitors.jsonvalue.times import in_utc
from outcome_monitors.jsonvalue.types import is_number
from outcome_monitors.model import Call, Json
from outcome_monitors.storage.address import is_address, shown
from outcome_monitors.storage.opening import open_storage

FLAGGED = "flagged"
"""Marks a line whose result broke something when it was recorded; it is kept for people, and mining leaves it out."""
_LARGEST = 10**4300
"""Python writes no number that has as many digits, nor reads one."""


def plain_call(call: Call) -> Call:
    """Return a call whose arguments are plain JSON and whose result has its canonical form; the very same call where they are.

    What cannot be made JSON is null: there is nothing to be learned from it.
    """
    result = in_utc(canonical(call.result))
    result = None if result is NOT_JSON else result
    asked = call.arguments
    given = asked if type(asked) is dict and is_plain(asked) else arguments_of(asked)
    if result is call.result and given is asked:
        return call
    return replace(call, result=result, arguments=given)


def has_no_text(value: Any) -> bool:
    """Say whether a plain value holds a number that has no text."""
    kind = type(value)
    if kind is int:
        return not -_LARGEST < value < _LARGEST
    if kind is list:
        return any(map(has_no_text, value))
    return kind is dict and any(map(has_no_text, value.values()))


Held = bytes | dict[str, Json] | TraceError
"""A line of a file, or why there is none."""
Line = tuple[int, int, Held]
"""Which of the files, which line of it, and what stands there. A plain tuple: millions are made and sent."""


def file_names(paths: Iterable[FilePath]) -> list[str]:
    """Return what files are called in reports."""
    return ["<stdin>" if os.fspath(path) == STANDARD_INPUT else shown(path) for path in paths]


def read_lines(paths: Iterable[FilePath]) -> Iterator[Line]:
    """Yield the lines that are not blank, in order; one that cannot be opened raises at once, before any is read."""
    files = tuple(paths)
    for path in files:
        _refuse_unreadable(path)
    return (
        (index, number, held) for index, path in enumerate(files) for number, held in _numbered_lines(path)
    )


def _refuse_unreadable(path: FilePath) -> None:
    if os.fspath(path) == STANDARD_INPUT:
        return
    if is_address(path):
        with closing(open_storage(path)) as state:
            state.ends()
        return
    try:
        # A look, not an opening: a pipe can be opened only once.
        mode = Path(path).stat().st_mode
    except OSError as error:
        raise _unreadable(path, error) from error
    if stat.S_ISDIR(mode):
        raise TraceError(f"cannot read {os.fspath(path)}: it is a folder; name the trace files in it")
    if not os.access(path, os.R_OK):
        raise TraceError(f"cannot read {os.fspath(path)}: permission denied; make it readable first")


def _unreadable(path: FilePath, error: OSError) -> TraceError:
    return TraceError(f"cannot read {os.fspath(path)}: {error.strerror or error}; check the path")


def _numbered_lines(path: FilePath) -> Iterator[tuple[int, Held]]:
    """Yield the lines of one file; data that cannot be unpacked is one last bad line."""
    if is_address(path):
        with closing(open_storage(path)) as state:
            yield from enumerate((line.data for line in state.recorded_lines()), 1)
        return
    number = 0
    try:
        with open_text(path) as lines:
            for number, raw in enumerate(lines, 1):
                line = raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw
                if line and not line.isspace():
                    yield number, line
    except ERRORS as error:
        yield number + 1, TraceError(trouble(error))
    except OSError as error:
        raise _unreadable(path, error) from error


class Skipped(NamedTuple):
    """A line that is not a call, and why; `why` is one of a few dozen phrases, so that it can be counted."""

    file: str
    line: int
    why: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.why}"

    def error(self) -> TraceError:
        """Return the error that it is where nothing may be skipped."""
        return TraceError(f"{self}; fix the line, or read without strict to skip it")


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
    failed_openly: int = 0
    """Calls that say so themselves."""
    skipped: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    first: dict[str, str] = field(default_factory=dict)
    """Where each reason was met first: file and line."""

    def skip(self, line: Skipped) -> None:
        """Count a line that is not a call."""
        self.lines += 1
        self.skipped += 1
        self.reasons[line.why] += 1
        self.first.setdefault(line.why, f"{line.file}:{line.line}")
        if self.on_skip is not None:
            self.on_skip(line)

    def require_calls(self) -> None:
        """Raise TraceError where all the files together gave no call at all."""
        if self.calls:
            return
        first, more = (self.files or ["no file"])[0], len(self.files) - 1
        where = first if more < 1 else f"{first} and {more} other file{'' if more == 1 else 's'}"
        skipped = [f"every line was skipped, first {place}: {why}" for why, place in self.first.items()]
        found = skipped[0] if skipped else "there are no lines"
        table = without_suffix(first).endswith((".csv", ".tsv"))
        if table or any(BUT in reason for reason in self.reasons):
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
        report.failed_openly += call.error
        yield Located(names[index], number, call)


def parse_line(line: Held) -> Call:
    """Return the call that a line or a row holds; raise TraceError where it holds none."""
    if isinstance(line, TraceError):
        raise line
    return call_from_json(_decode(line) if isinstance(line, bytes) else line)


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
