"""The proxy alerts from the first call, before anything was learned, and keeps the result as it is."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.net.support import DATA, Talk

ROWS: list[dict[str, Any]] = [
    {"tool": "shop.find", "result": [{"id": "A1", "price": 3.5}]},
    {"tool": "shop.get_order", "result": {"order_id": "W2", "total": 3.5}},
    {"tool": "web.fetch", "result": "Error: connect ECONNREFUSED 127.0.0.1:80"},
    {"tool": "shop.list", "result": {"count": 9, "orders": []}},
]
ARGUMENTS = [{"query": "lamp"}, {"order_id": "W1"}, {"url": "http://localhost"}, {}]


LOST: list[dict[str, Any]] = [
    {"tool": "shop.create_order", "result": {"order_id": "W-9000", "status": "created"}},
    {"tool": "shop.get_order", "result": "Order W-9000 not found", "error": True},
    {"tool": "shop.get_order", "result": "Order W-1 not found", "error": True},
]


def call(row: int, rows: list[dict[str, Any]], arguments: dict[str, Any]) -> bytes:
    params = {"name": rows[row]["tool"], "arguments": arguments, "_meta": {"row": row}}
    return (
        json.dumps({"jsonrpc": "2.0", "id": row, "method": "tools/call", "params": params}).encode() + b"\n"
    )


def answers(
    folder: Path, *options: str, rows: list[dict[str, Any]] = ROWS, arguments: Sequence[Any] = ARGUMENTS
) -> list[dict[str, Any]]:
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    server = (DATA / "server.py", folder / "rows.jsonl", folder / "received.bin")
    command = (
        ("-m", "outcome_monitors", "proxy", "--timeout", "60", *options, "--", sys.executable)
        if options
        else ()
    )
    running = Talk(*command, *server, cwd=folder)
    heard = running.ask(b"".join(call(row, rows, each) for row, each in enumerate(arguments)))
    running.end()
    return [json.loads(line)["result"] for line in heard if b'"result"' in line]


@pytest.mark.parametrize("options", [("--mode", "advise"), ("--learn", "state")])
def test_wrong_results_have_a_receipt_from_the_first_call(options, tmp_path):
    plain, through = answers(tmp_path), answers(tmp_path, *options)
    assert through[0] == plain[0]
    for before, after, says in zip(
        plain[1:], through[1:], ("order_id", "text of a failure", "count"), strict=True
    ):
        assert after["content"][: len(before["content"])] == before["content"]
        assert "inconsistent" in after["content"][-1]["text"] or says in after["content"][-1]["text"]
        assert len(after["content"]) == len(before["content"]) + 1


@pytest.mark.parametrize("options", [("--mode", "advise"), ("--learn", "state")])
def test_an_open_failure_that_contradicts_a_confirmed_write_has_a_receipt_about_the_write(options, tmp_path):
    arguments = [{"items": ["lamp"]}, {"order_id": "W-9000"}, {"order_id": "W-1"}]
    plain = answers(tmp_path, rows=LOST, arguments=arguments)
    through = answers(tmp_path, *options, rows=LOST, arguments=arguments)
    assert [through[0], through[2]] == [plain[0], plain[2]]
    assert through[1]["isError"]
    assert through[1]["content"][:-1] == plain[1]["content"]
    assert "shop.create_order (1 call ago) reported success" in through[1]["content"][-1]["text"]
