"""What a Spark job observes of traces, whatever its partitions, is what one process observes: here by the job's own steps, or by Spark."""

import json
import pickle
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from outcome_monitors.mining.observations import PROFILES, Observations
from outcome_monitors.mining.spark import Gathered, observe
from outcome_monitors.mining.spark.job import gather, read
from outcome_monitors.mining.state import to_state
from outcome_monitors.traces.reader import TraceReport, read_traces
from tests.fuzz.results import Tool, changed

__all__ = ["gathers_alike", "sparks_alike"]

NAMES = ("get_order", "list_rows", "update_order", "\ud800", "")
NO_CALLS = (
    b"",
    b" ",
    b"\t\r",
    b"no call",
    b"[]",
    b"{}",
    b"null",
    b"\xff\xfe",
    b'{"tool": 1}',
    b'{"tool": "t"',
    b"[" * 5000,
)
LINES = 60


def gathers_alike(seed: int) -> int:
    """Deal lines out as a job does, in partitions that come in any order; return how many lines there were."""
    rng = random.Random(seed)
    lines, profile = list(_lines(rng)), rng.choice([*PROFILES])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "traces.jsonl"
        file.write_bytes(b"\n".join(lines) + b"\n")
        local, report = _local(file, profile)
    job = _job(rng, lines, profile)
    _demand_same(job, local, report)
    return LINES


def _job(rng: random.Random, lines: list[bytes], profile: str) -> Gathered:
    whole, width = Gathered(Observations(profile)), rng.choice((1, 2, 7))
    found = list(read(((0, "file", 0, number), line) for number, line in enumerate(lines)))
    parts = []
    for index in range(width):
        own = sorted((one for one in found if one[0][0] % width == index), key=lambda one: one[0])
        parts += [part for _, part in gather(index, own, whole.observations.empty())]
    rng.shuffle(parts)
    while len(parts) > 1 and rng.random() < 0.9:
        # Any two, wherever they are: what travels is pickled.
        parts.append(parts.pop().merge(pickle.loads(pickle.dumps(parts.pop(0)))))
        rng.shuffle(parts)
    for part in parts:
        whole.merge(part)
    return whole


def sparks_alike(spark: Any, seed: int) -> int:
    """Have Spark read several files, and compare."""
    rng = random.Random(seed)
    profile = rng.choice([*PROFILES])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "traces.jsonl"
        file.write_bytes(rng.choice((b"", b"\xef\xbb\xbf")) + b"\n".join(_lines(rng)) + b"\n")
        local, report = _local(file, profile)
        _demand_same(observe(spark, [str(file)], local.empty()), local, report)
    return LINES


def _local(file: Path, profile: str) -> tuple[Observations, TraceReport]:
    observations, report = Observations(profile), TraceReport()
    for call in read_traces([file], report=report):
        observations.add(call)
    return observations, report


def _demand_same(job: Gathered, local: Observations, report: TraceReport) -> None:
    assert json.dumps(to_state(job.observations)) == json.dumps(to_state(local))
    assert (job.calls, job.skipped.total()) == (report.calls, report.skipped)


def _lines(rng: random.Random) -> Iterator[bytes]:
    """Yield trace lines, of sessions that are mixed; some are none."""
    tools = [Tool(rng, name) for name in NAMES]
    for number in range(LINES):
        call = rng.choice(tools).call(rng.randint(0, 12))
        session = f"s{rng.randrange(6)}"
        line: Any = {
            "tool": call.tool,
            "arguments": call.arguments,
            "result": changed(rng, call.result) if rng.random() < 0.2 else call.result,
            "task": f"{session}/{number % 4}",
            "session": session,
            **({"error": True} if rng.random() < 0.05 else {}),
        }
        if rng.random() < 0.1:
            line = changed(rng, line)
        text = json.dumps(line, default=repr, skipkeys=True).encode()
        yield rng.choice(NO_CALLS) if rng.random() < 0.05 else text + rng.choice((b"", b"\r"))
