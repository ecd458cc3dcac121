"""What the words of keys and values tell: money, stock, shares, quantities, success."""

import re

from .vocabulary import word_set

__all__ = ["BIRTH", "DONE", "MONEY", "OPEN", "QUANTITY", "SHARE", "STOCK", "SUCCESS", "SUCCESS_TEXT"]

MONEY = word_set(
    "amount balance budget charge cost fare fee income paid payment price prices refund rent salary subtotal tax"
)
STOCK = word_set(
    "availability available capacity inventory left pieces qty quantity remaining rooms seats stock units"
)
SHARE = word_set(
    "confidence discount humidity percent percentage pct probability progress rating ratings share"
)
QUANTITY = (
    MONEY
    | STOCK
    | word_set(
        "additions age altitude area baggages bytes changes contributions count deletions depth distance duration"
        " forks height issues length level members minutes power pressure score size speed stargazers temperature"
        " volume watchers weight width"
    )
)
"""What cannot be negative, or a million times itself."""

BIRTH = word_set("birth birthdate birthday born dob")

SUCCESS = word_set(
    "approved booked completed confirmed created delivered ok paid processed sent success succeeded successful"
    " true"
)
DONE = word_set("closed completed delivered done merged paid processed resolved sent shipped")
OPEN = word_set("draft new open pending processing queued received scheduled waiting")

SUCCESS_TEXT = re.compile(
    r"\b(success\w*|sent|added|created|made|confirmed|updated|moved|copied|removed|resolved|closed)\b",
    re.IGNORECASE,
)
"""A sentence that says that something was done."""
