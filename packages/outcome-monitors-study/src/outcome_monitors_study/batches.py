"""OpenAI's batch form, which vLLM's `run-batch` takes as well: requests written, and answers read from any number of files."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.files import FilePath
from outcome_monitors.model import Json


class ToolRequest(NamedTuple):
    """A call that a model wants made."""

    tool: str
    arguments: Mapping[str, Json] | None
    """None where they could not be read."""


def batch_request(
    name: str, model: str, messages: Sequence[Json], tools: Sequence[Json], **more: Json
) -> dict[str, Json]:
    """Return a request."""
    body = {"model": model, "messages": messages, "tools": tools, **more}
    return {"custom_id": name, "method": "POST", "url": "/v1/chat/completions", "body": body}


def listed_tool(spec: Json) -> Json:
    """Return a tool that MCP lists as chat completions list it."""
    said = {"name": spec["name"], "description": spec["description"] or spec["name"]}
    return {"type": "function", "function": {**said, "parameters": spec["inputSchema"]}}


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What a model did next: the calls that it made, and its words."""

    calls: Sequence[ToolRequest] = ()
    said: str = ""
    message: Mapping[str, Json] = field(default_factory=dict)
    """All of it."""
    usage: Mapping[str, Json] = field(default_factory=dict)

    @property
    def first(self) -> ToolRequest | None:
        """The first call, where there is one."""
        return self.calls[0] if self.calls else None


@dataclass(slots=True)
class AnswersGiven:
    """What came back."""

    by_request: dict[str, ModelAnswer] = field(default_factory=dict)
    failed: int = 0
    """Requests that the endpoint did not answer."""
    foreign: int = 0
    """Lines of other requests."""
    twice: int = 0
    """Lines for a request that had been answered; the first counts."""
    broken: list[str] = field(default_factory=list)
    """`FILE, line N: ...`: what could not be read."""
    models: set[str] = field(default_factory=set)


def read_answers(files: Iterable[FilePath], known: Callable[[str], bool]) -> AnswersGiven:
    """Read responses to known requests; what is missing, failed, doubled, foreign or broken is counted, and costs nothing else."""
    answers = AnswersGiven()
    for file in files:
        try:
            with Path(file).open(encoding="utf-8", errors="replace") as lines:
                for number, line in enumerate(lines, 1):
                    if line.strip():
                        _take(answers, line, known, f"{file}, line {number}")
        except OSError as error:
            raise OutcomeMonitorsError(f"cannot read {file}: {error.strerror}") from error
    return answers


def _take(answers: AnswersGiven, line: str, known: Callable[[str], bool], place: str) -> None:
    try:
        response = json.loads(line)
        name = response["custom_id"]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        answers.broken.append(f"{place}: {_why(error)}")
        return
    if not isinstance(name, str) or not known(name):
        answers.foreign += 1
        return
    if name in answers.by_request:
        answers.twice += 1
        return
    try:
        whole = response.get("response") or {}
        if response.get("error") or whole.get("status_code", 200) != 200:
            answers.failed += 1
            return
        answers.by_request[name] = _answer(whole["body"])
        answers.models.add(str(whole["body"].get("model")))
    except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
        answers.broken.append(f"{place}: no answer of chat completions ({_why(error)})")


def _answer(body: Any) -> ModelAnswer:
    message, usage = dict(body["choices"][0]["message"]), dict(body.get("usage") or {})
    content, calls = message.get("content"), message.get("tool_calls") or []
    said = content if isinstance(content, str) else "".join(part.get("text", "") for part in content or [])
    return ModelAnswer(list(map(_tool_request, calls)), said, message, usage)


def _tool_request(call: Mapping[str, Any]) -> ToolRequest:
    function = call["function"]
    try:
        arguments = json.loads(function["arguments"] or "{}")
    except (ValueError, TypeError, RecursionError):
        arguments = None
    read = arguments if isinstance(arguments, dict) else None
    return ToolRequest(str(function["name"]), read)


def _why(error: Exception) -> str:
    return f"no `{error.args[0]}`" if isinstance(error, KeyError) else str(error) or type(error).__name__
