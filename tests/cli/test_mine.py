"""`mine`: what it writes, what it says, and what it refuses."""

import json
from pathlib import Path

from outcome_monitors import Registry
from outcome_monitors.contracts.folds import FoldIndex, fold_of
from outcome_monitors.mining.observations import DEFAULT_PROFILE
from outcome_monitors.traces.reader import call_from_json
from tests.commandline import Line, Run, Write

SCHEMA = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"], "minProperties": 1}


def test_the_same_traces_give_the_same_bytes(run: Run, write: Write, orders: list[Line]) -> None:
    run("mine", write("a.jsonl", orders), "-o", "a.json")
    run("mine", write("b.jsonl.gz", b""), write("b.jsonl", orders[::-1]), "-o", "b.json")
    assert Path("a.json").read_bytes() == Path("b.json").read_bytes()
    assert Registry.load("a.json").profile == DEFAULT_PROFILE


def test_the_summary_counts_calls_tools_and_clauses(run: Run, write: Write, orders: list[Line]) -> None:
    failed = {"tool": "get_order", "result": "time-out", "error": True}
    lines = b"".join(json.dumps(line).encode() + b"\n" for line in (*orders, failed))
    name = write("t.jsonl", lines + b"oops\n[]\nno\n")
    result = run("mine", name, "-o", "c.json", "--profile", "paper")
    assert result.exit_code == 0
    registry = Registry.load("c.json")
    clauses = len(registry.contracts["get_order"].clauses)
    assert registry.profile == "paper"
    assert result.stdout.startswith(f"c.json: contracts for 1 tool, {clauses} clauses\n")
    row = next(line.split() for line in result.stdout.splitlines() if line.startswith(" traces"))
    assert row[:3] == ["traces", "6", "1"]
    assert int(row[3]) >= int(row[4]) == clauses
    assert "not learned from: 1 call that failed openly\n" in result.stdout
    assert "skipped: 2 lines, not JSON (first at t.jsonl:8)\n" in result.stdout
    assert "skipped: 1 line, not an object (first at t.jsonl:9)\n" in result.stdout
    assert result.stderr.splitlines() == [
        "warning: t.jsonl:8: not JSON; the line is skipped",
        "warning: t.jsonl:9: not an object; the line is skipped",
        "warning: t.jsonl:10: not JSON; the line is skipped",
    ]


def test_every_public_source_can_be_repeated_and_merged(run: Run, write: Write, orders: list[Line]) -> None:
    response = {"200": {"content": {"application/json": {"schema": SCHEMA}}}}
    paths = {"/orders": {"get": {"operationId": "list_orders", "responses": response}}}
    write("api.json", [{"openapi": "3.1.0", "info": {}, "paths": paths}])
    write("tools.json", [{"tools": [{"name": "find_order", "inputSchema": {}, "outputSchema": SCHEMA}]}])
    documented = {
        "app_name": "shop",
        "api_name": "show_order",
        "method": "GET",
        "response_schemas": {"success": {"id": "text"}},
    }
    write("shop.json", [[documented]])
    write("order.json", [SCHEMA])
    result = run(
        *(
            "mine",
            write("t.jsonl", orders),
            "-o",
            "c.json",
            "--openapi",
            "api.json",
            "--mcp-tools",
            "tools.json",
        ),
        *("--appworld", "shop.json", "--schema", "get_order=order.json", "--schema", "put_order=order.json"),
    )
    assert result.exit_code == 0, result.output
    contracts = Registry.load("c.json").contracts
    assert sorted(contracts) == ["find_order", "get_order", "list_orders", "put_order", "shop__show_order"]
    sources = {clause.source for clause in contracts["get_order"].clauses}
    assert sources == {"traces", "schema:order.json"}


def test_folds_are_registries_that_never_saw_their_tasks(run: Run, write: Write, orders: list[Line]) -> None:
    for order in orders:
        # Each task has a status of its own, so that a registry shows which tasks it was learned from.
        order["result"]["status"] = order["task"]
    write("order.json", [SCHEMA])
    result = run(
        *("mine", write("t.jsonl", orders * 4), "-o", "c.json", "--folds", "2", "--profile", "paper"),
        *("--schema", "put_order=order.json"),
    )
    assert result.exit_code == 0, result.output
    assert "traces without fold 1" in result.stdout
    document = json.loads(Path("c.json").read_bytes())
    assert list(document) == ["format", "version", "folds", "registries", "tasks"]
    assert document["format"] == "outcome-monitors/folds"
    assert document["registries"] == ["c.fold0.json", "c.fold1.json"]
    folds = {order["task"]: fold_of(call_from_json(order), 2) for order in orders}
    assert document["tasks"] == folds
    for fold, registry in enumerate(FoldIndex.load("c.json").load_registries()):
        assert "put_order" in registry.contracts
        text = registry.dumps()
        for task, left_out in folds.items():
            assert (f'"{task}"' in text) == (left_out != fold)
