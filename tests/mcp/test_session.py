"""A session on the wire: only a result that violates its contract is changed, whatever else is said."""

import json
import linecache
import signal
import sys
import threading
import time

import pytest
from hypothesis import given, strategies as st

from outcome_monitors import Monitor
from outcome_monitors.events import Payloads, Watch
from outcome_monitors.learning.recorder import Recorder
from outcome_monitors.mcp import ProxyContext, TimeLimit, session as session_module
from outcome_monitors.mcp.context import OverBudget
from outcome_monitors.mcp.framing import Piece
from outcome_monitors.mcp.session import client_of
from outcome_monitors.receipts.mcp import KEY
from tests.events.shop import Kept, contracts, monitor, order, remembering
from tests.mcp.wire import (
    BAD,
    GOOD,
    NAMED,
    PATIENCE,
    TOOLS,
    Session,
    answer,
    call,
    context,
    line,
    lists,
    result,
)
from tests.strategies import json_values

ids = st.one_of(
    st.integers(-3, 3), st.sampled_from(["1", "a", ""]), st.none(), st.booleans(), st.floats(0, 3)
)
requests = st.builds(
    lambda number, method, params: {"jsonrpc": "2.0", "id": number, "method": method, "params": params},
    ids,
    st.sampled_from(["tools/call", "tools/list", "ping", "sampling/createMessage", "notifications/progress"]),
    st.one_of(json_values, st.just({"name": "get_order", "arguments": {"id": "W1"}})),
)
clean = st.builds(
    answer, ids, st.one_of(st.just(GOOD), st.just({"resultType": "input_required"}), json_values)
)
messages = st.one_of(requests, clean, json_values, st.lists(st.one_of(requests, clean), max_size=3))
ALARM = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no alarm")


@given(st.lists(st.tuples(st.booleans(), messages, st.sampled_from([None, 1])), max_size=20), st.booleans())
def test_what_violates_nothing_is_relayed_byte_for_byte(said, replays):
    """Whatever JSON comes, from either side, in any order; no tool has a schema, so nothing is declared."""
    talk = Session(replays=replays)
    for of_client, message, indent in said:
        data = json.dumps(message, indent=indent).encode() + b"\n"
        if of_client:
            talk.ask(data)
        elif b"outputSchema" not in data:
            assert talk.hear(data) == data


@given(st.lists(st.binary(max_size=40), max_size=10))
def test_bytes_that_are_not_json_are_relayed(said):
    talk = Session()
    talk.ask(call(1), *said)
    assert [talk.hear(data) for data in said] == said


def test_a_violation_gets_a_receipt_once_its_schema_declares_it():
    talk = Session()
    assert talk.call(BAD, 0)["structuredContent"] == BAD["structuredContent"], "not declared yet"
    talk.ask(lists(1))
    [listed] = talk.answer(1, {"tools": TOOLS})["tools"]
    assert KEY in listed["outputSchema"]["properties"]
    assert listed["outputSchema"]["required"] == TOOLS[0]["outputSchema"]["required"]
    talk.ask(call("a"), call(2))
    assert talk.answer(2, BAD)["structuredContent"][KEY]["status"] == "inconsistent"
    assert talk.answer("a", GOOD) == GOOD
    assert talk.answer(2, BAD) == BAD, "an answer to nothing"
    assert talk.sink.outcomes == ["flagged", "flagged", "clean"]


def test_without_a_schema_nothing_is_declared_and_the_receipt_is_structured():
    talk = Session()
    talk.ask(lists(1))
    listed = line(answer(1, {"tools": [{"name": "get_order"}, "odd", {"name": 5}]}))
    assert talk.hear(listed) == listed
    assert KEY in talk.call(BAD)["structuredContent"]


def test_only_tools_with_a_contract_are_declared_and_pages_add_up():
    talk = Session()
    other = {"tools": [{**TOOLS[0], "name": "other"}], "nextCursor": "2"}
    talk.ask(lists(1), lists(2, cursor="2"), lists(3))
    assert talk.answer(1, other) == other
    for number, known in ((2, ("other", "get_order")), (3, ("get_order",))):
        talk.answer(number, {"tools": TOOLS})
        assert talk.session.tools == known


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"error": {"code": -32603, "message": "no"}}, "the server answered with an error"),
        ({"result": {**BAD, "isError": True}}, "the result says that the call failed"),
        ({"result": {"resultType": "input_required", "inputRequests": {}}}, "the result is not final"),
        ({"result": {"task": {"taskId": "7", "status": "working"}}}, "the result is not final"),
        (
            {"result": {"content": [{"type": "image", "data": "AA==", "mimeType": "image/png"}]}},
            "the content is a picture or a sound",
        ),
        ({"result": 5}, "the answer is not a tool result"),
        ({"result": {}}, "the content is empty"),
        ({"result": {"content": []}}, "the content is empty"),
        ({"result": {"content": [{"kind": "odd"}]}}, "the content is not JSON"),
    ],
)
def test_a_result_that_is_not_checked_passes_unmodified_and_its_event_says_why(said, why):
    talk = Session()
    talk.ask(call(1))
    data = line({"jsonrpc": "2.0", "id": 1, **said})
    assert talk.hear(data) == data
    assert talk.events == [("not_checked", why)]


