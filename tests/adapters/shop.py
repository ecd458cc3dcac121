"""What the tests of adapters share: a tool whose result is right, wrong or none, and what each must come to."""

import json

from outcome_monitors.events import Watch
from tests.events.shop import Kept, monitor, order

CLEAN, BAD, RAISES = "W1", "W2", "W3"
WRONG = order(2, total=-5.0)


class Broken(RuntimeError):  # noqa: N818 - it says what the shop is
    """What the tool raises."""


def get_order(id: str) -> dict:
    """Get an order; `W2` is wrong, `W3` cannot be had.

    Args:
        id: Which.
    """
    if id == RAISES:
        raise Broken("the shop is closed")
    return WRONG if id == BAD else order(1)


def watching(mode="advise"):
    """Return a watch, and what keeps its events."""
    kept = Kept()
    return Watch(monitor(), kept, mode=mode), kept


def receipt_in(text):
    """Return the receipt that stands behind other words of a text."""
    return json.loads(text[text.index('{"outcome_contract"') :])["outcome_contract"]


def is_receipt(receipt):
    """Say whether a receipt tells of the wrong total."""
    return receipt["violation"]["path"] == "total"
