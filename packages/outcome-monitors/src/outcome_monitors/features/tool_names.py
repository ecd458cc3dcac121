"""The verbs of tool names, by what they do to what they are called on: all that a name alone can tell.

The table comes from the operations of public API catalogues (docs/reference/effects.md says how). It is closed on one side: what
is not a known verb that only reads may write.
"""

from functools import lru_cache
from itertools import pairwise

from outcome_monitors.jsonvalue.text import words

ACTIONS = {
    "read": """
        analyse analyze browse calculate cat check classify compare compute convert count crawl describe diff display download
        du enumerate estimate examine exists explain extract fetch filter find forecast get grep has head inspect introspect is
        list load locate look lookup ls mean measure now peek ping poll predict preview print probe pwd query quote read
        recognise recognize recommend resolve retrieve scan scrape screenshot search see show snapshot sort stat status suggest
        sum summarise summarize tail think track tree validate verify view wc who""",
    "create": """
        add allocate annotate append begin book buy checkout clone commit compose copy create deploy draft duplicate enroll enter
        follow fork generate import ingest init initialise initialize initiate insert install instantiate invite issue join
        launch log make mkdir open place produce provision purchase put record register replicate report reserve save schedule
        seed start store submit subscribe touch upload write""",
    "update": """
        accept acknowledge activate adjust advance alter amend apply approve assign associate attach authenticate authorise
        authorize bind change complete configure confirm connect customise customize decline decrease demote deny edit enable
        extend failover finalise finalize finish fix freeze grant increase increment lock mark merge migrate modify move mutate
        optimise optimize override patch pause promote protect reassign rebook redeem refresh relocate rename renew reorder
        repair replace reschedule reset resize restart restore resume retry return revert rollback rotate set settle suspend
        swap switch switchover sync synchronise synchronize tag toggle transition unarchive undelete unlock unmute unprotect
        untag update upgrade upsert vote""",
    "delete": """
        abandon abort archive cancel clear close deactivate deallocate delete deprecate deprovision deregister destroy detach
        disable disassociate disconnect dismiss drop erase evict expire expunge forget invalidate kick kill leave logout purge
        reject remove revoke rm rmdir stop terminate trash unassign unclaim undeploy unenroll unfollow uninstall unlink unpublish
        unregister unshare unsubscribe void wipe""",
    "send": """
        alert announce bid broadcast charge claim converse deliver deposit dispatch distribute donate email forward give lend
        message notify pay post publish push refund reimburse remit repay reply resend respond retweet say sell send share
        ship tell tip transfer tweet wire withdraw""",
    "run": """
        call capture cd click drag evaluate exec execute fill hover interact invoke login mv navigate perform press process
        reboot rerun run scroll select simulate tap test train trigger type wait""",
}
"""What a verb does."""

_UNSURE = frozenset(
    """
    analyse analyze convert crawl download extract load ping poll predict preview print query quote recognise recognize resolve
    scan screenshot snapshot sort suggest track validate verify
    """.split()  # noqa: SIM905 - words read better as words
)
"""Verbs that read one thing and write another: `resolve_name` and `resolve_ticket`, `ping_host` and `ping_webhook`."""
_ANSWERING = frozenset("give report return say tell".split())  # noqa: SIM905 - as above
"""Verbs that do something in a name, and in a description tell what is answered: `return_items`, "Returns the items"."""
_STRONG = frozenset("describe fetch find get lookup retrieve search".split())  # noqa: SIM905 - as above
"""Verbs that read, and hardly ever are nouns: in `slack_get_users` one comes after the name of a server."""
_DOERS = {"fetcher": "fetch", "finder": "find", "getter": "get", "searcher": "search"}
_PHRASES: dict[tuple[str, ...], str] = {
    ("check", "in"): "create",
    ("check", "off"): "update",
    ("check", "out"): "create",
    ("find", "replace"): "update",
    ("for", "auction"): "create",
    ("for", "rent"): "create",
    ("for", "sale"): "create",
    ("get", "paid"): "send",
    ("get", "rid"): "delete",
    ("list", "for"): "create",
    ("list", "on"): "create",
    ("look", "after"): "update",
    ("search", "replace"): "update",
    ("verification", "code"): "send",
}
"""Two words that do something else than the verb that the name begins with."""
_SHOWN = frozenset("alert banner dialog message notification popup prompt toast".split())  # noqa: SIM905 - as above
"""What is put before someone by showing it."""
_ISSUED = frozenset("credentials otp passcode token tokens".split())  # noqa: SIM905 - as above
"""What is made or sent when someone gets it."""
_GETTING = frozenset(("fetch", "get", "retrieve"))
_JOINS = frozenset(("and", "or", "then"))
_DONE_TO = frozenset("a all an each it its that the them this".split())  # noqa: SIM905 - as above
"""What stands after a verb, and not after a noun."""

