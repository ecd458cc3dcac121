"""However files are cut and whoever reads the pieces: the lines, the counts and the reasons are those of one process."""

import gzip
import json
import os
import pickle
import signal
import subprocess
import sys
import time
from collections import deque
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from outcome_monitors.exceptions import OutcomeMonitorsError, TraceError
from outcome_monitors.traces.imports import (
    AUTO,
    SOURCES,
    ImportTally,
    _dealer,
    _pieces,
    _sources,
    _text,
    calls_to_write,
)
from outcome_monitors.traces.imports._team import Team
from outcome_monitors.traces.reader import write_traces
from tests.traces.imports.test_bad_input import span
from tests.traces.imports.test_sources import CODING, RECORDED, TELLING

BROKEN = (b"no JSON\n", b'{"cut": \n', b"[1, 2]\n", b"\n", b"{\n", b'2026 INFO {"a": 1}\n', b'{"a": 1} x\n')


class InThisProcess:
    """A team whose members work when they are asked; what they make is sent all the same."""

    def __init__(self, work, workers):
        self._work, self._most = work, 3 * workers
        self._made: deque[bytes] = deque()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    @property
    def is_full(self):
        return len(self._made) >= self._most

    def put(self, piece):
        self._made.append(pickle.dumps(self._work(pickle.loads(pickle.dumps(piece)))))

    def take(self):
        return pickle.loads(self._made.popleft())


def told(folder, paths, source=AUTO, workers=1, *, strict=False):
    """Return the lines that are written, and all that is said of them."""
    tally = ImportTally(strict=strict)
    output = folder / f"out-{workers}.jsonl"
    try:
        write_traces(output, calls_to_write(paths, source, tally, workers))
    except TraceError as error:
        return str(error)
    counts = (tally.calls, tally.failed_openly, tally.unwrapped, tally.tools, tally.records)
    return output.read_bytes(), counts, tally.samples, tally.explain()


@pytest.fixture
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("imports")


