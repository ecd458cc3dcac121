"""docs/internals/paper.md: every command on it can be given, and those of the tool world are run, at a smaller size."""

import doctest
import re
import shlex
from itertools import pairwise

import click
import pytest

from outcome_monitors.cli import commands
from outcome_monitors_study.prices import price_of
from outcome_monitors_study.scripted import is_scripted
from tests.places import DOCS

PAGE = (DOCS / "internals" / "paper.md").read_text(encoding="utf-8")
GIVEN = [
    shlex.split(line)[1:]
    for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
    for line in block.splitlines()
]


def parsed(words: list[str]) -> click.Context:
    """Take a command apart as it would be before it is run; raise where an option or a value is not known."""
    command: click.Command = commands
    rest = list(words)
    context = command.make_context("outcome-monitors", list(rest))
    while isinstance(command, click.Group):
        name, found, rest = command.resolve_command(context, rest)
        assert found is not None, words
        command = found
        context = command.make_context(name, list(rest), parent=context)
    return context


@pytest.mark.parametrize("words", GIVEN, ids=" ".join)
def test_every_command_can_be_given(words):
    assert parsed(words).command.name == (words[1] if words[0] == "study" else words[0])


def test_example_of_the_page_runs():
    done = doctest.testfile(str(DOCS / "internals" / "paper.md"), module_relative=False, encoding="utf-8")
    assert (done.attempted, done.failed) == (3, 0)


def test_every_model_on_the_page_has_a_price_or_is_said_to_have_none():
    named = {
        name
        for words in GIVEN
        for option, value in pairwise(words)
        if option in {"--agents", "--user-model"}
        for name in value.split(",")
        if not is_scripted(name)
    }
    assert len(named) >= 5
    told = PAGE.partition("without a price")[2].partition("\n")[0]
    assert [name for name in named if price_of(name, {}) is None and f"`{name}`" not in told] == []
