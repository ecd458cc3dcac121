"""The long run accounts for every reply and every event: what is missing, altered or twice there is told."""

import json

from bench._servers import answer
from bench._soak_replies import Account, request


def said(number, name):
    return json.dumps(answer(json.loads(request(number, name)))).encode()


def with_receipt(reply):
    found = json.loads(reply)
    found["result"]["content"].append({"type": "text", "text": "a receipt"})
    return json.dumps(found).encode()


def account(*outcomes, lost=0):
    """Return the account of a clean call and of one that breaks its contract, both answered as they should be."""
    found = Account(lost=lost)
    found.reply("s", 1, 1, said(1, 1))
    found.reply("s", 10, 2, with_receipt(said(10, 2)))
    for outcome in outcomes:
        found.event("s", outcome)
    return found


def test_what_comes_out_even_is_right():
    even = account("clean", "flagged")
    assert (even.wrong, even.miscounted, even.told, even.untold) == ([], [], 1, 0)


def test_a_reply_that_is_not_the_servers_is_wrong():
    found = account("clean", "flagged")
    found.reply("s", 1, 3, said(1, 3).replace(b"get", b"git").replace(b"2.0", b"2.1"))
    found.reply("s", 1, 4, with_receipt(said(1, 4)))
    found.reply("s", 10, 5, with_receipt(with_receipt(said(10, 5))))
    assert len(found.wrong) == 3


def test_an_event_that_is_missing_or_one_too_many_is_told_unless_it_is_known_to_be_lost():
    assert account("clean").miscounted == ["1 events are missing"]
    assert account("clean", lost=1).miscounted == []
    assert account("clean", "flagged", "clean").miscounted == ["s has more events than calls"]
    again = account("clean", "flagged", "clean")
    again.unanswered["s"] += 1
    assert again.miscounted == []


def test_a_receipt_that_is_missing_is_told_unless_its_result_was_not_checked():
    found = account("clean", "flagged", "clean")
    found.reply("s", 10, 3, said(10, 3))
    assert found.miscounted == ["1 receipts are missing"]
    found.outcomes["not_checked"] += 1
    assert found.miscounted == []
