"""A conversation on the wire: only what breaks a contract is changed, whatever else is said."""

import json
import linecache
import sys
import threading

import pytest
from hypothesis import given, strategies as st

from outcome_monitors import Monitor
from outcome_monitors.events import Payloads, Watch
from outcome_monitors.learning.recorder import ToolResult
from outcome_monitors.proxy import JsonRpcSession, ProxyContext, TimeLimit, session as session_module
from outcome_monitors.proxy.context import OverBudget
from outcome_monitors.receipts.mcp import KEY
from tests.events.shop import Kept, contracts, monitor, order, remembering
from tests.proxy.wire import BAD, GOOD, TOOLS, answer, call, desk, line, lists, result
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


@given(st.lists(st.tuples(st.booleans(), messages, st.sampled_from([None, 1])), max_size=20), st.booleans())
def test_what_breaks_nothing_is_relayed_byte_for_byte(said, replays):
    """Whatever JSON comes, from either side, in any order: tools/list is declared nothing, since no tool has a schema."""
    dialogue = JsonRpcSession(desk(), "s", replays=replays)
    sent, relayed = [], []
    for of_client, message, indent in said:
        data = json.dumps(message, indent=indent).encode() + b"\n"
        if of_client:
            dialogue.asked(data)
        elif not json.dumps(message).count("outputSchema"):
            sent.append(data)
            relayed.append(dialogue.answered(data))
    assert relayed == sent


@given(st.lists(st.binary(max_size=40), max_size=10))
def test_bytes_that_are_no_json_are_relayed(said):
    dialogue = JsonRpcSession(desk(), "s")
    dialogue.asked(line(call(1)))
    relayed = []
    for data in said:
        dialogue.asked(data)
        relayed.append(dialogue.answered(data))
    assert relayed == said


def told(dialogue, number, value):
    after = dialogue.answered(line(answer(number, value)))
    return json.loads(after)["result"]


def test_a_result_that_breaks_its_contract_has_a_receipt_put_in():
    sink = Kept()
    dialogue = JsonRpcSession(desk(sink), "s")
    dialogue.asked(line(lists(1)))
    tools = told(dialogue, 1, {"tools": TOOLS})["tools"]
    assert KEY in tools[0]["outputSchema"]["properties"]
    assert tools[0]["outputSchema"]["required"] == TOOLS[0]["outputSchema"]["required"]
    dialogue.asked(line(call("a")))
    dialogue.asked(line(call(2)))
    assert told(dialogue, 2, BAD)["structuredContent"][KEY]["status"] == "inconsistent"
    assert told(dialogue, "a", GOOD) == GOOD
    assert sink.outcomes == ["flagged", "clean"]
    assert told(dialogue, 2, BAD) == BAD, "an answer to nothing"


def test_before_the_schema_is_declared_structured_content_is_left_alone():
    dialogue = JsonRpcSession(desk(), "s")
    dialogue.asked(line(call(1)))
    after = told(dialogue, 1, BAD)
    assert after["structuredContent"] == BAD["structuredContent"]
    assert len(after["content"]) == 2


def test_without_a_schema_nothing_need_be_declared():
    dialogue = JsonRpcSession(desk(), "s")
    dialogue.asked(line(lists(1)))
    listed = line(answer(1, {"tools": [{"name": "get_order"}, "odd", {"name": 5}]}))
    assert dialogue.answered(listed) == listed
    dialogue.asked(line(call(1)))
    assert KEY in told(dialogue, 1, BAD)["structuredContent"]


def test_only_tools_with_a_contract_are_declared_anew_and_pages_add_up():
    dialogue = JsonRpcSession(desk(), "s")
    dialogue.asked(line(lists(1)))
    other = [{**TOOLS[0], "name": "other"}]
    assert told(dialogue, 1, {"tools": other, "nextCursor": "2"}) == {"tools": other, "nextCursor": "2"}
    dialogue.asked(line(lists(2, cursor="2")))
    told(dialogue, 2, {"tools": TOOLS})
    assert list(dialogue.tools or ()) == ["other", "get_order"]
    dialogue.asked(line(lists(3)))
    told(dialogue, 3, {"tools": TOOLS})
    assert list(dialogue.tools or ()) == ["get_order"]


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
def test_what_is_not_checked_is_reported_so_and_left_alone(said, why):
    sink = Kept()
    dialogue = JsonRpcSession(desk(sink), "s")
    dialogue.asked(line(call(1)))
    data = line({"jsonrpc": "2.0", "id": 1, **said})
    assert dialogue.answered(data) == data
    assert [(event.outcome, event.why) for event in sink.events] == [("not_checked", why)]


def test_text_that_is_json_is_checked_where_there_is_nothing_structured():
    dialogue = JsonRpcSession(desk(), "s")
    dialogue.asked(line(call(1)))
    content = [
        {"type": "text", "text": json.dumps(order(1, total=-1))},
        {"type": "image", "data": "", "mimeType": "x"},
    ]
    after = told(dialogue, 1, {"content": content})
    assert after["content"][:2] == content
    assert KEY in after["content"][2]["text"]


