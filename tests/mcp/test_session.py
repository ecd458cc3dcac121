"""A session on the wire: only a result that violates its contract is changed, whatever else is said."""

import json
import signal
import time

import pytest

from outcome_monitors import Monitor
from outcome_monitors.events import Watch
from outcome_monitors.mcp import ProxyContext, TimeLimit, session as session_module
from outcome_monitors.mcp.context import OverBudget
from outcome_monitors.mcp.framing import Piece
from outcome_monitors.receipts.mcp import KEY
from tests.events.shop import Kept, contracts, order, remembering
from tests.mcp.wire import (
    BAD,
    GOOD,
    TOOLS,
    Session,
    answer,
    call,
    context,
    line,
    lists,
    result,
)


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


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"error": {"code": -32603, "message": "no"}}, "the server answered with an error"),
        ({"result": {**BAD, "isError": True}}, "the result says that the call failed"),
        ({"result": {"task": {"taskId": "7", "status": "working"}}}, "the result is not final"),
        (
            {"result": {"content": [{"type": "image", "data": "AA==", "mimeType": "image/png"}]}},
            "the content is a picture or a sound",
        ),
        ({"result": 5}, "the answer is not a tool result"),
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


def test_of_a_cut_result_the_agent_is_informed_once_how_to_get_the_rest_and_nobody_is_alarmed():
    talk = Session(watched=Monitor())
    takes = {"type": "object", "properties": {"query": {"type": "string"}, "cursor": {"type": "string"}}}
    talk.ask(lists(1))
    talk.answer(1, {"tools": [{"name": "find", "inputSchema": takes}]})
    page = {"content": [{"type": "text", "text": json.dumps({"items": [1, 2], "next_cursor": "p2"})}]}
    talk.ask(call(2, "find", query="a"), call(3, "find", query="a"), call(4, "find", query="a", cursor="p2"))
    note = talk.answer(2, page)["content"][1]["text"]
    assert "not the whole" in note
    assert 'find(query="a", cursor="p2")' in note
    assert talk.answer(3, page) == page
    assert talk.answer(4, page) == page
    assert talk.sink.outcomes == ["not_covered"] * 3
    assert talk.context.alerted == 0


def test_json_in_text_is_checked_where_nothing_is_structured():
    content = [
        {"type": "text", "text": json.dumps(order(1, total=-1))},
        {"type": "image", "data": "", "mimeType": "x"},
    ]
    after = Session().call({"content": content})["content"]
    assert after[:2] == content
    assert KEY in after[2]["text"]


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


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no alarm")
def test_a_check_that_takes_too_long_is_cut_short_and_counted():
    class Slow(Monitor):
        def conclude(self, *_):
            # Waiting costs none of it.
            time.sleep(0.1)
            while True:
                pass

    sink = Kept()
    talk = Session(ProxyContext(Watch(Slow(contracts()), sink), limit=TimeLimit(0.05)))
    assert talk.call(BAD) == BAD
    assert [(event.outcome, event.why) for event in sink.events] == [
        ("not_checked", "the check took too long")
    ]


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


def test_the_result_of_a_task_is_that_of_its_tool():
    talk = Session()
    talk.call({"task": {"taskId": "t1", "status": "working"}})
    for number, task in ((2, "t1"), (3, "another")):
        talk.ask({"jsonrpc": "2.0", "id": number, "method": "tasks/result", "params": {"taskId": task}})
    assert len(talk.answer(2, BAD)["content"]) == 2
    assert talk.answer(3, BAD) == BAD
    assert talk.sink.outcomes == ["not_checked", "flagged"]


def test_pending_requests_are_bounded_in_bytes_and_each_is_one_event():
    talk = Session()
    talk.ask(*(call(number, id="W1", pad="x" * 2**20) for number in range(30)))
    assert 10 < len(talk.events) < 20
    assert {why for _, why in talk.events} == {"too many calls waited for their answers"}
    for number in range(30):
        talk.hear(answer(number, GOOD))
    assert len(talk.events) == 30
