"""The console over HTTP: what it shows, whom it lets decide, and what it makes of folders in a bad state."""

import json
import re
from collections.abc import Iterator
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from outcome_monitors.cli import commands
from outcome_monitors.events import read_events
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.learning.folder import StateFolder
from outcome_monitors.learning.status import StatusSource, status_of
from outcome_monitors.storage.folder import FolderStorage
from outcome_monitors.storage.opening import current_storage
from outcome_monitors_server.console.server import console_app
from tests.commandline import runner
from tests.console.serving import Reader, serving
from tests.events.shop import order
from tests.homes import Home
from tests.mcp.folders import with_alarms

CLAUSE = "get_order.status/domain"
HOSTILE = "</code><script src=//evil.example/x.js></script><img src=x onerror=alert(1)>"


@pytest.fixture
def folder(learned_folder: Path) -> Path:
    """A folder in which agents are told, with two alarms."""
    with_alarms(learned_folder, order(1, total=-1.0), order(1), order(3, status=HOSTILE))
    return learned_folder


@pytest.fixture
def reader(folder: Path) -> Iterator[Reader]:
    with serving(folder) as reader:
        yield reader


@pytest.fixture
def place(folder: Path, home: Home) -> str:
    """The folder, or the address of a fleet that has all of it."""
    return home(folder)


@pytest.fixture
def either(place: str) -> Iterator[Reader]:
    with serving(place) as reader:
        yield reader


def status(place: str) -> dict[str, Any]:
    with closing(current_storage(place, required=False)) as home:
        return status_of(StatusSource.of(home))


