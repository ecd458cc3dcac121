"""`python -m bench._scripted_server CALLS`: a server of the official SDK that answers each call with the next recorded result.

It declares no output schemas, and gives objects as text, as most servers do.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any


def main(script: Path) -> None:
    """Serve standard input and output."""
    import mcp_types as types  # noqa: PLC0415 - an extra
    from mcp.server import Server  # noqa: PLC0415 - an extra
    from mcp.server.stdio import stdio_server  # noqa: PLC0415 - an extra

    calls = [json.loads(line) for line in script.read_text(encoding="utf-8").splitlines()]
    results = iter(calls)

    async def call(_context: Any, _params: types.CallToolRequestParams) -> types.CallToolResult:
        result = next(results)["result"]
        text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)])

    async def list_(_context: Any, _params: Any) -> types.ListToolsResult:
        names = sorted({one["tool"] for one in calls})
        return types.ListToolsResult(
            tools=[types.Tool(name=name, input_schema={"type": "object"}) for name in names]
        )

    server = Server("scripted", on_call_tool=call, on_list_tools=list_)

    async def run() -> None:
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    asyncio.run(run())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
