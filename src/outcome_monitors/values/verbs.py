"""The verbs of tool names, by what they do to what they are called on."""

from functools import lru_cache

from .words import words

__all__ = ["ACTIONS", "action_of", "named_action", "verb_of"]

ACTIONS = {
    "read": """
        browse calculate capture cat check compare compute convert count crawl describe diff display download estimate examine
        exists explain extract fetch filter find follow forecast get give grep head inspect is list load locate log look
        lookup ls measure peek ping poll preview print probe query quote read report resolve retrieve return say scan scrape
        screenshot search see show snapshot sort stat status sum summarise summarize tail tell track tree validate verify
        view who""",
    "create": """
        add append book buy clone commit copy create enter fork generate import init insert invite issue make
        open place put record register reserve save schedule start store submit upload write""",
    "update": """
        apply assign change complete configure edit mark modify move patch rebook rename reorder replace reset
        restore set switch sync transition update upsert""",
    "delete": """
        abort archive cancel clear close delete destroy disable drop purge remove revoke stop terminate void""",
    "send": "dispatch email forward message notify pay post publish push reply respond send share transfer",
    "run": "call click drag evaluate execute fill hover navigate press run select trigger type wait",
}
"""What a verb does; one that stands in several rows does what the first says."""

_NOUNS = frozenset(
    """
    book call change check commit copy count diff email estimate filter forecast head issue list load log look message
    open order place post preview print quote record report reserve return run schedule screenshot set share snapshot sort start stat status
    store switch tail tree type view
    """.split()  # noqa: SIM905 - words read better as words
)
"""Verbs that are as often the name of a thing."""

_ACTION_OF = {verb: action for action, verbs in reversed(ACTIONS.items()) for verb in verbs.split()}


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
def named_action(name: str, about: str = "") -> str | None:
    """Return what a tool does, by its name and the first word of its description; None where they do not tell.

    A word that may be a noun (`place_codes`, `get_issue`) counts for less than one that cannot.
    """
    found = words(name.rsplit(".", 1)[-1])
    sure = [word for word in found if action_of(word) and not _may_be_noun(word)]
    told = [word for word in words(about.split(None, 1)[0] if about.strip() else "") if action_of(word)]
    # `flight_status` tells that it reads; `user_messages` does not send, and `place_order` places.
    led = found[:-1] or found
    perhaps = [word for word in found if action_of(word) == "read" or (word in led and word in _NOUNS)]
    return next((done for word in (*sure[:1], *told[:1], *perhaps) if (done := action_of(word))), None)


def _may_be_noun(word: str) -> bool:
    return word in _NOUNS or word.removesuffix("s") in _NOUNS


def verb_of(found: tuple[str, ...]) -> int | None:
    """Return the place of the verb among the words of a name; a word that may be a noun and stands last is one."""
    for place, word in enumerate(found):
        if action_of(word) and not (place == len(found) - 1 and word in _NOUNS):
            return place
    return None
