"""Bad input is counted, explained and never fatal, unless one asks for that."""

import json
import random
from typing import Any

import pytest

from outcome_monitors.exceptions import TraceError
from outcome_monitors.traces.importers import ImportTally, import_traces
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
    assert [(call.tool, call.session) for call in calls] == [(f"tool_{n}", "s") for n in (1, 2, 3)]


@pytest.mark.parametrize(
    "name", ["otel_pydantic_ai.jsonl", "phoenix.json", "langsmith.jsonl", "openai_chat.jsonl"]
)
@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_an_export_that_is_cut_short_is_read_up_to_the_cut(name, share, tmp_path):
    whole = (RECORDED / name).read_bytes()
    path = tmp_path / name
    path.write_bytes(whole[: int(len(whole) * share)])
    calls, tally = imported(path)
    everything = [(call.tool, call.arguments, call.result) for call in imported(RECORDED / name)[0]]
    assert all((call.tool, call.arguments, call.result) in everything for call in calls if not call.error)
    said = [line for line in tally.explain() if f"(first {path}:" in line]
    assert any("cut short" in line or "not JSON" in line for line in said)


ODD: tuple[Any, ...] = (
    *(None, True, -1.5, "", "x", "{", "data: {"),
    *([], {}, [[]], {"a": {}}, ["x", None], {"lc": 1}, 10**30),
)


@pytest.mark.parametrize("name", [*EXPORTED, *CODING])
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


def test_an_archive_that_is_none_is_counted(tmp_path):
    path = tmp_path / "log.eval"
    path.write_bytes((RECORDED / "inspect.eval").read_bytes()[:5000])
    calls, tally = imported(path)
    assert not calls
    assert reasons(tally) == {"archives are cut short, or no logs of inspect_ai": 1}


def test_a_missing_file_raises_before_any_is_read(tmp_path):
    with pytest.raises(TraceError, match="there is no such file or folder"):
        import_traces([RECORDED / "anthropic.jsonl", tmp_path / "missing"])
