"""The proxy alerts from the first call, before anything was learned, and keeps the result as it is."""

import json
import sys
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


def call(row: int) -> bytes:
    params = {"name": ROWS[row]["tool"], "arguments": ARGUMENTS[row], "_meta": {"row": row}}
    return (
        json.dumps({"jsonrpc": "2.0", "id": row, "method": "tools/call", "params": params}).encode() + b"\n"
    )


def answers(folder: Path, *options: str) -> list[dict[str, Any]]:
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    server = (DATA / "server.py", folder / "rows.jsonl", folder / "received.bin")
    command = (
        ("-m", "outcome_monitors", "proxy", "--budget", "60", *options, "--", sys.executable)
        if options
        else ()
    )
    running = Talk(*command, *server, cwd=folder)
    heard = running.ask(b"".join(map(call, range(len(ROWS)))))
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
