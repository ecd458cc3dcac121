"""Contracts for those who have certain labels: two services with a tool of one name and two meanings, in one fleet."""

import json
from contextlib import closing

import pytest

from outcome_monitors.exceptions import ContractError, StateError
from outcome_monitors.learning.decisions import mute, unmute
from outcome_monitors.learning.folder import StateFolder
from outcome_monitors.learning.learner import VersionsFile
from outcome_monitors.learning.rollout import Thresholds
from outcome_monitors.learning.status import StatusSource, line_words, status_of
from outcome_monitors.storage.address import StateAddress
from outcome_monitors.storage.labels import NO_LABELS, Labels
from outcome_monitors.storage.opening import current_storage
from outcome_monitors.storage.tables import END
from outcome_monitors_server.cli.state import state_at
from outcome_monitors_server.retention.copy import copy_state, export_state
from outcome_monitors_server.retention.forget import PersonValue, forget_person
from outcome_monitors_server.storage.postgres import Postgres
from tests.contract_lines import at, bill, book, learn, record
from tests.mcp.fleets import Host, asked
from tests.mcp.live_shop import HOUR, NEVER, Clock, told

SOON = Thresholds(tasks=20, results=20, early=20, calls=NEVER, disputed=NEVER)
HOSTILE = ["shop'; DROP TABLE trials; --", "%s?%", "../ÄÖ 🎛", "a&environment=live", END]


def search(host: Host, result, name: str, client: str = "c"):
    return host.converse([("search", {"id": result["id"]}, result)], name, client)


def test_two_services_are_held_to_contracts_of_their_own(services, tmp_path):
    clock = Clock()
    sides = {"catalogue": book, "orders": bill}
    hosts = {
        name: Host(at(services, service=name), tmp_path / name, thresholds=SOON, clock=clock)
        for name in sides
    }
    for host in (*hosts.values(), *hosts.values()):
        host.follows()
    assert {name: host.learner.stages() for name, host in hosts.items()} == {
        name: {"search": "shadow"} for name in sides
    }
    for number in range(60):
        clock.now += HOUR
        for name, made in sides.items():
            search(hosts[name], made(number % 40), f"{name} {number}", f"c{number % 2}")
        if number % 15 == 14:
            for host in hosts.values():
                host.follows()
    # What is usual in one is a fault in the other, and each is told of its own alone.
    for name, host in hosts.items():
        other = sides["orders" if name == "catalogue" else "catalogue"]
        assert told(search(host, other(3), "late")) == [1]
        assert told(search(host, sides[name](4), "late")) == [0]
        host.close()


def test_the_most_specific_contracts_hold(services, tmp_path):
    place = at(services, service="orders", environment="live")
    record(services, map(bill, range(40)), service="orders", environment="live")
    numbers = [version.number for version in (learn(place), learn(at(services, environment="live")))]
    assert held(services, tmp_path) == (NO_LABELS, 1)
    assert held(services, tmp_path, service="other", agent="a") == (NO_LABELS, 1)
    assert held(services, tmp_path, service="orders", server="s") == (Labels(service="orders"), 3)
    both = Labels(service="orders", environment="live")
    assert held(services, tmp_path, service="orders", environment="live", agent="a") == (both, numbers[0])
    # Of as many labels the service counts before the environment.
    assert held(services, tmp_path, service="catalogue", environment="live") == (
        Labels(service="catalogue"),
        2,
    )
    assert held(services, tmp_path, environment="live") == (Labels(environment="live"), numbers[1])


def held(fleet: str, tmp_path, **labels: str) -> tuple[Labels, int]:
    """Return the line and the version that hold for someone."""
    with closing(current_storage(at(fleet, **labels), required=False)) as home:
        found = status_of(StatusSource.of(home))["contracts"]
    return Labels(**found["labels"]), found["version"]


