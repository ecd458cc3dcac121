"""What was learned cannot be pushed out: attacked with right calls that are large, with many sessions, and with flagged results."""

import json
from pathlib import Path

from outcome_monitors import Call, Monitor, Registry, mine
from outcome_monitors.alerting.policy import alert_always
from outcome_monitors.learning.miner import mine_folder
from outcome_monitors.learning.quotas import prune
from outcome_monitors.learning.recorder import Recorder, ToolResult
from outcome_monitors.learning.status import StatusSource, status_of
from outcome_monitors.storage.layout import CONTRACTS, TRACES
from outcome_monitors.traces.reader import read_traces
from tests.events.shop import order
from tests.mcp.live_shop import Clock, Shop
from tests.mcp.test_learning import advising

MOST = 2**21


def write(folder: Path, name: str, calls) -> None:
    (folder / TRACES).mkdir(exist_ok=True)
    lines = [
        json.dumps(
            {
                "tool": tool,
                "arguments": arguments,
                "result": result,
                "task": task,
                "session": task,
                "client": client,
            }
        )
        for tool, arguments, result, task, client in calls
    ]
    (folder / TRACES / name).write_text("\n".join(lines) + "\n")


def honest(client="host", tasks=300):
    return [("get_order", {"id": f"W{n}"}, order(n), f"t{n}", client) for n in range(tasks)]


def flood(calls, tasks=1, client="host", tool="get_order"):
    return [(tool, {"pad": "x" * 60_000}, order(n), f"flood{n % tasks}", client) for n in range(calls)]


def after(folder: Path, *floods) -> Registry:
    """Mine, have each flood come, and mine again, with room for two megabytes; return what is in force."""
    write(folder, "2026-03-01-0000.jsonl", honest())
    mine_folder(folder)
    for number, calls in enumerate(floods):
        for part in range(30):
            write(folder, f"2026-03-{number + 2:02}-{part:04}.jsonl", calls[part::30])
        prune(folder / TRACES, MOST)
        mine_folder(folder)
    return Registry.load(folder / CONTRACTS)


def detects(registry: Registry) -> bool:
    return bool(Monitor(registry, built_in=False).check("get_order", {"id": "W1"}, order(1, total=-3.0)))


def clauses(registry: Registry) -> int:
    return len(registry.contracts["get_order"].clauses)


def test_large_calls_of_one_conversation_push_nothing_out(tmp_path):
    plain, flooded = tmp_path / "plain", tmp_path / "flooded"
    for folder in (plain, flooded):
        folder.mkdir()
    before = after(plain)
    found = after(flooded, flood(400))
    assert detects(found)
    assert clauses(found) >= clauses(before) - 1
    kept = "".join(file.read_text() for file in (flooded / TRACES).iterdir())
    assert sum(f'"t{number}"' in kept for number in range(300)) == 300
    assert len(kept) <= 2 * MOST


def test_neither_do_those_of_many_conversations_or_of_another_tool_or_client(tmp_path):
    for name, calls in {
        "conversations": flood(400, tasks=400, client="other"),
        "tools": flood(400, tool="search", client="other") + flood(400, tool="find"),
    }.items():
        folder = tmp_path / name
        folder.mkdir()
        assert detects(after(folder, calls))
        kept = "".join(file.read_text() for file in (folder / TRACES).iterdir())
        assert sum(f'"t{number}"' in kept for number in range(300)) == 300, name


def test_a_contract_stays_where_its_evidence_is_gone_and_the_status_says_so(tmp_path):
    before = after(tmp_path)
    for file in (tmp_path / TRACES).iterdir():
        file.unlink()
    write(
        tmp_path,
        "2026-03-05-0000.jsonl",
        [("get_order", {}, {"id": "W1"}, f"n{n}", "host") for n in range(30)],
    )
    mine_folder(tmp_path)
    found = Registry.load(tmp_path / CONTRACTS)
    assert clauses(found) == clauses(before)
    assert detects(found)
    [words] = status_of(StatusSource(folder=tmp_path))["troubles"]
    assert words.startswith("the contract of get_order is kept: it was mined from ")
    assert words.endswith(" tasks, and what is recorded now shows 30")


def test_a_contract_of_which_as_much_is_known_gives_way_to_what_results_show(tmp_path):
    before = after(tmp_path)
    write(
        tmp_path,
        "2026-03-01-0000.jsonl",
        [
            ("get_order", {"id": f"W{n}"}, {**order(n), "status": f"s{n}"}, f"t{n}", "host")
            for n in range(300)
        ],
    )
    mine_folder(tmp_path)
    found = Registry.load(tmp_path / CONTRACTS)
    new = order(3, status="s7")
    assert Monitor(before, built_in=False).check("get_order", {"id": "W3"}, new)
    assert not Monitor(found, built_in=False).check("get_order", {"id": "W3"}, new)
    assert status_of(StatusSource(folder=tmp_path))["troubles"] == []


def test_one_client_in_one_session_sends_no_tool_to_shadow(tmp_path):
    clock = Clock()
    advising(tmp_path, clock)
    shop = Shop(tmp_path, clock=clock, weighs=alert_always, by_hand=True)
    said = shop.talk(*[order(n, total=-1.0 - n) for n in range(150)], name="attack", client="one")
    shop.close()
    assert all(len(message["result"]["content"]) > 1 for message in said)
    assert shop.learner.stages() == {"get_order": "advising"}


def test_names_that_never_come_again_push_out_no_field_and_fill_no_contract():
    """300 kB of them, in more tasks than honest ones, before those and after."""

    def flood(number: int) -> Call:
        new = {f"field_{number}_{place}": place for place in range(200)}
        return Call(
            "t", {"id": number}, {"id": number, "by": {f"u{number}": new}, **new}, task=f"flood{number}"
        )

    honest = [
        Call("t", {"id": n}, {"id": n, "total": 5.0 + n, "status": ("open", "done")[n % 2]}, task=f"t{n}")
        for n in range(40)
    ]
    floods = [flood(number) for number in range(50)]
    for calls in ([*floods, *honest], [*honest, *floods]):
        registry = mine(calls)
        found = {(clause.kind, clause.path) for clause in registry.contracts["t"].clauses}
        assert {("domain", "status"), ("type", "total"), ("required", "id")} <= found, found
        assert len(registry.dumps()) < 2**20


def test_a_conversation_that_never_pauses_is_more_than_one_task(tmp_path, monkeypatch):
    """Else whoever keeps one open for days teaches nothing, or holds room as one task."""
    now = iter(range(0, 10**6, 60))
    monkeypatch.setattr("outcome_monitors.learning.recorder.time.monotonic", lambda: next(now))
    recorder = Recorder(tmp_path / "traces.jsonl")
    conversation = recorder.conversation("endless")
    for number in range(300):
        conversation.record("get_order", {"id": number}, ToolResult(order(number)), None)
    recorder.close()
    tasks = {call.task for call in read_traces([tmp_path / "traces.jsonl"])}
    assert 5 <= len(tasks) <= 20, "five hours, in half hours"
