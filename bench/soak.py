"""`python -m bench.soak`: many calls over many conversations at once, through one proxy over HTTP.

Every reply is compared with what the server says, and every tenth must carry a receipt; then the memory of the proxy is
told, after the first quarter and at the end.
"""

import asyncio
import json
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from outcome_monitors import mine
from outcome_monitors.cli._output import write
from outcome_monitors.events import counted, read_events

from ._connections import free_port, proxy_command, server_command, serving
from ._processes import memory
from ._results import ORDER
from ._servers import CALLS, WRONG, answer

CALLS_MADE, CONVERSATIONS = 10_000, 50


def request(number: int) -> dict[str, Any]:
    """Return a call; every tenth asks for a result that breaks the contract."""
    call = CALLS[number % len(CALLS)]
    arguments = {**call.arguments, **({WRONG: True} if number % 10 == 0 else {})}
    params = {"name": call.tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def is_right(number: int, reply: dict[str, Any]) -> bool:
    """Say whether a reply is what the server says, with a receipt where there must be one, and only there."""
    expected = answer(request(number))
    told = reply["result"]["content"][1:]
    reply["result"]["content"] = reply["result"]["content"][:1]
    return reply == expected and len(told) == (number % 10 == 0)


async def talk(address: str, calls: int, conversations: int, halfway: list[int], process: int) -> int:
    """Make the calls; return how many replies were wrong."""
    from aiohttp import ClientSession, TCPConnector  # noqa: PLC0415 - an extra

    wrong = 0
    async with ClientSession(connector=TCPConnector(limit=0)) as client:

        async def converse(name: int) -> None:
            nonlocal wrong
            for number in range(name, calls, conversations):
                headers = {"Mcp-Session-Id": f"conversation-{name}"}
                async with client.post(address, json=request(number), headers=headers) as reply:
                    wrong += not is_right(number, json.loads(await reply.read()))
                if number * 4 >= calls and not halfway:
                    halfway.append(memory(process))

        await asyncio.gather(*(converse(name) for name in range(conversations)))
    return wrong


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--calls", default=CALLS_MADE, show_default=True, help="Calls to make.")
@click.option("--conversations", default=CONVERSATIONS, show_default=True, help="Conversations at once.")
def main(calls: int, conversations: int) -> None:
    """Make many calls over many conversations at once.

    Example: python -m bench.soak
    """
    behind, front = free_port(), free_port()
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        mine(ORDER.mined(), "full").save(folder / "contracts.json")
        direct = stack.enter_context(serving(server_command("http", str(behind)), behind))
        listen = ("--upstream", direct.address, "--listen", f"127.0.0.1:{front}")
        proxied = stack.enter_context(serving(proxy_command(folder, *listen), front))
        quarter: list[int] = []
        wrong = asyncio.run(talk(proxied.address, calls, conversations, quarter, proxied.process.pid))
        end = memory(proxied.process.pid)
        proxied.process.terminate()
        proxied.process.wait(20)
        events = counted(read_events(folder / "events.sqlite"))[ORDER.name]
    write(
        f"{calls:,} calls over {conversations} conversations: {wrong} replies were wrong;"
        f" events: {events['clean']:,} clean, {events['flagged']:,} flagged;"
        f" memory of the proxy: {quarter[0]} MB after a quarter, {end} MB at the end\n"
    )
    sys.exit(1 if wrong or events.total() != calls else 0)


if __name__ == "__main__":
    main(prog_name="python -m bench.soak")