def test_json_in_text_is_checked_where_nothing_is_structured():
    content = [
        {"type": "text", "text": json.dumps(order(1, total=-1))},
        {"type": "image", "data": "", "mimeType": "x"},
    ]
    after = Session().call({"content": content})["content"]
    assert after[:2] == content
    assert KEY in after[2]["text"]


def test_text_in_the_place_of_json_is_flagged():
    talk = Session()
    talk.call({"content": [{"type": "text", "text": '{"id": "W1", "tot'}]})
    assert talk.sink.outcomes == ["flagged"]


def test_in_a_batch_each_answer_is_checked():
    talk = Session()
    talk.ask(line([call(1), {"method": "notifications/x"}, call(2), lists(3)]))
    said = [answer(1, BAD), {"method": "ping", "id": 1}, answer(2, GOOD), answer(3, {"tools": TOOLS})]
    first, ping, second, listed = json.loads(talk.hear(said))
    assert len(first["result"]["content"]) == 2
    assert (ping, second) == (said[1], said[2])
    assert KEY in json.dumps(listed)


def test_a_request_of_the_server_and_an_id_of_another_type_are_not_the_answer():
    talk = Session()
    talk.ask(call(1))
    for said in (
        {"jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage", "params": BAD},
        answer(True, BAD),
    ):
        assert talk.hear(said) == line(said)
    talk.ask(answer(1, {"role": "assistant"}))
    assert talk.events == []
    assert len(talk.answer(1, BAD)["content"]) == 2


@pytest.mark.parametrize("written", [rb"tools\/call", rb"tools\u002fcall"])
def test_a_method_may_be_written_with_escapes(written):
    talk = Session()
    talk.ask(line(call(1)).replace(b"tools/call", written))
    assert len(talk.answer(1, BAD)["content"]) == 2


def test_the_bytes_around_a_receipt_are_those_of_the_server():
    talk = Session()
    talk.ask(call(1))
    data = (
        '{ "result" : {"content":[ {"type" :"text","text":"\\u00e9 é \\/"} ], "structuredContent": '
        '{"id":"W1","total":-1.50e0,"status":"sent"},"x":1.0 } ,"id":1,"jsonrpc":"2.0"}\r\n'
    ).encode()
    after = talk.hear(data)
    start = after.index(b', {"type": "text"')
    assert after[:start] + after[start + len(after) - len(data) :] == data


def test_an_answer_sent_again_has_the_receipt_again_and_one_event():
    talk = Session(watched=remembering(), replays=True)
    first, second = (
        line(answer(n, result({"order_id": "W1", "status": status})))
        for n, status in ((1, "sent"), (2, "paid"))
    )
    talk.ask(call(1), call(2))
    talk.hear(first)
    assert b"remembered_fact_contradicted" in talk.hear(second)
    assert b"remembered_fact_contradicted" in talk.hear(second)
    assert talk.sink.outcomes == ["clean", "flagged"]


def test_a_message_too_large_is_an_event_by_the_id_in_its_first_bytes():
    talk = Session()
    talk.ask(call('a"b'))
    talk.session.too_large(b'{"jsonrpc": "2.0", "id": "a\\"b", "result": {"content": [{"text": "xxxxxxxx')
    talk.session.too_large(b'{"result": {"content": "no id in sight')
    assert talk.events == [("not_checked", "the result is too large")]


@ALARM
def test_a_check_that_takes_too_long_is_cut_short_and_counted():
    class Slow(Monitor):
        def evaluate(self, *_):
            threading.Event().wait(10)
            raise AssertionError

    sink = Kept()
    talk = Session(ProxyContext(Watch(Slow(contracts()), sink), limit=TimeLimit(0.05)))
    assert talk.call(BAD) == BAD
    assert [(event.outcome, event.why) for event in sink.events] == [
        ("not_checked", "the check took too long")
    ]


