"""`import` from end to end: what it writes can be mined, and what it could not use is said."""

import json
import shutil
from pathlib import Path

import pytest

from tests.commandline import Run, Sentence
from tests.places import FIXTURES
from tests.traces.importers.test_bad_input import span

RECORDED = FIXTURES / "imports"


def test_a_folder_in_which_much_is_wrong_is_read_all_the_same(run: Run, tmp_path: Path) -> None:
    """Mixed formats, a truncated export, spans that come twice and out of order, skewed clocks, no sessions."""
    folder = tmp_path / "exports"
    folder.mkdir()
    shutil.copy(RECORDED / "langsmith.jsonl", folder / "a.jsonl")
    shutil.copy(RECORDED / "langsmith.jsonl", folder / "again.jsonl")
    whole = (RECORDED / "openai_chat.jsonl").read_bytes()
    (folder / "b.jsonl").write_bytes(whole[: len(whole) * 3 // 5])
    parent = {**span(9, start=100), "attributes": []}
    spans = [span(3), span(1), parent, span(2, parent="9", start=50)]
    (folder / "c.jsonl").write_text("".join(json.dumps(item) + "\n" for item in spans))
    done = run("import", "exports", "-o", "traces.jsonl")
    assert done.exit_code == 0, done.output
    assert {row.split()[1] for row in done.stdout.splitlines() if row.startswith(" exports")} == {
        "langsmith",
        "openai",
        "otel",
    }
    for said in ("came twice", "cut short", "starts before its parent", "no session"):
        assert said in done.stderr
    assert run("mine", "traces.jsonl", "-o", "contracts.json", "--profile", "paper").exit_code == 0


def test_strict_writes_nothing(run: Run, one_sentence: Sentence, tmp_path: Path) -> None:
    said = one_sentence(
        run("import", str(RECORDED / "otel_no_content.jsonl"), "-o", "traces.jsonl", "--strict")
    )
    assert "a tool span carries no result" in said
    assert not (tmp_path / "traces.jsonl").exists()


@pytest.mark.parametrize(
    "name", ["claude_code.jsonl", "codex.jsonl", "langfuse_otel.jsonl", "openinference_agents.json"]
)
def test_a_log_in_the_place_of_traces_is_told_what_it_is(run: Run, name: str) -> None:
    log = FIXTURES / "imports" / name
    done = run("mine", str(log), "-o", "contracts.json")
    assert done.exit_code == 2
    last = done.stderr.strip().splitlines()[-1]
    assert f"`outcome-monitors import {log} -o traces.jsonl` first" in last
    assert len(done.stderr.splitlines()) <= 12
    assert run("import", str(log), "-o", "traces.jsonl").exit_code == 0
    assert run("mine", "traces.jsonl", "-o", "contracts.json").exit_code in {0, 2}
