"""Forgetting one person: what speaks of them goes from traces, events, receipts, contracts, stages, changes and decisions, and it is said what.

A recorded line that has the person's value in it goes whole: the fields beside it are theirs too. An event stays as a count, without what
was in it. A clause that has the value in it goes whole, since without the value it would say something else.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from outcome_monitors.contracts import overrides
from outcome_monitors.contracts.registry import Registry, clause_json
from outcome_monitors.contracts.version import version_number, version_text
from outcome_monitors.exceptions import StateError
from outcome_monitors.jsonvalue.types import normalise
from outcome_monitors.model import Clause, Contract
from outcome_monitors.storage.layout import CONTRACTS, GIVEN, OVERRIDES, VERSION
from outcome_monitors.storage.storage import Storage
from outcome_monitors.storage.tables import Row, Rows

SHORTEST = 3
"""Characters of a value that can be forgotten: a shorter one is in others' data, too."""
_PLAIN = re.compile(r"[A-Za-z0-9_.@-]+")
"""What stands in JSON as it is, however often it was written."""


@dataclass(frozen=True, slots=True)
class PersonValue:
    """A value that names a person: a number of theirs, an address. Capitals count as small letters, since clauses keep some values so."""

    value: str
    _word: re.Pattern[str] = field(init=False)
    sign: str = field(init=False)
    """A part of the value that every text has that speaks of it, to look for first; empty where there is none."""

    def __post_init__(self) -> None:
        if len(self.value) < SHORTEST:
            raise StateError(
                f"--value {self.value!r} has fewer than {SHORTEST} characters, and is in others' data too: name one that is the person's alone"
            )
        object.__setattr__(self, "_word", re.compile(rf"(?<!\w){re.escape(self.value)}(?!\w)", re.IGNORECASE))
        object.__setattr__(self, "sign", max(_PLAIN.findall(self.value), key=len, default="").casefold())

    def mentioned(self, value: Any) -> bool:
        """Say whether it stands anywhere in a value, in whatever form that is kept: as it is, or as a word of a text."""
        return any(
            self._is_it(item) or bool(isinstance(item, str) and self._word.search(item))
            for item in _leaves(value)
        )

    def may_be_in(self, text: str) -> bool:
        """Say whether a text may speak of it: to look for a sign is much quicker than to read JSON."""
        return self.sign in text.casefold()

    def in_text(self, text: str | None) -> bool:
        """Say whether a text, or the JSON that it is, speaks of it."""
        return text is not None and self.may_be_in(text) and self.mentioned([text, _read(text)])

    def _is_it(self, item: Any) -> bool:
        return (
            item is not None and not isinstance(item, bool) and normalise(str(item)) == normalise(self.value)
        )


def _leaves(value: Any) -> Iterator[Any]:
    """Yield what stands in a value, the names of fields too: an object by ids has the person's as a name."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, Mapping):
            waiting += [*item, *item.values()]
        elif isinstance(item, list | tuple):
            waiting += item
        else:
            yield item
            if isinstance(item, str) and item[:1] in ("{", "["):
                inner = _read(item)
                waiting += [] if isinstance(inner, str) else [inner]


FORGOTTEN = "[forgotten]"
"""Stands where a text did."""
NEAR = 5.0
"""Seconds between an event and the recorded line of the same call, at most."""
_TEXTS = ("session", "why", "violations", "receipt", "arguments", "result")

Call = tuple[str, str | None]
"""A tool and a session."""


def forget_person(home: Storage, person: PersonValue, *, dry: bool = False) -> Counter[str]:
    """Remove what is one person's from a state, and return how much of each sort that was; `dry` only counts."""
    gone = Counter[str]()
    calls = _lines(home, person, gone, dry)
    with home.table("events", change=not dry) as rows:
        _events(rows, person, calls, gone, dry)
    with home.table("clauses", change=not dry) as rows:
        _stages(rows, person, gone, dry)
    with home.table("ways", change=not dry) as rows:
        for row in rows.select("ways", "way", containing=person.sign):
            if person.in_text(row["way"]):
                gone["changes"] += 1
                if not dry:
                    rows.delete("ways", way=row["way"])
    with home.table("versions", change=not dry) as rows:
        _versions(rows, person, gone, dry)
    _documents(home, person, gone, dry)
    if not dry:
        home.tidy()
    return gone


def _lines(home: Storage, person: PersonValue, gone: Counter[str], dry: bool) -> dict[Call, list[float]]:
    """Remove recorded lines; return when the calls in them were made."""
    theirs, calls = [], dict[Call, list[float]]()
    for line in home.recorded_lines():
        if person.in_text(line.text):
            theirs.append(line.place)
            calls.setdefault((line.tool, line.session), []).append(line.seconds)
    gone["recorded calls"] += len(theirs)
    if theirs and not dry:
        home.drop(theirs)
    return calls