@ALARM
def test_an_import_is_not_cut_short_and_other_work_is(tmp_path, monkeypatch):
    before, limit = signal.getsignal(signal.SIGALRM), TimeLimit(0.02)
    (tmp_path / "slow_to_load.py").write_text("import time; time.sleep(0.1)")
    monkeypatch.syspath_prepend(tmp_path)
    try:
        limit.run(__import__, "slow_to_load")
        with pytest.raises(OverBudget):
            limit.run(time.sleep, PATIENCE)
    finally:
        sys.modules.pop("slow_to_load", None)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_whenever_time_is_up_a_call_is_one_event():
    """The alarm rings at every line of a look in turn; whether that cuts the look short or not, there is one event."""
    sink, budget = Kept(), TimeLimit(60)
    at = ProxyContext(Watch(monitor(), sink), limit=budget)

    def look(ring):
        """Return what is heard, and how many lines it took; the alarm rings at one of them, if it may."""
        lines = 0

        def trace(frame, event, _argument):
            nonlocal lines
            if "outcome_monitors" not in frame.f_code.co_filename:
                return None
            # A signal does not come between the end of a block and the release of its lock; a trace does.
            at_lock = "lock:" in linecache.getline(frame.f_code.co_filename, frame.f_lineno)
            lines += event == "line" and not at_lock
            if lines == ring and event == "line" and not at_lock and budget._counts:
                raise OverBudget
            return trace

        talk = Session(at)
        talk.ask(call(1))
        before = sys.gettrace()
        sys.settrace(trace)
        try:
            return talk.hear(answer(1, BAD)), lines
        finally:
            sys.settrace(before)

    told, lines = look(0)
    # At the first few alarms of a tool, functions are written that later ones use.
    while (again := look(0)) != (told, lines):
        told, lines = again
    cut = 0
    for ring in range(1, lines + 1):
        sink.events.clear()
        heard = look(ring)[0]
        cut += heard != told
        assert sink.outcomes == ["flagged" if heard == told else "not_checked"], f"line {ring} of {lines}"
    assert lines // 2 < cut < lines


def test_an_error_inside_is_counted_logged_and_an_event_and_the_message_passes(monkeypatch, caplog):
    monkeypatch.setattr(session_module, "result_of", lambda _: 1 / 0)
    talk = Session()
    assert talk.call(BAD) == BAD
    assert talk.context.troubles == 1
    assert "ZeroDivisionError" in caplog.text
    assert talk.events == [("not_checked", "the look at it went wrong inside, see the log")]


@pytest.mark.parametrize("error", [RuntimeError, MemoryError, RecursionError, OverBudget])
@pytest.mark.parametrize("piece", [Piece(b"{}\n", whole=True), Piece(b"{", whole=False, head=True)])
def test_whatever_an_inspection_raises_the_bytes_go_on_and_it_is_counted(error, piece):
    def wrong(_data: bytes) -> None:
        raise error

    at = context()
    assert at.inspect(piece, wrong, wrong) == piece.data
    assert at.troubles == 1


def test_pending_requests_are_bounded_in_bytes_and_each_is_one_event():
    talk = Session()
    talk.ask(*(call(number, id="W1", pad="x" * 2**20) for number in range(30)))
    assert 10 < len(talk.events) < 20
    assert {why for _, why in talk.events} == {"too many calls waited for their answers"}
    for number in range(30):
        talk.hear(answer(number, GOOD))
    assert len(talk.events) == 30


def test_in_shadow_neither_results_nor_schemas_are_changed():
    sink = Kept()
    talk = Session(ProxyContext(Watch(monitor(), sink, mode="shadow", payloads=Payloads()), alerts=False))
    talk.ask(lists(1))
    assert talk.answer(1, {"tools": TOOLS}) == {"tools": TOOLS}
    assert talk.call(BAD) == BAD
    assert sink.outcomes == ["flagged"]
    assert json.loads(sink.events[0].payload.result) == BAD["structuredContent"]


def test_the_result_of_a_task_is_that_of_its_tool():
    talk = Session()
    talk.call({"task": {"taskId": "t1", "status": "working"}})
    for number, task in ((2, "t1"), (3, "another")):
        talk.ask({"jsonrpc": "2.0", "id": number, "method": "tasks/result", "params": {"taskId": task}})
    assert len(talk.answer(2, BAD)["content"]) == 2
    assert talk.answer(3, BAD) == BAD
    assert talk.sink.outcomes == ["not_checked", "flagged"]


def test_a_very_long_tool_name_is_cut_and_is_not_another_tool():
    talk = Session()
    talk.ask(call(1, tool="get_order" + "x" * 2**20))
    talk.hear(answer(1, BAD))
    [event] = talk.sink.events
    assert (len(event.tool) < 300, event.outcome) == (True, "not_covered")


@pytest.mark.parametrize(
    ("params", "client"),
    [
        (NAMED, "probe 1.2"),
        ({"_meta": {"io.modelcontextprotocol/clientInfo": {"name": "probe"}}}, "probe"),
        ({"clientInfo": {"name": "n" * 500}}, "n" * 80),
        ({"clientInfo": {"name": 5, "version": "1"}}, ""),
        ({"clientInfo": "probe", "_meta": 3}, ""),
        ({}, ""),
        ([NAMED], ""),
        (None, ""),
    ],
)
def test_a_client_is_named_by_what_it_says_of_itself(params, client):
    assert client_of({"method": "initialize", "params": params}) == client
    assert client_of([params]) == ""


def test_calls_are_recorded_with_their_client_or_else_their_session(tmp_path):
    recorder = Recorder(tmp_path / "traces.jsonl")
    at = context(recorder=recorder)
    for name, first in (("named", NAMED), ("unnamed", {"protocolVersion": "2025-11-25"}), (None, {})):
        talk = Session(at, name)
        talk.ask({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": first})
        talk.call(GOOD)
    recorder.close()
    lines = [json.loads(text) for text in (tmp_path / "traces.jsonl").read_text().splitlines()]
    assert [one.get("client") for one in lines] == ["probe 1.2", "unnamed", None]
