"""A folder as a proxy leaves it: learned over some days, with alarms in it, events and traces as they were written."""

import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from outcome_monitors.events import Store
from outcome_monitors.learning.miner import mine_folder
from outcome_monitors.learning.rollout import Thresholds
from tests.events.shop import order
from tests.mcp.live_shop import DAY, HOUR, Clock, Shop

QUICK = Thresholds(tasks=8, results=8, calls=10**9, early=8, disputed=10**9)


def live(folder: Path, clock: Callable[[], float] | None = None, **options) -> Shop:
    """A proxy on a folder, whose events go to the folder's store."""
    shop = Shop(folder, thresholds=QUICK, clock=clock, by_hand=True, **options)
    shop.watch.sink = Store(folder / "events.sqlite")
    return shop


def closed(shop: Shop) -> None:
    """Write all that waits; what was recorded is counted, and stages move."""
    shop.recorder.close()
    shop.watch.close()
    shop.learner.written(1)
    shop.learner.close()


def learned(folder: Path, days: int = 5) -> Clock:
    """Have a shop learn over some days, from right results of two clients, until it advises; return its clock."""
    clock = Clock()
    for day in range(days):
        for hour in range(3):
            shop = live(folder, clock)
            if not (day or hour):
                shop.lists_tools()
            for number in range(6):
                name = f"d{day}h{hour}n{number}"
                shop.talk(order(number + 6 * hour), name=name, client=f"client{number % 2}")
            closed(shop)
            clock.now += HOUR
        if not day:
            mine_folder(folder)
        clock.now += DAY - 3 * HOUR
    return clock


@pytest.fixture(scope="session")
def learned_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that a shop has learned in over some days, which takes a second."""
    folder = tmp_path_factory.mktemp("learned")
    learned(folder)
    return folder


@pytest.fixture
def learned_folder(learned_once: Path, tmp_path: Path) -> Path:
    """The same, for one test."""
    return Path(shutil.copytree(learned_once, tmp_path / "shop"))


def with_alarms(folder: Path, *results, name: str = "wrong") -> None:
    """Have results come that are wrong, or right."""
    shop = live(folder, time.time)
    shop.talk(*results, name=name, client="client1")
    closed(shop)
