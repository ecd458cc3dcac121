"""Options that several commands of `study` share: how models are asked, how an endpoint is treated, where figures are written."""

import json
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from outcome_monitors.cli._output import count, printable, show_progress, table, warn, write
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.files import read_json
from outcome_monitors.mining.observations import PROFILES
from outcome_monitors_study.batches import AnswersGiven
from outcome_monitors_study.design import EFFORTS
from outcome_monitors_study.run import Progress
from outcome_monitors_study.tables import Table, money

PATH = click.Path(path_type=Path)
POSITIVE = click.IntRange(1)
FOLDER = click.argument("folder", type=PATH)
BETWEEN_WARNINGS = 30.0
"""Seconds before a person is warned of the same trouble again."""


def option(*names: str, **more: Any) -> Callable[..., Any]:
    """Return an option whose default is shown, where it has one."""
    return click.option(*names, show_default=more.get("default") not in {None, ""}, **more)


json_option = option("--json", "json_file", metavar="FILE", help="Also write JSON.")
output_option = partial(option, "-o", "--output", metavar="FILE", required=True)
model_name = option("--model", metavar="NAME", required=True, help="The endpoint's model name.")

_ASKING = (
    option(
        "--prices",
        type=PATH,
        metavar="FILE",
        help='Prices per million tokens: {"model": {"input": 0.27, "output": 1.1, "date": "2026-11-01"}}.',
    ),
    option(
        "--temperature", type=click.FloatRange(0), default=0, metavar="X", help="The models' temperature."
    ),
    option("--max-tokens", type=POSITIVE, metavar="N", help="Tokens of one answer."),
    option("--reasoning", type=click.Choice(EFFORTS), help="The reasoning effort."),
    option("--reasoning-tokens", type=POSITIVE, metavar="N", help="The reasoning budget."),
    option(
        "--model-arg",
        metavar="NAME=VALUE",
        multiple=True,
        help="A provider argument, as inspect's -M. Repeatable.",
    ),
)


def profile_option(default: str) -> Callable[..., Any]:
    """Return the option that chooses a profile."""
    return option("--profile", type=click.Choice(list(PROFILES)), default=default, help="What to learn.")


def asking_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of how a model is asked."""
    return _with(_ASKING, command)


def effort_options(at_once: int, of: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return what adds the options of how an endpoint is treated: nothing of it changes what is asked."""
    options = (
        option("--max-cost", type=click.FloatRange(0), metavar="AMOUNT", help="Stop before spending more."),
        option("--concurrency", type=POSITIVE, default=at_once, help=of),
        option("--timeout", type=POSITIVE, default=600, help="Seconds of one request to a model."),
    )
    return lambda command: _with(options, command)


def _with(options: Sequence[Callable[..., Any]], command: Callable[..., Any]) -> Callable[..., Any]:
    for each in reversed(options):
        command = each(command)
    return command


def asking_settings(given: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of how a model is asked; what was not given is not among them."""
    names = ("max_tokens", "reasoning", "reasoning_tokens", "temperature")
    settings = {name: given[name] for name in names if given[name]}
    if given["prices"]:
        settings["prices"] = read_json(given["prices"])
    if given["model_arg"]:
        settings["model_args"] = dict(named_value("--model-arg", text) for text in given["model_arg"])
    return settings


def named_value(name: str, text: str) -> tuple[str, Any]:
    """Read NAME=VALUE of an option; a value is JSON, or text."""
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise OutcomeMonitorsError(f"{name} {text} is not of the form NAME=VALUE")
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value


def print_line(text: str) -> None:
    """Write one line."""
    write(printable(text) + "\n")


def print_tables(tables: Sequence[Table]) -> None:
    """Write tables, each under its heading."""
    for heading, columns, rows in tables:
        write(heading + "\n")
        table(columns, rows)


def warn_of_answers(answers: AnswersGiven) -> None:
    """Say what was wrong with the lines of answer files."""
    for number, what in (
        (answers.failed, "failed at the endpoint"),
        (answers.twice, "answer what was answered before; the first counts"),
        (answers.foreign, "answer other requests"),
        (len(answers.broken), f"could not be read, the first: {(answers.broken or [''])[0]}"),
    ):
        if number:
            warn(f"{count(number, 'line')}: {what}")


def show_progress_of(what: str) -> Callable[[Progress], None]:
    """Return what shows progress of so many episodes or requests, no more often than people can read."""
    due, last, silent_until = time.monotonic() + 1.0, "", 0.0

    def show(progress: Progress) -> None:
        nonlocal due, last, silent_until
        trouble = progress.fault or progress.trouble
        kind = trouble.partition(";")[0]
        if trouble and (kind != last or time.monotonic() > silent_until):
            warn(
                f"{'an episode was broken off' if progress.fault else 'the endpoint failed'}: {printable(trouble)}"
            )
            last, silent_until = kind, time.monotonic() + BETWEEN_WARNINGS
        if not sys.stderr.isatty() or time.monotonic() < due:
            return
        due = time.monotonic() + 0.2
        left = "" if progress.seconds_left is None else f", {progress.seconds_left:.0f} s left"
        more = "" if not progress.cost_left else f", about {progress.cost_left:.2f} to come"
        show_progress(
            f"{progress.done:,} of {count(progress.planned, what)}{left}, cost {money(progress.spent)}{more}"
        )

    return show
