"""What is found while an agent runs, and what is found when the recording of it is played again, is one and the same.

Messages go through a dialogue of the proxy, which checks and records; the recording is read and replayed.
"""

import json
import random
import tempfile
from pathlib import Path
from typing import Any

from outcome_monitors import Call, Monitor, mine, read_traces
from outcome_monitors.checking.replay import outcomes
from outcome_monitors.events import Watch
from outcome_monitors.learning.recorder import Recorder
from outcome_monitors.mcp import JsonRpcSession, ProxyContext, TimeLimit
from outcome_monitors.model import Outcome
from tests.fuzz.results import Tool, changed

__all__ = ["replays_alike"]

NAMES = ("get_order", "list_rows", "update_order")
CALLS = 50

Findings = dict[int, tuple[str, Any]]
"""By the number of a call: the verdict, and what was wrong."""


class _Heard(ProxyContext):
    """A desk that keeps what became of each result."""

    def __init__(self, watch: Watch, recorder: Recorder) -> None:
        super().__init__(watch, recorder=recorder, limit=TimeLimit(0))
        self.found: Findings = {}

    def check(self, conversation: Any, tool: str, arguments: Any, *rest: Any, **named: Any) -> Outcome | None:
        outcome = super().check(conversation, tool, arguments, *rest, **named)
        if outcome is not None:
            self.found[arguments["call"]] = _of(outcome)
        return outcome


def _of(outcome: Outcome) -> tuple[str, Any]:
    return outcome.verdict, [repr(violation) for violation in outcome.violations]


def replays_alike(seed: int, learned: int = 40, sessions: int = 30) -> int:
    """Hold conversations, play them again, and compare; return how many results there were."""
    rng = random.Random(seed)
    tools = [Tool(rng, name) for name in NAMES]
    calls = [_learned(tool, number) for number in range(learned) for tool in tools]
    registry = mine(calls, rng.choice(("paper", "full")))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "traces.jsonl"
        recorder = Recorder(file)
        # The published list: what receipts offer is made by another thread, and tools that write are known by it.
        desk = _Heard(Watch(Monitor(registry, listing="published")), recorder)
        _converse(rng, tools, desk, sessions)
        recorder.close()
        assert (recorder.lost, desk.troubles) == (0, 0)
        recorded = list(read_traces([file], strict=True))
    again = {call.arguments["call"]: _of(outcome) for call, outcome in outcomes(recorded, registry)}
    live = {number: desk.found[number] for number in again}
    assert again == live, {
        number: (live[number], again[number]) for number in again if again[number] != live[number]
    }
    assert {number for number, (verdict, _) in desk.found.items() if verdict != "not_checked"} <= {*again}
    return len(desk.found)


def _learned(tool: Tool, number: int) -> Call:
    call = tool.call(number % 25)
    session = f"s{number % 7}"
    return Call(
        tool.name,
        {**call.arguments, "call": number},
        call.result,
        task=f"{session}/{number}",
        session=session,
    )


def _converse(rng: random.Random, tools: list[Tool], desk: ProxyContext, sessions: int) -> None:
    dialogues = [JsonRpcSession(desk, f"s{number}") for number in range(sessions)]
    for number in range(sessions * CALLS):
        tool, dialogue = rng.choice(tools), rng.choice(dialogues)
        call = tool.call(rng.randint(0, 12))
        arguments = {**call.arguments, "call": number}
        params = {"name": tool.name, "arguments": arguments}
        dialogue.from_client(
            json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}).encode()
        )
        result = changed(rng, call.result) if rng.random() < 0.3 else call.result
        dialogue.from_server(_answer(rng, number, result))


def _answer(rng: random.Random, number: int, result: Any) -> bytes:
    """Return a result as a server could send it."""
    text = json.dumps(result, default=repr)
    block = {"type": "text", "text": text}
    answer: dict[str, Any] = rng.choice(
        (
            {"content": [block], "structuredContent": result},
            {"content": [block], "structuredContent": result},
            {"content": [block]},
            {"content": [block, block]},
            {"content": [], "structuredContent": result},
            {"structuredContent": {"result": result}, "content": [block]},
            {"content": [block], "isError": True},
        )
    )
    return json.dumps({"jsonrpc": "2.0", "id": number, "result": answer}, default=repr).encode()
