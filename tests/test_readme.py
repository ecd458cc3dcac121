"""README.md is true: its code is run, its output is what comes out, and its tables are current."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from urllib.request import urlopen

import pytest

from outcome_monitors.cli import commands
from tests.commandline import runner
from tests.page_examples import holds
from tests.pages import cells, keep, table, with_part
from tests.places import DOCS, ROOT

README = ROOT / "README.md"
BENCHMARKS = DOCS / "reference" / "benchmarks.md"


@pytest.mark.parametrize("page", [README, DOCS / "start" / "first-contracts.md"], ids=lambda page: page.name)
def test_the_examples_give_what_the_page_says(page, tmp_path):
    """Every block of Python is run, and every call of the command, one after the other."""
    holds(page, tmp_path)


def test_the_figures_are_those_of_the_benchmark():
    order = cells(BENCHMARKS, "A clean order", "Monitor, profile paper")
    same = cells(BENCHMARKS, "A clean search", "Monitor, same constraints")
    mining = cells(BENCHMARKS, "5 cross-fitted registries", "")
    rows = [
        (
            "check a clean result of 12 fields, profile `paper`",
            f"{order['us']} µs, {order['x orjson.loads']} times `orjson.loads` of its bytes",
            "`python -m bench checking`",
        ),
        (
            "check 200 rows against types, categories and bounds",
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


def test_from_a_configuration_to_the_first_line_in_the_console(tmp_path, monkeypatch):
    """The commands of the page, in order; before `status` the client starts the server and calls its tool."""
    [block] = re.findall(r"```shell\n(pip install[^`]*init[^`]*)```", README.read_text(encoding="utf-8"))
    typed = [shlex.split(line, comments=True) for line in block.splitlines()]
    assert len(typed) <= 5
    assert [words[:2] for words in typed] == [
        ["pip", "install"],
        *[["outcome-monitors", "init"]] * 2,
        ["outcome-monitors", "status"],
        ["outcome-monitors", "console"],
    ]
    for name in ("server.py", "ask.jsonl"):
        shutil.copy(DOCS / "examples" / name, tmp_path)
    server = {"shop": {"command": sys.executable, "args": ["server.py"]}}
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": server}), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for words in typed[1:-2]:
        assert runner().invoke(commands, words[1:]).exit_code == 0
    entry = json.loads((tmp_path / ".mcp.json").read_text(encoding="utf-8"))["mcpServers"]["shop"]
    with (tmp_path / "ask.jsonl").open("rb") as asked:
        subprocess.run([entry["command"], *entry["args"]], stdin=asked, capture_output=True, check=True)
    told = runner().invoke(commands, typed[-2][1:]).output
    assert told.splitlines()[0] == ".outcome-monitors/shop: 1 tool: 1 observing"
    serves = [sys.executable, "-m", "outcome_monitors", *typed[-1][1:], "--listen", "127.0.0.1:0"]
    with subprocess.Popen(serves, stderr=subprocess.PIPE, text=True) as console:
        assert console.stderr is not None
        try:
            address = re.search(r"http://\S+", console.stderr.readline())
            assert address
            with urlopen(address[0], timeout=60) as page:
                first = page.read().decode()
        finally:
            console.terminate()
    assert 'href="/tool?name=get_order"' in first
    assert "observing" in first
