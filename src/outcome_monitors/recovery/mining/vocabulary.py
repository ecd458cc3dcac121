"""Words of tool definitions, made comparable: light stems and a few synonyms.

The tables are small, written down here, and the same for every tool set; whatever else two tools have in common must come
from their definitions or from traces.
"""

import re
from functools import lru_cache

from outcome_monitors.values.words import words

__all__ = ["OPPOSITES", "stems", "stop", "text_stems"]

SYNONYMS = (
    "identifier id ident",
    "number no num",
    "reference ref locator",
    "symbol ticker",
    "message msg",
    "directory dir folder",
    "repository repo",
    "pull pr merge mr",
    "url uri link",
    "picture image photo",
    "mail email",
    "text content contents body",
    "count total quantity",
    "limit max maximum per perpage",
    "place location",
    "user member account",
    "page webpage website",
)
"""Each line is one meaning; its first word stands for all."""

_MEANS = {word: line.split()[0] for line in SYNONYMS for word in line.split()}

OPPOSITES = frozenset(
    frozenset(pair.split("/"))
    for pair in """
    lock/unlock open/close enable/disable start/stop push/pull follow/unfollow star/unstar mute/unmute
    subscribe/unsubscribe archive/unarchive encode/decode encrypt/decrypt staged/unstaged import/export
    upload/download back/forward add/remove create/delete on/off reverse/forward approve/reject accept/decline
    grant/revoke install/uninstall check/uncheck pause/resume in/out inbound/outbound from/to
    """.split()  # noqa: SIM905 - words read better as words
)
"""Words that make one tool the reverse of another."""

_STOP = frozenset(
    """
    a about above after all also an and any are as at available be been before between by can current do
    does each every following for from given has have if in including input into is it its may more must new no not of
    on one only or other output over parameter per provided result return s same several should so some specific
    specified such than that the their them then there these this those time to tool up use used using value via want
    what when where which will with within without you your
    """.split()  # noqa: SIM905 - words read better as words
)
_FILLERS = frozenset(
    """
    advanced associated basic best clearly comprehensive customizable customisable customised detailed different
    efficient either entire exact existing extra fast full fully general ideal including local multiple optional
    optionally powerful precise raw real recent related relevant simultaneously single specifically structured supported
    various
    """.split()  # noqa: SIM905 - words read better as words
)
"""Praise and padding of descriptions."""

_VERBS = frozenset(
    """
    add check create delete describe display execute fetch find get give list look lookup make perform provide query
    read remove retrieve run say search see set show support tell update view
    """.split()  # noqa: SIM905 - words read better as words
)
"""Verbs that say what is done, which is judged apart, and never with what."""

_TEXT = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_KEPT = ("ss", "us", "is", "os")
"""Endings whose `s` is no plural."""


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        word = word[:-3] + "y"
    elif len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes")):
        word = word[:-2]
    elif len(word) > 3 and word.endswith("s") and not word.endswith(_KEPT):
        word = word[:-1]
    return _MEANS.get(word, word)


def stop(word: str) -> bool:
    """Say whether a word tells nothing of what a tool is about."""
    return word in _STOP or word in _FILLERS or len(word) < 2


@lru_cache(maxsize=65536)
def stems(name: str) -> tuple[str, ...]:
    """Return the words of an identifier, made comparable."""
    return tuple(_stem(word) for word in words(name))


@lru_cache(maxsize=16384)
def text_stems(text: str) -> tuple[str, ...]:
    """Return the words of a sentence that tell something, made comparable."""
    found = (_stem(word.lower()) for word in _TEXT.findall(text))
    return tuple(word for word in found if not stop(word) and word not in _VERBS)
