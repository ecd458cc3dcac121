"""LiveMCPBench's recording of an agent on live MCP servers, as calls, with labels of its results that were read by hand.

Its files hold conversations (https://github.com/icip-cas/LiveMCPBench, `baseline/run_conversation.py`): a tool of any server is
called through the tool `execute-tool`, and what came back is written as Python prints MCP's result. The client cut that after
10,000 characters; a result that was cut is left out.
"""

import ast
import json
import re
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.files import write_atomically
from outcome_monitors.model import Call, Json
from outcome_monitors.traces.reader import write_traces

RECORDING = "evaluator/output/claude-opus-4-20250514/claude-sonnet-4-20250514_Qwen3-Embedding-0.6B.json"
CALLS, LABELS, RECOVERIES = "calls.jsonl", "labels.jsonl", "recoveries.jsonl"
EXECUTE = "execute-tool"
PRINTED = re.compile(
    r"meta=None content=\[TextContent\(type='text', text=('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"), annotations=None\)\]"
    r" isError=(True|False)",
    re.DOTALL,
)
RAISED = "Error: "
"""Begins what the client wrote where a call raised."""


def convert(folder: Path) -> str:
    """Write the calls of a folder's recording, the labels of those that have one, and of the silent failures what worked after them."""
    file = folder / RECORDING
    calls = list(read_recording(file))
    if not calls:
        raise OutcomeMonitorsError(f"{file} has no calls")
    lines = {(call.session, call.extra["step"], call.tool): line for line, call in enumerate(calls)}
    write_traces(folder / CALLS, calls)
    written = [f"{CALLS}: {len(calls):,} calls"]
    for name in (LABELS, RECOVERIES):
        text = (resources.files(__package__ or "") / f"livemcp_{name}").read_text(encoding="utf-8")
        labels = [json.loads(line) for line in text.splitlines()]
        there = [
            {"line": lines[key], **label}
            for label in labels
            if (key := (label["session"], label["step"], label["tool"])) in lines
        ]
        write_atomically(folder / name, "".join(json.dumps(label) + "\n" for label in there))
        written.append(f"{name}: {len(there):,} of {len(labels):,} labels")
    return "; ".join(written)


def read_recording(file: Path) -> Iterator[Call]:
    """Yield the calls of a recording, each of a step: its number among the calls of the conversation, from 1."""
    try:
        tasks = json.loads(file.read_bytes())
        conversations = [(task["task_id"], task["messages"]) for task in tasks]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise OutcomeMonitorsError(f"{file} is no recording of LiveMCPBench: {error!r}") from None
    for session, messages in conversations:
        try:
            yield from _calls(session, messages)
        except (AttributeError, KeyError, TypeError) as error:
            raise OutcomeMonitorsError(
                f"{file}: task {session} is not of the known form: {error!r}"
            ) from None


def _calls(session: str, messages: Sequence[Json]) -> Iterator[Call]:
    answers = {one["tool_call_id"]: one["content"] for one in messages if one["role"] == "tool"}
    made = (made for message in messages for made in message.get("tool_calls") or ())
    executed = (made for made in made if made["function"]["name"] == EXECUTE)
    for step, call in enumerate(executed, 1):
        arguments, answer = _object(call["function"]["arguments"]), _result(answers.get(call["id"], ""))
        if answer is not None and {"server_name", "tool_name"} <= arguments.keys():
            result, failed = answer
            yield Call(
                f"{arguments['server_name']}.{arguments['tool_name']}",
                arguments.get("params") or {},
                result,
                task=f"livemcp/{session.partition('-')[0]}",
                session=session,
                error=failed,
                extra={"step": step},
            )


def _result(written: str) -> tuple[Json, bool] | None:
    """Return a result and whether the call failed openly; None where the result was cut, or there is none."""
    printed = PRINTED.fullmatch(written)
    if printed is None:
        return None if not written or written.startswith("meta=") else (written, written.startswith(RAISED))
    text, failed = ast.literal_eval(printed[1]), printed[2] == "True"
    inner = _object(text)
    if not isinstance(inner.get("content"), list):
        return text, failed
    return _content(inner["content"]), failed or inner.get("isError") is True


def _content(blocks: list[Json]) -> Json:
    """Return what the blocks of a result hold: one text by itself, parsed where it is JSON."""
    if not all(block.get("type") == "text" for block in blocks):
        return blocks
    texts = [_parsed(block["text"]) for block in blocks]
    return texts[0] if len(texts) == 1 else texts


def _parsed(text: str) -> Json:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _object(text: str) -> dict[str, Json]:
    found = _parsed(text)
    return found if isinstance(found, dict) else {}
