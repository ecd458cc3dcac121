"""`mine` with more cores, with more evidence later, and without what is private."""

import gzip
import json
from pathlib import Path

import pytest

from outcome_monitors.traces.reader import call_to_json
from outcome_monitors_study.world import nominal_traces
from tests.commandline import Run, Write

LINES = [call_to_json(call) for call in nominal_traces(12)]
HALF = next(i for i in range(len(LINES) // 2, len(LINES)) if LINES[i]["session"] != LINES[i - 1]["session"])


@pytest.mark.parametrize("profile", ["paper", "full"])
def test_an_update_gives_what_all_traces_at_once_give(
    run: Run, write: Write, tmp_path: Path, profile
) -> None:
    old, new, both = (
        write("old.jsonl", LINES[:HALF]),
        write("new.jsonl", LINES[HALF:]),
        write("all.jsonl", LINES),
    )
    state = "contracts.state.json.gz"
    assert run("mine", old, "-o", "contracts.json", "--profile", profile, "--state", state).exit_code == 0
    result = run("mine", "--update", "contracts.json", new)
    assert result.exit_code == 0, result.output
    assert run("mine", both, "-o", "all.json", "--profile", profile, "--state", "all.gz").exit_code == 0
    assert Path("contracts.json").read_bytes() == Path("all.json").read_bytes()
    assert Path(state).read_bytes() == Path("all.gz").read_bytes()


def test_private_values_are_in_no_file(run: Run, write: Write) -> None:
    lines = [
        {
            "tool": "get",
            "arguments": {"pin": f"zebra{n}"},
            "result": {"mail": "zebra@x.org", "n": n},
            "task": str(n),
        }
        for n in range(9)
    ]
    told = ("--private", "mail", "--private", "@pin", "--state", "c.state.json.gz")
    assert run("mine", write("t.jsonl", lines), "-o", "c.json", *told).exit_code == 0
    assert run("mine", "--update", "c.json", "t.jsonl").exit_code == 0
    state = gzip.decompress(Path("c.state.json.gz").read_bytes()).decode()
    assert json.loads(state)["private"] == ["@pin", "mail"]
    assert "zebra" not in state + Path("c.json").read_text()
    assert (
        run(
            "mine", "t.jsonl", "-o", "f.json", "--private", "mail", "--private", "@pin", "--folds", "2"
        ).exit_code
        == 0
    )
    assert not any("zebra" in file.read_text() for file in Path().glob("f*.json"))
