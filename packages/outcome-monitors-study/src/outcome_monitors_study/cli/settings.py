"""How models are asked in a study: options of `study freeze`, and the settings that they make."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from outcome_monitors.cli._output import warn
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.values.documents import read_json
from outcome_monitors_study.generation import EFFORTS
from outcome_monitors_study.scripted import is_scripted

__all__ = [
    "asking_options",
    "asking_settings",
    "effort_options",
    "model_options",
    "model_settings",
    "named_value",
]

_STUDY = (
    click.option(
        "--user-model",
        metavar="NAME",
        default="",
        help="The model of tau-bench's user; default a script.",
    ),
    click.option(
        "--system-prompt",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="The system prompt of all arms.",
    ),
)
_ASKING = (
    click.option(
        "--prices",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help='Prices per million tokens: {"model": {"input": 0.27, "output": 1.1, "date": "2026-11-01"}}.',
    ),
    click.option(
        "--temperature",
        metavar="X",
        type=click.FloatRange(0),
        default=0,
        show_default=True,
        help="The models' temperature.",
    ),
    click.option("--max-tokens", metavar="N", type=click.IntRange(1), help="Tokens of one answer."),
    click.option("--reasoning", type=click.Choice(EFFORTS), help="The reasoning effort."),
    click.option(
        "--reasoning-tokens",
        metavar="N",
        type=click.IntRange(1),
        help="The reasoning budget.",
    ),
    click.option(
        "--model-arg",
        metavar="NAME=VALUE",
        multiple=True,
        help="A provider argument, as inspect's -M. Repeatable.",
    ),
    click.option(
        "--routing",
        metavar="JSON",
        help='OpenRouter\'s routing: {"order": ["minimax/fp8"], "allow_fallbacks": false}.',
    ),
)


def model_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of a study's models."""
    return _with((*_STUDY, *_ASKING), command)


def asking_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of how a model is asked."""
    return _with(_ASKING, command)


def effort_options(at_once: int, of: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return what adds the options of how an endpoint is treated: nothing of it changes what is asked."""
    options = (
        click.option(
            "--max-cost",
            metavar="AMOUNT",
            type=click.FloatRange(0),
            help="Stop before spending more.",
        ),
        click.option(
            "--concurrency",
            metavar="N",
            type=click.IntRange(1),
            default=at_once,
            show_default=True,
            help=of,
        ),
        click.option(
            "--timeout",
            metavar="SECONDS",
            type=click.IntRange(1),
            default=600,
            show_default=True,
            help="Timeout of a request.",
        ),
    )
    return lambda command: _with(options, command)


def _with(options: Sequence[Callable[..., Any]], command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(options):
        command = option(command)
    return command


def model_settings(given: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of models; what was not asked for is not among them."""
    if (
        not given["user_model"]
        and given["environment"] == "tau-retail"
        and not all(map(is_scripted, given["agents"]))
    ):
        warn("without --user-model the user is a script, which leaves at the agent's first words")
    settings = asking_settings(given)
    if given["user_model"]:
        settings["user_model"] = given["user_model"]
    if given["system_prompt"]:
        settings["system_prompt"] = given["system_prompt"].read_text("utf-8")
    return settings


def asking_settings(given: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of how a model is asked."""
    settings = {name: given[name] for name in ("max_tokens", "reasoning", "reasoning_tokens") if given[name]}
    if given["temperature"]:
        settings["temperature"] = given["temperature"]
    if given["prices"]:
        settings["prices"] = read_json(given["prices"])
    if given["model_arg"]:
        settings["model_args"] = dict(named_value("--model-arg", text) for text in given["model_arg"])
    if given["routing"]:
        settings["routing"] = _json(given["routing"])
    return settings


def named_value(option: str, text: str) -> tuple[str, Any]:
    """Read NAME=VALUE; a value is JSON, or text."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise OutcomeMonitorsError(f"{option} {text} is not of the form NAME=VALUE")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise OutcomeMonitorsError(f"--routing is no JSON: {error}") from error
