"""What a person can do about an alarm, each a small function that a command or a page calls; what is decided stands in the folder.

    mute, unmute     a clause is not told of, or is again
    accept           what has changed at a clause, or of a tool, is right, and so is the clause
    reject           it is a fault, and is told of for as long as it lasts
    wrong, missed    an alarm was wrong; a result was a fault of which nobody was told

Each gives a sentence that says what holds now. Running proxies and adapters take it up within a second or two.
"""

import getpass
import os
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from outcome_monitors.alerting.change_store import read_changes
from outcome_monitors.contracts.feedback import TASKS_CALLED_WRONG, Feedback
from outcome_monitors.contracts.identity import (
    Known,
    address,
    built_in_clause,
    names_of,
    resolve,
    short_address,
)
from outcome_monitors.contracts.overrides import (
    LONGEST_NOTE,
    Override,
    Overrides,
    dumps,
    loads,
    novelty_hash,
)
from outcome_monitors.events.reader import read_events
from outcome_monitors.exceptions import ContractError, OutcomeMonitorsError
from outcome_monitors.jsonvalue.times import seconds_in, seconds_of
from outcome_monitors.storage.layout import CHANGES, OVERRIDES

from .folder import StateFolder

USER = "OUTCOME_MONITORS_USER"
"""Names who decides, where that is not who is logged in."""
_ENDS = {
    "": f"from {TASKS_CALLED_WRONG} on agents are not told of it",
    "called wrong": "agents are not told of it any more",
    "muted": "it is muted",
}
"""What follows where a clause was called wrong."""


def mute(folder: StateFolder, name: str, until: str = "", reason: str = "") -> str:
    """Have a clause not be told of: until a time, or for good; a built-in rule also for all tools, by its kind."""
    _refuse_long(reason)

    def decide(before: Override) -> tuple[Override, str]:
        ends = f" until {until}" if until else ""
        return replace(
            before, decision="mute", until=until, note=reason or before.note, pinned=None
        ), f"muted{ends}"

    return _on_clause(folder, name, decide)


def accept(folder: StateFolder, name: str, reason: str = "") -> str:
    """Have what has changed at a clause be right; the clause itself is trusted again, whatever was called wrong."""

    def decide(before: Override, news: frozenset[str]) -> Override:
        return replace(
            before,
            decision="accept",
            until="",
            accepted=tuple(sorted({*before.accepted, *news})),
            rejected=tuple(one for one in before.rejected if one not in news),
            pinned=None,
        )

    return _on_changes(folder, name, reason, "accepted", decide)


def reject(folder: StateFolder, name: str, reason: str = "") -> str:
    """Have what has changed at a clause, or of a tool, be a fault: it is told of for as long as it lasts."""

    def decide(before: Override, news: frozenset[str]) -> Override:
        if not news:
            raise ContractError(
                f"nothing has changed at {before.address}; `wrong` and `missed` are for single results"
            )
        return replace(
            before,
            accepted=tuple(one for one in before.accepted if one not in news),
            rejected=tuple(sorted({*before.rejected, *news})),
        )

    return _on_changes(folder, name, reason, "rejected", decide)


def unmute(folder: StateFolder, name: str) -> str:
    """Have a clause be told of again."""
    with deciding(folder) as decided:
        known = {**built_in_clause(name), **folder.known()}
        found = resolve(name, known, decided.overrides.entries)
        entry = decided.overrides.entries.get(found)
        if entry is None or entry.decision != "mute":
            where = _for_all(decided.overrides, known, found)
            raise ContractError(f"{_address(found, known, entry)} is not muted{where}")
        # Why it was muted is no longer of interest.
        kept = replace(entry, decision="", until="", note="")
        overrides = decided.overrides
        decided.overrides = overrides.decided(kept) if kept.accepted else overrides.undone(found)
        doubts = decided.overrides.suppression(found, time.time())
        more = "; it was called wrong too often, and is told of when you accept it" if doubts else ""
        return f"{entry.address} is no longer muted{_whom(folder)}{more}"


def wrong(folder: StateFolder, event: int, clauses: Collection[str] = (), reason: str = "") -> str:
    """Note that an alarm was wrong; a clause that was called so in two tasks is told of no more."""
    found = _event(folder, event)
    if not found["clauses"]:
        raise OutcomeMonitorsError(
            f"event {event} of {found['tool']} broke nothing that has a name: there is no alarm to call wrong"
        )
    with deciding(folder) as decided:
        named = _named(found, clauses, folder)
        decided.overrides = decided.overrides.with_feedback(_feedback("wrong", found, named, reason))
        said = []
        for name in named:
            tasks = decided.overrides.tasks_called_wrong(name.rpartition("#")[2])
            ends = _ENDS[decided.overrides.suppression(name.rpartition("#")[2], time.time())]
            said.append(
                f"{short_address(name)} was called wrong in {tasks} task{'' if tasks == 1 else 's'}; {ends}"
            )
        return "; ".join(said)


def missed(folder: StateFolder, event: int, reason: str = "") -> str:
    """Note that a result was a fault of which nobody was told; it is not learned from."""
    found = _event(folder, event)
    if found["told"]:
        raise OutcomeMonitorsError(
            f"of event {event} the agent was told; `wrong` is for alarms that were not right"
        )
    with deciding(folder) as decided:
        named = _named(found, (), folder)
        decided.overrides = decided.overrides.with_feedback(_feedback("missed", found, named, reason))
        return f"event {event} of {found['tool']} is noted as a fault; it is not learned from"