class Tags(HTMLParser):
    """The tags of a page, as a browser would find them."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def tags(text: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = Tags()
    parser.feed(text)
    return parser.found


def test_the_page_shows_tools_and_alarms_with_all_that_is_known_of_them(either: Reader) -> None:
    page = either.ask("/").text
    assert 'href="/tool?name=get_order"' in page
    assert "advising" in page
    numbers = [attributes["data-event"] for tag, attributes in tags(page) if tag == "article"]
    assert len(numbers) == 2
    closer = either.ask(f"/part/event/{numbers[1]}").text
    assert "<mark" in closer
    assert ">-1.0</mark>" in closer
    assert "called the same tool again: get_order, clean" in closer
    assert "This result is inconsistent" in closer
    assert either.ask(f"/event/{numbers[1]}").text.count("<article") == 1
    assert either.ask("/event/999999").status == 404


@pytest.mark.parametrize(
    "path", ["/", "/tool?name=get_order", "/contracts?q=%22%3E%3Cscript%3E", "/part/alarms"]
)
def test_no_word_of_a_result_or_a_request_is_markup(either: Reader, path: str) -> None:
    answer = either.ask(path)
    assert answer.status == 200
    found = tags(answer.text)
    assert [a.get("src") for tag, a in found if tag == "script"] == (
        ["/console.js"] if "part" not in path else []
    )
    assert not [tag for tag, attributes in found if tag in ("img", "style", "iframe", "object", "base")]
    assert not [
        name for _, attributes in found for name in attributes if name.startswith("on") or name == "style"
    ]


def test_every_answer_forbids_what_is_not_needed(reader: Reader) -> None:
    for path in ("/", "/console.js", "/nothing", "/api/status"):
        policy = reader.ask(path).headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy


def test_what_is_muted_is_muted_for_all_and_unmuted_again(either: Reader, place: str) -> None:
    assert (
        "is muted"
        in json.loads(either.decide(what="mute", clause=CLAUSE, until="7d", reason="known").text)["said"]
    )
    [name] = status(place)["tools"]["get_order"]["muted"]
    assert name.startswith(CLAUSE)
    assert 'value="unmute"' in either.ask("/").text
    assert either.decide(what="unmute", clause=CLAUSE).status == 200
    assert status(place)["tools"]["get_order"]["muted"] == []


def test_an_alarm_is_called_wrong_and_a_clean_result_missed(either: Reader) -> None:
    numbers = [a["data-event"] or "" for tag, a in tags(either.ask("/").text) if tag == "article"]
    assert "called wrong in 1 task" in either.decide(what="wrong", event=numbers[0]).text
    told = either.decide(what="missed", event=numbers[0])
    assert (told.status, json.loads(told.text)["done"]) == (409, False)
    assert "noted as a fault" in either.decide(what="missed", event="1").text


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"what": "format"},
        {"what": "mute", "clause": "nothing"},
        {"what": "wrong", "event": "x"},
        {"what": "mute", "clause": CLAUSE, "until": "yesterday"},
        {"what": "wrong", "event": "999999"},
    ],
)
def test_a_form_that_asks_for_nonsense_gets_a_sentence(
    reader: Reader, folder: Path, fields: dict[str, str]
) -> None:
    answer = reader.decide(**fields)
    assert answer.status == 409
    assert json.loads(answer.text)["said"]
    assert not (folder / "overrides.json").exists()


def test_other_sites_decide_nothing(reader: Reader, folder: Path) -> None:
    fields = {"form": reader.form(), "what": "mute", "clause": CLAUSE}
    assert reader.send(fields, Origin="http://evil.example").status == 403
    assert reader.send(fields, Origin="null").status == 403
    assert reader.send(fields, Sec_Fetch_Site="cross-site").status == 403
    assert reader.send({**fields, "form": "guess"}).status == 403
    assert reader.send({"what": "mute", "clause": CLAUSE}).status == 403
    assert reader.send(fields, Host="evil.example").status == 403
    assert not (folder / "overrides.json").exists()
    assert reader.send(fields).status == 200


def test_any_other_address_asks_for_the_token(folder: Path) -> None:
    with pytest.raises(OutcomeMonitorsError, match="OUTCOME_MONITORS_TOKEN"):
        console_app(StateFolder(FolderStorage(folder)), "0.0.0.0")
    with serving(folder, "0.0.0.0", "secret") as reader:
        for path in ("/", "/api/status", "/metrics", "/feed", "/console.js", "/event/1"):
            refused = reader.ask(path, Host="monitor.example")
            assert refused.status == 401
            assert "get_order" not in refused.text
        assert reader.ask("/api/status", Authorization="Bearer secret").status == 200
        assert reader.ask("/api/status", Authorization="Bearer wrong").status == 401
        assert reader.send({"token": "wrong"}, "/enter").status == 401
        entered = reader.send({"token": "secret"}, "/enter")
        cookie = entered.headers["Set-Cookie"]
        assert entered.status == 303
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        assert "secret" not in cookie
        assert reader.ask("/", Cookie=cookie.partition(";")[0]).status == 200
        assert reader.send({"token": "secret"}, "/enter", Origin="http://evil.example").status == 403


def test_who_may_look_decides_nothing(folder: Path) -> None:
    with pytest.raises(OutcomeMonitorsError, match="another one, for those who decide"):
        console_app(StateFolder.at(folder), "127.0.0.1", "", "looks")
    with serving(folder, "0.0.0.0", "decides", "looks") as reader:
        assert reader.ask("/api/status", Authorization="Bearer looks").status == 200
        cookie = reader.send({"token": "looks"}, "/enter").headers["Set-Cookie"].partition(";")[0]
        page = reader.ask("/", Cookie=cookie).text
        form = re.findall(r'data-form="([^"]+)"', page)[0]
        fields = {"form": form, "what": "mute", "clause": "get_order.status/domain"}
        for named in ({"Cookie": cookie}, {"Authorization": "Bearer looks"}):
            assert reader.send(fields, **named).status == 403
        assert not (folder / "overrides.json").exists()
        assert reader.send(fields, Authorization="Bearer decides").status == 200


def test_an_alarm_is_told_while_the_proxy_runs_and_once(reader: Reader, folder: Path) -> None:
    with reader.feed() as events:
        with_alarms(folder, order(2, total=-2.0), name="later")
        alarm = next(data for sort, data in events if sort == "alarm")
        assert "total/positive" in reader.ask(f"/event/{alarm['event']}").text
    with reader.feed(Last_Event_ID=str(int(str(alarm["event"])) - 1)) as events:
        assert next(data for sort, data in events if sort == "alarm") == alarm
        reader.decide(what="mute", clause=CLAUSE)
        assert next(sort for sort, _ in events if sort != "changed") == "decided"


def test_the_page_of_a_tool_has_its_fields_and_their_values(either: Reader) -> None:
    page = either.ask("/tool?name=get_order").text
    assert "total is always present" in page
    assert "paid (" in page
    assert "the last" in page
    assert either.ask("/tool?name=nothing").status == 404


def test_a_folder_in_which_nothing_was_seen_yet(tmp_path: Path) -> None:
    with serving(tmp_path) as reader:
        page = reader.ask("/").text
        assert "Nothing was seen here yet" in page
        assert "No result broke its contract so far" in page
        assert reader.ask("/contracts").status == 200
        assert reader.ask("/tool?name=x").status == 404
        assert reader.ask("/event/1").status == 404
        assert json.loads(reader.ask("/api/status").text)["tools"] == {}


def test_files_that_are_torn_are_named_and_the_rest_is_shown(reader: Reader, folder: Path) -> None:
    (folder / "overrides.json").write_text('{"version": 1, "entr')
    (folder / "contracts.json").write_text('{"tools": {"get_or')
    page = reader.ask("/")
    assert page.status == 200
    assert "overrides.json" in page.text
    assert "<article" in page.text
    assert reader.ask("/contracts").status == 200
    assert reader.decide(what="mute", clause=CLAUSE).status == 409
    (folder / "events.sqlite").write_bytes(b"SQLite format 3\0" + b"torn" * 1000)
    for path in ("/", "/tool?name=get_order", "/event/1", "/part/alarms"):
        assert reader.ask(path).status in (200, 404, 409)
    assert "events.sqlite" in reader.ask("/").text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["console", "nothing"], "there is no folder nothing"),
        (["console", ".", "--listen", "0.0.0.0:0", "--token", ""], "OUTCOME_MONITORS_TOKEN"),
        (["console", ".", "--listen", "here"], "HOST:PORT"),
    ],
)
def test_what_cannot_be_served_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    refused = runner().invoke(commands, arguments, prog_name="outcome-monitors")
    assert refused.exit_code == 2
    assert words in refused.stderr


def test_each_alarm_shows_its_own_call(learned_folder: Path) -> None:
    with_alarms(learned_folder, *(order(number, total=-float(number)) for number in range(1, 31)))
    alarms = [*read_events(learned_folder / "events.sqlite", outcome="flagged")][-30:]
    with serving(learned_folder) as reader:
        for number, alarm in enumerate(alarms, 1):
            shown = reader.ask(f"/part/event/{alarm['event']}").text
            assert f"-{number}.0</mark>" in shown
            assert f"W{number}&" in shown or f'W{number}"' in shown
