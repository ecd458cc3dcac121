"""The pages on the proxy and on events are true."""

import re
import shutil
import subprocess
import sys

from outcome_monitors.events import OUTCOMES
from outcome_monitors.learning.rollout import STAGES
from outcome_monitors.receipts.mcp import CARRIERS
from tests.page_examples import holds
from tests.pages import keep, table, with_part
from tests.places import DOCS

COMMANDS, PROXY, EVENTS = (
    DOCS / "reference" / "commands.md",
    DOCS / "guides" / "proxy.md",
    DOCS / "guides" / "events.md",
)


def program(folder, *arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "outcome_monitors", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        **options,
    ).stdout


def test_the_example_gives_what_the_page_says(tmp_path):
    shutil.copytree(DOCS / "examples", tmp_path, dirs_exist_ok=True)
    program(tmp_path, "mine", "traces.jsonl", "-o", "contracts.json", "--profile", "paper")
    text = COMMANDS.read_text(encoding="utf-8")
    found = re.search(r"^\$ outcome-monitors (proxy .*) -- python (.*) < (.*)$", text, re.MULTILINE)
    assert found is not None
    with (tmp_path / found[3]).open() as asked:
        said = program(tmp_path, *found[1].split(), "--", sys.executable, found[2], stdin=asked)
    assert said.count("\n") == 3
    keep(COMMANDS, with_part(text, "proxy", f"```text\n{said}```\n"))


def test_the_outcomes_are_those_of_the_table():
    rows = [(f"`{outcome}`", says) for outcome, says in OUTCOMES.items()]
    keep(
        EVENTS, with_part(EVENTS.read_text(encoding="utf-8"), "outcomes", table(("outcome", "meaning"), rows))
    )


def test_every_way_and_stage_is_on_the_page():
    text = PROXY.read_text(encoding="utf-8")
    assert [carrier for carrier in CARRIERS if f"| `{carrier}` |" not in text] == []
    assert [stage for stage in STAGES if f"| {stage} |" not in text] == []


def test_the_examples_of_events_work(tmp_path):
    holds(EVENTS, tmp_path)
