"""What a client and a server say to each other beside calls and results.

A client says how it calls a tool, how it calls one off and how it hears of changes; the rest is the same for all. Every
result of the server's breaks its contract, so that receipts travel while the two talk.
"""

import asyncio
import sys
import traceback
import uuid
from contextlib import asynccontextmanager

from _visits import tell, visits

__all__ = ["ANSWER", "ROOT", "SdkTalker", "Talker", "main"]

KEY, TOLD = "outcome_contract", "This result is inconsistent"
ANSWER = "on its way"
ROOT = "file:///orders"


class Talker:
    """A client that is connected, and what it has heard, by kind."""

    def __init__(self):
        self.heard = {}
        self.asks, self.answer = {}, {"sure": True}

    async def result(self, tool, arguments, progress=None):
        """Call a tool; return the structured content of its result, and its texts."""
        raise NotImplementedError

    async def names(self):
        """Return the names of the tools that the server lists."""
        raise NotImplementedError

    async def given_up(self, tool, begun):
        """Call a tool, and call it off once it has begun."""
        call = asyncio.create_task(self.result(tool, {}, lambda *_: begun.set()))
        await asyncio.wait([call, asyncio.create_task(begun.wait())], return_when=asyncio.FIRST_COMPLETED)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)

    @asynccontextmanager
    async def listening(self):
        """Hear of changes; with the handshake a client does so by itself."""
        yield

    def hears(self, kind, what):
        self.heard.setdefault(kind, []).append(what)

    async def call(self, tool, progress=None, **arguments):
        """Call a tool, by its name at this server, and tell receipts from what the server said."""
        tool, more = self.asks.get(tool, (tool, {}))
        structured, texts = await self.result(tool, {**arguments, **more}, progress)
        structured = structured or {}
        said = {key: value for key, value in structured.items() if key != KEY}
        return {
            "said": said,
            "texts": [text for text in texts if TOLD not in text],
            "receipts": (KEY in structured) + sum(TOLD in text for text in texts),
        }

    async def until(self, kind):
        """Wait for something to be heard: notifications may come behind an answer."""
        for _ in range(250):
            if self.heard.get(kind):
                return
            await asyncio.sleep(0.02)


class SdkTalker(Talker):
    """A client of the official SDK, whose types are those of its major version."""

    types = None

    async def answers_sampling(self, _context, params):
        self.hears("sampling", params.messages[0].content.text)
        content = self.types.TextContent(type="text", text=ANSWER)
        return self.types.CreateMessageResult(role="assistant", content=content, model="m")

    async def answers_elicitation(self, _context, params):
        self.hears("elicitation", params.message)
        return self.types.ElicitResult(action="accept", content=self.answer)

    async def answers_roots(self, _context):
        self.hears("roots", "asked")
        return self.types.ListRootsResult(roots=[self.types.Root(uri=ROOT)])

    async def hears_log(self, params):
        self.hears("logging", params.data)


async def _asked(talker, tool, kind):
    return [await talker.call(tool), talker.heard.get(kind)]


async def _progress(talker):
    steps = []
    return [await talker.call("count", lambda done, *_: steps.append(done)), steps]


async def _logging(talker):
    called = await talker.call("log")
    await talker.until("logging")
    return [called, talker.heard.get("logging")]


async def _list_changes(talker):
    name = f"added-{uuid.uuid4().hex}"
    async with talker.listening():
        called = await talker.call("grow", name=name)
        await talker.until("list changes")
    return [called, "list changes" in talker.heard, name in await talker.names()]


async def _cancellation(talker):
    before = await talker.call("waited")
    await talker.given_up("wait", asyncio.Event())
    for _ in range(100):
        if await talker.call("waited") != before:
            return True
        await asyncio.sleep(0.05)
    return False


async def _resumption(talker):
    before = await talker.call("resumed")
    return [await talker.call("resume"), await talker.call("resumed") != before]


EXCHANGES = {
    "sampling": lambda talker: _asked(talker, "sample", "sampling"),
    "elicitation": lambda talker: _asked(talker, "elicit", "elicitation"),
    "roots": lambda talker: _asked(talker, "roots", "roots"),
    "progress": _progress,
    "logging": _logging,
    "list changes": _list_changes,
    "cancellation": _cancellation,
    "resumption": _resumption,
}


async def _tried(talker, name):
    try:
        return await asyncio.wait_for(EXCHANGES[name](talker), 20)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what came of it
        traceback.print_exc(file=sys.stderr)
        return {"error": f"{type(error).__name__}: {error}"[:200]}


def main(connected):
    """Visit each server with `connected`, which gives a talker; print what came of each exchange, and the era."""

    async def visit(wanted, asks=None, answer=None, **target):
        async with connected(**target) as talker:
            if asks:
                talker.asks, talker.answer = asks, answer
                # Such a server adds tools once it knows its client, and may ask for roots at once.
                await asyncio.sleep(1)
            await talker.names()
            found = {name: await _tried(talker, name) for name in wanted}
            return {"era": talker.era, "heard": found}

    async def visit_all():
        tell([await visit(**one) for one in visits()])

    asyncio.run(visit_all())
