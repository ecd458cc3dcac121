"""One conversation as the wire has it: what was asked, and the answers that a receipt may go into.

Everything is passed on as it came, in order. Only two sorts of answer are ever changed, by insertion: a `tools/call` result
that breaks its contract, and the output schemas of a `tools/list` that receipts need declared.
"""

import json
import re
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from outcome_monitors.model import Outcome, Unchecked
from outcome_monitors.receipts.mcp import carried, declared, may_declare
from outcome_monitors.values.splice import Insertion, TextSpan, inserted, items, members, value_at

from .desk import Desk
from .limits import OverBudget
from .requests import CALL, LIST, TASK, Asked, AskedBook, Id, asked_of, client_of, is_id
from .results import result_of, task_of

__all__ = ["Dialogue"]

MOST_PENDING = 4096
MOST_HELD = 16 * 2**20
"""Bytes of requests that wait for an answer in one conversation; beyond both, the oldest are given up."""
MOST_KEPT = 4 * 2**20
"""Bytes of those that were answered."""
MOST_ANSWERED = 64
"""Answered calls that are kept, since a broken HTTP stream may send the answer once more."""
TOO_LARGE: Unchecked = "too large"
TOO_SLOW: Unchecked = "took too long"
WENT_WRONG: Unchecked = "failed inside"
TOO_MANY: Unchecked = "no result"
_SAID: Mapping[Unchecked, str] = {
    TOO_LARGE: "the result is too large",
    TOO_SLOW: "the check took too long",
    WENT_WRONG: "the look at it went wrong inside, see the log",
    TOO_MANY: "too many calls waited for their answers",
}

_HIDDEN = b"\\u"
"""May hide any word."""
_NAMES_CLIENT = b"lientInfo"
_ID = re.compile(rb'"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)')
_NEAR = 400
"""Bytes at the beginning of a message among which its id is looked for, where it is too large to be read."""


