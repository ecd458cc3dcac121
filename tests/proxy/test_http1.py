"""Answers of HTTP/1.1 as servers send them, whole and in pieces, and what is none."""

import http.client
import io
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st
from outcome_monitors.proxy.http1 import BadAnswerError, Reading

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
ANSWERS = {
    "a length": (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: 1\r\nx-a:  2 \r\n\r\nhello", b"hello", True),
    "no body": (b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n", b"", True),
    "never a body": (b"HTTP/1.1 204 No Content\r\n\r\n", b"", True),
    "chunks": (CHUNKED + b"3\r\nabc\r\n0A;x=y\r\n0123456789\r\n0\r\nT: 1\r\n\r\n", b"abc0123456789", True),
    "a hint before it": (
        b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 \r\nContent-Length: 1\r\n\r\n!",
        b"!",
        True,
    ),
    "to the end": (b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nall of it", b"all of it", False),
    "an older version": (b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi", b"hi", False),
    "the last one": (b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi", b"hi", False),
    "more than was asked for": (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi there", b"hi", False),
    "more behind chunks": (CHUNKED + b"0\r\n\r\nHTTP/1.1 200", b"", False),
}


class Socket:
    def __init__(self, data):
        self.data = data

    def makefile(self, _mode):
        return io.BytesIO(self.data)


@pytest.mark.parametrize("name", ANSWERS)
@given(cuts=st.lists(st.integers(0, 120), max_size=6))
def test_however_it_is_cut_the_answer_is_the_same_as_others_read_it(name, cuts):
    data, expected, reusable = ANSWERS[name]
    reading, body = Reading(), b""
    places = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    for start, end in pairwise(places):
        body += reading.feed(data[start:end])
    if name == "to the end":
        assert not reading.done
        reading.end()
    assert (body, reading.done, reading.reusable) == (expected, True, reusable)
    assert reading.head is not None
    if name not in ("a hint before it", "an older version"):
        other = http.client.HTTPResponse(Socket(data))  # type: ignore[arg-type]  # all that it uses of one
        other.begin()
        assert (other.status, other.read()) == (reading.head.status, body)
        assert [(key.lower(), value.strip()) for key, value in other.getheaders()] == [
            (key.decode().lower(), value.decode().strip()) for key, value in reading.head.headers
        ]


def test_an_answer_to_head_has_no_body():
    reading = Reading(bodiless=True)
    assert reading.feed(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n") == b""
    assert reading.done
    assert reading.reusable


@pytest.mark.parametrize(
    "data",
    [
        b"SSH-2.0-x\r\n\r\n",
        b"HTTP/2 200\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nno header\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX : 1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: 1\r\n folded\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: " + b"9" * 4300 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b" " * 1600 + b"\0\r\n\r\n",
        b"HTTP/1.1 200 " + b"x" * 10_000 + b"\r\n\r\n",
        b"HTTP/1.0 200 OK\nContent-Length: 2\n\n",
        b"HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nhi",
        b"HTTP/1.1 100 Continue\r\n\r\n" * 200_000,
        CHUNKED + b"0\r\nT: " + b"x" * 300_000,
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        CHUNKED + b"+1\r\na\r\n",
        CHUNKED + b"1\r\nab\r\n",
        CHUNKED + b"\r\n",
        CHUNKED + b"x" * 300_000,
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * 300_000,
    ],
)
def test_what_is_no_answer(data):
    with pytest.raises(BadAnswerError):
        Reading().feed(data)


def test_headers_are_bytes_as_they_came():
    reading = Reading()
    reading.feed(
        b"HTTP/1.1 200 caf\xe9\r\nX-a: caf\xe9\r\nX-A: \xff\xfe \xc3\xa9\r\nContent-Length: 0\r\n\r\n"
    )
    assert reading.head is not None
    assert reading.head.reason == b"caf\xe9"
    assert reading.head.headers[:2] == [(b"X-a", b"caf\xe9"), (b"X-A", b"\xff\xfe \xc3\xa9")]


@given(st.binary(max_size=300), st.lists(st.integers(0, 300), max_size=4))
def test_whatever_comes_is_an_answer_or_a_bad_one(data, cuts):
    reading = Reading()
    try:
        for start, end in pairwise(sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})):
            reading.feed(b"HTTP/1.1 200 OK\r\n" * (start == 0) + data[start:end])
        reading.end()
    except BadAnswerError:
        pass


@pytest.mark.parametrize(
    "data",
    [b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n!", CHUNKED + b"5\r\nab"],
)
def test_one_that_breaks_off(data):
    reading = Reading()
    reading.feed(data)
    with pytest.raises(BadAnswerError, match="closed"):
        reading.end()
