"""A look at what has been passed on already: in order, once, and done when someone needs it."""

import threading

from outcome_monitors.proxy.context import LateLook, PieceLook
from outcome_monitors.proxy.framing import Piece
from tests.proxy.wire import desk


def pieces(*data):
    return [Piece(each, whole=True) for each in data]


def test_all_is_looked_at_once_and_in_order():
    seen: list[bytes] = []
    look = LateLook(PieceLook(desk(), seen.append))
    look.put(pieces(b"1", b"2"))
    assert seen == []
    look.put(pieces(b"3"))
    look.catch_up()
    look.catch_up()
    assert seen == [b"1", b"2", b"3"]


def test_a_look_that_fails_is_counted_and_the_next_one_is_taken():
    seen: list[bytes] = []

    def refuse(data):
        seen.append(data)
        raise ValueError(data)

    place = desk()
    look = LateLook(PieceLook(place, refuse))
    look.put(pieces(b"1", b"2"))
    look.catch_up()
    assert (seen, place.troubles) == ([b"1", b"2"], 2)


def test_who_catches_up_waits_for_the_look_that_another_is_at():
    begun, go_on, seen = threading.Event(), threading.Event(), []

    def slow(data):
        begun.set()
        go_on.wait(10)
        seen.append(data)

    look = LateLook(PieceLook(desk(), slow))
    look.put(pieces(b"1"))
    other = threading.Thread(target=look.catch_up)
    other.start()
    begun.wait(10)
    threading.Timer(0.05, go_on.set).start()
    look.catch_up()
    assert seen == [b"1"]
    other.join()
