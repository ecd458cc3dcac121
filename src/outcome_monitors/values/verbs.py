"""The verbs of tool names, by what they do to what they are called on: all that a name alone can tell."""

from functools import lru_cache
from itertools import pairwise

from .words import words

__all__ = ["ACTIONS", "action_of", "described_as_read", "may_write", "named_action", "verb_of"]

ACTIONS = {
    "read": """
        browse calculate cat check compare compute convert count crawl describe diff display download du estimate examine
        exists explain extract fetch filter find forecast get grep head inspect is list load locate look lookup ls mean
        measure now peek ping poll preview print probe pwd query quote read resolve retrieve scan scrape screenshot search
        see show snapshot sort stat status sum summarise summarize tail think track tree validate verify view wc who""",
    "create": """
        add append book buy checkout clone commit copy create enter follow fork generate import init insert invite issue log
        make open place purchase put record register report reserve save schedule start store submit subscribe upload write""",
    "update": """
        apply approve assign change complete configure edit enable grant lock mark modify move patch rebook redeem rename
        reorder replace reschedule reset restore return set switch sync transition unlock update upsert""",
    "delete": """
        abort archive cancel clear close delete destroy disable drop purge remove revoke stop terminate unfollow unsubscribe
        void""",
    "send": """
        charge deposit dispatch donate email forward give message notify pay post publish push refund reply respond say send
        share tell transfer wire withdraw""",
    "run": "call capture click drag evaluate execute fill hover navigate press run select trigger type wait",
}
"""What a verb does."""

_UNSURE = frozenset("convert crawl extract poll print resolve snapshot track".split())  # noqa: SIM905 - as below
"""Verbs that read one thing and write another: `resolve_name` and `resolve_ticket`, `track_parcel` and `track_expense`."""
_ANSWERING = frozenset("give report return say tell".split())  # noqa: SIM905 - as below
"""Verbs that do something in a name, and in a description tell what is answered: `return_items`, "Returns the items"."""
_NEVER_NOUNS = frozenset("describe fetch find get retrieve".split())  # noqa: SIM905 - as below
"""Verbs that read and are nothing else: in `slack_get_users` one comes after the name of a server."""
_PHRASES: dict[tuple[str, ...], str] = {
    ("check", "in"): "create",
    ("check", "off"): "update",
    ("check", "out"): "create",
}
"""Two words that do something else than the first of them."""
_JOINS = frozenset(("and", "or", "then"))

_NOUNS = frozenset(
    """
    book call change check commit copy count diff email estimate filter forecast head issue list load log look message
    open order place post preview print quote record report reserve return run schedule screenshot set share snapshot sort start stat status
    store switch tail tree type view
    """.split()  # noqa: SIM905 - words read better as words
)
"""Verbs that are as often the name of a thing."""

_ACTION_OF = {verb: action for action, verbs in ACTIONS.items() for verb in verbs.split()}


@lru_cache(maxsize=16384)
def action_of(word: str) -> str | None:
    """Return what a verb does; None where the word is no known verb."""
    return next((_ACTION_OF[form] for form in _forms(word) if form in _ACTION_OF), None)


def _forms(word: str) -> tuple[str, ...]:
    """Return a verb as it stands, and without the endings of `fetches` and `crawling`."""
    return (
        word,
        *(word.removesuffix(ending) for ending in ("s", "es", "ing") if len(word) > len(ending) + 2),
    )


@lru_cache(maxsize=16384)
def may_write(name: str) -> bool:
    """Say whether a tool may write, by its name alone: any may whose name does not begin with a verb that only reads."""
    found = _words_of(name)
    if not all(map(_only_reads, _joined(found))) or found[:2] in _PHRASES:
        return True
    return not found or not (_only_reads(found[0]) or _reads_behind_a_server(found))


def _reads_behind_a_server(found: tuple[str, ...]) -> bool:
    verb = next((word for word in found if action_of(word)), "")
    return verb in _NEVER_NOUNS and not _JOINS & set(found)


def _joined(found: tuple[str, ...]) -> list[str]:
    """Return what a name does besides: `charge` in `lookup_and_charge`."""
    return [after for word, after in pairwise(found) if word in _JOINS]


def _only_reads(word: str) -> bool:
    # As it stands: a `checking` account is not checked.
    return _ACTION_OF.get(word) == "read" and word not in _UNSURE


@lru_cache(maxsize=16384)
def named_action(name: str, about: str = "") -> str | None:
    """Return what a tool does, by its name and the first word of its description; None where they do not tell.

    This is a guess, to find tools that are alike: that a tool only reads takes more (`may_write`). A word that may be a
    noun (`place_codes`, `get_issue`) counts for less than one that cannot.
    """
    found = _words_of(name)
    if not may_write(name):
        return "read"
    if found[:2] in _PHRASES:
        return _PHRASES[found[:2]]
    sure = [word for word in found if action_of(word) and not _may_be_noun(word)]
    sure = [word for word in _joined(found) if action_of(word) not in (None, "read")] + sure
    # `flight_status` tells that it reads; `user_messages` does not send, and `place_order` places.
    led = found[:-1] or found
    perhaps = [word for word in found if action_of(word) == "read" or (word in led and word in _NOUNS)]
    told = (action_of(sure[0]) if sure else None, _described_action(about, found), *map(action_of, perhaps))
    return next((done for done in told if done), None)


def described_as_read(name: str, about: str) -> bool:
    """Say whether a description begins with a verb that only reads, where the name has none that writes."""
    found, forms = _words_of(name), set(_forms(_first_word(about)))
    writes = any(action_of(word) not in (None, "read") and not _may_be_noun(word) for word in found)
    # Any tool "returns" something, and "report a user" does something.
    doubtful = forms & (_UNSURE | {"report", "return"})
    besides = any(action_of(word) not in (None, "read") for word in _joined(words(about.partition(". ")[0])))
    return not (writes or doubtful or besides) and _described_action(about, found) == "read"


def _described_action(about: str, found: tuple[str, ...]) -> str | None:
    first = _first_word(about)
    forms = set(_forms(first))
    if not forms & _ANSWERING:
        return action_of(first)
    # "Return some items of an order" tells of `return_items` what it does, and of others what they answer.
    return None if forms & set(found[:1]) else "read"


def _first_word(about: str) -> str:
    found = words(about.split(None, 1)[0]) if about.strip() else ()
    return found[0] if found else ""


def _words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name, without the server before it: `github.get_issue`, `mcp__github__get_issue`."""
    return words(name.rsplit(".", 1)[-1].rsplit("__", 1)[-1])


def _may_be_noun(word: str) -> bool:
    # An `opening` or a `booking` is one, too.
    return (
        word in _NOUNS
        or word.removesuffix("s") in _NOUNS
        or (word.endswith("ing") and word not in _ACTION_OF)
    )


def verb_of(found: tuple[str, ...]) -> int | None:
    """Return the place of the verb among the words of a name; a word that may be a noun and stands last is one."""
    for place, word in enumerate(found):
        if action_of(word) and not (place == len(found) - 1 and word in _NOUNS):
            return place
    return None
