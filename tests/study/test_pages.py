"""The pages on studies are true: every command on them can be given, and what runs in a moment is run."""

import doctest
import gc
import re
import shlex
from collections import Counter

import click
import pytest
from click.testing import CliRunner

from outcome_monitors.cli import commands
from outcome_monitors_study import statistics
from outcome_monitors_study.arms import ARMS
from outcome_monitors_study.paper import paper_table
from outcome_monitors_study.prices import PRICES, cost_of
from tests.pages import keep, table, with_part
from tests.places import DOCS
from tests.study.checkouts import make_toolmaze
from tests.study.endpoint import Server

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


@pytest.fixture(scope="module")
def toolmaze(tmp_path_factory):
    return make_toolmaze(tmp_path_factory.mktemp("toolmaze"))


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


def test_the_printed_figures_are_those_of_the_command():
    made = paper_table()
    part = table(list(made.columns), made.texts)
    keep(DOCS / "internals" / "paper.md", with_part(PAPER, "printed figures", part))
    verdicts = Counter(row[-1].partition(":")[0] for row in made.texts)
    assert verdicts["same"] > 60
    assert verdicts["differs"] == 4


@pytest.mark.filterwarnings("ignore")
def test_the_commands_of_the_first_study_run(toolmaze, tmp_path, monkeypatch):
    """From the audit on, on a small checkout of the same form and a server that speaks OpenAI's."""
    pytest.importorskip("inspect_ai", reason="the extra `models` is not installed")
    pytest.importorskip("openai", reason="inspect_ai asks endpoints of OpenAI's form with openai")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "toolmaze").symlink_to(toolmaze)
    block = (DOCS / "guides" / "first-study.md").read_text().partition("```sh\n")[2].partition("```")[0]
    lines = block.splitlines()
    assert len(lines) == 10
    (tmp_path / "prices.json").write_text(shlex.split(lines[5])[1])
    with Server() as server:
        monkeypatch.setenv("LOCAL_BASE_URL", server.address)
        monkeypatch.setenv("LOCAL_API_KEY", "none")
        for line in (lines[4], *lines[6:]):
            words = shlex.split(line)[1:]
            small = ["--per-stratum", "1"] if "freeze" in words else []
            done = CliRunner().invoke(commands, [*words, *small])
            assert done.exit_code == 0, done.output
    said = done.output
    del done  # it holds the frames, and these the streams that a client leaves open
    gc.collect()
    assert "Each arm against the baseline" in said
    assert "8 of 8 episodes" in said