_NOUNS = frozenset(
    """
    alert archive bid book call change check commit copy count diff display draft email estimate filter forecast fork head
    issue list load log look mark message open order place post preview print process push quote record register report
    reserve return run schedule screenshot seed set share ship snapshot sort start stat status store switch tag tail test tip
    touch train tree tweet type view vote
    """.split()  # noqa: SIM905 - as above
)
"""Verbs that are as often the name of a thing."""
_EITHER = frozenset(
    """
    access bill block bulk comment credit debit exchange export flag grade index label like link loan lot mail match mention
    order page pin plan rate react request review sample scale score sign signal star text trade tune water
    """.split()  # noqa: SIM905 - as above
)
"""Things that are verbs as well: no verb that reads is looked for behind them."""

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
    """Say whether a tool may write, by its name alone: any may in which no known verb only reads."""
    return not _reads(_words_of(name))


def _reads(found: tuple[str, ...]) -> bool:
    """Say whether the words of a name say that a tool only reads."""
    return bool(found) and all(map(_only_reads, _joined(found))) and _reads_first(found)


def _reads_first(found: tuple[str, ...]) -> bool:
    if _phrase(found):
        return False
    if found == ("read",) or (found[-1] in _ISSUED and _GETTING & set(found)):
        # A bare `read` marks an alert as often as it reads a file.
        return False
    if found[0] == "query" and len(found) > 1 and _plural(found[-1]):
        # `query_logs` reads, `query_database` runs what it is given.
        return True
    if _only_reads(found[0]):
        return not _named_thing(found) and not (found[0] in {"show", "display"} and _SHOWN & set(found))
    return _reads_behind_a_server(found)


def _phrase(found: tuple[str, ...]) -> str | None:
    return next((_PHRASES[pair] for pair in pairwise(found) if pair in _PHRASES), None)


def _named_thing(found: tuple[str, ...]) -> bool:
    """Say whether the first word names what the verb after it is done to: `status_update`, `view_create`, `list_add`."""
    if found[0] not in _NOUNS:
        return False
    after = found[-1:] if found[0] == "list" else (*found[1:2], *found[-1:])
    return any(_ACTION_OF.get(word, "read") != "read" and word not in _NOUNS for word in after)


def _reads_behind_a_server(found: tuple[str, ...]) -> bool:
    """Say whether the first verb is one that reads and is no noun: `slack_get_users`, `linear_list_projects`, `tags_list`."""
    if _JOINS & set(found):
        return False
    if found[-1] in _DOERS:
        return not any(map(_may_be_verb, found[:-1]))
    for place, word in enumerate(found):
        if word in _STRONG:
            return True
        if word == "list":
            before, after = found[place - 1], found[place + 1 : place + 2]
            return all(map(_plural, after)) if after and after[0] != "by" else _plural(before)
        if _may_be_verb(word):
            return False
    return False


def _may_be_verb(word: str) -> bool:
    return word in _EITHER or word in _NOUNS or action_of(word) is not None


def _plural(word: str) -> bool:
    return word.endswith("s") and not word.endswith("ss")


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
    if _phrase(found):
        return _phrase(found)
    sure = [word for word in found if action_of(word) and not _may_be_noun(word)]
    sure = [word for word in _joined(found) if action_of(word) not in (None, "read")] + sure
    # `flight_status` tells that it reads; `user_messages` does not send, and `place_order` places.
    led = found[:-1] or found
    perhaps = [word for word in found if action_of(word) == "read" or (word in led and word in _NOUNS)]
    told = (action_of(sure[0]) if sure else None, _described_action(about, found), *map(action_of, perhaps))
    return next((done for done in told if done), None)


def described_as_read(name: str, about: str) -> bool:
    """Say whether a description begins with a verb that only reads, and neither it nor the name has one that writes."""
    found, said = _words_of(name), words(about.strip().partition(". ")[0])
    if not said or any(_writes(word) and not _may_be_noun(word) for word in found) or _phrase(found):
        return False
    # What is done besides: "Read a message and mark it", "Fetch a page, saving it".
    besides = (*_joined(said), *(stem + end for stem in map(_while, said) if stem for end in ("", "e")))
    if any(map(_writes, besides)) or any(map(_does_more, zip(said, said[1:], said[2:], strict=False))):
        return False
    return any(_reads_first((verb, *said[1:])) for verb in _reading(said[0]))


def _reading(word: str) -> list[str]:
    return [form for form in _forms(word) if _only_reads(form)]


def _while(word: str) -> str:
    """Return the stem of `saving` and `marking`; empty where the word is no such form."""
    return word.removesuffix("ing") if word.endswith("ing") and word not in _ACTION_OF else ""


def _does_more(three: tuple[str, str, str]) -> bool:
    """Say whether something unknown is done besides: "and zap it" does, "and directories" does not."""
    join, word, after = three
    return join in _JOINS and after in _DONE_TO and not _reading(word)


def _writes(word: str) -> bool:
    return action_of(word) not in (None, "read")


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
