import gzip
import json
import math
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from outcome_monitors.exceptions import TraceError
from outcome_monitors.model import Call
from outcome_monitors.traces.reader import TraceReport, read_traces, write_traces
from tests.strategies import json_values

GOOD = b'{"tool": "t", "result": 1}\n'


def read(path: Path, *, strict: bool = False) -> tuple[list[Call], TraceReport]:
    report = TraceReport()
    return list(read_traces([path], strict=strict, report=report)), report


def written(tmp_path: Path, content: bytes, name: str = "a.jsonl") -> Path:
    path = tmp_path / name
    path.write_bytes(content)
    return path


def test_a_full_line(tmp_path: Path) -> None:
    line = {
        "tool": "get_order",
        "arguments": {"id": 7},
        "result": {"status": "sent"},
        "task": "retail/17",
        "session": "run-3",
        "step": 4,
        "time": "2026-08-20T09:00:00Z",
        "error": True,
        "tools": ["get_order", "cancel"],
    }
    calls, _ = read(written(tmp_path, json.dumps(line).encode()))
    more = {"step": 4, "time": "2026-08-20T09:00:00Z"}
    names = ("retail/17", "run-3", True, ("get_order", "cancel"))
    assert calls == [Call("get_order", {"id": 7}, {"status": "sent"}, *names, extra=more)]


@pytest.mark.parametrize(
    ("line", "call"),
    [
        ('{"tool": "t", "result": null}', Call("t", {}, None)),
        ('{"tool": "t", "result": 1, "arguments": null, "task": null, "tools": null}', Call("t", {}, 1)),
        ('{"tool": "t", "result": 1, "task": 17}', Call("t", {}, 1, task="17")),
        ('{"tool": "t", "result": 1, "session": 2.5}', Call("t", {}, 1, session="2.5")),
        ('{"tool": "t", "result": 1, "result": 2}', Call("t", {}, 2)),
        ('{"tool": "t", "result": Infinity}', Call("t", {}, math.inf)),
        ('{"tool": "t", "result": 1, "tools": []}', Call("t", {}, 1, tools=())),
        ('{"tool": "t", "result": "\\ud800"}', Call("t", {}, "\ud800")),
    ],
)
def test_what_a_line_may_leave_out_or_say_otherwise(tmp_path: Path, line: str, call: Call) -> None:
    assert read(written(tmp_path, line.encode()))[0] == [call]


BAD = {
    b"{": "not JSON",
    b"[1]": "not an object",
    b'{"result": 1}': "no `tool`",
    b'{"tool": "t"}': "no `result`",
    b'{"tool": null, "result": 1}': "`tool` is not a string",
    b'{"tool": "t", "result": 1, "task": ["a"]}': "`task` is not a string or a number",
    b'{"tool": "t", "result": 1, "error": "yes"}': "`error` is not true or false",
    b'{"tool": "\xff", "result": 1}': "not UTF-8",
}


@pytest.mark.parametrize(("line", "why"), BAD.items(), ids=map(str, range(len(BAD))))
def test_a_bad_line_is_reported_and_the_rest_is_read(tmp_path: Path, line: bytes, why: str) -> None:
    path = written(tmp_path, GOOD + b"\n" + line + b"\n" + GOOD)
    calls, report = read(path)
    assert len(calls) == 2
    assert report.first == {why: f"{path}:3"}
    assert (report.lines, report.calls, report.skipped) == (3, 2, 1)
    with pytest.raises(TraceError) as error:
        read(path, strict=True)
    assert str(error.value).startswith(f"{path}:3: {why}; ")


def test_a_byte_order_mark_and_blank_lines_are_fine(tmp_path: Path) -> None:
    calls, report = read(written(tmp_path, b"\xef\xbb\xbf" + GOOD + b"\r\n \t\n" + GOOD + b"\n"))
    assert len(calls) == report.lines == 2
    assert read(written(tmp_path, b"\xef\xbb\xbf\n" + GOOD))[1].skipped == 0