def read_until(text: str, now: float) -> str:
    """Return when a mute ends, from a date, a time, or how long it lasts (`7d`); refuse what is past."""
    lasts = seconds_in(text)
    if lasts:
        return datetime.fromtimestamp(now + lasts, UTC).isoformat(timespec="seconds")
    try:
        moment = seconds_of(text)
    except (ValueError, OverflowError):
        raise OutcomeMonitorsError(
            f"--until {text!r} is not a date as in 2026-12-01, a time as in 2026-12-01T10:00:00Z, or a time from now as in 12h or 7d"
        ) from None
    if moment <= now:
        raise OutcomeMonitorsError(f"--until {text} is past; `unmute` ends a mute")
    return text


class Decisions:
    """What people have decided, while someone decides."""

    def __init__(self, overrides: Overrides, where: str) -> None:
        self.overrides, self.where = overrides, where


@contextmanager
def deciding(folder: StateFolder) -> Iterator[Decisions]:
    """Give the decisions to be changed, and write them; of several at once each waits for the others, so that none is lost."""
    with folder.storage.deciding() as step:
        text, where = step.document(OVERRIDES), step.where(OVERRIDES)
        decided = Decisions(Overrides() if text is None else loads(text, where), where)
        yield decided
        step.put(OVERRIDES, dumps(decided.overrides), current_user())


def current_user() -> str:
    """Return who decides."""
    with suppress(OSError, KeyError, ImportError):
        return os.environ.get(USER) or getpass.getuser()
    return ""


def _on_clause(folder: StateFolder, name: str, decide: Callable[[Override], tuple[Override, str]]) -> str:
    with deciding(folder) as decided:
        known = {**built_in_clause(name), **folder.known()}
        found = resolve(name, known, decided.overrides.entries)
        before = decided.overrides.entries.get(found)
        if before is None:
            before = Override.of(*known[found])
        after, what = decide(before)
        decided.overrides = decided.overrides.decided(after)
        return f"{after.address} is {what}{_whom(folder)}"


def _on_changes(
    folder: StateFolder,
    name: str,
    reason: str,
    what: str,
    decide: Callable[[Override, frozenset[str]], Override],
) -> str:
    """Decide on what is new at a clause, or at all clauses of a tool that have changed."""
    _refuse_long(reason)
    file = folder.path / CHANGES
    changes = [one for one in read_changes(file) if one.address] if file.exists() else []
    with deciding(folder) as decided:
        known = {**built_in_clause(name), **folder.known()}
        changed = {one.address for one in changes if one.tool == name}
        of_tool = [one for one, pair in known.items() if pair[0] == name and address(*pair) in changed]
        number = 0
        for found in of_tool or [resolve(name, known, decided.overrides.entries)]:
            before = decided.overrides.entries.get(found) or Override.of(*known[found])
            news = frozenset(
                novelty_hash(one.novel_value) for one in changes if one.address == before.address
            )
            number += len(news)
            after = replace(decide(before, news), note=reason or before.note)
            decided.overrides = decided.overrides.decided(after)
        ways = f", with {number} change{'' if number == 1 else 's'}" if number else ""
        return f"{name if of_tool else after.address} is {what}{ways}{_whom(folder)}"


def _whom(folder: StateFolder) -> str:
    """Say that a decision is for all, where an address names labels."""
    return " for the whole fleet" if folder.storage.labels.items() else ""


def _for_all(overrides: Overrides, known: Known, name: str) -> str:
    """Say that a built-in rule is muted by a decision for all tools."""
    others = names_of(*known[name])[1:] if name in known else ()
    muted = any(overrides.decision(other) == "mute" for other in others)
    return f" by itself, but for all tools: unmute {known[name][1].kind}" if muted else ""


def _address(name: str, known: Known, entry: Override | None) -> str:
    return entry.address if entry is not None else address(*known[name])


def _event(folder: StateFolder, number: int) -> dict[str, Any]:
    for event in read_events(folder.events, after=number - 1, before=number + 1):
        return event
    raise OutcomeMonitorsError(
        f"there is no event {number} in {folder.name}; `events {folder.name} --last 10` lists the last"
    )


def _named(event: dict[str, Any], clauses: Collection[str], folder: StateFolder) -> list[str]:
    """Return the clauses that an event broke, or those of them that are named, each as its address with the whole id."""
    there = {
        found["id"]: f"{found['clause'].rpartition('#')[0]}#{found['id']}"
        for found in event.get("violations", ())
        if "id" in found and "clause" in found
    }
    if not clauses:
        return list(there.values())
    known = {name: pair for name, pair in folder.known().items() if name in there}
    return [there[resolve(name, known, there)] for name in clauses]


def _feedback(verdict: str, event: dict[str, Any], named: Collection[str], reason: str) -> Feedback:
    _refuse_long(reason)
    return Feedback(verdict, event["tool"], event["session"], event["time"], tuple(named), reason)


def _refuse_long(reason: str) -> None:
    if len(reason) > LONGEST_NOTE:
        raise OutcomeMonitorsError(f"a reason has at most {LONGEST_NOTE} characters")
