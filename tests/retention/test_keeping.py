"""State moved, bounded, and rid of one person: the same in a folder and in a real PostgreSQL."""

import json
from datetime import UTC, datetime

import pytest

from outcome_monitors import Registry
from outcome_monitors.cli import commands
from outcome_monitors.contracts.overrides import Override, Overrides, dumps
from outcome_monitors.contracts.version import version_number, version_text
from outcome_monitors.exceptions import StateError
from outcome_monitors.learning.rollout import text_of
from outcome_monitors.model import Clause, Contract
from outcome_monitors.storage.layout import CONTRACTS, OVERRIDES, RETENTION, VERSION
from outcome_monitors.storage.storage import RecordedLine, Storage
from outcome_monitors.storage.tables import TABLES, columns_of
from outcome_monitors_server.cli.state import state_at
from outcome_monitors_server.retention.copy import copy_state, rows_of
from outcome_monitors_server.retention.forget import FORGOTTEN, PersonValue, forget_person
from outcome_monitors_server.retention.retention import (
    Retention,
    apply_retention,
    read_retention,
)
from tests.commandline import runner

THEIRS = "C-17"
BEGUN = 1_700_000_000.0


def line(number: int, customer: str, **more: object) -> RecordedLine:
    call = {
        "tool": "get_order",
        "arguments": {"order_id": f"O{number}"},
        "result": {"order": {"customer_id": customer, "city": "Oslo"}},
        "session": f"s{number}",
        "time": datetime.fromtimestamp(BEGUN + number, UTC).isoformat(),
        **more,
    }
    return RecordedLine(("", 0), json.dumps(call))


def row(table: str, *values: object) -> dict[str, object]:
    return dict(zip(columns_of(table), values, strict=True))


def event(number: int, **more: object) -> dict[str, object]:
    usual = row(
        "events",
        number,
        BEGUN + number,
        f"s{number}",
        "get_order",
        "clean",
        0,
        1e-5,
        "",
        "[]",
        "null",
        None,
        None,
    )
    return {**usual, **more}


VIOLATION = {
    "code": "domain",
    "path": "order.customer_id",
    "expected": ["C-1"],
    "observed": THEIRS,
    "detail": f"order.customer_id is {THEIRS!r}",
    "id": "0a1b2c3d4e",
    "clause": "get_order.order.customer_id/domain#0a1b2c",
}
CLAUSES = (
    Clause("domain", "order.customer_id", {"values": ["c-1", THEIRS.lower()]}, 9, 9, "traces"),
    Clause("type", "order.city", {"kinds": ["string"]}, 9, 9, "traces"),
)


def filled(home: Storage) -> Storage:
    home.put(CONTRACTS, Registry({"get_order": Contract("get_order", CLAUSES)}, "full").dumps())
    decided = Overrides().decided(Override.of("get_order", CLAUSES[1], "mute", note=f"{THEIRS} called us"))
    home.put(OVERRIDES, dumps(decided))
    found = json.dumps([VIOLATION])
    found, receipt = (
        json.dumps([VIOLATION]),
        json.dumps({"property": VIOLATION["detail"], "path": "order.customer_id"}),
    )
    events = [
        event(1),
        event(2, outcome="flagged", violations=found, receipt=receipt),
        event(3, why=f"the text of {THEIRS}", outcome="not_checked"),
        event(4, result=json.dumps({"customer_id": THEIRS})),
        event(5, result=json.dumps({"customer_id": "C-170"})),
    ]
    home.fill("events", events)
    clauses = [
        row("clauses", "get_order", name, one.kind, 0, 0, text_of(one), None, 0.0)
        for name, one in zip("ab", CLAUSES, strict=True)
    ]
    home.fill("clauses", clauses)
    way = json.dumps(["get_order", "x", THEIRS])
    drift = (way, 1, "order.customer_id", "domain", "", 0.1, "[]", "[]", 1, 1, 0, 0.0, 0.0, 0.0, 0)
    home.fill("ways", [row("ways", *drift)])
    body = home.documents()[CONTRACTS]
    version = (1, None, 1.0, "learn", "active", body, "{}", "{}", 1.0, "learn", f"{THEIRS} again", 0)
    home.fill("versions", [row("versions", *version)])
    home.put(VERSION, version_text(1, body))
    home.record(
        [line(1, THEIRS), line(2, "C-2"), line(3, "C-3", note=f"asks for {THEIRS}"), line(9, "C-170")]
    )
    return home


@pytest.fixture(params=["folder", "postgresql"])
def place(request, tmp_path) -> str:
    return str(tmp_path / "shop") if request.param == "folder" else request.getfixturevalue("fleet")


@pytest.fixture
def home(place) -> Storage:
    return filled(state_at(place, make=True))


