"""Every source tells the same story: the libraries recorded one conversation, and its calls come out alike."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from outcome_monitors import Call
from outcome_monitors.traces.importers import ImportTally, import_traces
from tests.places import FIXTURES

RECORDED = FIXTURES / "imports"

STORY = {
    order: [
        ("get_order", {"order_id": order}, {"order_id": order, "status": "sent", "total": 62.5}),
        (
            "find_orders",
            {"status": "sent", "limit": 2},
            [{"order_id": "W17", "status": "sent"}, {"order_id": "W18", "status": "sent"}],
        ),
        ("cancel_order", {"order_id": order, "reason": "late"}, None),
    ]
    for order in ("W17", "W18")
}
"""What was called in each run, and what came back; the last call failed."""

EXPORTED = {
    "agents_spans.jsonl": "agents",
    "anthropic.jsonl": "anthropic",
    "langchain_messages.jsonl": "langchain",
    "langfuse_langchain.json": "langfuse",
    "langfuse_langchain_otel.jsonl": "langfuse",
    "langfuse_observations.json": "langfuse",
    "langfuse_otel.jsonl": "langfuse",
    "langsmith.jsonl": "langsmith",
    "logfire_agents.json": "logfire",
    "mlflow.jsonl": "mlflow",
    "openai_chat.jsonl": "openai",
    "openai_gateway.jsonl": "openai",
    "openai_responses.jsonl": "openai",
    "openinference_agents.json": "openinference",
    "openinference_langchain.jsonl": "openinference",
    "otel_openai.jsonl": "otel",
    "otel_openai_logs.jsonl": "otel",
    "otel_pydantic_ai.jsonl": "otel",
    "otel_vercel_ai.jsonl": "otel",
    "phoenix.json": "openinference",
    "traceloop_langchain.jsonl": "traceloop",
    "vercel_ai.jsonl": "vercel",
}
NO_ERRORS = {
    "openai_chat.jsonl",
    "openai_gateway.jsonl",
    "openai_responses.jsonl",
    "otel_openai.jsonl",
    "otel_openai_logs.jsonl",
}
"""Formats that do not say that a tool failed."""
SESSIONS = {
    "anthropic.jsonl",
    "langchain_messages.jsonl",
    "openai_gateway.jsonl",
    "openai_responses.jsonl",
    "otel_openai.jsonl",
    "otel_openai_logs.jsonl",
}
"""Logs without a session; it is worked out."""


CODING = {"claude_code.jsonl": "anthropic", "codex.jsonl": "openai"}
"""Session logs of coding agents, which put the server before a tool's name."""


def imported(*paths: Path, source: str = "auto") -> tuple[list[Call], ImportTally]:
    tally = ImportTally()
    return list(import_traces(paths, source, tally=tally)), tally


def check_story(calls: list[Call], *, errors: bool = True) -> None:
    sessions = list(dict.fromkeys(call.session for call in calls))
    assert len(sessions) == len(STORY)
    for session in sessions:
        run = [call for call in calls if call.session == session]
        order = next(call.arguments["order_id"] for call in run if call.tool == "get_order")
        # Calls that were made at once may be recorded in either order.
        told = sorted(STORY[order][:2]) + STORY[order][2:]
        heard = sorted(run[:2], key=lambda call: call.tool) + run[2:]
        told[:2] = sorted(told[:2], key=lambda story: story[0])
        assert [call.tool for call in heard] == [tool for tool, _, _ in told]
        assert [call.arguments for call in heard] == [arguments for _, arguments, _ in told]
        assert [call.result for call in heard[:2]] == [result for _, _, result in told[:2]]
        assert [call.error for call in heard] == [False, False, errors]


@pytest.mark.parametrize("name", EXPORTED)
def test_every_export_gives_the_same_calls(name):
    calls, tally = imported(RECORDED / name)
    check_story(calls, errors=name not in NO_ERRORS)
    assert {source for _, source in tally.records} == {EXPORTED[name]}
    assert not [reason for reason in tally.reasons if reason.lost]
    assert imported(RECORDED / name, source=EXPORTED[name])[0] == calls
    assert name in SESSIONS or {call.session for call in calls} == {"run-1", "run-2"}


def test_rows_of_logfires_table_are_the_spans_they_were(tmp_path):
    """Its query interface cannot be asked here: the columns are those that its documentation names."""
    spans = [json.loads(line) for line in (RECORDED / "logfire_agents.json").read_text().splitlines()]
    rows = [
        {
            "trace_id": span["context"]["trace_id"],
            "span_id": span["context"]["span_id"],
            "parent_span_id": span["parent_id"],
            "span_name": span["name"],
            "kind": kind,
            "start_timestamp": span["start_time"],
            "otel_status_code": span["status"]["status_code"],
            "attributes": span["attributes"],
        }
        for span in spans
        for kind in ("pending_span", "span")
    ]
    (tmp_path / "rows.json").write_text(json.dumps({"columns": [], "rows": rows}))
    calls, tally = imported(tmp_path / "rows.json")
    assert calls == imported(RECORDED / "logfire_agents.json")[0]
    assert {source for _, source in tally.records} == {"logfire"}


def test_rows_and_artifacts_of_mlflow_are_the_traces_they_were(tmp_path):
    traces = [json.loads(line) for line in (RECORDED / "mlflow.jsonl").read_text().splitlines()]
    rows = [
        {**trace["info"], "trace": json.dumps(trace), "spans": trace["data"]["spans"]} for trace in traces
    ]
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    told = imported(RECORDED / "mlflow.jsonl")[0]
    assert imported(tmp_path / "rows.json")[0] == told
    (tmp_path / "rows.json").unlink()
    for number, trace in enumerate(traces):
        (tmp_path / f"traces{number}.json").write_text(json.dumps(trace["data"]))
    calls, tally = imported(tmp_path)
    check_story(calls)
    assert any(line.startswith("6 tool calls name no session") for line in tally.explain())


