"""The official Python SDK, major version 2, asked back by its server, in both eras of the protocol."""

import asyncio
from contextlib import asynccontextmanager

import mcp_types as types
from _exchanges import SdkTalker, main
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types.version import MODERN_PROTOCOL_VERSIONS


class Sdk2(SdkTalker):
    types = types

    async def hears_all(self, message):
        if isinstance(message, types.ToolListChangedNotification):
            self.hears("list changes", "tools")

    async def result(self, tool, arguments, progress=None):
        async def step(*seen):
            progress(*seen)

        found = await self.client.call_tool(tool, arguments, progress_callback=step if progress else None)
        return found.structured_content, [block.text for block in found.content]

    async def names(self):
        return [tool.name for tool in (await self.client.list_tools()).tools]

    @asynccontextmanager
    async def listening(self):
        if self.era not in MODERN_PROTOCOL_VERSIONS:
            yield
            return
        async with self.client.listen(tools_list_changed=True) as changes:

            async def hear():
                async for _change in changes:
                    self.hears("list changes", "tools")

            hearing = asyncio.create_task(hear())
            yield
            hearing.cancel()
            await asyncio.gather(hearing, return_exceptions=True)


@asynccontextmanager
async def connected(command=None, env=None, url=None, era="auto"):
    talker = Sdk2()
    client = Client(
        url or StdioServerParameters(command=command[0], args=command[1:], env=env),
        mode=era,
        sampling_callback=talker.answers_sampling,
        elicitation_callback=talker.answers_elicitation,
        list_roots_callback=talker.answers_roots,
        logging_callback=talker.hears_log,
        log_level="info",
        message_handler=talker.hears_all,
    )
    async with client:
        talker.client, talker.era = client, client.protocol_version
        yield talker


main(connected)