class Dialogue:
    """One conversation. `asked` and `answered` may be called from two threads."""

    def __init__(
        self,
        desk: Desk,
        name: str | None = None,
        *,
        replays: bool = False,
        tools: dict[str, bool] | None = None,
        client: str = "",
    ) -> None:
        self.name = name
        self.client = ""
        """What the client calls itself, or is told apart by."""
        self._desk = desk
        self._conversation = desk.conversation(name)
        self._recording = desk.recorder.conversation(name) if desk.recorder is not None else None
        self._lock = threading.Lock()
        self._pending = AskedBook(MOST_PENDING, MOST_HELD)
        self._answered = AskedBook(MOST_ANSWERED, MOST_KEPT)
        self._tasks = AskedBook(MOST_PENDING, MOST_KEPT)
        """Calls that have begun a task, whose result is asked for later."""
        self._replays = replays
        self._looking_at: Asked | None = None
        self._tools = {} if tools is None else tools
        """The tools listed so far, and whether their structured content may hold a receipt."""
        self._shared = tools is not None
        self._told_tools = False
        """Whether the client was told the tools, even if there are none."""
        self._heard_of(client)

    def asked(self, data: bytes) -> None:
        """Take note of what the client says."""
        # Most of what a client says is calls; the rest need not be read.
        if not (b"tools" in data or b"initialize" in data or b"tasks" in data or _HIDDEN in data):
            return
        try:
            message = json.loads(data.decode())
        except (ValueError, RecursionError):
            return
        names = _NAMES_CLIENT in data or _HIDDEN in data
        for single in message if isinstance(message, list) else (message,):
            if names:
                self._heard_of(client_of(single))
            asked = asked_of(single, len(data))
            if asked is not None:
                self._expect(single["id"], asked)

    def _heard_of(self, client: str) -> None:
        """Note what the client calls itself, if that is what it does."""
        if client:
            self.client = client
            if self._recording is not None:
                self._recording.client = client

    def answered(self, data: bytes) -> bytes:
        """Return what is to be passed on of what the server says: the same bytes, or the same with a receipt put in."""
        if not self._pending and not self._answered:
            return data
        self._looking_at = None
        try:
            return self._desk.budget.run(self._read, data)
        except OverBudget:
            self._cut_short(data)
        except Exception as error:  # noqa: BLE001 - whatever it is, the client gets what the server said
            self._desk.trouble(error)
            self._broke_off(WENT_WRONG)
        return data

    def passed(self, head: bytes) -> None:
        """Take note of a message that is too large to be looked at, by its first bytes."""
        self._passed(head, TOO_LARGE)

    @property
    def tools(self) -> tuple[str, ...] | None:
        """The tools that the client knows of; None before it has asked."""
        return tuple(self._tools) if self._tools or self._told_tools else None

    def waiting(self) -> frozenset[Id]:
        """Return the ids of calls that wait for their answer."""
        with self._lock:
            return self._pending.numbers()

    def _expect(self, number: Id, asked: Asked) -> None:
        with self._lock:
            given_up = self._pending.put(number, asked)
        for oldest in given_up:
            if oldest.method == CALL:
                self._skip(oldest, TOO_MANY)

    def _take(self, number: Id) -> tuple[Asked | None, bool]:
        """Return what an answer with an id is the answer to, and whether it came before."""
        with self._lock:
            asked = self._pending.strike(number)
            if asked is None:
                return self._answered.get(number), True
            if self._replays:
                self._answered.put(number, asked)
        return asked, False

    def _passed(self, data: bytes, why: Unchecked) -> None:
        number = _number(data)
        asked, again = self._take(number) if is_id(number) else (None, False)
        if asked is not None and asked.method == CALL and not again:
            self._skip(asked, why)

    def _cut_short(self, data: bytes) -> None:
        if not self._broke_off(TOO_SLOW):
            self._passed(data, TOO_SLOW)

    def _broke_off(self, why: Unchecked) -> bool:
        """Note that the look at hand came to no end; say whether it is known at what it was."""
        asked, self._looking_at = self._looking_at, None
        if asked is not None and asked.method == CALL:
            self._skip(asked, why)
        return asked is not None

    def _skip(self, asked: Asked, why: Unchecked) -> None:
        self._desk.skip(self._conversation, asked.tool, _SAID[why], asked.trace, why)

    def _read(self, data: bytes) -> bytes:
        try:
            text = data.decode()
            message = json.loads(text)
        except (ValueError, RecursionError):
            return data
        insertions: Sequence[Insertion]
        if isinstance(message, list):
            spans = items(text, value_at(text))
            insertions = [
                new
                for each, span in zip(message, spans, strict=True)
                for new in self._answer(text, each, span)
            ]
        else:
            insertions = self._answer(text, message, None)
        return inserted(text, insertions).encode() if insertions else data

    def _answer(self, text: str, message: Any, span: TextSpan | None) -> Sequence[Insertion]:
        if not isinstance(message, dict) or "method" in message or not is_id(number := message.get("id")):
            return ()
        # Before it is taken: whenever it is cut short, someone knows of it.
        self._looking_at = self._pending.get(number)
        asked, again = self._take(number)
        if asked is None:
            return ()
        if asked.method == LIST:
            return self._list(text, message, span, asked)
        if asked.method == TASK:
            begun = self._tasks.get(asked.task)
            if begun is None:
                return ()
            asked = begun
        elif (task := task_of(message)) is not None:
            self._tasks.put(task, asked)
        return self._call(text, message, span, asked, again=again)

    def _call(
        self, text: str, message: dict[str, Any], span: TextSpan | None, asked: Asked, *, again: bool
    ) -> Sequence[Insertion]:
        if span is not None:
            # Each answer of a batch has the time that one by itself has.
            self._desk.budget.begin()
        result = result_of(message)
        outcome = self._desk.look(
            self._conversation, asked.tool, asked.arguments, result, self.tools, asked.trace, again=again
        )
        self._looking_at = None
        if self._recording is not None and not again:
            self._recording.record(asked.tool, asked.arguments, result, outcome)
        if outcome is None or outcome.receipt is None:
            return ()
        return self._told(text, span, outcome)

    def _told(self, text: str, span: TextSpan | None, outcome: Outcome) -> Sequence[Insertion]:
        result = members(text, value_at(text) if span is None else span)["result"]
        structured = self._tools.get(outcome.tool, False)
        return list(carried(text, result, outcome.receipt, self._desk.carrier, structured=structured))

    def _list(
        self, text: str, message: dict[str, Any], span: TextSpan | None, asked: Asked
    ) -> Sequence[Insertion]:
        result = message.get("result")
        tools = result.get("tools") if isinstance(result, dict) else None
        if not isinstance(tools, list):
            return ()
        self._told_tools = True
        if asked.first_page and not self._shared:
            self._tools.clear()
        for tool in tools:
            if isinstance(tool, dict) and isinstance(tool.get("name"), str):
                # Without a schema nothing is validated, so nothing need be declared.
                self._tools[tool["name"]] = "outputSchema" not in tool
        if self._desk.listed is not None:
            self._desk.listed(tools)
        if self._desk.watch is not None:
            self._desk.watch.listed(tools)
        return self._declared(text, span, tools) if self._desk.declares else ()

    def _declared(self, text: str, span: TextSpan | None, tools: list[Any]) -> Sequence[Insertion]:
        wanted = {
            index: tool["name"]
            for index, tool in enumerate(tools)
            if isinstance(tool, dict)
            and tool.get("name") in self._tools
            and may_declare(tool.get("outputSchema"))
            and self._desk.declares_for(tool["name"])
        }
        if not wanted:
            return ()
        found = []
        place = members(text, members(text, value_at(text) if span is None else span)["result"])["tools"]
        for index, tool in enumerate(items(text, place)):
            if index in wanted:
                schema = members(text, tool)["outputSchema"]
                found.append(declared(text, schema, as_text=self._desk.as_text))
                self._tools[wanted[index]] = True
        return found


def _number(data: bytes) -> Any:
    """Return what looks like the id of a message; nothing where that is no JSON: a log line may have one too."""
    found = _ID.search(data[:_NEAR])
    try:
        return None if found is None else json.loads(found[1])
    except ValueError:
        return None
