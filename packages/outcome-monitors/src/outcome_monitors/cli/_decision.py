"""What the commands that decide on alarms share: the folder, and the sentence that says what holds now."""

from collections.abc import Callable
from contextlib import closing
from typing import Any, TypeVar

import click

from outcome_monitors.learning.folder import StateFolder

from ._output import printable, write

__all__ = ["in_folder", "reason", "told"]

Command = TypeVar("Command", bound=Callable[..., Any])


def in_folder(command: Command) -> Command:
    """Add the option that names the folder."""
    return click.option(
        "--in",
        "folder",
        metavar="FOLDER",
        required=True,
        help="The state folder, or a fleet's address.",
    )(command)


def reason(command: Command) -> Command:
    """Add the option that says why."""
    return click.option(
        "--reason",
        metavar="TEXT",
        default="",
        help="A reason, kept with the decision.",
    )(command)


def told(decide: Callable[[StateFolder], str], folder: str) -> None:
    """Decide, and say what holds now."""
    with closing(StateFolder.at(folder)) as state:
        write(printable(decide(state)) + "\n")
