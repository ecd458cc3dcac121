"""Pieces of a stream are the stream; events of an SSE stream are what the standard says they are."""

from outcome_monitors.mcp.framing import EVENT_END, Cutter, with_data


def test_an_event_ends_with_an_empty_line_of_any_sort():
    for end in (b"\n\n", b"\r\n\r\n", b"\r\r"):
        cutter = Cutter(100, EVENT_END)
        stream = b"id: 1" + end[: len(end) // 2] + b"data: x" + end + b"data: y" + end
        assert [piece.data for piece in cutter.feed(stream)] == [stream[: -7 - len(end)], b"data: y" + end]


def test_data_is_changed_in_its_place():
    event = b": hi\r\nid: 7\r\nevent: message\r\ndata: {\r\ndata:}\r\nretry: 5\r\n\r\n"
    assert with_data(event, lambda data: data) is event
    seen = []

    def change(data):
        seen.append(data)
        return b'{"a": 1}'

    after = with_data(event, change)
    assert seen == [b"{\n}"]
    assert after == b': hi\r\nid: 7\r\nevent: message\r\ndata: {"a": 1}\r\nretry: 5\r\n\r\n'
    assert with_data(b": ping\n\n", lambda _: b"x") == b": ping\n\n"
    assert with_data(b"data\n\n", lambda _: b"a\nb") == b"data: a\ndata: b\n\n"
