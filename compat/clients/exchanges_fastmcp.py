"""FastMCP's client, asked back by its server."""

from contextlib import asynccontextmanager

import mcp_types as types
from _exchanges import ANSWER, ROOT, Talker, main
from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport


class Fast(Talker):
    async def answers_sampling(self, messages, _params, _context):
        self.hears("sampling", messages[0].content.text)
        return ANSWER

    async def answers_elicitation(self, message, _response_type, _params, _context):
        self.hears("elicitation", message)
        return self.answer

    async def answers_roots(self, _context):
        self.hears("roots", "asked")
        return [ROOT]

    async def hears_log(self, message):
        self.hears("logging", message.data)

    async def hears_all(self, message):
        if isinstance(message, types.ToolListChangedNotification):
            self.hears("list changes", "tools")

    async def result(self, tool, arguments, progress=None):
        async def step(*seen):
            progress(*seen)

        found = await self.client.call_tool(tool, arguments, progress_handler=step if progress else None)
        return found.structured_content, [block.text for block in found.content]

    async def names(self):
        return [tool.name for tool in await self.client.list_tools()]


@asynccontextmanager
async def connected(command=None, env=None, url=None, era="auto"):
    talker = Fast()
    client = Client(
        StreamableHttpTransport(url)
        if url
        else StdioTransport(command[0], command[1:], env=env, keep_alive=False),
        mode=era,
        sampling_handler=talker.answers_sampling,
        elicitation_handler=talker.answers_elicitation,
        roots=talker.answers_roots,
        log_handler=talker.hears_log,
        message_handler=talker.hears_all,
    )
    async with client:
        talker.client, talker.era = client, client.protocol_version
        yield talker


main(connected)
