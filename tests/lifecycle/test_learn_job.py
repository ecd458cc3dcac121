"""Learning as a job, in a folder and in a fleet's database: the contracts that `mine` gives of the same lines, or nothing at all."""

import json

import pytest

from outcome_monitors.exceptions import ContractError, OutcomeMonitorsError, StateError
from outcome_monitors.mining.observations import mine
from outcome_monitors.storage.address import is_address
from outcome_monitors.storage.layout import OVERRIDES, PRIVATE
from outcome_monitors.storage.opening import open_storage
from outcome_monitors.traces.reader import call_from_json
from outcome_monitors_server.versions.learn_job import Busy, LearnJob
from outcome_monitors_server.versions.versions import body_of, versions
from tests.lifecycle.states import decide, orders, record, state_at


@pytest.fixture(params=["folder", "fleet"])
def place(request, tmp_path) -> str:
    """A state of each sort, with nothing in it."""
    if request.param == "fleet":
        address: str = request.getfixturevalue("fleet")
        with state_at(address).writing():
            return address
    (tmp_path / "shop").mkdir()
    return str(tmp_path / "shop")


def learn(place: str, **more):
    return LearnJob(place, **more).run(lambda lines, _: lines)


def mined(lines) -> str:
    """What `mine` makes of lines."""
    registry = mine([call_from_json(line) for line in lines])
    return registry.dumps()


def newest(place: str) -> str:
    with open_storage(place).versions() as table:
        return body_of(table, versions(table)[0].number)


def test_the_same_bytes_as_mine_gives(place):
    lines = orders(60)
    record(place, lines)
    # Processes take long to start: once is enough.
    report = learn(place, workers=1 + is_address(place), by="learn on a")
    assert newest(place) == mined(lines)
    assert (report.new, report.lines, report.skipped) == (True, 60, [])
    assert report.version is not None
    assert (report.version.stage, report.version.by) == ("active", "learn on a")
    evidence = report.version.evidence
    assert (evidence["lines"], evidence["calls"], evidence["tasks"]) == (60, 60, 60)
    assert evidence["first"] != evidence["last"]
    assert report.version.changes["added"] > 0


def test_nothing_new_is_not_mined_again_and_what_is_new_is(place):
    record(place, orders(40))
    learn(place)
    assert learn(place).unchanged
    record(place, orders(20, start=40))
    report = learn(place)
    assert report.version is not None
    assert (report.new, report.version.number, report.version.parent) == (True, 2, 1)


def test_a_line_that_is_no_call_is_named_and_costs_nothing_else(place):
    lines = orders(30)
    record(place, [*lines[:10], "{not JSON", '{"result": 1}', *lines[10:]])
    report = learn(place)
    assert newest(place) == mined(lines)
    where = "traces:" if is_address(place) else "a.jsonl:"
    assert [line.rpartition(": ")[2] for line in report.skipped] == ["not JSON", "no `tool`"]
    assert all(line.startswith(where) for line in report.skipped)


def test_what_was_flagged_is_evidence_only_where_it_persists(place):
    """A few faults are left out; a change that many tasks and clients show is learned."""
    clean = orders(60)
    marks = {"flagged": True, "untold": "", "findings": [["get_order.state/domain#1234", "lost"]]}
    fault = {**orders(1, start=90)[0], **marks}
    fault["result"] = {**fault["result"], "state": "lost"}
    record(place, [*clean, fault])
    report = learn(place)
    assert report.refused == 1
    assert newest(place) == mined(clean)
    many = [
        {**fault, "task": f"c{n}", "client": f"client {n % 4}", "time": f"2031-03-1{n % 5}T0{n % 9}:00:00Z"}
        for n in range(30)
    ]
    record(place, many)
    assert learn(place).refused == 0
    assert '"lost"' in newest(place)


def test_what_people_decided_holds(place):
    record(place, orders(40))
    decide(place, PRIVATE, json.dumps(["state"]))
    learn(place)
    assert '"paid"' not in newest(place)
    decide(place, OVERRIDES, "{")
    if is_address(place):
        with pytest.raises(ContractError, match="overrides.json of postgresql://"):
            learn(place)
    decide(place, PRIVATE, "{")
    with pytest.raises(OutcomeMonitorsError):
        learn(place)
    with open_storage(place).versions() as table:
        assert len(versions(table)) == 1


def test_a_second_learner_is_told_that_another_works(place):
    record(place, orders(40))

    def meanwhile(lines, noun):
        with pytest.raises(Busy, match="another process"):
            learn(place, by="learn on b")
        yield from lines

    report = LearnJob(place, by="learn on a").run(meanwhile)
    assert report.new


def test_a_database_that_goes_away_in_the_middle_leaves_nothing_half_written(lonely_fleet):
    record(lonely_fleet, orders(40))

    def cutting(lines, _):
        yield from lines
        with state_at(lonely_fleet).reading() as shared:
            shared.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE usename = current_user AND pid <> pg_backend_pid()"
            )

    with pytest.raises(StateError, match="the lock .* was lost"):
        LearnJob(lonely_fleet).run(cutting)
    with open_storage(lonely_fleet).versions() as table:
        assert versions(table) == []
    assert learn(lonely_fleet).new
