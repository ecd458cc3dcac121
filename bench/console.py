"""`python -m bench.console [--events N]`: what the console and the commands beside it take where there are many events.

Every figure is of processes of its own, as a user starts them; of commands it is the least of ten. Processor time stands beside the
time on the wall: on a busy machine the latter says more of the other work.
"""

import http.client
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import click

from outcome_monitors.cli._output import write
from outcome_monitors.events import Event, Store
from outcome_monitors.events.event import row_of
from outcome_monitors.learning.miner import mine_folder
from outcome_monitors.learning.status import StatusSource, status_of
from outcome_monitors.model import ClauseName, Violation
from outcome_monitors.storage.layout import TRACES
from outcome_monitors.storage.opening import open_storage
from outcome_monitors.storage.tables import columns_of
from outcome_monitors.traces.reader import write_traces
from outcome_monitors_study.world import nominal_traces, tools_list

from ._processes import cpu, memory
from ._report import Table, facts, show

__all__ = ["main"]

EVENTS = 100_000
WORKFLOWS = 144
FLAGGED, ALERTED = 0.02, 0.5
WEEK = 7 * 86400.0
ROUNDS = 10
BROKEN = Violation("nonpositive_value", "total", "> 0", -1.0, "the total is not positive")
GOALS = {"status": "under 0.3 s", "opens": "under 1 s", "memory": "under 150 MB", "alarm": "within 1 s"}


class Spent(NamedTuple):
    """What a command took."""

    wall: float
    busy: float

    def __str__(self) -> str:
        return f"{self.wall:.2f} s ({self.busy:.2f} s of a processor)"


def learn(folder: Path) -> None:
    """Make a folder as a proxy leaves it that has recorded clean traffic and mined it."""
    folder.mkdir()
    (folder / "tools.json").write_text(json.dumps(tools_list()), encoding="utf-8")
    (folder / TRACES).mkdir()
    write_traces(folder / TRACES / "traffic.jsonl", nominal_traces(WORKFLOWS))
    mine_folder(folder)


def fill(place: Path, number: int) -> None:
    """Put so many events of a week into a state that was learned in, in the place of its own."""
    state = open_storage(place)
    tools, draw = [*status_of(StatusSource.of(state))["tools"]], random.Random(1)
    begin = time.time() - WEEK
    with state.table("events", change=True) as rows:
        rows.delete("events")
    events = (_row(begin + WEEK * place / number, place, draw, tools) for place in range(number))
    names = columns_of("events")
    numbered = ((place, *event) for place, event in enumerate(events, 1))
    state.fill("events", (dict(zip(names, row, strict=True)) for row in numbered))


def _row(when: float, place: int, draw: random.Random, tools: list[str]) -> tuple[Any, ...]:
    tool = draw.choice(tools)
    if draw.random() >= FLAGGED:
        return row_of(Event(when, f"s{place // 9}", tool, "clean", duration=0.0001))
    return row_of(alarm(when, f"s{place // 9}", tool, told=draw.random() < ALERTED))


def alarm(when: float, session: str, tool: str, *, told: bool = True) -> Event:
    """Return an event that is flagged."""
    receipt = {"status": "inconsistent", "note": "This result is inconsistent (total: expected > 0)."}
    clause = ClauseName("2be349aa", f"{tool}.total/positive#2be349")
    return Event(when, session, tool, "flagged", (BROKEN,), receipt, told, 0.0001, clauses=(clause,))


def command(*words: str) -> Spent:
    """Run a command some times, and return the least that it took."""
    found = [_once([sys.executable, "-m", "outcome_monitors", *words]) for _ in range(ROUNDS)]
    return Spent(min(one.wall for one in found), min(one.busy for one in found))


def _once(words: list[str]) -> Spent:
    began = time.perf_counter()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    _, _, used = os.wait4(process.pid, 0)
    process.returncode = 0
    return Spent(time.perf_counter() - began, used.ru_utime + used.ru_stime)


@contextmanager
def console(folder: Path) -> Iterator[tuple[int, int]]:
    """Serve the console; give the port and the process."""
    words = [sys.executable, "-m", "outcome_monitors", "console", str(folder), "--listen", "127.0.0.1:0"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        found = re.search(r":(\d+)/", process.stderr.readline())
        assert found
        try:
            yield int(found[1]), process.pid
        finally:
            process.terminate()


def opens(port: int) -> float:
    """Return how long the first page takes, with what it asks for."""
    began = time.perf_counter()
    for path in ("/", "/console.css", "/console.js"):
        with closing(http.client.HTTPConnection("127.0.0.1", port)) as connection:
            connection.request("GET", path)
            assert connection.getresponse().read()
    return time.perf_counter() - began


def arrives(port: int, folder: Path) -> float:
    """Return how long it takes from an alarm that is put into the store to the page that shows it."""
    with closing(http.client.HTTPConnection("127.0.0.1", port)) as connection:
        connection.request("GET", "/feed")
        feed = connection.getresponse()
        time.sleep(1.0)
        store = Store(folder / "events.sqlite")
        began = time.perf_counter()
        store.put(alarm(time.time(), "live", "live_tool"))
        while line := feed.readline():
            if line.startswith(b"data: ") and "live_tool" in json.dumps(json.loads(line[6:])):
                break
        taken = time.perf_counter() - began
        store.close()
    return taken


def measured(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Yield what was measured, the figure, and the goal."""
    place = str(folder)
    with console(folder) as (port, _):
        # Once, so that its modules are compiled, as they are where a package is installed.
        opens(port)
    yield "`status`, start to end", str(command("status", place)), GOALS["status"]
    yield "`events --last 10`", str(command("events", place, "--last", "10")), ""
    yield "`events --summary`", str(command("events", place, "--summary")), ""
    began = time.perf_counter()
    with console(folder) as (port, process):
        listens = Spent(time.perf_counter() - began, cpu(process) / 1e6)
        yield "`console`, until it listens", str(listens), ""
        before = cpu(process)
        yield "its first page", str(Spent(opens(port), (cpu(process) - before) / 1e6)), GOALS["opens"]
        yield "the same again", f"{min(opens(port) for _ in range(ROUNDS)):.2f} s", ""
        yield "an alarm, from the sink to the page", f"{arrives(port, folder):.2f} s", GOALS["alarm"]
        yield "its memory after that", f"{memory(process)} MB", GOALS["memory"]


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--events", multiple=True, type=click.IntRange(1), default=(EVENTS,), show_default=True)
def main(events: tuple[int, ...]) -> None:
    """Measure the console and the commands beside it on a folder with many events.

    Example: python -m bench.console --events 100000 --events 2000000
    """
    write(f"{facts()}; load {os.getloadavg()[0]:.1f}\n\n")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "shop"
        learn(folder)
        for number in events:
            fill(folder, number)
            show(Table(f"With {number:,} events", ("what", ">figure", "goal"), tuple(measured(folder))))


if __name__ == "__main__":
    main(prog_name="python -m bench.console")
