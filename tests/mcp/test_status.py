"""How it goes: of each tool its stage and what it lacks, what is checked and told, what waits, and what is muted."""

import json
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from outcome_monitors.alerting.alert_policy import AlertPolicy
from outcome_monitors.learning.decisions import accept, mute
from outcome_monitors.learning.folder import StateFolder
from outcome_monitors.learning.miner import mine_folder
from outcome_monitors.learning.status import StatusSource, status_of
from outcome_monitors.storage.folder import FolderStorage
from outcome_monitors.storage.opening import current_storage
from tests.events.shop import order
from tests.homes import Home
from tests.mcp.folders import QUICK, closed, live, with_alarms
from tests.mcp.live_shop import HOUR, Clock

POSITIVE = "get_order.total/positive#f3e21b"


@pytest.fixture
def shop(learned_folder: Path) -> Path:
    with_alarms(learned_folder, order(1, total=-1.0), order(2), name="one")
    return learned_folder


def status(folder: Path | str, now: float | None = None) -> dict[str, Any]:
    with closing(current_storage(folder, required=False)) as home:
        document = status_of(StatusSource.of(home), now, thresholds=QUICK)
    json.dumps(document)
    return document


def test_a_tool_that_advises(shop: Path, home: Home) -> None:
    place = home(shop)
    document = status(place)
    tool = document["tools"]["get_order"]
    assert (tool["stage"], tool["checked"], tool["told"], tool["missing"]) == ("advising", 1.0, 1, "")
    assert tool["why"] == "13 of 13 clauses are proven"
    assert (tool["waiting"], tool["muted"], document["troubles"]) == ([], [], [])
    with closing(StateFolder.at(place)) as state:
        mute(state, POSITIVE, reason="refunds")
    assert status(place)["tools"]["get_order"]["muted"] == [POSITIVE]


def test_from_nothing_to_shadow_step_by_step(tmp_path: Path) -> None:
    clock = Clock()
    shop = live(tmp_path, clock)
    shop.lists_tools()
    shop.talk(order(0), name="n")
    closed(shop)
    tool = status(tmp_path)["tools"]["get_order"]
    assert (tool["stage"], tool["why"]) == ("observing", "nothing was mined of it yet")
    assert "calls until contracts are mined" in tool["missing"]
    shop = live(tmp_path, clock)
    for number in range(5):
        shop.talk(order(number), name=f"a{number}")
    closed(shop)
    mine_folder(tmp_path)
    assert status(tmp_path)["tools"]["get_order"]["missing"] == "6 of 8 tasks"
    for hour in range(3):
        shop = live(tmp_path, clock)
        for number in range(3):
            shop.talk(order(number + 3 * hour), name=f"h{hour}n{number}", client="alone")
        closed(shop)
        if not hour:
            mine_folder(tmp_path)
        clock.now += HOUR
    tool = status(tmp_path)["tools"]["get_order"]
    assert (tool["stage"], tool["proven"]) == ("shadow", 0)
    assert tool["why"].startswith("none of its ")
    assert tool["missing"] == "2 of 8 results, 1 of 3 hours, 1 of 2 days"


@pytest.mark.parametrize(
    "name", ["contracts.json", "tools.json", "stages.sqlite", "events.sqlite", "overrides.json"]
)
@pytest.mark.parametrize("content", [b"", b'{"tools": ', b"\x00\xff" * 400], ids=["empty", "half", "noise"])
def test_one_file_that_is_torn_costs_only_what_it_says(shop: Path, name: str, content: bytes) -> None:
    for beside in ("-wal", "-shm"):
        (shop / f"{name}{beside}").unlink(missing_ok=True)
    (shop / name).write_bytes(content)
    document = status(shop)
    assert "get_order" in document["tools"]
    assert len(document["troubles"]) <= 1
    if content or name.endswith(".json"):
        assert name in document["troubles"][0]
    assert (shop / name).read_bytes() == content


def test_a_change_waits_for_a_person_until_it_is_accepted(shop: Path) -> None:
    desk = live(shop, time.time, weighs=[AlertPolicy(state=shop)])
    for one in range(40):
        desk.talk(order(one % 9, status="returned"), name=f"new{one}", client=f"client{one % 2}")
    closed(desk)
    tool = status(shop)["tools"]["get_order"]
    [words] = tool["waiting"]
    [change] = tool["changes"]
    assert words.endswith(f"accept? [{change['clause']}]")
    assert change["clause"].startswith("get_order.status/")
    assert "with 1 change" in accept(StateFolder(FolderStorage(shop)), change["clause"])
    tool = status(shop)["tools"]["get_order"]
    assert (tool["waiting"], tool["muted"]) == ([], [])
    # Nothing of what was new is in the file, but for a hash.
    assert "returned" not in (shop / "overrides.json").read_text()
