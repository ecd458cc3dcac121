"""`mine`: what it writes, with more cores, with more evidence later, and without what is private."""

import gzip
import json
from pathlib import Path

import pytest

from outcome_monitors import Registry
from outcome_monitors.traces.reader import call_to_json
from outcome_monitors_study.world import nominal_traces
from tests.commandline import Line, Run, Write

SCHEMA = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"], "minProperties": 1}


def test_every_public_source_can_be_repeated_and_merged(run: Run, write: Write, orders: list[Line]) -> None:
    write("tools.json", [{"tools": [{"name": "find_order", "inputSchema": {}, "outputSchema": SCHEMA}]}])
    response = {"success": {"id": "text"}}
    named = {"app_name": "shop", "api_name": "show_order", "method": "GET"}
    write("shop.json", [[{**named, "response_schemas": response}]])
    write("order.json", [SCHEMA])
    schemas = ("--schema", "get_order=order.json", "--schema", "put_order=order.json")
    sources = ("--mcp-tools", "tools.json", "--appworld", "shop.json", *schemas)
    result = run("mine", write("t.jsonl", orders), "-o", "c.json", *sources)
    assert result.exit_code == 0, result.output
    contracts = Registry.load("c.json").contracts
    assert sorted(contracts) == ["find_order", "get_order", "put_order", "shop__show_order"]
    found = {clause.source for clause in contracts["get_order"].clauses}
    assert found == {"traces", "schema:order.json"}


def test_private_values_are_in_no_file(run: Run, write: Write) -> None:
    lines = [
        {
            "tool": "get",
            "arguments": {"pin": f"zebra{n}"},
            "result": {"mail": "zebra@x.org", "n": n},
            "task": str(n),
        }
        for n in range(9)
    ]
    told = ("--private", "mail", "--private", "@pin")
    assert run("mine", write("t.jsonl", lines), "-o", "c.json", *told).exit_code == 0
    assert "zebra" not in Path("c.json").read_text()


WORLD = tuple(nominal_traces(16))


def with_bad_lines(number):
    """Return the lines of the world, so many times, with bad ones and blank ones among them."""
    good = [json.dumps(call_to_json(call)).encode() for call in WORLD] * number
    for at in range(5, len(good), 37):
        good[at] = (b"no call", b'{"tool": 1, "result": 2}', b"\xff", b" ", b"[]")[at % 5]
    return b"\xef\xbb\xbf" + b"\n".join(good)


@pytest.mark.parametrize("name", ["t.jsonl", "t.jsonl.gz", "-"])
def test_bad_lines_are_reported_as_by_one_process(run: Run, write: Write, name: str) -> None:
    content = with_bad_lines(3)
    if name != "-":
        write(name, gzip.compress(content) if name.endswith(".gz") else content)
    write("other.jsonl", b'{"tool": "get", "result": {"n": 1}}\n\nno call\n')
    given = content if name == "-" else None
    told = ("mine", name, "other.jsonl", "-o", "c.json", "--profile", "paper")
    one = run(*told, stdin=given)
    alone = Path("c.json").read_bytes()
    three = run(*told, "--workers", "3", stdin=given)
    assert one.exit_code == three.exit_code == 0
    assert one.stderr == three.stderr
    assert "other.jsonl:3: not JSON" in three.stderr
    assert (one.stdout, alone) == (three.stdout, Path("c.json").read_bytes())


def test_strict_names_the_first_bad_line(run: Run, write: Write) -> None:
    traces = write("t.jsonl", with_bad_lines(20))
    one, two = (run("mine", traces, "-o", "c.json", "--strict", "--workers", str(n)) for n in (1, 2))
    assert one.exit_code == two.exit_code == 2
    assert one.stderr == two.stderr
    assert "t.jsonl:6:" in two.stderr
    assert not Path("c.json").exists()