def test_decisions_hold_for_those_whose_labels_were_named(services, tmp_path):
    with closing(StateFolder.at(at(services, service="orders"))) as state:
        clause = next(one for one, (_, said) in state.known().items() if said.path == "total")
        assert mute(state, clause).endswith("is muted for service orders")
    for service, muted in (("orders", [clause]), ("catalogue", [])):
        with closing(StateFolder.at(at(services, service=service, agent="a"))) as state:
            assert [*state.overrides().named("mute")] == muted
    # Alarms of all services are at the address without labels, and can be muted there for all.
    with closing(StateFolder.at(services)) as state:
        assert not state.overrides().named("mute")
        assert mute(state, clause).endswith("is muted")
    with closing(StateFolder.at(at(services, service="catalogue"))) as state:
        assert [*state.overrides().named("mute")] == [clause]
        with pytest.raises(ContractError, match="leave labels out to unmute it"):
            unmute(state, clause)
    with closing(StateFolder.at(at(services, service="orders"))) as state:
        assert unmute(state, clause).endswith("no longer muted for service orders")
        # That for all is still there.
        assert [*state.overrides().named("mute")] == [clause]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_labels_are_data(fleet, tmp_path, name):
    record(fleet, map(bill, range(30)), service=name.replace("\x00", ""))
    record(fleet, map(book, range(30)), service="other")
    version = learn(at(fleet, service=name))
    assert version.evidence["lines"] == 30
    assert version.labels == Labels(service=name)
    assert held(fleet, tmp_path, service=name) == (Labels(service=name), 1)
    with closing(current_storage(fleet, required=False)) as home:
        assert name in line_words(status_of(StatusSource.of(home)))


def test_a_state_is_copied_with_its_labels_and_into_a_folder_not_at_all(services, tmp_path):
    state = Postgres(StateAddress.read(services))
    with state.writing() as shared:
        shared.execute(
            "INSERT INTO events (time, tool, outcome, advised, duration, why, violations, receipt, service)"
            " VALUES (1, 'search', 'clean', 0, 0, '', '[]', 'null', 'orders')"
        )
    with closing(StateFolder.at(at(services, service="orders"))) as folder:
        mute(folder, next(iter(folder.known())))
    target = services + "-copy"
    copy_state(state_at(services), state_at(target))
    assert held(target, tmp_path, service="orders") == (Labels(service="orders"), 3)
    counts = "SELECT service, count(*) FROM traces GROUP BY service ORDER BY service"
    assert asked(target, counts) == [("catalogue", 40), ("orders", 40)]
    assert asked(target, "SELECT service FROM events") == [("orders",)]
    assert learn(at(target, service="orders")).number == 3
    with closing(StateFolder.at(at(target, service="orders", agent="a"))) as folder:
        assert len(folder.overrides().named("mute")) == 1
    files = export_state(state_at(services), tmp_path / "export")
    assert files["contracts.service=orders.json"] > 1
    [event] = (tmp_path / "export" / "events.jsonl").read_text().splitlines()
    assert json.loads(event)["service"] == "orders"
    (tmp_path / "folder").mkdir()
    with pytest.raises(StateError, match="knows no labels: name a fleet"):
        copy_state(state_at(services), state_at(str(tmp_path / "folder")))
    assert not [*(tmp_path / "folder").iterdir()]


def test_a_person_is_forgotten_in_every_line(fleet):
    record(fleet, [{**bill(n), "customer": "C-17"} for n in range(20)], service="orders")
    learn(fleet)
    learn(at(fleet, service="orders"))
    names = ["contracts.json", "contracts.json?service=orders"]
    assert all("c-17" in document_text(fleet, name).lower() for name in names)
    forget_person(state_at(fleet), PersonValue("customer", "C-17"))
    assert not any("c-17" in document_text(fleet, name).lower() for name in names)
    # What is left is still the version that holds.
    with closing(current_storage(at(fleet, service="orders"), required=False)) as home:
        file = VersionsFile(home.folder)
        file.read()
        assert (file.number, file.line) == (2, Labels(service="orders"))


def document_text(fleet: str, name: str) -> str:
    return str(next(body for one, body in asked(fleet, "SELECT name, body FROM documents") if one == name))
