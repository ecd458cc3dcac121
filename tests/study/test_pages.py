"""The pages on studies are true: every command on them can be given, and what runs in a moment is run."""

import doctest
import re
import shlex

import click
import pytest

from outcome_monitors.cli import commands
from outcome_monitors_study import statistics
from outcome_monitors_study.arms import ARMS
from outcome_monitors_study.prices import PRICES, cost_of
from tests.places import DOCS

STUDIES = (DOCS / "guides" / "studies.md").read_text(encoding="utf-8")


def test_examples_of_the_page_run():
    done = doctest.testfile(str(DOCS / "guides" / "studies.md"), module_relative=False, encoding="utf-8")
    assert done.attempted >= 5
    assert done.failed == 0


def test_examples_of_docstrings_run():
    done = doctest.testmod(statistics)
    assert done.attempted >= 6
    assert not done.failed


def test_every_arm_is_on_the_page():
    page = STUDIES
    assert [name for name in ARMS if f"`{name}`" not in page and name != "baseline"] == []


def test_the_costs_are_those_of_the_price_table():
    """A quarter of the tokens that the paper prints for its four models."""
    usage = {"input_tokens": 24_810_000 // 4, "output_tokens": 906_000 // 4}
    rows = re.findall(r"^\| `([\w.-]+)` \| ([\d.]+) \|$", STUDIES, re.MULTILINE)
    assert len(rows) > 3
    for model, dollars in rows:
        assert f"{cost_of(PRICES[model], usage):.2f}" == dollars, model


PAPER = (DOCS / "internals" / "paper.md").read_text(encoding="utf-8")
GIVEN = [
    shlex.split(line)[1:]
    for block in re.findall(r"```sh\n(.*?)```", PAPER, re.DOTALL)
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


def test_the_example_of_the_paper_page_runs():
    done = doctest.testfile(str(DOCS / "internals" / "paper.md"), module_relative=False, encoding="utf-8")
    assert (done.attempted, done.failed) == (3, 0)
