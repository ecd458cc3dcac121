"""The console on a fleet's state: alarms of any host as they come, decisions of anybody, and a database that goes away and comes back."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from outcome_monitors.events import Event
from outcome_monitors.learning.decisions import mute
from outcome_monitors.learning.folder import StateFolder
from outcome_monitors.model import Violation
from outcome_monitors.storage.address import StateAddress
from outcome_monitors_server.storage.postgres import Postgres
from outcome_monitors_server.storage.writers import SharedStore
from tests.console.serving import Reader, serving
from tests.events.shop import order
from tests.forwarding import through
from tests.homes import moved
from tests.mcp.folders import with_alarms

CLAUSE = "get_order.status/domain"
BROKEN = (Violation("code", "total", 1, 2, "odd"),)


@pytest.fixture
def shop(learned_folder: Path, fleet: str) -> str:
    with_alarms(learned_folder, order(1, total=-1.0))
    return moved(learned_folder, fleet)


@pytest.fixture
def reader(shop: str) -> Iterator[Reader]:
    with serving(shop) as reader:
        yield reader


def on_another_host(shop: str, tool: str) -> None:
    store = SharedStore(Postgres(StateAddress.read(shop)))
    store.put(Event(1.0, "s", tool, "flagged", BROKEN))
    store.close()


def test_an_alarm_of_any_host_is_told_and_so_is_a_decision_made_elsewhere(reader: Reader, shop: str) -> None:
    with reader.feed() as notes:
        on_another_host(shop, "other_tool")
        assert next(data for sort, data in notes if sort == "alarm")["event"]
        assert "other_tool" in reader.ask("/part/alarms").text
        state = StateFolder.at(shop)
        mute(state, CLAUSE)
        state.close()
        assert next(sort for sort, _ in notes if sort == "decided")
    [muted] = json.loads(reader.ask("/api/status").text)["tools"]["get_order"]["muted"]
    assert muted.startswith(CLAUSE)


def test_while_the_database_is_away_the_page_says_so_and_goes_on_when_it_is_back(shop: str) -> None:
    with through(shop) as (address, way), serving(address) as reader:
        with reader.feed() as notes:
            on_another_host(shop, "early_tool")
            assert next(data for sort, data in notes if sort == "alarm")
            way.cut()
            page = ""
            while "cannot be used" not in page:
                page = reader.ask("/").text
            assert "advising" in page
            refused = reader.decide(what="mute", clause=CLAUSE)
            assert refused.status == 409
            assert "cannot be used" in refused.text
            way.passes()
            on_another_host(shop, "late_tool")
            assert next(data for sort, data in notes if sort == "alarm")["event"]
            assert "late_tool" in reader.ask("/part/alarms").text
        while "cannot be used" in page:
            page = reader.ask("/").text
