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


def test_an_update_leaves_clauses_of_other_sources_alone(run: Run, write: Write) -> None:
    write("get.schema.json", b'{"type": "object", "required": ["id"]}')
    traces = write("t.jsonl", [{"tool": "get", "result": {"n": n}, "task": str(n)} for n in range(9)])
    run("mine", traces, "-o", "c.json", "--schema", "get=get.schema.json", "--state", "c.state.json.gz")
    assert run("mine", "--update", "c.json", traces).exit_code == 0
    assert "schema:" in Path("c.json").read_text()


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


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("t.jsonl",), "Missing option '-o'"),
        (("t.jsonl", "--update", "c.json", "-o", "d.json"), "leave out -o"),
        (("-o", "d.json", "--workers", "2", "--mcp-tools", "x"), "are for traces"),
        (("t.jsonl", "-o", "d.json", "--folds", "2", "--engine", "spark"), "--folds goes with none of"),
        (("t.jsonl", "-o", "d.json", "--share", "0"), "0.0 is not in the range"),
        (("t.jsonl", "-o", "d.json", "--master", "local[2]"), "add --engine spark"),
        (
            ("t.jsonl", "-o", "d.json", "--engine", "spark", "--workers", "2"),
            "--workers is for --engine local",
        ),
        (("-", "-o", "d.json", "--engine", "spark"), "Spark reads files"),
        (
            ("postgresql://h/d?fleet=x", "-o", "d.json", "--engine", "spark"),
            "`outcome-monitors learn --state ADDRESS --engine spark`",
        ),
        (("t.jsonl", "--update", "c.json", "--profile", "paper"), "the state is of profile full"),
        (("t.jsonl", "--update", "c.json", "--private", "n"), "n was not private before"),
        (
            ("t.jsonl", "--update", "other.json"),
            "outcome-monitors mine TRACES... -o other.json --state other.state.json.gz",
        ),
        (("t.jsonl", "-o", "d.json", "--private", "a..b"), "is not a path"),
        (("t.jsonl", "-o", "d.json", "--state", "t.jsonl"), "it is one of the files to read"),
    ],
)
def test_what_does_not_go_together_is_refused(run: Run, write: Write, arguments, said) -> None:
    write("t.jsonl", [{"tool": "get", "result": {"n": n}} for n in range(3)])
    run("mine", "t.jsonl", "-o", "c.json", "--state", "c.state.json.gz")
    before = Path("c.json").read_bytes(), Path("c.state.json.gz").read_bytes()
    result = run("mine", *arguments)
    assert result.exit_code == 2
    assert said in result.stderr
    assert not Path("d.json").exists()
    assert before == (Path("c.json").read_bytes(), Path("c.state.json.gz").read_bytes())
