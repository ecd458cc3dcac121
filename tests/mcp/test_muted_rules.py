"""A built-in rule is muted for one tool or for all, while a proxy runs and in a file of decisions."""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.mcp.test_first_call import ARGUMENTS, ROWS, call
from tests.net.support import DATA, Talk, run

SOON = 2
"""Seconds until a running proxy has taken up a decision."""


@contextmanager
def proxy(folder: Path, *options: str) -> Iterator[Talk]:
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    behind = (sys.executable, DATA / "server.py", folder / "rows.jsonl", folder / "received.bin")
    running = Talk("-m", "outcome_monitors", "proxy", "--timeout", "60", *options, "--", *behind, cwd=folder)
    yield running
    running.end()


def receipts(running: Talk, *rows: int) -> list[bool]:
    """Call the tools of rows, and say of each whether a receipt came."""
    heard = running.ask(b"".join(call(row, ROWS, ARGUMENTS[row]) for row in rows))
    answers = [json.loads(line)["result"] for line in heard if b'"result"' in line]
    return [len(answer["content"]) > 1 for answer in answers]


def test_a_built_in_rule_is_muted_for_a_tool_and_for_all(tmp_path):
    with proxy(tmp_path, "--learn", "state") as running:
        assert receipts(running, 2, 3) == [True, True]
        assert (
            b"web.fetch./reported_failure#"
            in run("mute", "web.fetch./reported_failure", "--in", "state", cwd=tmp_path).stdout
        )
        time.sleep(SOON)
        assert receipts(running, 2, 3) == [False, True]
        muted = run("mute", "own_claims", "--in", "state", "--reason", "pages", cwd=tmp_path).stdout
        assert muted.startswith(b"*./own_claims#")
        assert muted.endswith(b" is muted\n")
        time.sleep(SOON)
        assert receipts(running, 2, 3) == [False, False]
        status = run("status", "state", cwd=tmp_path).stdout.decode()
        assert "in all tools\n  muted: *./own_claims#" in status
        assert "  muted: web.fetch./reported_failure#" in status
        wrong = run("unmute", "shop.list./own_claims", "--in", "state", cwd=tmp_path, status=2).stderr
        assert b"is not muted by itself, but for all tools: unmute own_claims" in wrong
        run("unmute", "own_claims", "--in", "state", cwd=tmp_path)


@pytest.mark.parametrize("contracts", [[], ["--contracts", "contracts.json"]])
def test_a_decisions_file_holds_with_contracts_and_without(contracts, tmp_path):
    orders = [{"tool": "shop.get_order", "result": {"order_id": f"W{n}"}, "task": str(n)} for n in range(6)]
    (tmp_path / "traces.jsonl").write_text("".join(json.dumps(order) + "\n" for order in orders))
    run("mine", "traces.jsonl", "-o", "contracts.json", cwd=tmp_path)
    run(
        *("review", "contracts.json", "--overrides", "decided.json"),
        *("--mute", "own_claims", "--mute", "web.fetch./reported_failure"),
        cwd=tmp_path,
    )
    with proxy(tmp_path, *contracts, "--overrides", "decided.json") as running:
        assert receipts(running, 1, 2, 3) == [True, False, False]
    (tmp_path / "calls.jsonl").write_text(
        "".join(
            json.dumps({**row, "arguments": given}) + "\n" for row, given in zip(ROWS, ARGUMENTS, strict=True)
        )
    )
    for command, key in (("check", "violations"), ("replay", "told")):
        done = run(
            *(command, "calls.jsonl", *contracts, "--overrides", "decided.json", "--format", "jsonl"),
            cwd=tmp_path,
            status=1,
        )
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        assert [bool(line[key]) for line in lines] == [False, True, False, False]
