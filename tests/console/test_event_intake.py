"""Events over HTTP: who may write them, what is refused by line and field, and that what is written is what was sent."""

import http.client
import json
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from outcome_monitors.events import read_events
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.learning.folder import StateFolder
from outcome_monitors.storage.address import StateAddress
from outcome_monitors.storage.folder import FolderStorage
from outcome_monitors.storage.labels import Labels
from outcome_monitors_server.console.access import WRITER, EventWriter, event_writers
from outcome_monitors_server.console.intake import LARGEST_BODY
from outcome_monitors_server.console.server import console_app
from outcome_monitors_server.storage.postgres import Postgres
from tests.console.serving import Reader, Reply, serving
from tests.mcp.fleets import asked

DECIDES, LOOKS, WRITES, ORDERS = (f"{word}-{'0' * 16}" for word in ("decides", "looks", "writes", "orders"))
WRITERS = (EventWriter(WRITES), EventWriter(ORDERS, Labels(service="orders", environment="live")))
CLEAN = {"time": "2026-03-01T10:00:00.000+00:00", "tool": "search", "outcome": "clean", "session": "s1"}
FLAGGED = {
    **CLEAN,
    "outcome": "flagged",
    "told": True,
    "duration_us": 41.5,
    "violations": [
        {
            "code": "nonpositive_value",
            "path": "total",
            "expected": "> 0",
            "observed": -1.0,
            "detail": "total is not positive",
            "id": "f3e21b",
            "clause": "search.total/positive#f3e2",
            "version": 3,
        }
    ],
    "receipt": {"note": "total"},
    "version": 3,
    "arguments": {"q": "a"},
    "result": {"total": -1.0},
}


