"""A head that has come before is not read again, and nobody can tell: the answer is what the parser makes of it."""

from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

pytest.importorskip("httptools")

from outcome_monitors.proxy.http1 import BadAnswerError, Reading
from outcome_monitors.proxy.http_heads import LONGEST_HEAD, MOST_HEADS, AnswerHeads
from outcome_monitors.proxy.http_response import relayed_head

FIRST = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\ncontent-length:  2\r\nX-A: caf\xe9\r\n\r\n{}"
PLAIN = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\ncontent-length:  %d\r\nX-A: caf\xe9\r\n\r\n%b"
ODD = [
    b"HTTP/1.1 200 OK\r\nContent-Length: 2 \r\n\r\n{}",
    b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}",
    b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX: 1\n\r\n{}",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{} and more",
    b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{}",
    b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}",
    b"HTTP/1.1 100 Continue\r\nContent-Length: 2\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
    b"HTTP/1.1 200 OK\r\nX: " + b"x" * LONGEST_HEAD + b"\r\nContent-Length: 2\r\n\r\n{}",
]


def said(parts, known=None):
    """Return all that a reading says of an answer in parts."""
    reading, body = Reading(known=known), b""
    try:
        for part in parts:
            body += reading.feed(part)
        reading.end()
    except BadAnswerError as error:
        return str(error), body
    return reading.head, body, reading.done, reading.reusable


def after(first):
    known = AnswerHeads()
    said([first], known)
    return known


@given(st.binary(max_size=30), st.integers(-3, 3), st.lists(st.integers(1, 130), max_size=4))
def test_what_a_known_head_brings_is_what_the_parser_reads(body, more, cuts):
    known, data = after(FIRST), PLAIN % (max(0, len(body) + more), body)
    assert known.find(data) is not None
    places = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    parts = [data[start:end] for start, end in pairwise(places)]
    assert said(parts, known) == said(parts)


@pytest.mark.parametrize("data", ODD)
def test_what_is_odd_is_read_each_time(data):
    known = after(data)
    assert known.find(data) is None
    assert said([data], known) == said([data])


def test_one_that_came_in_two_parts_is_known_too():
    known, end = AnswerHeads(), FIRST.index(b"{")
    assert said([FIRST[:end], FIRST[end:]], known) == said([FIRST])
    assert known.find(FIRST) is not None
    assert said([FIRST[:end], FIRST[end:]], known) == said([FIRST])


def test_another_byte_is_another_head():
    known = after(FIRST)
    assert known.find(FIRST.replace(b"caf\xe9", b"cafe")) is None
    assert known.find(FIRST.replace(b"content", b"Content")) is None
    assert known.find(FIRST.replace(b":  2", b": 2")) is None
    assert known.find(FIRST.replace(b" 200 ", b" 201 ")) is None


def test_it_is_passed_back_with_the_length_that_it_has_now():
    known = after(FIRST)
    for body in (b"[]", b"[1, 2, 3]"):
        fresh, found = said([PLAIN % (len(body), body)])[0], said([PLAIN % (len(body), body)], known)[0]
        assert found.size == len(body)
        assert found.is_json
        assert found.headers == fresh.headers
        for size in (None, 7):
            for newer in (True, False):
                for stays in (True, False):
                    ways = {"newer": newer, "stays": stays, "chunks": newer}
                    assert relayed_head(found, size, **ways) == relayed_head(fresh, size, **ways)


def test_few_are_remembered():
    known = AnswerHeads()
    for number in range(MOST_HEADS + 1):
        said([FIRST.replace(b"caf\xe9", b"%d" % number)], known)
    assert known.find(FIRST.replace(b"caf\xe9", b"0")) is None
    assert known.find(FIRST.replace(b"caf\xe9", b"1")) is not None
