"""A world that runs: scripted agents carry workflows out, a monitor that has learned for some days looks on, and some results are wrong.

What a proxy learns over days is learned in seconds, by a clock that runs ahead; from then on everything happens as it is seen. All of it
stands in a folder, as a proxy leaves it.
"""

import random
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import count, cycle, islice
from pathlib import Path

from outcome_monitors.audit.faults import SUITES, Corpus, faults
from outcome_monitors.learning.miner import mine_folder
from outcome_monitors.model import Json
from outcome_monitors.values.folders import CONTRACTS
from outcome_monitors_study.world import Workflow, World, nominal_calls, workflows
from outcome_monitors_study.world.agents import Interface, follows_receipts
from outcome_monitors_study.world.injection import Injection

from ._cases import has_a_place
from ._live_monitor import SHOP, LiveMonitor
from ._settings import DemoProgress, in_silence

__all__ = ["learn_in_advance", "world_at_work"]

DAYS, HOURS, AGENTS = 4, 3, 2
IN_AN_HOUR = 12
"""Workflows that are carried out in an hour of the past."""
DRAWN = 400
"""Workflows among which those are that keep to one part of the world."""
HOUR, DAY = 3600.0, 86400.0
PACE = 0.2
"""Seconds between two calls."""
WRONG = 0.7
"""The share of workflows in which a result is wrong."""
SEED = 7
PLAIN = (
    "logic_violation",
    "irrelevant_response",
    "missing_required_fields",
    "error_page_as_payload",
    "sentinel",
)
"""Faults that need no explanation."""


def learn_in_advance(folder: Path, most: int, progress: DemoProgress = in_silence) -> None:
    """Have agents carry out so many workflows over some days in which all is well, so that what was learned of many tools is proven.

    A folder in which that was done before is left as it is.
    """
    if (folder / CONTRACTS).exists():
        return
    days = [time.time() - (DAYS - day) * DAY for day in range(DAYS)]
    hours = progress([day + hour * HOUR for day in days for hour in range(HOURS)], "hour of traffic")
    each = min(IN_AN_HOUR, max(1, most // (DAYS * HOURS)))
    made = cycle(_made(each * HOURS))
    passing = ((hour, [*islice(made, each)]) for hour in hours)
    _pass_hours(folder, islice(passing, HOURS))
    mine_folder(folder)
    _pass_hours(folder, passing)


def _pass_hours(folder: Path, hours: Iterable[tuple[float, Iterable[Workflow]]]) -> None:
    now = 0.0
    monitor = LiveMonitor(folder, lambda: now)
    for now, made in hours:
        for number, workflow in enumerate(made):
            agent, run = f"agent-{number % AGENTS}", f"past-{now:.0f}-{number}"
            follows_receipts()(workflow, monitor.between(agent, run, workflow, World(workflow.seed)))
        monitor.settle()
    monitor.close()


@contextmanager
def world_at_work(folder: Path, most: int, pace: float = PACE) -> Iterator[None]:
    """Have agents carry out so many workflows again and again, and some results be wrong, until the block is left."""
    stop = threading.Event()
    worker = threading.Thread(target=_work, args=(folder, most, stop, pace), name="the world")
    worker.start()
    try:
        yield
    finally:
        stop.set()
        worker.join()


class _StoppedError(Exception):
    """The world ends in the middle of a run."""


def _work(folder: Path, most: int, stop: threading.Event, pace: float) -> None:
    draw = random.Random()  # noqa: S311 - what goes wrong when is no secret
    monitor, made = LiveMonitor(folder), _made(min(most, IN_AN_HOUR * HOURS))
    corpus = Corpus.of(call for workflow in made[:IN_AN_HOUR] for call in nominal_calls(workflow))
    try:
        for number in count():
            workflow = draw.choice(made)
            world = World(workflow.seed)
            call = _spoiled(workflow, world, monitor, corpus, draw)
            agent, run = f"agent-{number % AGENTS}", f"live-{time.time():.0f}-{number}"
            watched = monitor.between(agent, run, workflow, world, _paced(call, stop, pace))
            follows_receipts()(workflow, watched)
    except _StoppedError:
        pass
    finally:
        monitor.close()


def _spoiled(
    workflow: Workflow, world: World, monitor: LiveMonitor, corpus: Corpus, draw: random.Random
) -> Interface:
    """Return the world's tools, one of which gives a wrong result once; of those that agents are told of, where there are any."""
    calls = [*nominal_calls(workflow)]
    used = sorted({call.tool for call in calls})
    kinds = [fault for fault in faults(SUITES) if fault.name in PLAIN]
    places = [
        (fault, tool)
        for tool in [tool for tool in used if monitor.advises(tool)] or used
        for fault in kinds
        if has_a_place(fault, tool, calls, corpus)
    ]
    if not places or draw.random() >= WRONG:
        return world.call
    fault, victim = draw.choice(places)
    return Injection(world, fault, victim, permanent=False, corpus=corpus).call


def _paced(call: Interface, stop: threading.Event, pace: float) -> Interface:
    def paced(tool: str, arguments: Mapping[str, Json]) -> Json:
        if stop.wait(pace):
            raise _StoppedError
        return call(tool, arguments)

    return paced


def _made(most: int) -> list[Workflow]:
    drawn = workflows(DRAWN, SEED)
    return [*islice((one for one in drawn if {call.tool for call in nominal_calls(one)} <= SHOP), most)]