def _events(
    rows: Rows, person: PersonValue, calls: Mapping[Call, list[float]], gone: Counter[str], dry: bool
) -> None:
    for row in _events_that_may(rows, person, calls):
        times = calls.get((row["tool"], row["session"]), ())
        near = any(abs(row["time"] - when) <= NEAR for when in times)
        if near or any(person.in_text(row[name]) for name in _TEXTS):
            gone["events"] += 1
            if not dry:
                rows.update("events", _blanked(row, person), id=row["id"])


def _events_that_may(rows: Rows, person: PersonValue, calls: Mapping[Call, list[float]]) -> Iterable[Row]:
    """Return the events that may be the person's: of millions few are read."""
    which: list[dict[str, Any]] = [{"containing": person.sign}]
    for (tool, session), times in calls.items():
        if session is not None:
            begin, end = min(times) - NEAR, max(times) + NEAR
            which.append({"tool": tool, "session": session, "since": begin, "until": end + 1})
    names = ("id", "time", "tool", *_TEXTS)
    return {row["id"]: row for one in which for row in rows.select("events", *names, **one)}.values()


def _blanked(row: Row, person: PersonValue) -> Row:
    """Return what an event has in the place of what was in it."""
    found = _read(row["violations"])
    there = found if isinstance(found, list) else []
    return {
        "session": None if person.in_text(row["session"]) else row["session"],
        "why": FORGOTTEN if person.in_text(row["why"]) else row["why"],
        "violations": json.dumps(
            [{**one, "expected": None, "observed": None, "detail": FORGOTTEN} for one in there]
        ),
        "receipt": "null",
        "arguments": None,
        "result": None,
    }


def _stages(rows: Rows, person: PersonValue, gone: Counter[str], dry: bool) -> None:
    theirs = [
        row for row in rows.select("clauses") if person.in_text(row["trial"]) or person.in_text(row["proven"])
    ]
    gone["clauses on trial"] += len(theirs)
    for row in theirs if not dry else ():
        rows.delete("clauses", tool=row["tool"], clause=row["clause"])
    if theirs and not dry:
        # Whoever has read them reads them anew.
        [turns] = rows.select("turns")
        rows.update("turns", {"turn": turns["turn"] + 1})


def _versions(rows: Rows, person: PersonValue, gone: Counter[str], dry: bool) -> None:
    for row in rows.select("versions", "number", "body", "changes", "reason"):
        body, number = _without_clauses(row["body"], person)
        without = {
            **row,
            "body": body,
            "changes": "{}" if person.in_text(row["changes"]) else row["changes"],
            "reason": FORGOTTEN if person.in_text(row["reason"]) else row["reason"],
        }
        gone["clauses of versions"] += number
        if not dry and without != row:
            rows.update("versions", without, number=row["number"])


def _documents(home: Storage, person: PersonValue, gone: Counter[str], dry: bool) -> None:
    documents = home.documents()
    for name, body in documents.items():
        text = body
        if name in (CONTRACTS, GIVEN):
            text, number = _without_clauses(body, person)
            gone["clauses"] += number
            if name == CONTRACTS and VERSION in documents and not dry:
                # What is left is still the version that holds.
                home.put(VERSION, version_text(version_number(documents[VERSION], body.encode()), text))
        elif name == OVERRIDES and person.may_be_in(body):
            text, number = _without_decisions(body, person)
            gone["decisions"] += number
        if text != body and not dry:
            home.put(name, text)


def _without_clauses(body: str, person: PersonValue) -> tuple[str, int]:
    """Return a contract file without the clauses that have a person's value in them, and how many these are."""
    if not person.may_be_in(body):
        return body, 0
    registry = Registry.loads(body)
    gone = 0

    def without(clauses: Iterable[Clause]) -> tuple[Clause, ...]:
        nonlocal gone
        there = [*clauses]
        left = tuple(clause for clause in there if not person.mentioned(clause_json(clause)))
        gone += len(there) - len(left)
        return left

    contracts = {
        tool: Contract(tool, without(contract.clauses)) for tool, contract in registry.contracts.items()
    }
    shapes = [replace(shape, clauses=without(shape.clauses)) for shape in registry.shapes]
    return Registry(contracts, registry.profile, shapes).dumps(), gone


def _without_decisions(body: str, person: PersonValue) -> tuple[str, int]:
    """Return decisions without those that hold a person's value."""
    decided = overrides.loads(body)
    entries = {
        name: entry
        for name, entry in decided.entries.items()
        if not person.mentioned(
            [entry.note, dict(entry.about), None if entry.pinned is None else clause_json(entry.pinned)]
        )
    }
    feedback = tuple(one for one in decided.feedback if not person.mentioned(one.to_json()))
    gone = len(decided.entries) - len(entries) + len(decided.feedback) - len(feedback)
    return overrides.dumps(replace(decided, entries=entries, feedback=feedback)), gone


def _read(text: str | None) -> Any:
    """Return JSON read; a text that is none as it is."""
    try:
        return None if text is None else json.loads(text)
    except (ValueError, RecursionError):
        return text
