"""A watch: every result one event with one outcome, each conversation its own memory, and nothing ever raised."""

from typing import Any

import pytest

from outcome_monitors import Relations
from outcome_monitors.events import OUTCOMES, Watch, read_events
from outcome_monitors.exceptions import ContractError, OutcomeMonitorsError
from tests.events.shop import Kept, contracts, monitor, order, remembering


class Broken(dict[str, Any]):
    """A result that cannot be looked at."""

    def __contains__(self, key):
        raise RuntimeError("no")

    def __iter__(self):
        raise RuntimeError("no")


def test_every_outcome():
    sink = Kept()
    conversation = Watch(monitor(), sink).conversation("c1")
    assert conversation.look("get_order", {"id": "W1"}, order(1)).verdict == "clean"
    flagged = conversation.look("get_order", {"id": "W1"}, order(1, total=-1), ["get_order", "quote"])
    assert flagged.receipt["status"] == "inconsistent"
    assert flagged.receipt["admissible_recovery_tools"] == ["get_order"]
    assert conversation.look("other", {}, {"a": 1}).verdict == "not_covered"
    assert conversation.skip("get_order", "the content is not JSON").verdict == "not_checked"
    assert conversation.look("get_order", {"id": "W1"}, Broken(order(1))).verdict == "failed"
    assert sink.outcomes == list(OUTCOMES)
    assert {event.session for event in sink.events} == {"c1"}
    assert all(event.payload is None for event in sink.events)
    assert sink.events[1].advised
    assert sink.events[1].violations == flagged.violations
    assert all(event.duration > 0 for event in sink.events if event.outcome in ("clean", "flagged"))


def test_in_shadow_nobody_is_alerted_and_the_event_has_the_receipt():
    sink = Kept()
    seen = Watch(monitor(), sink, mode="shadow").conversation().look("get_order", {}, order(1, total=-1))
    assert (seen.verdict, seen.receipt, seen.untold) == ("flagged", None, "in shadow")
    assert sink.events[0].receipt["status"] == "inconsistent"
    assert not sink.events[0].advised


def test_conversations_do_not_share_their_memory():
    watch = Watch(remembering(), Kept())
    one, two = watch.conversation("1"), watch.conversation("2")
    first, other = {"order_id": "W7", "status": "sent"}, {"order_id": "W7", "status": "paid"}
    assert one.look("get_order", {}, first).verdict == "clean"
    assert two.look("get_order", {}, other).verdict == "clean"
    assert one.look("get_order", {}, other).verdict == "flagged"
    one.skip("refund_order", "failed openly")
    assert one.look("get_order", {}, other).verdict == "clean"


def test_opened_by_files(tmp_path):
    contracts().save(tmp_path / "c.json")
    Relations.declared({"get_order": ["find_order"]}).save(tmp_path / "r.json")
    store = str(tmp_path / "e.sqlite")
    watch = Watch.open(tmp_path / "c.json", relations=tmp_path / "r.json", events=store, encoder="v1")
    seen = watch.conversation().look("get_order", {}, order(1, total=-1), ["get_order", "find_order"])
    assert seen.receipt["admissible_recovery_tools"] == ["get_order", "find_order"]
    watch.close()
    [event] = read_events(store)
    assert event["receipt"] == seen.receipt
    with pytest.raises(ContractError):
        Watch.open(tmp_path / "none.json")
    with pytest.raises(OutcomeMonitorsError, match="no mode 'loud'"):
        Watch(monitor(), mode="loud")  # type: ignore[arg-type]  # that is the point
    with pytest.raises(OutcomeMonitorsError, match="events cannot go to 'e.txt'"):
        Watch.open(tmp_path / "c.json", events="e.txt")
