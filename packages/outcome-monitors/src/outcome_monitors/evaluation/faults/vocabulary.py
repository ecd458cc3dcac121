"""The vocabulary of the faults: what a key is about, which list is the answer, where its text stands, how times move.

The families of keys are closed lists on purpose: two readers of the same result must pick the same places.
"""

import re
from collections.abc import Collection, Sequence
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Any

from outcome_monitors.jsonvalue.times import when
from outcome_monitors.jsonvalue.types import is_number, normalise
from outcome_monitors.model import Json

from .places import Node


def word_set(text: str) -> frozenset[str]:
    """Return a set of words, written as a sentence."""
    return frozenset(text.split())


_FLAG = word_set("status state ok success succeeded is_error http_status status_code")
_ERROR = word_set("error errors error_code error_message warning warnings failure failures traceback")
_COUNT = re.compile(r"count|total|size|length|(num|n|total)_.+|.+_count")
_ID = word_set("id uuid guid ref reference handle number slug sku symbol ticker email")
_FRESH = re.compile(
    r"(fetched|retrieved|generated|updated|refreshed|checked|as_of|timestamp|last_.+)(_at|_on)?"
)

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


@lru_cache(maxsize=16384)
def words(key: str) -> tuple[str, ...]:
    """Split a key into its words: `flightNumber`, `flight_number` and `Flight Number` give the same two."""
    return tuple(word.lower() for word in _WORD.findall(key))


def mentions(key: str | None, topic: frozenset[str]) -> bool:
    """Say whether one of a key's words is of a topic."""
    return not topic.isdisjoint(words(key or ""))


@lru_cache(maxsize=16384)
def _snake(key: str) -> str:
    return "_".join(words(key))


def is_flag(key: str | None) -> bool:
    """Say whether a key tells how the call went."""
    return key is not None and _snake(key) in _FLAG


_FAILED = word_set("error errored fail failed failure timeout")


def succeeded(key: str | None, value: Json) -> Json:
    """Return what a flag says when all went well; a word that is no failure stays."""
    if isinstance(value, bool):
        return key is None or _snake(key) != "is_error"
    return "success" if isinstance(value, str) and normalise(value) in _FAILED else value


def is_error(key: str | None) -> bool:
    """Say whether a key carries an error or a warning."""
    return key is not None and _snake(key) in _ERROR


def is_count(key: str | None) -> bool:
    """Say whether a key counts something."""
    return key is not None and _COUNT.fullmatch(_snake(key)) is not None


def is_id(key: str | None) -> bool:
    """Say whether a key names something by an identifier."""
    return key is not None and words(key)[-1:] != () and words(key)[-1] in _ID


def is_fresh(key: str | None, value: Json) -> bool:
    """Say whether a leaf is a stamp of when the answer was made.

    `last_*` is one only with a time under it: `last_name` and `last_four` are no stamps.
    """
    if key is None or _FRESH.fullmatch(_snake(key)) is None:
        return False
    return words(key)[0] != "last" or is_number(value) or when(value) is not None


def primary_list(nodes: Sequence[Node]) -> Node | None:
    """Return the longest list whose items are all objects, the first of several; None where there is none."""
    best: Node | None = None
    for node in nodes:
        value = node.value
        if isinstance(value, list) and value and (best is None or len(value) > len(best.value)):
            best = node if all(isinstance(item, dict) for item in value) else best
    return best


def text_slot(nodes: Sequence[Node], asked: Collection[Json]) -> Node | None:
    """Return the longest string that is no flag, id, date or argument given back; the first of several."""
    best: Node | None = None
    for node in nodes:
        value = node.value
        if (
            isinstance(value, str)
            and (best is None or len(value) > len(best.value))
            and not (is_flag(node.key) or is_id(node.key))
            and value not in asked
            and when(value) is None
        ):
            best = node
    return best


_DIGITS = re.compile(r"\d+(?=\D*\Z)", re.ASCII)


def successor(value: str | int) -> str | int:
    """Return the next id: the last run of digits plus one at its width, else the last character plus one."""
    if isinstance(value, int):
        return value + 1
    run = _DIGITS.search(value)
    if run is None:
        return value[:-1] + chr(min(ord(value[-1]) + 1, 0xD7FF)) if value else value
    # Ids of thousands of digits are none, and Python does not read them.
    digits = run.group()
    if len(digits) > 1000:
        return value
    return f"{value[: run.start()]}{int(digits) + 1:0{len(digits)}d}{value[run.end() :]}"


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


CLOCK = re.compile(r"([01]\d|2[0-3]):([0-5]\d)(:[0-5]\d)?\Z")
"""A time of day, alone."""

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}(?=\Z|[T ])")
_HOURS = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}")

Moment = tuple[str, Any]


def moment(value: Json) -> Moment | None:
    """Return a time with the sort it may be compared within, or None where the value is none."""
    read = when(value)
    if read is not None:
        return ("naive" if read.tzinfo is None else "aware", read)
    if isinstance(value, str) and CLOCK.match(value):
        return ("clock", value)
    return None


def is_time(value: Json) -> bool:
    """Say whether a value is an ISO date or time; a time of day alone is not."""
    return when(value) is not None


def earlier(first: Json, second: Json) -> bool:
    """Say whether both are times of one sort and the first comes before the second."""
    one, two = moment(first), moment(second)
    # Two times of one sort are of one type.
    return one is not None and two is not None and one[0] == two[0] and one[1] < two[1]


def moved(text: str, days: int) -> str:
    """Move an ISO date or time by whole days; what cannot be moved comes back as it was."""
    if not _DAY.match(text):
        return text
    try:
        return (date.fromisoformat(text[:10]) + timedelta(days=days)).isoformat() + text[10:]
    except (ValueError, OverflowError):
        return text


def moved_hours(text: str, hours: int) -> str:
    """Move an ISO time by hours; the offset, if any, and the smaller units stay as they were written."""
    if not _HOURS.match(text):
        return text
    try:
        new = datetime.fromisoformat(text[:16]) + timedelta(hours=hours)
    except (ValueError, OverflowError):
        return text
    return new.isoformat(sep=text[10], timespec="minutes") + text[16:]


def later_years(text: str, years: int) -> str:
    """Move the year of an ISO date or time; the 29th of February becomes the 28th."""
    if not _DAY.match(text) or not 1 <= int(text[:4]) + years <= 9999:
        return text
    day = text[4:10].replace("-02-29", "-02-28")
    return f"{int(text[:4]) + years:04d}{day}{text[10:]}"