PACKED = gzip.compress(b"".join(b'{"tool": "t", "result": "%d"}\n' % (n * n) for n in range(20_000)))


def test_packed_data_that_is_broken_is_one_bad_line_and_the_next_file_is_read(tmp_path: Path) -> None:
    for content in (GOOD, PACKED[:200] + b"\x00" * 200 + PACKED[400:], PACKED + b"junk"):
        report = TraceReport()
        paths = [written(tmp_path, content, "a.jsonl.gz"), written(tmp_path, GOOD, "b.jsonl")]
        calls = list(read_traces(paths, report=report))
        assert report.reasons == {"gzip data is broken": 1}
        assert calls[-1] == Call("t", {}, 1)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("missing.jsonl", "No such file or directory; check the path"),
        ("folder", "it is a folder; name the trace files in it"),
        ("loop", "Too many levels of symbolic links; check the path"),
    ],
)
def test_an_unreadable_file_raises_before_any_is_read(tmp_path: Path, name: str, why: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    paths = [written(tmp_path, GOOD), tmp_path / name]
    with pytest.raises(TraceError) as error:
        read_traces(paths)
    assert str(error.value) == f"cannot read {tmp_path / name}: {why}"


def test_an_empty_file_is_the_callers_choice(tmp_path: Path) -> None:
    empty, good = written(tmp_path, b"", "empty.jsonl"), written(tmp_path, GOOD)
    report = TraceReport()
    assert len(list(read_traces([empty, good], report=report))) == 1
    report.require_calls()
    _, report = read(empty)
    with pytest.raises(TraceError, match=r"^no calls in .*empty\.jsonl: there are no lines; [^\n]*$"):
        report.require_calls()


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, (GOOD[:-2] + b', "pad": "' + b"x" * 1000 + b'"}\n') * 10_000)
    tracemalloc.start()
    try:
        assert sum(1 for _ in read_traces([path])) == 10_000
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000  # the file is 10 MB


FIELDS = {"tool", "arguments", "result", "task", "session", "error", "tools"}
calls = st.builds(
    Call,
    tool=st.text(max_size=10),
    arguments=st.dictionaries(st.text(max_size=5), json_values, max_size=3),
    result=json_values,
    task=st.none() | st.text(max_size=5),
    session=st.none() | st.text(max_size=5),
    error=st.booleans(),
    tools=st.none() | st.lists(st.text(max_size=5), max_size=3).map(tuple),
    extra=st.dictionaries(st.text(max_size=5).filter(lambda key: key not in FIELDS), json_values, max_size=3),
)


@given(some=st.lists(calls, max_size=3), suffix=st.sampled_from([".jsonl", ".jsonl.gz"]))
def test_files_survive_writing_and_reading(
    tmp_path_factory: pytest.TempPathFactory, some: list[Call], suffix: str
) -> None:
    path = tmp_path_factory.getbasetemp() / f"round{suffix}"
    write_traces(path, some)
    assert repr(list(read_traces([path], strict=True))) == repr(some)


@pytest.mark.parametrize("result", [{1, 2}, 10**5000], ids=["set", "long"])
def test_what_json_cannot_say_is_refused_and_no_file_appears(tmp_path: Path, result: object) -> None:
    with pytest.raises(TraceError, match=r"^call 2 \(tool 'u'\) cannot be written as JSON"):
        write_traces(tmp_path / "a.jsonl", [Call("t", {}, 1), Call("u", {}, result)])
    assert list(tmp_path.iterdir()) == []


def test_packed_bytes_hold_neither_name_nor_time(tmp_path: Path) -> None:
    for name in ("a.jsonl.gz", "b.jsonl.gz"):
        write_traces(tmp_path / name, [Call("t", {}, 1)])
    packed = (tmp_path / "a.jsonl.gz").read_bytes()
    assert packed == (tmp_path / "b.jsonl.gz").read_bytes()
    assert packed[4:8] == bytes(4)  # the time field of a gzip header