def alike(folder, paths, size, window, source=AUTO, *, strict=False, sample=50):
    """Say what one process tells of files, once several have told the same of pieces of so many bytes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_dealer, "Team", InThisProcess)
        patch.setattr(_pieces, "SIZE", size)
        patch.setattr(_pieces, "LONGEST", 3 * window)
        patch.setattr(_text, "WINDOW", window)
        patch.setattr(_sources, "SAMPLE", sample)
        one, two = (told(folder, paths, source, workers, strict=strict) for workers in (1, 2))
    assert one == two
    return one


LINES = st.sampled_from(
    [
        *(json.dumps(span(number)).encode() + b"\n" for number in range(4)),
        json.dumps([span(5), span(6), 7]).encode() + b"\n",
        json.dumps({"resourceSpans": [span(8), span(9)]}, indent=1).encode() + b"\n",
        json.dumps(span(10), indent=2).encode(),
        *BROKEN,
    ]
)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.lists(LINES, max_size=12), min_size=1, max_size=3),
    st.integers(1, 900),
    st.sampled_from([60, 400, 1 << 20]),
    st.sampled_from([AUTO, "otel"]),
    st.booleans(),
    st.sampled_from([2, 50]),
)
def test_the_cut_is_not_seen(tmp_path_factory, files, size, window, source, strict, sample):
    folder = tmp_path_factory.mktemp("cut")
    paths = [folder / f"{number}.jsonl" for number in range(len(files))]
    for path, lines in zip(paths, files, strict=True):
        path.write_bytes(b"".join(lines))
    alike(folder, paths, size, window, source, strict=strict, sample=sample)


@pytest.mark.parametrize("name", sorted({**TELLING, **CODING}))
def test_every_source_with_broken_lines(folder, name):
    good = (RECORDED / name).read_bytes().splitlines(keepends=True)
    path = folder / name
    path.write_bytes(b"".join(line + BROKEN[at % len(BROKEN)] for at, line in enumerate(good * 3)))
    whole = folder / f"whole-{name}"
    whole.write_bytes(b"".join(good) * 2)
    for size in (1, 700, 5000):
        alike(folder, [path, whole], size, 1 << 20, sample=3)
    *_, said = alike(folder, [path], 700, 1 << 20, {**TELLING, **CODING}[name])
    assert any("JSON" in reason or "cut short" in reason for reason in said)


def test_what_is_no_text_is_read_all_the_same(folder):
    names = (
        "otel_openai_spans.pb",
        "inspect.eval",
        "phoenix_dataset.json",
        "mcp_run-1.jsonl",
        "phoenix.json",
    )
    table = folder / "rows.csv"
    table.write_text('tool,result\nget,"{""n"": 1}"\n')
    lines, *_ = alike(folder, [*(RECORDED / name for name in names), table], 300, 1 << 20)
    assert lines


@pytest.mark.parametrize("cut", [0.3, 0.9])
def test_a_packed_file_that_is_cut_short_is_read_up_to_there(folder, cut):
    packed = gzip.compress(b"".join(json.dumps(span(n)).encode() + b"\n" for n in range(3000)), 1)
    path = folder / "spans.jsonl.gz"
    path.write_bytes(packed[: int(len(packed) * cut)])
    *_, said = alike(folder, [path], 5000, 1 << 20)
    assert any("packed file is cut short" in reason for reason in said)


def test_long_lines_are_read_by_others_and_longer_ones_here(folder):
    path = folder / "spans.jsonl"
    batches = [[span(n) for n in range(at, at + 9)] for at in range(0, 180, 9)]
    path.write_text("".join(json.dumps({"spans": batch}) + "\n" for batch in batches))
    (_, counts, *_) = alike(folder, [path], 5000, 1500)
    assert counts[0] == 180
    alike(folder, [path], 5000, 400)


def test_processes_say_what_one_says(folder):
    """With real processes, every source at once, among broken lines."""
    paths = []
    for name in sorted(TELLING):
        path = folder / name
        good = (RECORDED / name).read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(line + BROKEN[at % len(BROKEN)] for at, line in enumerate(good)))
        paths.append(path)
    many = folder / "many.jsonl"
    many.write_bytes(b"".join(json.dumps(span(n)).encode() + b"\n" for n in range(4000)))
    one, two = (told(folder, [*paths, many], workers=workers) for workers in (1, 2))
    assert one == two
    assert len(one[1][-1]) > len(SOURCES) / 2


def _dies(_piece: int) -> int:
    os._exit(1)


def _fails(_piece: int) -> int:
    raise ValueError("no such thing")


@pytest.mark.parametrize(
    ("work", "said"), [(_dies, "ended without a word"), (_fails, "failed: ValueError: no such thing")]
)
def test_a_process_that_ends_is_a_sentence(work, said):
    with Team(work, 1) as team:
        team.put(1)
        with pytest.raises(OutcomeMonitorsError, match=said):
            team.take()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_an_interrupt_leaves_neither_file_nor_process(folder):
    command = [sys.executable, "-m", "outcome_monitors", "import", "-", "--from", "otel", "-o", "t.jsonl"]
    process = subprocess.Popen(
        [*command, "--workers", "2"],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdin is not None
    line = json.dumps(span(1)).encode() + b"\n"
    process.stdin.write(line * (2 * _pieces.SIZE // len(line) + 10))
    process.stdin.flush()
    deadline = time.monotonic() + 30
    while not (children := _children(process.pid)) and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130, said
    assert b"Traceback" not in said
    assert not (folder / "t.jsonl").exists()
    while any(Path(f"/proc/{child}").exists() for child in children):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _children(process: int) -> list[int]:
    listed = Path(f"/proc/{process}/task/{process}/children")
    return [int(child) for child in listed.read_text().split()] if listed.exists() else []
