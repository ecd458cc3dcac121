"""How long it takes to start: the proxy, a command, and the import of the package.

Times of the clock are those of this machine and its load; the processor time beside them depends on neither half as much.
"""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from itertools import islice
from pathlib import Path

from outcome_monitors.traces.reader import write_traces

from ._connections import Pipe, proxy_command
from ._processes import as_installed
from ._report import Table
from ._results import ORDER

__all__ = ["starts"]

STARTS = 20
ECHO = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)"
TIMED = "import time; t, c = time.perf_counter(), time.process_time(); {}; print(time.perf_counter() - t, time.process_time() - c)"

Taken = tuple[float, float]
"""Milliseconds: of the clock, and of processor time."""


def starts(folder: Path) -> Table:
    """Measure each in turn, when its modules are compiled; the contracts are in the folder."""
    environment = as_installed(folder)
    echo = [sys.executable, "-c", ECHO]
    tried: dict[str, tuple[Callable[[], Taken], str]] = {
        "a server that only echoes": (partial(_answered, echo, environment), ""),
        "the same behind a proxy": (
            partial(_answered, proxy_command(folder, "--", *echo), environment),
            "100",
        ),
        "python -c pass": (partial(_ended, [sys.executable, "-c", "pass"], environment), ""),
        "outcome-monitors check, one line": (partial(_ended, _check(folder), environment), "120"),
        "import outcome_monitors": (partial(_imported, "import outcome_monitors", environment), "50"),
        "from outcome_monitors import Monitor": (
            partial(_imported, "from outcome_monitors import Monitor", environment),
            "35",
        ),
        "the same, and its first check": (partial(_imported, _first_check(folder), environment), ""),
    }
    for measure, _ in tried.values():
        measure()
    taken = [[measure() for measure, _ in tried.values()] for _ in range(STARTS)]
    rows = []
    for (what, (_, goal)), times in zip(tried.items(), zip(*taken, strict=True), strict=True):
        clock, used = zip(*times, strict=True)
        rows.append(
            (
                what,
                f"{min(clock):.0f}",
                f"{statistics.median(clock):.0f}",
                f"{statistics.median(used):.0f}",
                goal,
            )
        )
    return Table(
        "Starting, ms",
        ("what", ">least", ">median", ">CPU", ">goal"),
        tuple(rows),
        (
            f"To the first answer, or to the end of the command or the import; of {STARTS} starts of compiled modules.",
        ),
    )


def _answered(command: list[str], environment: Mapping[str, str]) -> Taken:
    start, before = time.perf_counter(), _children()
    pipe = Pipe(command, environment)
    pipe.ask(0)
    took = time.perf_counter() - start
    pipe.close()
    return took * 1e3, (_children() - before) * 1e3


def _check(folder: Path) -> list[str]:
    """Return the command that checks one line."""
    line = folder / "line.jsonl"
    write_traces(line, islice(ORDER.fresh(), 1))
    contracts = str(folder / "contracts.json")
    return [sys.executable, "-m", "outcome_monitors", "check", str(line), "--contracts", contracts]


def _first_check(folder: Path) -> str:
    """Return the statement that loads contracts and checks one result by them."""
    call = next(iter(ORDER.fresh()))
    loaded = f"Monitor(Registry.load({str(folder / 'contracts.json')!r}))"
    checked = f"{loaded}.check({call.tool!r}, {call.arguments!r}, {call.result!r})"
    return f"from outcome_monitors import Monitor, Registry; {checked}"


def _ended(command: list[str], environment: Mapping[str, str]) -> Taken:
    start, before = time.perf_counter(), _children()
    subprocess.run(command, capture_output=True, check=True, env=environment)
    return (time.perf_counter() - start) * 1e3, (_children() - before) * 1e3


def _imported(statement: str, environment: Mapping[str, str]) -> Taken:
    done = subprocess.run(
        [sys.executable, "-c", TIMED.format(statement)],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    clock, used = map(float, done.stdout.split())
    return clock * 1e3, used * 1e3


def _children() -> float:
    """Return the seconds of processor time of all processes that have ended, from start to end."""
    times = os.times()
    return times.children_user + times.children_system
