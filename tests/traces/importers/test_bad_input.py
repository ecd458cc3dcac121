"""Bad input is counted, explained and never fatal, unless one asks for that."""

import gzip
import json
import random
import shutil
from typing import Any

import pytest

from outcome_monitors.exceptions import TraceError
from outcome_monitors.traces.importers import ImportTally, _spanreader, import_traces, mcp
from outcome_monitors.traces.importers._json_records import json_records
from tests.traces.importers.test_sources import CODING, EXPORTED, RECORDED, imported


def span(
    number: int, *, start: int | None = None, trace: str = "t", parent: str = "", **said: Any
) -> dict[str, Any]:
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": f"tool_{number}",
        "gen_ai.tool.call.result": json.dumps({"n": number}),
        **said,
    }
    return {
        "traceId": trace,
        "spanId": str(number),
        "parentSpanId": parent,
        "name": "execute_tool",
        "startTimeUnixNano": str(start if start is not None else number),
        "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()],
        "status": {},
    }


@pytest.fixture
def spans(tmp_path):
    """Write spans, one a line; return the file."""

    def write(*found: Any):
        path = tmp_path / "spans.jsonl"
        path.write_text("".join(json.dumps(item) + "\n" for item in found))
        return path

    return write


def reasons(tally: ImportTally) -> dict[str, int]:
    return {reason.many: number for reason, number in tally.reasons.items()}


def test_spans_out_of_order_are_put_in_order(spans):
    calls, tally = imported(spans(span(3), span(1), span(2)))
    assert [call.tool for call in calls] == ["tool_1", "tool_2", "tool_3"]
    assert reasons(tally) == {"tool calls name no session": 3}


def test_spans_that_come_twice_are_read_once(spans):
    calls, tally = imported(spans(span(1), span(2), span(1)))
    assert [call.tool for call in calls] == ["tool_1", "tool_2"]
    assert reasons(tally)["spans came twice"] == 1


def test_the_session_may_stand_in_another_span_of_the_trace(spans):
    agent = {**span(9), "attributes": [{"key": "gen_ai.conversation.id", "value": {"stringValue": "c-1"}}]}
    calls, tally = imported(spans(span(1), span(2), agent))
    assert {call.session for call in calls} == {"c-1"}
    assert not reasons(tally)


def test_sessions_of_several_traces_are_one(spans):
    said: dict[str, Any] = {"session.id": "s"}
    calls, _ = imported(
        spans(span(3, trace="b", **said), span(1, trace="a", **said), span(2, trace="a", **said))
    )
    assert [(call.tool, call.session) for call in calls] == [
        ("tool_1", "s"),
        ("tool_2", "s"),
        ("tool_3", "s"),
    ]


def test_where_clocks_differ_the_order_of_the_export_stands(spans):
    parent = {**span(9, start=100), "attributes": []}
    calls, tally = imported(spans(parent, span(2, parent="9", start=50), span(1, parent="9", start=40)))
    assert [call.tool for call in calls] == ["tool_2", "tool_1"]
    assert reasons(tally)["tool spans start before their parents"] == 2


def test_a_full_buffer_lets_the_oldest_traces_go(spans, monkeypatch):
    monkeypatch.setattr(_spanreader, "HELD_BACK", 2000)
    calls, _ = imported(spans(*(span(number, trace=f"t{number // 2}") for number in range(100))))
    assert [call.tool for call in calls] == [f"tool_{number}" for number in range(100)]


