"""The questions: one request of OpenAI's batch form for each point, thing shown and arm; vLLM's `run-batch` takes the same."""

import json
from collections.abc import Iterator, Mapping

from outcome_monitors.model import Json
from outcome_monitors_study.batches import batch_request

from .plan import Plan

__all__ = ["MOST_TOKENS", "request_id", "requests"]

MOST_TOKENS = 400
"""One decision needs no more."""


def request_id(cell: str, shown: str, arm: str) -> str:
    """Return the name of a request; `|` stands in none of the three."""
    return f"{cell}|{shown}|{arm}"


def requests(plan: Plan, model: str) -> Iterator[dict[str, Json]]:
    """Yield the requests, point by point: those that share a beginning stand side by side."""
    for point in plan.points:
        begun = list(_begun(plan.manifest["system_prompt"], point))
        tools = [plan.manifest["tools"][name] for name in point["tools"]]
        for shown, by_arm in point["shown"].items():
            for arm, content in by_arm.items():
                name, messages = (
                    request_id(point["cell"], shown, arm),
                    [*begun, _result(len(point["before"]), content)],
                )
                yield batch_request(name, model, messages, tools, temperature=0, max_tokens=MOST_TOKENS)


def _begun(system: str, point: Mapping[str, Json]) -> Iterator[dict[str, Json]]:
    """Yield the conversation up to the call whose result is shown."""
    yield {"role": "system", "content": system}
    yield {"role": "user", "content": point["query"]}
    for number, exchange in enumerate(point["before"]):
        yield _call(number, exchange["tool"], exchange["arguments"])
        yield _result(number, exchange["result"])
    yield _call(len(point["before"]), point["tool"], point["arguments"])


def _call(number: int, tool: str, arguments: Json) -> dict[str, Json]:
    function = {"name": tool, "arguments": json.dumps(arguments)}
    call = {"id": f"call_{number}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _result(number: int, content: str) -> dict[str, Json]:
    return {"role": "tool", "tool_call_id": f"call_{number}", "content": content}