def test_batches():
    dialogue = JsonRpcSession(desk(), "s")
    dialogue.asked(line([call(1), {"method": "notifications/x"}, call(2), lists(3)]))
    said = [answer(1, BAD), {"method": "ping", "id": 1}, answer(2, GOOD), answer(3, {"tools": TOOLS})]
    first, ping, second, listed = json.loads(dialogue.answered(line(said)))
    assert len(first["result"]["content"]) == 2
    assert (ping, second) == (said[1], said[2])
    assert KEY in json.dumps(listed)


def test_a_request_of_the_server_with_the_same_id_is_not_the_answer():
    dialogue = JsonRpcSession(desk(), "s")
    dialogue.asked(line(call(1)))
    asks = line({"jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage", "params": BAD})
    assert dialogue.answered(asks) == asks
    dialogue.asked(line(answer(1, {"role": "assistant"})))
    assert len(told(dialogue, 1, BAD)["content"]) == 2


def test_methods_that_are_written_in_another_way():
    for written in (rb"tools\/call", rb"tools\u002fcall"):
        dialogue = JsonRpcSession(desk(), "s")
        dialogue.asked(line(call(1)).replace(b"tools/call", written))
        assert len(told(dialogue, 1, BAD)["content"]) == 2


def test_the_bytes_around_a_receipt_are_those_of_the_server():
    dialogue = JsonRpcSession(desk(), "s")
    dialogue.asked(line(call(1)))
    data = (
        '{ "result" : {"content":[ {"type" :"text","text":"\\u00e9 é \\/"} ], "structuredContent": '
        '{"id":"W1","total":-1.50e0,"status":"sent"},"x":1.0 } ,"id":1,"jsonrpc":"2.0"}\r\n'
    ).encode()
    after = dialogue.answered(data)
    start = after.index(b', {"type": "text"')
    end = start + len(after) - len(data)
    assert after[:start] + after[end:] == data


def test_a_stream_that_sends_an_answer_again_has_the_receipt_again_and_one_event():
    sink = Kept()
    dialogue = JsonRpcSession(desk(sink, remembering()), "s", replays=True)
    for number, status in ((1, "sent"), (2, "paid")):
        dialogue.asked(line(call(number)))
        first = dialogue.answered(line(answer(number, result({"order_id": "W1", "status": status}))))
    again = dialogue.answered(line(answer(2, result({"order_id": "W1", "status": "paid"}))))
    assert again == first
    assert b"remembered_fact_contradicted" in again
    assert sink.outcomes == ["clean", "flagged"]


def test_a_message_too_large_is_reported_by_its_first_bytes():
    sink = Kept()
    dialogue = JsonRpcSession(desk(sink), "s")
    dialogue.asked(line(call('a"b')))
    dialogue.passed(b'{"jsonrpc": "2.0", "id": "a\\"b", "result": {"content": [{"text": "xxxxxxxx')
    dialogue.passed(b'{"result": {"content": "no id in sight')
    assert [(event.outcome, event.why) for event in sink.events] == [
        ("not_checked", "the result is too large")
    ]


def test_a_check_that_takes_too_long_is_cut_short_and_counted():
    class Slow(Monitor):
        def evaluate(self, *_):
            threading.Event().wait(10)
            raise AssertionError

    sink = Kept()
    dialogue = JsonRpcSession(ProxyContext(Watch(Slow(contracts()), sink), limit=TimeLimit(0.05)), "s")
    dialogue.asked(line(call(1)))
    data = line(answer(1, BAD))
    assert dialogue.answered(data) == data
    assert [(event.outcome, event.why) for event in sink.events] == [
        ("not_checked", "the check took too long")
    ]


def test_whenever_time_is_up_a_call_is_one_event():
    """The alarm rings at every line of a look in turn; the look is cut short, or it is not, and is told of once."""
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

        dialogue = JsonRpcSession(at, "s")
        dialogue.asked(line(call(1)))
        before = sys.gettrace()
        sys.settrace(trace)
        try:
            return dialogue.answered(line(answer(1, BAD))), lines
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


def test_what_goes_wrong_inside_is_counted_and_the_message_passes(monkeypatch, caplog):
    at = desk()
    dialogue = JsonRpcSession(at, "s")
    dialogue.asked(line(call(1)))
    monkeypatch.setattr(session_module, "result_of", lambda _: 1 / 0)
    data = line(answer(1, BAD))
    assert dialogue.answered(data) == data
    assert at.troubles == 1
    assert "ZeroDivisionError" in caplog.text


def test_what_is_pending_is_bounded():
    dialogue = JsonRpcSession(desk(), "s")
    for number in range(session_module.MOST_PENDING + 10):
        dialogue.asked(line(call(number)))
    assert len(dialogue._pending.requests) == session_module.MOST_PENDING


def test_in_observe_nothing_is_checked_and_nothing_changed():
    dialogue = JsonRpcSession(ProxyContext(None), "s")
    dialogue.asked(line(call(1)))
    data = line(answer(1, BAD))
    assert dialogue.answered(data) == data