@pytest.fixture(params=["folder", "fleet"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A state of each sort, with nothing in it."""
    if request.param == "fleet":
        fleet: str = request.getfixturevalue("fleet")
        with Postgres(StateAddress.read(fleet)).writing():
            return fleet
    (tmp_path / "shop").mkdir()
    return str(tmp_path / "shop")


@pytest.fixture
def console(place: str) -> Iterator[Reader]:
    with serving(place, "0.0.0.0", DECIDES, LOOKS, WRITERS) as reader:
        yield reader


def send(console: Reader, *lines: Any, token: str = WRITES, **headers: str) -> Reply:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    body = "\n".join(texts).encode("utf-8", "surrogatepass")
    return console.ask("/api/events", "POST", body, Authorization=f"Bearer {token}", **headers)


def events(place: str) -> list[dict[str, Any]]:
    with closing(StateFolder.at(place)) as state:
        return [*read_events(state.events)] if state.events.exists() else []


def test_what_is_written_is_read_and_can_be_written_again(console: Reader, place: str) -> None:
    sent = send(console, CLEAN, FLAGGED, "")
    assert (sent.status, json.loads(sent.text)["written"]) == (200, 2)
    found = events(place)
    assert [{**one, "event": 0} for one in found] == [
        {**CLEAN, "event": 0, "duration_us": 0.0, "told": False, "clauses": []},
        {**FLAGGED, "event": 0, "advised": True, "clauses": ["search.total/positive#f3e2"]},
    ]
    assert send(console, *found).status == 200
    again = events(place)
    assert [{**one, "event": 0} for one in again[2:]] == [{**one, "event": 0} for one in found]
    # It is an alarm like any other.
    page = console.ask("/", Authorization=f"Bearer {LOOKS}").text
    assert "total is not positive" in page
    assert json.loads(console.ask("/api/status", Authorization=f"Bearer {DECIDES}").text)["results"] == 4


def test_a_token_for_something_else_is_told_so(console: Reader, place: str) -> None:
    for token in (DECIDES, LOOKS):
        refused = send(console, CLEAN, token=token)
        assert refused.status == 403
        assert token not in refused.text
    assert not events(place)
    for path in ("/", "/api/status", "/metrics", "/feed", "/contracts", "/event/1", "/nothing"):
        assert console.ask(path, Authorization=f"Bearer {WRITES}").status == 403
    assert console.ask("/api/events", Authorization=f"Bearer {WRITES}").status == 405
    form = {"form": "x", "what": "mute", "clause": "x"}
    assert console.send(form, Authorization=f"Bearer {WRITES}").status == 403
    assert console.send({"token": WRITES}, "/enter").status == 401
    assert console.ask("/healthz").status == 200


BAD: list[tuple[Any, str, str]] = [
    ("{", "", "not JSON"),
    ("[1]", "", "an object"),
    ("[" * 100_000, "", "nested too deeply"),
    ({**CLEAN, "tool": 3}, "tool", "no text"),
    ({**CLEAN, "tool": "x" * 401}, "tool", "401 characters"),
    ({name: value for name, value in CLEAN.items() if name != "tool"}, "tool", "missing"),
    ({**CLEAN, "outcome": "fine"}, "outcome", "one of clean"),
    ({**CLEAN, "time": "yesterday"}, "time", "no time"),
    ({**CLEAN, "told": "yes"}, "told", "neither true nor false"),
    ({**CLEAN, "duration_us": 10**400}, "duration_us", "microseconds"),
    ({**CLEAN, "violations": FLAGGED["violations"]}, "violations", "is flagged"),
    ({**FLAGGED, "violations": [{"code": "a"}]}, "violations[0].path", "missing"),
    ({**FLAGGED, "version": "3"}, "version", "number of a version"),
    ({**CLEAN, "service": "x" * 201}, "service", "201 characters"),
]


@pytest.fixture
def folder_console(tmp_path: Path) -> Iterator[tuple[Reader, str]]:
    (tmp_path / "shop").mkdir()
    with serving(tmp_path / "shop", token=DECIDES, writers=WRITERS) as reader:
        yield reader, str(tmp_path / "shop")


def test_a_bad_line_is_named_by_line_and_field_and_nothing_is_written(
    folder_console: tuple[Reader, str],
) -> None:
    console, place = folder_console
    for line, field, words in BAD:
        refused = send(console, CLEAN, "", line)
        document = json.loads(refused.text)
        assert (refused.status, document["written"]) == (422, 0), line
        [one] = document["lines"]
        assert (one["line"], one["field"]) == (3, field), line
        assert words in one["said"]
        assert "nothing was written" in document["said"]
    many = json.loads(send(console, *["x"] * 100).text)
    assert len(many["lines"]) == 20
    assert "and 99 more" in many["said"]
    assert send(console, "\udc80").status == 422
    assert not events(place)
    # It goes on.
    assert json.loads(send(console).text)["written"] == 0
    assert send(console, CLEAN).status == 200
    assert len(events(place)) == 1


def test_too_much_is_refused_however_it_is_sent(console: Reader, place: str) -> None:
    line = json.dumps({**CLEAN, "result": "x" * (LARGEST_BODY // 4)})
    refused = send(console, *[line] * 5)
    assert refused.status == 413
    assert "4,194,304 bytes" in json.loads(refused.text)["said"]
    assert _in_pieces(console, [line.encode() + b"\n"] * 5) == 413
    assert not events(place)
    assert _in_pieces(console, [line.encode() + b"\n"] * 3) == 200
    assert len(events(place)) == 3


def _in_pieces(console: Reader, pieces: list[bytes]) -> int:
    """Send a body whose length nobody has said."""
    connection = http.client.HTTPConnection("127.0.0.1", console.port, timeout=20)
    headers = {"Authorization": f"Bearer {WRITES}", "Transfer-Encoding": "chunked"}
    with closing(connection):
        connection.request("POST", "/api/events", iter(pieces), headers, encode_chunked=True)
        return connection.getresponse().status


def test_labels_are_those_of_the_token(fleet: str) -> None:
    with Postgres(StateAddress.read(fleet)).writing():
        pass
    claimed = {**CLEAN, "service": "billing", "environment": "test", "agent": "bob"}
    with serving(fleet, token=DECIDES, writers=WRITERS) as console:
        for token in (ORDERS, WRITES):
            assert send(console, claimed, token=token).status == 200
    query = "SELECT service, environment, server, agent FROM events ORDER BY id"
    assert asked(fleet, query) == [("orders", "live", "", "bob"), ("billing", "test", "", "bob")]
    with serving(f"{fleet}&environment=live", token=DECIDES, writers=WRITERS) as console:
        assert send(console, claimed, token=WRITES).status == 200
    # A console of one environment writes into no other.
    assert asked(fleet, query)[-1] == ("billing", "live", "", "bob")


def test_a_clock_that_is_an_hour_ahead_is_put_right(console: Reader, place: str) -> None:
    now = datetime.now(UTC)
    ahead = now + timedelta(hours=1)
    line = {**CLEAN, "time": ahead.isoformat()}
    assert send(console, line, Date=format_datetime(ahead, usegmt=True)).status == 200
    assert send(console, line, Date="nonsense").status == 200
    first, second = (datetime.fromisoformat(one["time"]) for one in events(place))
    assert abs(first - now) < timedelta(minutes=1)
    assert abs(second - ahead) < timedelta(seconds=1)


def test_writers_are_read_from_a_file_or_the_environment(tmp_path: Path) -> None:
    file = tmp_path / "writers"
    file.write_text(f"# ours\n\n{WRITES}\n {ORDERS}\tservice=orders&environment=a%26b\n")
    found = event_writers(file, {WRITER: "e" * 16})
    assert [(one.token, one.labels) for one in found] == [
        (WRITES, Labels()),
        (ORDERS, Labels(service="orders", environment="a&b")),
        ("e" * 16, Labels()),
    ]
    assert WRITES not in repr(found)


@pytest.mark.parametrize(
    "made",
    [
        lambda state: console_app(state, "127.0.0.1", "", "", WRITERS),
        lambda state: console_app(state, "127.0.0.1", WRITES, "", WRITERS),
        lambda state: console_app(state, "127.0.0.1", DECIDES, "", (*WRITERS, EventWriter(WRITES))),
    ],
)
def test_tokens_that_would_do_more_than_they_say_are_refused(
    tmp_path: Path, made: Callable[[StateFolder], object]
) -> None:
    with pytest.raises(
        OutcomeMonitorsError, match="another one, for those who decide|the same token"
    ) as refused:
        made(StateFolder(FolderStorage(tmp_path)))
    assert WRITES not in str(refused.value)