def unlabelled(home: Storage, table: str) -> list[dict[str, object]]:
    return [{name: found[name] for name in columns_of(table)} for found in rows_of(home, table)]


def contents(home: Storage) -> dict[str, object]:
    return {
        **{table: sorted(map(repr, unlabelled(home, table))) for table in TABLES},
        "lines": [found.text for found in home.recorded_lines()],
        "documents": home.documents(),
    }


def test_one_person_is_forgotten_without_a_trace_and_it_is_said_what_went(home):
    found = forget_person(home, PersonValue(THEIRS))
    assert found == {
        "recorded calls": 2,
        "events": 4,
        "clauses on trial": 1,
        "changes": 1,
        "clauses of versions": 1,
        "clauses": 1,
        "decisions": 1,
    }
    events = {found["id"]: found for found in rows_of(home, "events")}
    [violation] = json.loads(events[2]["violations"])
    assert violation["clause"] == VIOLATION["clause"]
    assert violation["detail"] == FORGOTTEN
    assert len(events) == 5
    assert events[5]["result"] is not None
    after = json.dumps(contents(home), default=str)
    assert not PersonValue(THEIRS).mentioned(json.loads(after.replace("C-170", "another")))
    assert "C-170" in after


def test_the_version_in_force_stays_the_one_that_is_named(home):
    forget_person(home, PersonValue(THEIRS))
    contracts, named = (home.documents()[name] for name in (CONTRACTS, VERSION))
    assert version_number(named, contracts.encode()) == 1
    assert next(rows_of(home, "versions"))["body"] == contracts


def test_a_dry_run_changes_nothing_and_counts_the_same(home):
    before = contents(home)
    dry = forget_person(home, PersonValue(THEIRS), dry=True)
    assert contents(home) == before
    assert dry == forget_person(home, PersonValue(THEIRS))


def test_a_value_that_others_have_too_is_refused():
    with pytest.raises(StateError, match="fewer than 3 characters"):
        PersonValue("17")


@pytest.mark.parametrize("value", ["1764", "O'Neil %_!", 'a"b\\c', "Zoë 🎛", "'); DROP TABLE events; --"])
def test_a_person_of_any_name_is_found(place, value):
    home = state_at(place, make=True)
    home.record([line(1, value), line(2, "other")])
    home.fill(
        "events",
        [event(7, result=json.dumps([{"customer_id": value}])), event(8, result='{"customer_id": "other"}')],
    )
    found = forget_person(home, PersonValue(value))
    assert found["recorded calls"] == 1
    # That of the removed call, which is near in time, is not there: 7 has the value itself.
    assert found["events"] == 1
    assert [found["id"] for found in rows_of(home, "events") if found["result"] is None] == [7]


@pytest.mark.parametrize("back", [False, True])
def test_a_state_is_copied_either_way(tmp_path, fleet, back):
    places = [str(tmp_path / "shop"), fleet]
    source, target = [state_at(place, make=True) for place in (reversed(places) if back else places)]
    filled(source)
    copy_state(source, target)
    assert contents(target) == contents(source)
    with pytest.raises(StateError, match="is not empty"):
        copy_state(source, target)


def test_what_is_written_after_a_copy_has_a_number_of_its_own(tmp_path, fleet):
    copy_state(filled(state_at(tmp_path / "shop", make=True)), state_at(fleet))
    home = state_at(fleet)
    with home.table("versions", change=True) as rows:
        [one] = rows.select("versions")
        rows.put("versions", [{name: value for name, value in one.items() if name != "number"}])
        assert rows.last("versions") == 2
    with home.table("events", change=True) as rows:
        rows.put("events", [{name: value for name, value in event(0).items() if name != "id"}])
        assert rows.last("events") == 6


def test_what_is_too_much_goes_the_oldest_first(home):
    removed = apply_retention(home, Retention(events_size=600, traces_size=1))
    assert removed["events"] > 0
    assert removed["recorded calls"] == 4
    numbers = [found["id"] for found in rows_of(home, "events")]
    assert numbers == [1, 2, 3, 4, 5][-len(numbers) :]


def test_the_job_that_learns_keeps_to_it(home, place):
    home.put(RETENTION, Retention(events_size=1).dumps())
    done = runner().invoke(commands, ["learn", "--state", place])
    assert "events removed, as `state keep` says: 5" in done.stdout
    assert not [*rows_of(home, "events")]


@pytest.mark.parametrize("options", [("soon", None), ("30", None), (None, "2"), (None, "-1GB")])
def test_an_age_or_a_size_that_is_none_is_refused(options):
    with pytest.raises(StateError, match="is no (age|size)"):
        read_retention(options[0], options[1], None, None)
