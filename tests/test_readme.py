"""README.md is true: its code is run, its output is what comes out, and its tables are current."""

import io
import re
import shutil
from contextlib import redirect_stdout
from typing import Any

import pytest
from click.testing import CliRunner

from outcome_monitors.cli import commands
from outcome_monitors.rules import KINDS
from tests.pages import DOCS, ROOT, cells, keep, says, table, with_part

README = ROOT / "README.md"
BLOCK = re.compile(
    r"```python\n(?P<code>.*?)```\n\n```(?P<form>json|text)\n.*?```\n"
    r"|```console\n\$ outcome-monitors (?P<arguments>[^\n]*)\n.*?```\n",
    re.DOTALL,
)
BENCHMARKS = DOCS / "reference" / "benchmarks.md"


@pytest.fixture
def in_examples(tmp_path, monkeypatch):
    """Work in a copy of docs/examples."""
    shutil.copytree(DOCS / "examples", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)


def test_the_blocks_give_what_the_page_says(in_examples):
    """Every block of Python is run, and every call of the command, one after the other."""
    names: dict[str, Any] = {}

    def run(block: re.Match[str]) -> str:
        if block["arguments"] is not None:
            done = CliRunner().invoke(commands, block["arguments"].split(), prog_name="outcome-monitors")
            assert done.exit_code in {0, 1}, done.output
            return f"```console\n$ outcome-monitors {block['arguments']}\n{done.output.rstrip()}\n```\n"
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile(block["code"], "README.md", "exec"), names)
        return f"```python\n{block['code']}```\n\n```{block['form']}\n{printed.getvalue()}```\n"

    text = README.read_text(encoding="utf-8")
    page, runs = BLOCK.subn(run, text)
    assert runs == text.count("```python\n") + text.count("```console\n")
    keep(README, page)


def test_the_table_of_rule_kinds_is_current():
    rows = [
        (
            f"`{kind.name}`",
            ", ".join(sorted(kind.profiles)),
            f"`{kind.code}`" + (f"; from a schema `{kind.schema_code}`" if kind.schema_code else ""),
            says(kind),
        )
        for kind in KINDS.values()
    ]
    assert all(sentence.endswith(".") for *_, sentence in rows)
    text = README.read_text(encoding="utf-8")
    keep(README, with_part(text, "rule kinds", table(("kind", "profile", "code", "the rule"), rows)))


def test_the_figures_are_those_of_the_benchmark():
    order = cells(BENCHMARKS, "A clean order", "Monitor, profile paper")
    same = cells(BENCHMARKS, "A clean search", "Monitor, same constraints")
    mining = cells(BENCHMARKS, "5 cross-fitted registries", "")
    rows = [
        (
            "check a result of 12 fields, nothing wrong, profile `paper`",
            f"{order['us']} µs, {order['x orjson.loads']} times `orjson.loads` of its bytes",
            "`python -m bench checking`",
        ),
        (
            "check every row of a result of 200 rows against types, categories and bounds",
            f"{same['us']} µs, {same['x orjson.loads']} times `orjson.loads` of its bytes",
            "`python -m bench checking`",
        ),
        (
            "mine five cross-fitted registries from 400 workflows, profile `paper`",
            f"{mining['seconds']} s; {mining['accepted']} clauses of {mining['candidates']} candidates",
            "`python -m bench mining`",
        ),
    ]
    text = README.read_text(encoding="utf-8")
    keep(README, with_part(text, "figures", table(("what", "figure", "command"), rows)))
