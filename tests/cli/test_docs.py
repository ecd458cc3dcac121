"""docs/reference/commands.md cannot rot: its examples are run, and usage and options are those of `--help`."""

import inspect
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from outcome_monitors.cli import COMMANDS, commands
from tests.commandline import Run
from tests.pages import keep, table, with_part
from tests.places import DOCS

PAGE = DOCS / "reference" / "commands.md"
EXAMPLE = re.compile(r"```console\n\$ outcome-monitors (?P<arguments>.*)\n(?P<output>(?:.*\n)*?)```\n")
COMMON = {"--strict", "--help"}
"""Options that the page explains once."""
UNSHOWN = {None, "", False, ()}


@pytest.fixture
def examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run commands in a copy of docs/examples; what they say is as in a terminal, both streams in one."""
    shutil.copytree(DOCS / "examples", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(commands, arguments, prog_name="outcome-monitors")


def leaves(command: click.Command, context: click.Context) -> Iterator[tuple[click.Command, click.Context]]:
    """Yield a command, or all below a group, in the order of the group's help."""
    if not isinstance(command, click.Group):
        yield command, context
        return
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        assert found is not None
        yield from leaves(found, click.Context(found, context, f"{context.info_name} {name}"))


def option(parameter: click.Option, context: click.Context) -> str:
    """Return the line of an option: its names, and what its help says."""
    metavar = "" if parameter.is_flag else f" {parameter.make_metavar(context)}"
    names = [f"`{name}`" for name in parameter.opts[:-1]]
    shown = ", ".join([*names, f"`{parameter.opts[-1]}{metavar}`"])
    text = re.sub(r"  \[default: (.*)\]$", r" Default `\1`.", parameter.help or "")
    assert text, shown
    if parameter.required:
        text += " Required."
    elif isinstance(parameter.default, str | int | float) and parameter.default not in UNSHOWN:
        text += f" Default `{parameter.default}`."
    return f"- {shown}: {text}\n"


def section(name: str) -> str:
    """Return usage, help and options of a command, or of all commands of a group."""
    text = ""
    with click.Context(commands) as top:
        command = commands.get_command(top, name)
        assert command is not None
        for leaf, context in leaves(command, click.Context(command, top, name)):
            usage = " ".join([f"outcome-monitors {context.info_name}", *leaf.collect_usage_pieces(context)])
            text += f"`{usage}`\n\n{inspect.cleandoc(leaf.help or '')}\n\n"
            options = [found for found in leaf.get_params(context) if isinstance(found, click.Option)]
            text += "".join(option(found, context) for found in options if not COMMON & set(found.opts))
            text = f"{text.rstrip()}\n\n"
    return text


def test_the_examples_give_what_the_page_says(examples: Run) -> None:
    """OUTCOME_MONITORS_GOLDEN=write writes the page anew."""

    def run(example: re.Match[str]) -> str:
        result = examples(*example["arguments"].split())
        assert result.exit_code in {0, 1}, result.output
        return f"```console\n$ outcome-monitors {example['arguments']}\n{result.output.rstrip()}\n```\n"

    page, runs = EXAMPLE.subn(run, PAGE.read_text(encoding="utf-8"))
    assert runs > len(COMMANDS) / 2  # the others have examples in their guides
    if os.environ.get("OUTCOME_MONITORS_GOLDEN") == "write":
        PAGE.write_text(page, encoding="utf-8")
    assert page == PAGE.read_text(encoding="utf-8")


def test_the_examples_of_the_help_work(examples: Run) -> None:
    for name in ("import", "mine", "check", "report", "show", "events"):
        [example] = re.findall(r"^ +outcome-monitors (.*)$", examples(name, "--help").output, re.MULTILINE)
        result = examples(*example.split())
        assert result.exit_code == (1 if name in ("check", "report", "events") else 0), result.output


@pytest.mark.parametrize("name", COMMANDS)
def test_usage_and_options_are_those_of_the_help(name: str) -> None:
    keep(PAGE, with_part(PAGE.read_text(encoding="utf-8"), f"usage of {name}", section(name)))


def test_the_table_is_that_of_the_help() -> None:
    rows = [(f"[`{name}`](#{name})", purpose.rstrip(".")) for name, purpose in COMMANDS.items()]
    keep(
        PAGE,
        with_part(PAGE.read_text(encoding="utf-8"), "commands", table(("command", "what it does"), rows)),
    )


def test_the_common_options_are_explained() -> None:
    intro = PAGE.read_text(encoding="utf-8").partition("\n## ")[2].partition("\n## ")[0]
    assert {name for name in COMMON if f"`{name}" not in intro} == set()