def test_in_shadow_schemas_are_left_alone_too():
    sink = Kept()
    shadow = ProxyContext(Watch(monitor(), sink, mode="shadow", payloads=Payloads()), alerts=False)
    dialogue = JsonRpcSession(shadow, "s")
    dialogue.asked(line(lists(1)))
    data = line(answer(1, {"tools": TOOLS}))
    assert dialogue.answered(data) == data
    dialogue.asked(line(call(2)))
    data = line(answer(2, BAD))
    assert dialogue.answered(data) == data
    assert sink.outcomes == ["flagged"]
    assert json.loads(sink.events[0].payload.result) == BAD["structuredContent"]


def test_a_result_that_is_not_checked_has_an_outcome_that_says_why():
    front = desk()
    conversation = front.conversation("s")

    def look(found, *, again=False):
        return front.check(conversation, "get_order", {}, found, None, None, again=again)

    assert look(ToolResult(why="the content is not JSON")).why == "no result"
    assert (
        look(ToolResult("no such order", "the server answered with an error", failed=True)).why
        == "an open failure"
    )
    assert look(ToolResult(why="the content is not JSON"), again=True) is None
    too_large = front.skip(conversation, "get_order", "it is too large", None, "too large")
    assert too_large is not None
    assert too_large.why == "too large"
    assert front.outcomes == {"not_checked": 3}


@pytest.mark.parametrize(
    "text",
    ['{"id": "W1", "tot', "<html><body>502 Bad Gateway</body></html>", "Traceback (most recent call last):"],
)
def test_text_in_the_place_of_json_is_flagged(text):
    sink = Kept()
    dialogue = JsonRpcSession(desk(sink), "s")
    dialogue.asked(line(call(1)))
    told(dialogue, 1, {"content": [{"type": "text", "text": text}]})
    assert sink.outcomes == ["flagged"]


def test_the_result_of_a_task_is_that_of_its_tool():
    sink = Kept()
    dialogue = JsonRpcSession(desk(sink), "s")
    dialogue.asked(line(call(1)))
    told(dialogue, 1, {"task": {"taskId": "t1", "status": "working"}})
    for number, task in ((2, "t1"), (3, "another")):
        params = {"taskId": task}
        dialogue.asked(line({"jsonrpc": "2.0", "id": number, "method": "tasks/result", "params": params}))
    assert len(told(dialogue, 2, BAD)["content"]) == 2
    assert told(dialogue, 3, BAD) == BAD
    assert sink.outcomes == ["not_checked", "flagged"]


def test_true_is_not_the_id_of_the_first_call():
    sink = Kept()
    dialogue = JsonRpcSession(desk(sink))
    dialogue.asked(line(call(1)))
    dialogue.answered(line(answer(True, GOOD)))
    assert sink.events == []
    dialogue.answered(line(answer(1, GOOD)))
    assert sink.outcomes == ["clean"]


@pytest.mark.parametrize("kind", [{}, [], None, 1, "text"])
def test_a_block_whose_type_is_no_text_is_no_trouble_and_an_event_all_the_same(kind):
    sink = Kept()
    at = desk(sink)
    dialogue = JsonRpcSession(at)
    dialogue.asked(line(call(1)))
    said = line(answer(1, {"content": [{"type": kind, "text": "{}"}]}))
    assert dialogue.answered(said).startswith(said[:20])
    assert at.troubles == 0
    assert len(sink.events) == 1


def test_a_look_that_goes_wrong_is_an_event_too(monkeypatch):
    def wrong(_message):
        raise RuntimeError("odd")

    monkeypatch.setattr("outcome_monitors.proxy.session.result_of", wrong)
    sink = Kept()
    at = desk(sink)
    dialogue = JsonRpcSession(at)
    dialogue.asked(line(call(1)))
    said = line(answer(1, BAD))
    assert dialogue.answered(said) == said
    assert at.troubles == 1
    assert [(event.outcome, event.why) for event in sink.events] == [
        ("not_checked", "the look at it went wrong inside, see the log")
    ]


def test_requests_that_wait_are_bounded_by_bytes_and_what_is_given_up_is_an_event():
    sink = Kept()
    dialogue = JsonRpcSession(desk(sink))
    for number in range(30):
        dialogue.asked(line(call(number, id="W1", pad="x" * 2**20)))
    given_up = len(sink.events)
    assert 10 < given_up < 20
    assert {event.why for event in sink.events} == {"too many calls waited for their answers"}
    for number in range(30):
        dialogue.answered(line(answer(number, GOOD)))
    assert len(sink.events) == 30


def test_a_long_name_of_a_tool_is_kept_short_and_is_no_other_tool():
    sink = Kept()
    dialogue = JsonRpcSession(desk(sink))
    dialogue.asked(line(call(1, tool="get_order" + "x" * 2**20)))
    dialogue.answered(line(answer(1, BAD)))
    [event] = sink.events
    assert len(event.tool) < 300
    assert event.outcome == "not_covered"
