"""What a server asks and tells its client passes the proxy: the official SDK, both eras, over stdio and HTTP.

This is the part of the compatibility matrix (`make compat`) that needs no environment of its own.
"""

import json
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("mcp_types", reason="needs the official SDK, of major version 2")
pytest.importorskip("aiohttp")

from compat import _exchanged
from compat._environments import output
from compat._matrix import HERE, SHOPS

SHOP = replace(SHOPS[1], command=(sys.executable, "-W", "ignore", "{here}/servers/shop2.py"))
CLIENT: list[str | Path] = [sys.executable, "-W", "ignore", HERE / "clients" / "exchanges_sdk2.py"]
HANDSHAKE, NEWEST = "2025-11-25", "2026-07-28"


def called(status):
    """What a client hears of a call: the server's order, which is wrong, and a receipt that comes twice."""
    order = {"id": "W1", "total": -5.0, "status": status}
    return {"said": order, "texts": [json.dumps(order, indent=2)], "receipts": 2}


EXCHANGES = {
    "sampling": [called("on its way"), ["How is the order?"]],
    "elicitation": [called("accept True"), ["Are you sure?"]],
    "roots": [called("file:///orders"), ["asked"]],
    "progress": [called("counted"), [0, 1, 2]],
    "logging": [called("logged"), ["the shop is open"]],
    "list changes": [called("grown"), True, True],
    "cancellation": True,
}
RESUMED, NOT_RESUMED = [called("resumed"), True], [called("resumed"), False]


@pytest.mark.parametrize("shop", [SHOP, SHOP.listening()], ids=["stdio", "http"])
def test_what_server_and_client_ask_and_tell_each_other(shop, tmp_path):
    with _exchanged._visits(shop, {"here": str(HERE), "folder": str(tmp_path)}) as (_, proxied):
        visits = [{**proxied, "era": era} for era in ("legacy", "auto")]
        handshake, newest = json.loads(output(CLIENT, given=json.dumps(visits), timeout=100))
    resumption = ({"resumption": RESUMED}, {"resumption": NOT_RESUMED}) if shop.over_http else ({}, {})
    assert handshake == {"era": HANDSHAKE, "heard": {**EXCHANGES, **resumption[0]}}
    assert newest == {"era": NEWEST, "heard": {**EXCHANGES, **resumption[1]}}
    events = [json.loads(event) for event in (tmp_path / "breaks.jsonl").read_text().splitlines()]
    # Questions of the newer era are results that are none yet.
    unfinished = Counter(event["tool"] for event in events if event.get("why") == "the result is not final")
    assert unfinished == {"sample": 1, "elicit": 1, "roots": 1}
    # However often a stream breaks, a result is one event.
    flagged = Counter(event["tool"] for event in events if event["outcome"] == "flagged")
    assert all(flagged[tool] == 2 for tool in ("sample", "elicit", "roots", "count", "log", "grow"))
    assert flagged["resume"] == (2 if shop.over_http else 0)
