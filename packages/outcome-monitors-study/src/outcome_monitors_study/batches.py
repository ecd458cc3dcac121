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
    models: set[str] = field(default_factory=set)
    passed_over: list[str] = field(default_factory=list)
    """`FILE, line N: ...`: what could not be read or failed, answers another request, or one that had been answered."""


def read_answers(files: Iterable[FilePath], known: Callable[[str], bool]) -> AnswersGiven:
    """Read responses to known requests; a line that is none costs nothing else."""
    answers = AnswersGiven()
    for file in files:
        try:
            with Path(file).open(encoding="utf-8", errors="replace") as lines:
                for number, line in enumerate(lines, 1):
                    why = _take(answers, line, known) if line.strip() else ""
                    if why:
                        answers.passed_over.append(f"{file}, line {number}: {why}")
        except OSError as error:
            raise OutcomeMonitorsError(f"cannot read {file}: {error.strerror}") from error
    return answers


def _take(answers: AnswersGiven, line: str, known: Callable[[str], bool]) -> str:
    """Take a response in, or say why it is none."""
    try:
        response = json.loads(line)
        name, whole = response["custom_id"], response.get("response") or {}
        if not isinstance(name, str) or not known(name):
            return "answers no request"
        if name in answers.by_request:
            return "was answered before"
        if response.get("error") or whole.get("status_code", 200) != 200:
            return "failed at the endpoint"
        answers.by_request[name] = _answer(whole["body"])
        answers.models.add(str(whole["body"].get("model")))
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        return f"no response of chat completions ({error!r})"
    return ""


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