def test_calls_that_wait_too_long_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(mcp, "WAITING", 5)
    path = tmp_path / "mcp.jsonl"
    request = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "a"}}
    lines = [{**request, "id": number} for number in range(8)]
    lines += [{"jsonrpc": "2.0", "id": number, "result": {"content": []}} for number in range(7)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    calls, tally = imported(path)
    assert len(calls) == 4
    assert reasons(tally) == {
        "requests waited too long for their responses": 3,
        "calls have no result in the log": 1,
    }


@pytest.mark.parametrize(
    "name", ["otel_pydantic_ai.jsonl", "phoenix.json", "langsmith.jsonl", "openai_chat.jsonl"]
)
@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_an_export_that_is_cut_short_is_read_up_to_the_cut(name, share, tmp_path):
    whole = (RECORDED / name).read_bytes()
    path = tmp_path / name
    path.write_bytes(whole[: int(len(whole) * share)])
    calls, tally = imported(path)
    everything = {(call.tool, str(call.arguments), str(call.result)) for call in imported(RECORDED / name)[0]}
    assert {
        (call.tool, str(call.arguments), str(call.result)) for call in calls if not call.error
    } <= everything
    assert any(
        f"(first {path}:" in line and ("cut short" in line or "not JSON" in line) for line in tally.explain()
    )


def test_packed_data_that_is_cut_short_is_read_up_to_the_cut(tmp_path):
    path = tmp_path / "log.jsonl.gz"
    packed = gzip.compress((RECORDED / "anthropic.jsonl").read_bytes() * 50)
    path.write_bytes(packed[: len(packed) // 2])
    calls, tally = imported(path)
    assert len(calls) == 6
    assert f"1 packed file is cut short or broken (first {path})" in "\n".join(tally.explain())


def test_an_archive_that_is_none_is_counted(tmp_path):
    path = tmp_path / "log.eval"
    path.write_bytes((RECORDED / "inspect.eval").read_bytes()[:5000])
    calls, tally = imported(path)
    assert not calls
    assert reasons(tally) == {"archives are cut short, or no logs of inspect_ai": 1}


ODD: tuple[Any, ...] = (
    None,
    True,
    -1.5,
    "",
    "x",
    "{",
    "data: {",
    [],
    {},
    [[]],
    {"a": {}},
    ["x", None],
    {"lc": 1},
    10**30,
)


@pytest.mark.parametrize("name", [*EXPORTED, *CODING, "phoenix_dataset.json"])
def test_damaged_exports_do_no_harm(name, tmp_path):
    """Some parts become something else, inside texts of JSON too, and sometimes the rest is missing."""
    chance = random.Random(name)
    path = tmp_path / "damaged.jsonl"
    with (RECORDED / name).open("rb") as stream:
        whole = [json.dumps(record.value) for record in json_records(stream, name, ImportTally())]
    for _ in range(25):
        lines = list(whole)
        for place in chance.sample(range(len(lines)), min(3, len(lines))):
            lines[place] = json.dumps(damaged(json.loads(lines[place]), chance))
        text = "\n".join(lines)
        path.write_text(text if chance.random() < 0.8 else text[: chance.randrange(len(text))])
        tally = ImportTally()
        assert len(list(import_traces([path], tally=tally))) == tally.calls
        assert all(tally.explain())


def damaged(value: Any, chance: random.Random) -> Any:
    """Return a JSON value with one part replaced."""
    inner = json.loads(value) if isinstance(value, str) and is_json(value) else value
    if not inner or not isinstance(inner, (dict, list)) or chance.random() < 0.1:
        return chance.choice(ODD)
    key: Any = chance.choice(list(inner) if isinstance(inner, dict) else range(len(inner)))
    inner[key] = damaged(inner[key], chance)
    return json.dumps(inner) if isinstance(value, str) else inner


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return text[:1] in ("{", "[")


def test_strict_stops_at_what_is_lost(tmp_path):
    with pytest.raises(
        TraceError, match=r"otel_no_content.jsonl:1: a tool span carries no result; switch on"
    ):
        list(import_traces([RECORDED / "otel_no_content.jsonl"], strict=True))
    shutil.copy(RECORDED / "anthropic.jsonl", tmp_path)
    assert len(list(import_traces([tmp_path], strict=True))) == 6


def test_a_missing_file_raises_before_any_is_read(tmp_path):
    with pytest.raises(TraceError, match="there is no such file or folder"):
        import_traces([RECORDED / "anthropic.jsonl", tmp_path / "missing"])
