"""How many results of how many clients it takes to end an alarm: attacked as a client would, with what it can choose."""

import json
from pathlib import Path

import pytest
from aiohttp import ClientSession, TCPConnector, web

from outcome_monitors import Clause, Contract, Monitor, Registry
from outcome_monitors.alerting.alert_policy import AlertPolicy
from outcome_monitors.events import SUPPRESSED, Watch
from outcome_monitors.events.alarms import digest
from outcome_monitors.learning.learner import open_learning
from outcome_monitors.learning.status import StatusSource, status_of
from outcome_monitors.learning.storage import StorageConfig
from tests.events.shop import Kept
from tests.mcp.http_parts import proxied, run
from tests.mcp.wire import answer, call, context

ORDER = {"id": "W1", "status": "sent", "tags": ["a"], "total": 12.5}
STATUSES = ["delivered", "pending", "processed", "sent"]


def clause(kind, path, params, source="traces"):
    return Clause(kind, path, params, 600, 300, source)


WRONG = {
    "a field is gone": (clause("required", "status", {}), {"id": "W1", "tags": ["a"], "total": 12.5}),
    "a new status": (clause("domain", "status", {"values": STATUSES}), {**ORDER, "status": "lost"}),
    "another type": (clause("type", "total", {"kinds": ["number"]}), {**ORDER, "total": "12.5"}),
    "a scale": (clause("range", "total", {"low": 1, "high": 200, "room": 0}), {**ORDER, "total": 9500.5}),
}


def registry(*clauses):
    return Registry({"get_order": Contract("get_order", tuple(clauses))}, profile="full")


def watch_at(folder: Path, one, sink=None):
    return Watch(Monitor(registry(one)), sink, policies=(AlertPolicy(state=folder),))


def told(watch, client, task, result):
    outcome = watch.conversation(f"{client}/{task}", client).look("get_order", {}, result)
    assert outcome.broken
    return outcome.told


@pytest.mark.parametrize("name", WRONG)
def test_a_client_ends_its_own_alarms_at_most_and_three_end_those_of_all(name, tmp_path):
    """Each host has a process of its own; all share the state, and exchange it after each result."""
    one, wrong = WRONG[name]
    hosts = {client: watch_at(tmp_path, one) for client in "abcde"}

    def asks(client, task):
        found = told(hosts[client], client, task, wrong)
        for host in hosts.values():
            for policy in host.policies:
                if isinstance(policy, AlertPolicy):
                    policy.save()
        return found

    assert asks("b", 0)
    own = [asks("a", task) for task in range(60)]
    # It takes two to four tasks of its own, as the severity of the violation says.
    assert 2 <= sum(own[:5]) <= 5
    assert asks("b", 1), "sixty results of another client ended the alarm"
    assert asks("c", 0), "the first result of a third client had no alarm"
    # Of a type it takes a fourth; a scale is told of once a session, whoever has seen it.
    assert asks("d", 0) is (name in ("another type", "a scale"))
    assert asks("e", 0) is (name == "a scale")


def test_the_share_of_flagged_results_of_one_client_lowers_no_other_clients_odds(tmp_path):
    one, wrong = WRONG["a new status"]
    watch = watch_at(tmp_path, one)
    for number in range(300):
        told(watch, "a", number, {**ORDER, "status": f"odd {number}"})
    assert told(watch, "b", 0, wrong)


def test_results_of_another_form_that_one_client_gets_first_silence_no_other(tmp_path):
    one, wrong = WRONG["a new status"]
    watch = watch_at(tmp_path, one)
    for number in range(20):
        watch.conversation(f"a/{number}", "a").look("get_order", {}, [ORDER])
    assert told(watch, "b", 0, wrong)


def test_invented_names_and_sessions_on_one_connection_are_one_witness():
    one, wrong = WRONG["a field is gone"]
    sink = Kept()

    async def handle(request):
        message = await request.json()
        content = [{"type": "text", "text": json.dumps(wrong)}]
        return web.json_response(answer(message["id"], {"content": content, "structuredContent": wrong}))

    async def test():
        at = context(sink, Monitor(registry(one)))
        async with proxied(handle, at=at) as (_, _, address):
            async with ClientSession(connector=TCPConnector(limit=1)) as client:
                for number in range(30):
                    named = {"_meta": {"io.modelcontextprotocol/clientInfo": {"name": f"agent-{number}"}}}
                    message = call(number)
                    message["params"] |= named
                    async with client.post(
                        f"{address}/mcp", json=message, headers={"Mcp-Session-Id": f"invented-{number}"}
                    ) as response:
                        await response.read()
            async with ClientSession() as other, other.post(f"{address}/mcp", json=call(99)) as response:
                await response.read()

    run(test)
    assert {event.outcome for event in sink.events} == {"flagged"}, "an alert has ended"
    assert [sink.events[0].advised, sink.events[-1].advised] == [True, True]


SCHEMA = {
    "name": "get_order",
    "inputSchema": {"type": "object"},
    "outputSchema": {
        "type": "object",
        "properties": {"total": {"type": "number"}, "status": {"type": "string"}},
        "required": ["status", "total"],
    },
}


@pytest.mark.parametrize("given", ["schema", "contract"])
def test_what_a_schema_or_a_given_contract_says_is_never_suppressed_without_a_person(given, tmp_path):
    one, wrong = WRONG["a field is gone"]
    learning = open_learning(
        StorageConfig(tmp_path / "state"), registry(one) if given == "contract" else None, sink=Kept()
    )
    if given == "schema":
        learning.learner.listed([SCHEMA])
    assert learning.watch is not None
    clients = ("a", "b", "c", "d")
    found = [told(learning.watch, clients[number % 4], number, wrong) for number in range(400)]
    learning.recorder.close()
    learning.watch.close()
    learning.learner.close()
    assert all(found)


def test_a_suppression_is_an_event_that_says_who_caused_it_and_hooks_figures_and_the_status_have_it(tmp_path):
    one, wrong = WRONG["a field is gone"]
    sink = Kept()
    watch = watch_at(tmp_path, one, sink)
    for number in range(8):
        told(watch, "10.0.0.7", number, wrong)
    watch.close()
    [event] = [event for event in sink.events if event.outcome == SUPPRESSED]
    assert "of 10.0.0.7" in event.why
    assert "get_order.status/required#" in event.why
    assert event.why in digest([event])["text"]
    document = status_of(StatusSource(folder=tmp_path))
    [change] = document["tools"]["get_order"]["changes"]
    assert "10.0.0.7" in change["words"]


def test_the_figures_count_suppressions(tmp_path):
    metrics = pytest.importorskip("outcome_monitors.learning.metrics")
    one, wrong = WRONG["a field is gone"]
    counts = pytest.importorskip("outcome_monitors.events.prometheus").EventMetrics()
    watch = watch_at(tmp_path, one, counts)
    for number in range(8):
        told(watch, "a", number, wrong)
    text = metrics.exposition({"tools": {}}, counts)
    assert 'outcome_monitors_suppressed_total{tool="get_order"} 1.0' in text
    assert 'outcome_monitors_results_total{outcome="flagged",tool="get_order"} 8.0' in text
