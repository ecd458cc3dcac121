"""Alarms to people: the first at once, the others together, and never a word of a result."""

import json
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from outcome_monitors.events import Event, Watch
from outcome_monitors.events.alarms import AlarmSink, to_command, to_webhook
from outcome_monitors.exceptions import OutcomeMonitorsError
from tests.events.service import listening
from tests.events.shop import monitor, order

PATIENCE = 60.0


class Inbox:
    """Keeps the messages that it is given."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.came = threading.Semaphore(0)

    def __call__(self, message: dict[str, Any]) -> None:
        self.messages.append(json.loads(json.dumps(message)))
        self.came.release()


def alarm(tool: str = "get_order", told: bool = True) -> Event:
    return Event(0.0, "s", tool, "flagged", advised=told)


def test_the_first_goes_out_at_once_and_the_others_together() -> None:
    inbox = Inbox()
    alarms = AlarmSink(inbox, "alarms", pause=1000.0)
    alarms.put(alarm())
    assert inbox.came.acquire(timeout=PATIENCE)
    for tool in ("get_order", "get_order", "find_order"):
        alarms.put(alarm(tool))
    alarms.put(alarm(told=False))
    alarms.close()
    assert [message["alarms"] for message in inbox.messages] == [1, 3]
    assert inbox.messages[1]["tools"] == {"get_order": 2, "find_order": 1}
    assert inbox.messages[1]["text"].startswith("3 alarms since 1970-01-01T00:00:00+00:00: get_order (2)")


def test_a_digest_is_bounded_and_holds_no_value() -> None:
    inbox = Inbox()
    alarms = AlarmSink(inbox, "alarms", pause=0.0)
    watch = Watch(monitor(), alarms)
    watch.conversation("run-7").look("get_order", {"id": "s3cret"}, order(1, status="s3cret"))
    assert inbox.came.acquire(timeout=PATIENCE)
    [message] = inbox.messages
    assert message["clauses"] == {message["examples"][0]["clauses"][0]: 1}
    assert "s3cret" not in json.dumps(message)
    for number in range(5000):
        alarms.put(alarm(f"tool {number}"))
    alarms.close()
    assert sum(message["alarms"] for message in inbox.messages) == 5001
    assert max(len(json.dumps(message)) for message in inbox.messages) < 20_000


def test_a_command_has_the_message_on_its_input(tmp_path: Path) -> None:
    program = f"import sys; open({str(tmp_path / 'said')!r}, 'w').write(sys.stdin.read())"
    deliver = to_command(f'"{sys.executable}" -c "{program}"')
    deliver({"alarms": 1})
    assert json.loads((tmp_path / "said").read_text()) == {"alarms": 1}
    with pytest.raises(OutcomeMonitorsError, match="status 3"):
        to_command(f'"{sys.executable}" -c "raise SystemExit(3)"')({})
    for words in ("", 'open "quote'):
        with pytest.raises(OutcomeMonitorsError, match="--hook"):
            to_command(words)


def test_a_webhook_gets_it_as_json() -> None:
    with listening() as service:
        service.statuses = [200, 500]
        deliver = to_webhook(f"{service.address}/secret")
        deliver({"alarms": 1})
        with pytest.raises(OutcomeMonitorsError, match="answered 500") as refused:
            deliver({"alarms": 2})
    assert [request.body for request in service.requests] == [{"alarms": 1}, {"alarms": 2}]
    assert "secret" not in str(refused.value)
    for address in ("nonsense", "file:///etc/passwd"):
        with pytest.raises(OutcomeMonitorsError, match="--webhook"):
            to_webhook(address)


def test_who_cannot_be_told_holds_up_nobody(caplog: pytest.LogCaptureFixture) -> None:
    def broken(_message: dict[str, Any]) -> None:
        raise OSError("no way")

    alarms = AlarmSink(broken, "alarms", pause=0.0)
    alarms.put(alarm())
    alarms.close()
    assert alarms.lost == 1
    assert "1 alarms could not be sent: no way" in caplog.text
    alarms.put(alarm())
    assert alarms.lost == 2
