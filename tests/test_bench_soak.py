"""The soak accounts for every reply and every event."""

import json

from bench._servers import answer
from bench._soak_replies import Account, request


def reply(number, name):
    return json.dumps(answer(json.loads(request(number, name)))).encode()


def with_receipt(reply):
    message = json.loads(reply)
    message["result"]["content"].append({"type": "text", "text": "a receipt"})
    return json.dumps(message).encode()


def account(*outcomes, lost=0):
    """Return the account of a clean call and of one that breaks its contract, both answered as they should be."""
    made = Account(lost=lost)
    made.reply(1, 1, reply(1, 1))
    made.reply(10, 2, with_receipt(reply(10, 2)))
    made.outcomes.update(outcomes)
    return made


def test_a_reply_that_differs_from_the_servers_is_wrong():
    made = account("clean", "flagged")
    assert (made.wrong, made.miscounted, made.receipts) == ([], [], 1)
    made.reply(1, 3, reply(1, 3).replace(b"get", b"git").replace(b"2.0", b"2.1"))
    made.reply(1, 4, with_receipt(reply(1, 4)))
    made.reply(10, 5, with_receipt(with_receipt(reply(10, 5))))
    assert len(made.wrong) == 3


def test_missing_events_and_receipts_are_reported_unless_the_proxy_counted_them():
    assert account("clean").miscounted == ["1 events are missing"]
    assert account("clean", lost=1).miscounted == []
    assert account("clean", "flagged", "clean").miscounted == ["1 events have no call"]
    made = account("clean", "flagged", "clean")
    made.reply(10, 3, reply(10, 3))
    assert made.miscounted == ["1 receipts are missing"]
    made.outcomes["not_checked"] += 1
    made.repeated += 1
    assert made.miscounted == []
