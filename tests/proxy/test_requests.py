"""Who asks: what clients say of themselves, in either era of the protocol, and what is recorded of it."""

import json

import pytest

from outcome_monitors.learning.recorder import Recorder
from outcome_monitors.proxy import JsonRpcSession
from outcome_monitors.proxy.messages import client_of
from tests.proxy.wire import GOOD, NAMED, answer, call, desk, line

META = {"_meta": {"io.modelcontextprotocol/clientInfo": {"name": "probe"}}}


@pytest.mark.parametrize(
    ("params", "client"),
    [
        (NAMED, "probe 1.2"),
        (META, "probe"),
        ({"clientInfo": {"name": "n" * 500}}, "n" * 80),
        ({"clientInfo": {"name": 5, "version": "1"}}, ""),
        ({"clientInfo": "probe", "_meta": 3}, ""),
        ({}, ""),
        ([NAMED], ""),
        (None, ""),
    ],
)
def test_what_a_client_calls_itself(params, client):
    assert client_of({"method": "initialize", "params": params}) == client
    assert client_of([params]) == ""


def test_calls_are_recorded_with_their_client_or_their_conversation(tmp_path):
    recorder = Recorder(tmp_path / "traces.jsonl")
    at = desk(recorder=recorder)
    for name, first in (("named", NAMED), ("unnamed", {"protocolVersion": "2025-11-25"}), (None, {})):
        dialogue = JsonRpcSession(at, name)
        dialogue.asked(line({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": first}))
        dialogue.asked(line(call(1)))
        dialogue.answered(line(answer(1, GOOD)))
    recorder.close()
    lines = [json.loads(text) for text in (tmp_path / "traces.jsonl").read_text().splitlines()]
    assert [one.get("client") for one in lines] == ["probe 1.2", "unnamed", None]
