"""What `import` costs beside reading the same records as JSON, and the memory it takes as files grow."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from itertools import count, islice
from pathlib import Path
from typing import IO, Any

from outcome_monitors import Call
from outcome_monitors.traces.importers import import_traces
from outcome_monitors.traces.reader import write_traces
from outcome_monitors_study.world import nominal_traces

from ._report import Table
from ._timing import in_turn

__all__ = ["tables"]

MEGABYTES = (20, 200)
WORKFLOWS = 400
BATCH = 100
"""Spans on a line, as a collector writes them."""

PEAK = """
import json, sys
from pathlib import Path
from outcome_monitors.traces.reader import write_traces
from outcome_monitors.traces.importers import import_traces
what, file = sys.argv[1:]
if what == "import":
    write_traces("/dev/null", import_traces([file]))
elif what == "loads":
    json.loads(open(file, "rb").read())
[peak] = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
print(peak.split()[1])
"""


def tables(megabytes: tuple[float, ...] = MEGABYTES, rounds: int = 3) -> Iterator[Table]:
    """Measure, and yield each table when it is done."""
    with tempfile.TemporaryDirectory() as folder:
        files = {(form, size): _write(Path(folder), form, size) for form in FORMS for size in megabytes}
        yield _speed(files, megabytes[0], rounds)
        yield _memory(files, megabytes)


def _speed(files: Mapping[tuple[str, float], Path], size: float, rounds: int) -> Table:
    rows = []
    for form in FORMS:
        file = files[form, size]
        taken = in_turn({"loads": partial(_loads, file), "import": partial(_import, file)}, rounds)
        rows.append((form, f"{size / taken['import']:,.0f}", f"{taken['import'] / taken['loads']:.1f}"))
    return Table(
        f"Importing {size} MB",
        ("what", ">MB a second", ">x json.loads"),
        tuple(rows),
        (
            "One process. Reading, joining, ordering and writing the trace lines, beside json.loads of the same lines.",
        ),
    )


def _memory(files: Mapping[tuple[str, float], Path], sizes: tuple[float, ...]) -> Table:
    rows = []
    for form in FORMS:
        for size in sizes:
            file = files[form, size]
            loaded = f"{_peak('loads', file):,.0f}" if form == DOCUMENT else ""
            rows.append((form, f"{size:,}", f"{_peak('import', file):,.0f}", loaded))
    nothing = _peak("nothing", Path())
    return Table(
        "Peak memory of importing",
        ("what", ">file, MB", ">peak, MB", ">json.loads, MB"),
        tuple(rows),
        (
            f"Of a whole process, each in turn; the interpreter and the library alone take {nothing:,.0f} MB.",
            "The ids that are remembered, to drop copies, grow with the file up to 200,000 spans or calls; then they are replaced.",
        ),
    )


def _peak(what: str, file: Path) -> float:
    """Return the most memory that a process of its own took, in megabytes, as Linux counts it."""
    done = subprocess.run(
        [sys.executable, "-c", PEAK, what, str(file)],
        check=True,
        capture_output=True,
        text=True,
        timeout=3600,
    )
    return int(done.stdout) / 1024


def _loads(file: Path) -> None:
    with file.open("rb") as lines:
        for line in lines:
            json.loads(line)


def _import(file: Path) -> None:
    write_traces("/dev/null", import_traces([file]))


def _write(folder: Path, form: str, megabytes: float) -> Path:
    path = folder / f"{form.replace(' ', '_')}_{megabytes}.json"
    with path.open("w", encoding="utf-8") as file:
        FORMS[form](file, int(megabytes * 2**20))
    return path


def _calls() -> Iterator[tuple[int, Call]]:
    """Yield clean calls without end; no two rounds share a session."""
    number = count()
    for turn in count():
        for call in _clean():
            yield (
                next(number),
                Call(call.tool, call.arguments, call.result, call.task, f"{call.session}/{turn}"),
            )


@cache
def _clean() -> list[Call]:
    return list(nominal_traces(WORKFLOWS))


def _spans() -> Iterator[dict[str, Any]]:
    for number, call in _calls():
        said = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": call.tool,
            "gen_ai.conversation.id": call.session,
            "gen_ai.tool.call.arguments": json.dumps(call.arguments),
            "gen_ai.tool.call.result": json.dumps(call.result),
        }
        yield {
            "traceId": f"{hash(call.session) % 2**128:032x}",
            "spanId": f"{number:016x}",
            "name": f"execute_tool {call.tool}",
            "startTimeUnixNano": str(1794739387803260838 + number * 1000),
            "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in said.items()],
            "status": {},
        }


def _batch(spans: list[dict[str, Any]]) -> dict[str, Any]:
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": spans}]}]}


def _otlp_lines(file: IO[str], size: int) -> None:
    spans = _spans()
    while file.tell() < size:
        file.write(json.dumps(_batch(list(islice(spans, BATCH)))) + "\n")


def _otlp_document(file: IO[str], size: int) -> None:
    before, after = json.dumps(_batch([])).split("[]")
    file.write(f"{before}[")
    for number, span in enumerate(_spans()):
        if file.tell() > size:
            break
        file.write((", " if number else "") + json.dumps(span))
    file.write(f"]{after}\n")


def _chat_lines(file: IO[str], size: int) -> None:
    for number, call in _calls():
        if file.tell() > size:
            return
        asked = {"name": call.tool, "arguments": json.dumps(call.arguments)}
        messages = [
            {"role": "user", "content": "Go on."},
            {
                "role": "assistant",
                "tool_calls": [{"id": f"call_{number}", "type": "function", "function": asked}],
            },
            {"role": "tool", "tool_call_id": f"call_{number}", "content": json.dumps(call.result)},
        ]
        file.write(json.dumps({"messages": messages, "metadata": {"session_id": call.session}}) + "\n")


def _runs(file: IO[str], size: int) -> None:
    for number, call in _calls():
        if file.tell() > size:
            return
        run = {
            "id": f"run-{number}",
            "trace_id": call.session,
            "run_type": "tool",
            "name": call.tool,
            "start_time": "2026-11-15T10:45:52.913346Z",
            "extra": {"metadata": {"thread_id": call.session}},
            "inputs": dict(call.arguments),
            "outputs": {"output": call.result},
        }
        file.write(json.dumps(run) + "\n")


DOCUMENT = "one OTLP document"
FORMS: Mapping[str, Callable[[IO[str], int], None]] = {
    "OTLP lines": _otlp_lines,
    DOCUMENT: _otlp_document,
    "LangSmith runs": _runs,
    "OpenAI chat log": _chat_lines,
}
