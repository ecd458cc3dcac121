"""Muting, accepting, reporting back: what people decide holds at once, while results come, and outlives mining."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from outcome_monitors.alerting.suppression import LiveOverrides, SuppressionPolicy
from outcome_monitors.contracts.overrides import Overrides
from outcome_monitors.events import read_events
from outcome_monitors.exceptions import ContractError, OutcomeMonitorsError
from outcome_monitors.learning.decisions import accept, missed, mute, read_until, unmute, wrong
from outcome_monitors.learning.flagged_evidence import FlaggedEvidence
from outcome_monitors.learning.folder import StateFolder
from outcome_monitors.storage.folder import FolderStorage
from tests.events.shop import order
from tests.homes import Home
from tests.mcp.folders import live, with_alarms
from tests.mcp.live_shop import Clock, told

There = Callable[[StateFolder], StateFolder]
POSITIVE, RANGE = "get_order.total/positive#f3e21b", "get_order.total/range#6a916b"
WRONG = {"total": -1.0}


@pytest.fixture
def shop(learned_folder: Path) -> StateFolder:
    return StateFolder(FolderStorage(learned_folder))


@pytest.fixture
def there(home: Home) -> Iterator[There]:
    """Gives what a shop has learned in either home."""
    with ExitStack() as opened:
        yield lambda shop: opened.enter_context(closing(StateFolder.at(home(shop.path))))


class Steps:
    """A clock that goes on by a second whenever it is asked."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


def running(shop: StateFolder, now=time.time):
    """A desk on the folder that heeds its decisions, and looks for them at every alarm."""
    desk = live(shop.path, Clock(time.time()))
    watch = desk.watch
    watch.policies = [
        SuppressionPolicy(LiveOverrides(shop.path / "overrides.json", Steps()), now),
        *watch.policies,
    ]
    return desk


def why(desk) -> list[str]:
    desk.watch.close()
    return [
        event.get("why", "") for event in read_events(desk.learner.folder) if event["outcome"] == "flagged"
    ]


def test_a_mute_holds_at_once_and_so_does_its_end(shop: StateFolder) -> None:
    desk = running(shop)
    assert told(desk.talk(order(1, **WRONG), name="a")) == [1]
    assert mute(shop, POSITIVE) == f"{POSITIVE} is muted"
    mute(shop, "get_order.total/range")
    assert told(desk.talk(order(1, **WRONG), name="b")) == [0]
    unmute(shop, "#f3e2")
    assert told(desk.talk(order(1, **WRONG), name="c")) == [1]
    assert why(desk) == ["", "muted", ""]


def test_a_mute_that_ends_by_itself(shop: StateFolder) -> None:
    until = read_until("7d", time.time())
    for clause in (POSITIVE, RANGE):
        mute(shop, clause, until, "refunds")
    now = [time.time()]
    desk = running(shop, lambda: now[0])
    assert told(desk.talk(order(1, **WRONG), name="a")) == [0]
    now[0] += 8 * 86400
    assert told(desk.talk(order(1, **WRONG), name="b")) == [1]


def test_a_clause_called_wrong_in_two_tasks_goes_to_shadow_until_it_is_accepted(shop: StateFolder) -> None:
    desk = running(shop)
    for name in ("a", "a", "b"):
        assert told(desk.talk(order(1, **WRONG), name=name)) == [1]
    desk.watch.close()
    alarms = [event["event"] for event in read_events(shop.path) if event["outcome"] == "flagged"]
    for alarm in alarms[:2]:
        assert "in 1 task; from 2 on" in wrong(shop, alarm)
    desk = running(shop)
    assert told(desk.talk(order(1, **WRONG), name="c")) == [1]
    assert wrong(shop, alarms[2]).count("in 2 tasks; agents are not told of it any more") == 2
    assert told(desk.talk(order(1, **WRONG), name="d")) == [0]
    accept(shop, POSITIVE)
    assert told(desk.talk(order(1, **WRONG), name="e")) == [1]
    assert why(desk)[-3:] == ["", "called wrong", ""]


def test_feedback_is_evidence(shop: StateFolder, there: There) -> None:
    with_alarms(shop.path, order(1, **WRONG), order(2), name="fed")
    shop = there(shop)
    events = [event for event in read_events(shop.events) if event["session"] == "fed"]

    def admitted() -> list[bool]:
        disputes = FlaggedEvidence(shop.overrides())
        calls = [one for one in shop.calls() if one.session == "fed"]
        for one in calls:
            disputes.add(one)
        return [disputes.admits(one) for one in calls]

    assert admitted() == [False, True]
    wrong(shop, events[0]["event"])
    assert admitted() == [True, True]
    missed(shop, events[1]["event"])
    assert admitted()[1] is False


def test_what_makes_no_sense_is_a_sentence(shop: StateFolder, there: There) -> None:
    with_alarms(shop.path, order(1, **WRONG), order(2))
    shop = there(shop)
    told_of, clean = [event["event"] for event in read_events(shop.events)][-2:]
    with pytest.raises(OutcomeMonitorsError, match="there is no alarm to call wrong"):
        wrong(shop, clean)
    with pytest.raises(OutcomeMonitorsError, match="the agent was told"):
        missed(shop, told_of)
    with pytest.raises(OutcomeMonitorsError, match="there is no event 99999"):
        missed(shop, 99999)
    with pytest.raises(ContractError, match="is not muted"):
        unmute(shop, POSITIVE)
    with pytest.raises(ContractError, match="did you mean"):
        mute(shop, "get_order.total/positiv")
    for until in ("tomorrow", "2020-01-01"):
        with pytest.raises(OutcomeMonitorsError, match="--until"):
            read_until(until, time.time())
    assert shop.overrides() == Overrides()


def test_a_file_that_is_half_written_changes_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "o.json"
    decided = LiveOverrides(file, Steps())
    assert decided.current().entries == {}
    file.write_text(
        '{"format": "outcome-monitors/overrides", "version": 1, "clauses": [\n {"tool": "t", "kind": "closed_fields", "path": "", "about": {}, "decision": "mute", "note": ""}]}'
    )
    [name] = decided.current().entries
    file.write_text('{"format": "outcome-mon')
    assert [*decided.current().entries] == [name]
    assert "what was decided before holds" in caplog.text
    file.unlink()
    assert decided.current().entries == {}