def constructed(message):
    names = {"human": "HumanMessage", "ai": "AIMessage", "tool": "ToolMessage"}
    path = ["langchain", "schema", "messages", names[message["type"]]]
    return {"lc": 1, "type": "constructor", "id": path, "kwargs": message["data"]}


def test_langchains_messages_are_one_conversation_in_every_form(tmp_path):
    told = imported(RECORDED / "langchain_messages.jsonl")[0]
    messages = json.loads((RECORDED / "langchain_messages.jsonl").read_text().splitlines()[0])
    forms = {
        "indented": json.dumps(messages, indent=1),
        "lines": "".join(json.dumps(message) + "\n" for message in messages),
        "dumped": json.dumps({"messages": [message["data"] for message in messages]}),
        "lc": json.dumps([constructed(message) for message in messages]),
    }
    for form, text in forms.items():
        (tmp_path / f"{form}.json").write_text(text)
        calls, tally = imported(tmp_path / f"{form}.json")
        assert [(call.tool, call.arguments, call.result, call.error) for call in calls] == [
            (call.tool, call.arguments, call.result, call.error) for call in told[:3]
        ]
        assert len({call.session for call in calls}) == 1
        assert {source for _, source in tally.records} == {"langchain"}


@pytest.mark.parametrize("name", CODING)
def test_logs_of_coding_agents_give_the_same_calls(name):
    calls, tally = imported(RECORDED / name)
    assert {call.tool.partition("__shop__")[0] for call in calls} == {"mcp"}
    check_story([replace(call, tool=call.tool.removeprefix("mcp__shop__")) for call in calls])
    assert {source for _, source in tally.records} == {CODING[name]}
    assert not [reason for reason in tally.reasons if reason.lost]


def test_agents_within_a_session_of_claude_code_have_sessions_of_their_own(tmp_path):
    lines = [json.loads(line) for line in (RECORDED / "claude_code.jsonl").read_text().splitlines()]
    session = lines[-1]["sessionId"]
    aside = [{**line, "isSidechain": True, "agentId": "a7"} for line in lines if line["sessionId"] == session]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in aside))
    assert {call.session for call in imported(tmp_path / "log.jsonl")[0]} == {f"{session}/a7"}


def test_a_call_of_codex_without_an_item_has_the_result_without_the_words_before_it(tmp_path):
    lines = [json.loads(line) for line in (RECORDED / "codex.jsonl").read_text().splitlines()]
    read = [line for line in lines if line["type"] != "event_msg"]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in read))
    found, failed = ([call.result for call in imported(tmp_path / "log.jsonl")[0]][at] for at in (0, 2))
    assert found == {"order_id": "W17", "status": "sent", "total": 62.5}
    assert failed == "Error executing tool cancel_order: too late to cancel"


def test_mcp_results_are_the_structured_content():
    calls, tally = imported(RECORDED / "mcp_run-1.jsonl", RECORDED / "mcp_run-2.jsonl")
    check_story(
        [
            replace(call, result=call.result["result"]) if call.tool == "find_orders" else call
            for call in calls
        ]
    )
    assert {source for _, source in tally.records} == {"mcp"}


def test_inspect_epochs_are_sessions_of_one_task():
    pytest.importorskip("backports.zstd", reason="inspect_ai packs its logs with zstd")
    calls, tally = imported(RECORDED / "inspect.eval")
    assert {call.task for call in calls} == {"run-1", "run-2"}
    assert len({call.session for call in calls}) == 4
    assert {source for _, source in tally.records} == {"inspect"}
    for task in ("run-1", "run-2"):
        first = next(call.session for call in calls if call.task == task)
        assert [call.tool for call in calls if call.session == first] == [tool for tool, _, _ in STORY["W17"]]
    assert {call.tools for call in calls} == {("get_order", "find_orders", "cancel_order")}


def test_without_content_the_next_step_is_named():
    calls, tally = imported(RECORDED / "otel_no_content.jsonl")
    assert {(call.tool, call.error) for call in calls} == {("cancel_order", True)}
    [explained] = tally.explain()
    assert explained.startswith(
        f"4 tool spans carry no result (first {RECORDED / 'otel_no_content.jsonl'}:1): "
    )
    assert "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT" in explained


def test_a_folder_of_many_formats(tmp_path):
    for name in ("langsmith.jsonl", "anthropic.jsonl", "phoenix.json", "mcp_run-1.jsonl"):
        shutil.copy(RECORDED / name, tmp_path)
    (tmp_path / "notes.md").write_text("not a trace")
    (tmp_path / "empty.json").write_text("")
    (tmp_path / "config.json").write_text('{"model": "m"}')
    calls, tally = imported(tmp_path)
    assert len(calls) == 6 + 6 + 6 + 3
    assert sorted(source for _, source in tally.records) == ["anthropic", "langsmith", "mcp", "openinference"]
    said = "\n".join(tally.explain())
    assert f"1 file is of no format that is known (first {tmp_path / 'config.json'})" in said
    assert f"1 file in a folder is of another kind (first {tmp_path / 'notes.md'})" in said
    assert f"1 file holds no records (first {tmp_path / 'empty.json'})" in said
