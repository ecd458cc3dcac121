"""Proxies of a fleet as processes, and hosts that learn together: what one learns or is told all know."""

import json
from contextlib import closing
from functools import partial

from outcome_monitors import mine
from outcome_monitors.learning.decisions import mute
from outcome_monitors.learning.folder import StateFolder
from outcome_monitors.learning.rollout import Thresholds
from outcome_monitors.storage.address import StateAddress
from outcome_monitors.storage.layout import CONTRACTS
from outcome_monitors.traces.reader import call_from_json
from outcome_monitors_server.storage.documents import changing, put
from outcome_monitors_server.storage.postgres import Postgres
from tests.events.shop import contracts as shop_contracts, order
from tests.forwarding import through
from tests.mcp.fleets import FleetProxy, Host, asked, document, until
from tests.mcp.live_shop import HOUR, NEVER, Clock, told
from tests.mcp.wire import call, lists

RARELY = Thresholds(tasks=20, results=20, early=20, calls=NEVER, disputed=NEVER)


def is_told(proxy, number) -> bool:
    """Have a wrong result come; say whether the client is told of it."""
    proxy.say(call(number, id=f"W{number}", total=-1.0))
    return len(proxy.hear()["result"]["content"]) > 1


def falls_silent(proxy, numbers) -> bool:
    return not is_told(proxy, next(numbers))


def test_two_proxies_share_what_they_see_and_a_mute_reaches_both(fleet, tmp_path):
    given = tmp_path / "given.json"
    shop_contracts().save(given)
    options = ("--learn", fleet, "--contracts", str(given))
    with (
        FleetProxy(tmp_path / "a", *options, OUTCOME_MONITORS_SERVICE="shop") as one,
        FleetProxy(tmp_path / "b", *options, OUTCOME_MONITORS_AGENT="bob") as two,
    ):
        one.say(lists(0))
        one.hear()
        assert is_told(one, 1)
        assert is_told(two, 1)
        until(lambda: len(asked(fleet, "SELECT id FROM events")) == 2)
        until(lambda: len(asked(fleet, "SELECT id FROM traces")) == 2)
        labels = asked(fleet, "SELECT service, server, agent FROM events ORDER BY service")
        assert labels == [("", "server.py", "bob"), ("shop", "server.py", "")]
        until(lambda: document(fleet, "tools.json") and document(fleet, "given.json"))
        [(found,)] = asked(fleet, "SELECT violations FROM events LIMIT 1")
        with closing(StateFolder.at(fleet)) as state:
            for clause in {violation["clause"] for violation in json.loads(found)}:
                mute(state, clause)
        numbers = iter(range(2, 10**6))
        for proxy in (one, two):
            until(partial(falls_silent, proxy, numbers))
        for proxy in (one, two):
            proxy.say(call(1))
            proxy.hear()
            status, _, log = proxy.end()
            assert status == 0
            assert log.count("contracts are mined there by `outcome-monitors learn`") == 1
    seen = next(numbers)
    assert (
        len(asked(fleet, "SELECT id FROM events")) == len(asked(fleet, "SELECT id FROM traces")) == seen + 2
    )


def learned(fleet):
    """Mine what was recorded, as the job does."""
    calls = [
        call_from_json(json.loads(line)) for (line,) in asked(fleet, "SELECT line FROM traces ORDER BY id")
    ]
    state = Postgres(StateAddress.read(fleet))
    with changing(state, CONTRACTS) as shared:
        put(shared, CONTRACTS, mine(calls, "full").dumps())


def test_hosts_prove_clauses_together_and_start_without_the_database_with_what_their_copy_says(
    fleet, tmp_path
):
    clock = Clock()
    with through(fleet) as (address, way):

        def started():
            return [Host(address, tmp_path / name, thresholds=RARELY, clock=clock) for name in "ab"]

        hosts = started()
        for number in range(60):
            hosts[number % 2].talk(order(number), name=f"s{number}")
        for host in hosts:
            host.close()
        learned(fleet)
        hosts = started()
        for host in (*hosts, *hosts):
            host.follows()
        assert [host.learner.stages() for host in hosts] == [{"get_order": "shadow"}] * 2
        assert asked(fleet, "SELECT turn FROM turns") == [(1,)]
        for number in range(120):
            clock.now += HOUR / 2
            hosts[number % 2].talk(order(number % 60), name=f"t{number}", client=f"c{number % 2}")
            if number % 12 == 11:
                for host in hosts:
                    host.follows()
        assert [host.learner.stages() for host in hosts] == [{"get_order": "advising"}] * 2
        assert asked(fleet, "SELECT checked FROM trials") == [(120,)]
        for host in (*hosts, *hosts):
            host.follows()
        way.cut()
        again = started()[0]
        assert told(again.talk(order(3, total=-3.0), order(4), name="late")) == [1, 0]
        way.passes()
        for host in (again, *hosts):
            host.close()
    assert again.recorder.lost == again.events.lost == 0
    assert len(asked(fleet, "SELECT id FROM events")) == 182
