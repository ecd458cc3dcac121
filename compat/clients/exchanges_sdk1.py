"""The official Python SDK, major version 1, asked back by its server."""

import asyncio
from contextlib import asynccontextmanager

from _exchanges import SdkTalker, main
from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client


class Sdk1(SdkTalker):
    types = types

    async def hears_all(self, message):
        if isinstance(getattr(message, "root", None), types.ToolListChangedNotification):
            self.hears("list changes", "tools")

    async def result(self, tool, arguments, progress=None):
        async def step(*seen):
            progress(*seen)

        found = await self.session.call_tool(tool, arguments, progress_callback=step if progress else None)
        return found.structuredContent, [block.text for block in found.content]

    async def names(self):
        return [tool.name for tool in (await self.session.list_tools()).tools]

    async def given_up(self, tool, begun):
        number = self.session._request_id  # noqa: SLF001 - the SDK tells no one the number of a call
        call = asyncio.create_task(self.result(tool, {}, lambda *_: begun.set()))
        await asyncio.wait_for(begun.wait(), 10)
        params = types.CancelledNotificationParams(requestId=number)
        notification = types.CancelledNotification(params=params)
        await self.session.send_notification(types.ClientNotification(notification))
        # The server of this SDK answers a call that was called off with an error.
        await asyncio.wait([call], timeout=1)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)


@asynccontextmanager
async def connected(command=None, env=None, url=None, **_era):
    talker = Sdk1()
    opened = (
        streamable_http_client(url)
        if url
        else stdio_client(StdioServerParameters(command=command[0], args=command[1:], env=env))
    )
    async with opened as (read, write, *_):
        session = ClientSession(
            read,
            write,
            sampling_callback=talker.answers_sampling,
            elicitation_callback=talker.answers_elicitation,
            list_roots_callback=talker.answers_roots,
            logging_callback=talker.hears_log,
            message_handler=talker.hears_all,
        )
        async with session:
            talker.session = session
            talker.era = (await session.initialize()).protocolVersion
            yield talker


main(connected)
