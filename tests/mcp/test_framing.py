"""Pieces of a stream are the stream; events of an SSE stream are what the standard says they are."""

import re

from hypothesis import given, strategies as st

from outcome_monitors.mcp.framing import EVENT_END, LINE_END, Cutter, Piece, with_data

bytes_with_ends = st.lists(
    st.sampled_from([b"a", b"bc", b"\n", b"\r\n", b"\r", b"data: x", b"\n\n"]), max_size=30
)


@given(bytes_with_ends, st.integers(1, 12), st.sampled_from([LINE_END, EVENT_END]), st.data())
def test_nothing_is_lost_added_or_moved(parts, largest, end, data):
    stream = b"".join(parts)
    cutter, rest = Cutter(largest, end), stream
    pieces: list[Piece] = []
    while rest:
        size = data.draw(st.integers(1, len(rest)))
        pieces += cutter.feed(rest[:size])
        assert sum(len(piece.data) for piece in pieces) >= len(stream) - len(rest) + size - largest - 4
        rest = rest[size:]
    pieces += cutter.end()
    assert b"".join(piece.data for piece in pieces) == stream
    assert all(len(piece.data) <= largest for piece in pieces if piece.whole)
    if end is LINE_END:
        lines = [found for found in re.findall(rb"[^\n]*\n|[^\n]+\Z", stream) if len(found) <= largest]
        assert [piece.data for piece in pieces if piece.whole] == lines


def test_lines_come_whole_or_in_parts():
    cutter = Cutter(8)
    assert [tuple(piece) for piece in cutter.feed(b"one\ntwo\nth")] == [
        (b"one\n", True, True),
        (b"two\n", True, True),
    ]
    assert [tuple(piece) for piece in cutter.feed(b"ree\n")] == [(b"three\n", True, True)]
    parts = [*cutter.feed(b"a long line that "), *cutter.feed(b"goes on\nshort\n")]
    assert [piece.whole for piece in parts] == [False, False, True]
    assert [piece.head for piece in parts] == [True, False, True]
    assert b"".join(piece.data for piece in parts) == b"a long line that goes on\nshort\n"


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
