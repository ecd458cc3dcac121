"""The answers: batch responses as OpenAI and vLLM write them, in any order, from any number of files."""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Json
from outcome_monitors.values.files import FilePath

__all__ = ["AnswersGiven", "ModelAnswer", "read_answers"]


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What a model did next: the first call that it made, where it made one, and its words."""

    tool: str | None = None
    arguments: Mapping[str, Json] | None = None
    """None where they could not be read."""
    said: str = ""


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


def read_answers(files: Iterable[FilePath], known: Collection[str]) -> AnswersGiven:
    """Read responses; what is missing, failed, doubled, foreign or broken is counted, and costs nothing else."""
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


def _take(answers: AnswersGiven, line: str, known: Collection[str], place: str) -> None:
    try:
        response = json.loads(line)
        name = response["custom_id"]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        answers.broken.append(f"{place}: {_why(error)}")
        return
    if not isinstance(name, str) or name not in known:
        answers.foreign += 1
    elif name in answers.by_request:
        answers.twice += 1
    else:
        _read(answers, name, response, place)


def _read(answers: AnswersGiven, name: str, response: Any, place: str) -> None:
    try:
        whole = response.get("response") or {}
        if response.get("error") or whole.get("status_code", 200) != 200:
            answers.failed += 1
            return
        answers.by_request[name] = _answer(whole["body"]["choices"][0]["message"])
        answers.models.add(str(whole["body"].get("model")))
    except (TypeError, KeyError, IndexError, AttributeError) as error:
        answers.broken.append(f"{place}: no answer of chat completions ({_why(error)})")


def _answer(message: Any) -> ModelAnswer:
    content, calls = message.get("content"), message.get("tool_calls") or []
    said = content if isinstance(content, str) else "".join(part.get("text", "") for part in content or [])
    if not calls:
        return ModelAnswer(said=said)
    function = calls[0]["function"]
    try:
        arguments = json.loads(function["arguments"] or "{}")
    except (ValueError, TypeError, RecursionError):
        arguments = None
    return ModelAnswer(str(function["name"]), arguments if isinstance(arguments, dict) else None, said)


def _why(error: Exception) -> str:
    return f"no `{error.args[0]}`" if isinstance(error, KeyError) else str(error) or type(error).__name__
