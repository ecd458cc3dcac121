"""docs/reference/commands.md cannot rot: its examples are run, and every command and option is in it."""

import os
import re
import shutil
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from outcome_monitors.cli import COMMANDS, commands
from tests.commandline import Run
from tests.places import DOCS

PAGE = DOCS / "reference" / "commands.md"
EXAMPLE = re.compile(r"```console\n\$ outcome-monitors (?P<arguments>.*)\n(?P<output>(?:.*\n)*?)```\n")


@pytest.fixture
def examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run commands in a copy of docs/examples; what they say is as in a terminal, both streams in one."""
    shutil.copytree(DOCS / "examples", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(commands, arguments, prog_name="outcome-monitors")


def test_the_examples_give_what_the_page_says(examples: Run) -> None:
    """OUTCOME_MONITORS_GOLDEN=write writes the page anew."""

    def run(example: re.Match[str]) -> str:
        result = examples(*example["arguments"].split())
        assert result.exit_code in {0, 1}, result.output
        return f"```console\n$ outcome-monitors {example['arguments']}\n{result.output.rstrip()}\n```\n"

    page, runs = EXAMPLE.subn(run, PAGE.read_text(encoding="utf-8"))
    assert runs >= 2 * len(COMMANDS.keys() - {"console", "demo", "proxy"})  # which have pages of their own
    if os.environ.get("OUTCOME_MONITORS_GOLDEN") == "write":
        PAGE.write_text(page, encoding="utf-8")
    assert page == PAGE.read_text(encoding="utf-8")


def test_the_examples_of_the_help_work(examples: Run) -> None:
    for name in ("import", "mine", "check", "report", "show", "events"):
        [example] = re.findall(r"^ +outcome-monitors (.*)$", examples(name, "--help").output, re.MULTILINE)
        result = examples(*example.split())
        assert result.exit_code == (1 if name in ("check", "report", "events") else 0), result.output


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_on_the_page(name: str) -> None:
    page = PAGE.read_text(encoding="utf-8")
    section = page.partition(f"\n## `{name}`\n")[2].partition("\n## ")[0]
    with click.Context(commands) as context:
        command = commands.get_command(context, name)
        assert command is not None
        for parameter in command.get_params(context):
            assert not isinstance(parameter, click.Option) or parameter.help
            for option in parameter.opts if isinstance(parameter, click.Option) else ():
                assert re.search(rf"^\|.*`{option}\b.*\|", section, re.MULTILINE), option
