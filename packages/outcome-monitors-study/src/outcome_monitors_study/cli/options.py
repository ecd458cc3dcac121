"""What the commands of `study` share."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from outcome_monitors.cli._output import printable, table, write
from outcome_monitors.mining.observations import PROFILES
from outcome_monitors_study.tables import Table

PATH = click.Path(path_type=Path)
POSITIVE = click.IntRange(1)
FOLDER = click.argument("folder", type=PATH)


def option(*names: str, **more: Any) -> Callable[..., Any]:
    """Return an option whose default is shown, where it has one."""
    return click.option(*names, show_default=more.get("default") not in {None, ""}, **more)


json_option = option("--json", "json_file", metavar="FILE", help="Also write JSON.")


def profile_option(default: str) -> Callable[..., Any]:
    """Return the option that chooses a profile."""
    return option("--profile", type=click.Choice(list(PROFILES)), default=default, help="What to learn.")


def print_line(text: str) -> None:
    """Write one line."""
    write(printable(text) + "\n")


def print_tables(tables: Sequence[Table]) -> None:
    """Write tables, each under its heading."""
    for each in tables:
        write(each.heading + "\n")
        table(each.headings, each.texts)
