"""The real thing: a server of the official SDK behind the proxy, and its client in front, in both eras of the protocol."""

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp_types", reason="needs the official SDK, of major version 2")

from mcp import Client
from mcp.client.stdio import StdioServerParameters

from outcome_monitors.receipts.mcp import KEY
from tests.events.shop import contracts
from tests.mcp.wire import PATIENCE, PATIENT, free_port, until_written

SERVER = str(Path(__file__).with_name("shop_server.py"))


async def whole_talk(client):
    """Use all that a server has, and return what the client heard."""
    heard: dict[str, Any] = {}
    listed = {tool.name: tool for tool in (await client.list_tools()).tools}
    heard["tools"] = sorted(listed)
    heard["schema"] = listed["get_order"].output_schema
    clean = await client.call_tool("get_order", {"id": "W1"})
    heard["clean"] = (len(clean.content), clean.structured_content)
    bad = await client.call_tool("get_order", {"id": "W1", "total": -5})
    heard["bad"] = ([block.text for block in bad.content], bad.structured_content)
    steps = []

    async def step(done, _total, _message):
        steps.append(done)

    heard["counted"] = (await client.call_tool("count", {"to": 3}, progress_callback=step)).structured_content
    heard["steps"] = steps
    heard["fails"] = (await client.call_tool("fails", {})).is_error
    heard["prompt"] = (await client.get_prompt("greet", {"name": "Ada"})).messages[0].content.text
    heard["resource"] = (await client.read_resource("shop://terms")).contents[0].text
    many = await asyncio.gather(*(client.call_tool("get_order", {"id": f"W{n}"}) for n in range(20)))
    heard["many"] = [found.structured_content["id"] for found in many]
    return heard


ORDER = {"id": "W1", "total": -5.0, "status": "sent"}
EXPECTED = {
    "tools": ["count", "fails", "get_order", "get_stock"],
    "clean": (1, {**ORDER, "total": 12.5}),
    "counted": {"result": "counted"},
    "steps": [0, 1, 2],
    "fails": True,
    "prompt": "Greet Ada",
    "resource": "None.",
    "many": [f"W{number}" for number in range(20)],
}


def check(heard):
    """Assert that a client heard what the server says, and a receipt twice."""
    texts, structured = heard.pop("bad")
    assert KEY not in heard.pop("schema")["properties"], "an open schema need not declare it"
    told = structured.pop(KEY)
    assert told["violation"]["path"] == "total"
    assert texts.pop() == told["note"]
    assert structured == ORDER
    assert [json.loads(text) for text in texts] == [ORDER]
    assert heard == EXPECTED


def talk(target, era, events=None):
    """Talk to a server; go when the proxy has written its events, for a client ends one that takes its time."""

    async def run():
        async with Client(target, mode=era) as client:
            heard = await whole_talk(client)
            if events is not None:
                await until_written(events, 24)
            return heard

    return asyncio.run(asyncio.wait_for(run(), PATIENCE))


@pytest.fixture
def proxy(tmp_path):
    contracts().save(tmp_path / "contracts.json")
    command = ["-m", "outcome_monitors", "proxy", "--contracts", str(tmp_path / "contracts.json")]
    return [*command, *PATIENT, "--events", str(tmp_path / "events.jsonl")]


def environment():
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "PYTHONWARNINGS": "ignore",
    }


@pytest.mark.parametrize("era", ["auto", "legacy"])
def test_over_stdio(proxy, era, tmp_path):
    arguments = [*proxy, "--", sys.executable, SERVER]
    server, events = (
        StdioServerParameters(command=sys.executable, args=arguments, env=environment()),
        tmp_path / "events.jsonl",
    )
    check(talk(server, era, events))
    outcomes = [json.loads(line)["outcome"] for line in events.read_text().splitlines()]
    assert outcomes[:4] == ["clean", "flagged", "not_covered", "not_checked"]
    assert outcomes[4:] == ["clean"] * 20


def test_without_contracts_every_tool_may_carry_a_receipt():
    """A client that shows structured content alone, and holds it against the output schema, has the receipt as well."""
    arguments = ["-m", "outcome_monitors", "proxy", *PATIENT, "--", sys.executable, SERVER]
    target = StdioServerParameters(command=sys.executable, args=arguments, env=environment())

    async def run():
        async with Client(target) as client:
            await client.list_tools()
            clean = await client.call_tool("get_stock", {"item": "lamp"})
            return clean, await client.call_tool("get_stock", {"item": "lamp", "quantity": -2})

    clean, wrong = asyncio.run(asyncio.wait_for(run(), PATIENCE))
    assert (len(clean.content), clean.structured_content) == (1, {"item": "lamp", "quantity": 3.0})
    structured = dict(wrong.structured_content)
    receipt = structured.pop(KEY)
    assert structured == {"item": "lamp", "quantity": -2.0}
    assert receipt["violation"]["path"] == "quantity"
    assert wrong.content[-1].text == receipt["note"]


LOOSE = str(Path(__file__).with_name("loose_server.py"))


def test_what_breaks_its_output_schema_is_thrown_away_by_the_client_and_arrives_through_the_proxy(proxy):
    async def order(*command):
        target = StdioServerParameters(command=sys.executable, args=list(command), env=environment())
        async with Client(target) as client:
            await client.list_tools()
            try:
                return await client.call_tool("get_order", {"total": "twelve"})
            except RuntimeError as error:
                return str(error)

    assert "'twelve' is not of type 'number'" in asyncio.run(asyncio.wait_for(order(LOOSE), PATIENCE))
    seen = asyncio.run(asyncio.wait_for(order(*proxy, "--", sys.executable, LOOSE), PATIENCE))
    assert seen.is_error
    assert seen.structured_content.pop(KEY)["violation"]["path"] == "total"
    assert seen.structured_content == {"id": "W1", "total": "twelve"}
    said, told = [block.text for block in seen.content]
    assert said == "an order"
    assert "total" in told


@contextmanager
def serving(port, *command):
    # What it logs is shown where the test fails.
    with subprocess.Popen([sys.executable, *command], env=environment()) as process:
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        try:
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.kill()


def test_over_http(proxy):
    pytest.importorskip("aiohttp")
    behind, front = free_port(), free_port()
    upstream = f"http://127.0.0.1:{behind}/mcp"
    addresses = ("--upstream", upstream, "--listen", f"127.0.0.1:{front}")
    with serving(behind, SERVER, str(behind)), serving(front, *proxy, *addresses) as address:
        for era in ("auto", "legacy"):
            check(talk(address, era))
