"""Forgetting one person: what is theirs goes from traces, events, receipts, contracts, stages, changes and decisions, and it is said what.

A recorded line in which the person's field has their value goes whole: the fields beside it are theirs too. An event stays as a count,
without what was in it. A clause that has the value in it goes whole, since without the value it would say something else.
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
from outcome_monitors.features.feature import Feature
from outcome_monitors.jsonvalue.paths import Each, InText, parse
from outcome_monitors.jsonvalue.types import normalise
from outcome_monitors.model import Clause, Contract
from outcome_monitors.rules.base.record import is_feature
from outcome_monitors.storage.layout import CONTRACTS, GIVEN, OVERRIDES, VERSION
from outcome_monitors.storage.storage import Storage
from outcome_monitors.storage.tables import Row, Rows

__all__ = ["FORGOTTEN", "Forgotten", "PersonValue", "forget_person", "without_clauses"]

SHORTEST = 3
"""Characters of a value that is looked for in texts: a shorter one stands everywhere."""
_PLAIN = re.compile(r"[A-Za-z0-9_.@-]+")
"""What stands in JSON as it is, however often it was written."""

Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PersonValue:
    """A value that names a person, and the field that it stands in: `customer_id` in any place, `customer.id` below any `customer`.

    Capitals count as small letters, since clauses keep some values so.
    `anywhere`, whatever speaks of the value is theirs, in whichever field or text.
    """

    path: str
    value: str
    anywhere: bool = False
    _names: Names = field(init=False)
    _word: re.Pattern[str] = field(init=False)
    sign: str = field(init=False)
    """A part of the value that every text has that speaks of it, to look for first; empty where there is none."""

    def __post_init__(self) -> None:
        names = _names_of(self.path)
        if not names or not self.value:
            raise StateError(
                f"--path {self.path!r} and --value must name a field and its value, as in --path customer_id --value C-17"
            )
        object.__setattr__(self, "_names", names)
        object.__setattr__(self, "_word", re.compile(rf"(?<!\w){re.escape(self.value)}(?!\w)", re.IGNORECASE))
        object.__setattr__(self, "sign", max(_PLAIN.findall(self.value), key=len, default="").casefold())

    def in_value(self, value: Any) -> bool:
        """Say whether a JSON value has the person's in their field, or, where that is enough, anywhere."""
        if self.anywhere:
            return self.mentioned(value)
        return any(self._is_it(item) and self._is_field(names) for names, item in _leaves(value))

    def in_violation(self, violation: Mapping[str, Any]) -> bool:
        """Say whether a violation, or a part of a receipt, shows the person's value."""
        return self.mentioned(violation) and (self.anywhere or self._speaks_of_field(violation))

    def in_clause(self, clause: Any) -> bool:
        """Say whether a clause, in whatever form it is kept, has the value in it, and speaks of the field."""
        has = (
            self.mentioned(clause) if self.anywhere else any(self._is_it(item) for _, item in _leaves(clause))
        )
        return has and (self.anywhere or self._speaks_of_field(clause))

    def mentioned(self, value: Any) -> bool:
        """Say whether the value stands anywhere: as it is, or as a word of a text."""
        words = len(self.value) >= SHORTEST
        return any(
            self._is_it(item) or bool(words and isinstance(item, str) and self._word.search(item))
            for _, item in _leaves(value)
        )

    def may_be_in(self, text: str) -> bool:
        """Say whether a text may speak of the value: to look for a sign is much quicker than to read JSON."""
        return self.sign in text.casefold()

    def _is_field(self, names: Names) -> bool:
        return names[-len(self._names) :] == self._names

    def _speaks_of_field(self, value: Any) -> bool:
        """Say whether a path to the field stands in a value."""
        return any(isinstance(item, str) and self._is_field(_names_of(item)) for _, item in _leaves(value))

    def _is_it(self, item: Any) -> bool:
        return (
            item is not None and not isinstance(item, bool) and normalise(str(item)) == normalise(self.value)
        )


def _names_of(text: str) -> Names:
    """Return the fields that a path, or a feature of a clause, leads through; none where it is neither."""
    path = Feature.parse(text).path if is_feature(text) else text
    try:
        return tuple(step for step in parse(path) if not isinstance(step, int | Each | InText))
    except ValueError:
        return ()


def _leaves(value: Any) -> Iterator[tuple[Names, Any]]:
    """Yield what stands in a value, each with the names of the fields that lead there; the names of fields are values too."""
    waiting: list[tuple[Names, Any]] = [((), value)]
    while waiting:
        place, item = waiting.pop()
        if isinstance(item, Mapping):
            # An object by ids has the person's as a name.
            waiting += [(place, key) for key in item]
            waiting += [((*place, key), inner) for key, inner in item.items()]
        elif isinstance(item, list | tuple):
            waiting += [(place, inner) for inner in item]
        else:
            yield place, item
            if isinstance(item, str) and item[:1] in ("{", "["):
                waiting += [(place, inner) for inner in _in_text(item)]


def _in_text(text: str) -> list[Any]:
    try:
        return [json.loads(text)]
    except (ValueError, RecursionError):
        return []


FORGOTTEN = "[forgotten]"
"""Stands where a text did."""
NEAR = 5.0
"""Seconds between an event and the recorded line of the same call, at most."""
_TEXTS = ("session", "why", "violations", "receipt", "arguments", "result")

Call = tuple[str, str | None]
"""A tool and a session."""


@dataclass(slots=True)
class Forgotten:
    """How much was removed of each sort, and how much still speaks of the value in other fields and texts."""

    gone: Counter[str] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)


def forget_person(home: Storage, person: PersonValue, *, dry: bool = False) -> Forgotten:
    """Remove what is one person's from a state; `dry` only counts."""
    found = Forgotten()
    calls = _lines(home, person, found, dry)
    with home.table("events", change=not dry) as rows:
        _events(rows, person, calls, found, dry)
    with home.table("clauses", change=not dry) as rows:
        _stages(rows, person, found, dry)
    with home.table("ways", change=not dry) as rows:
        _changes(rows, person, found, dry)
    with home.table("versions", change=not dry) as rows:
        _versions(rows, person, found, dry)
    _documents(home, person, found, dry)
    if not dry:
        home.tidy()
    return found


def _lines(home: Storage, person: PersonValue, found: Forgotten, dry: bool) -> dict[Call, list[float]]:
    """Remove recorded lines; return when the calls in them were made."""
    theirs, calls = [], dict[Call, list[float]]()
    for line in home.recorded_lines():
        if not person.may_be_in(line.text):
            continue
        call = line.call
        if person.in_value(call or line.text):
            theirs.append(line.place)
            whose = (call.get("tool", ""), call.get("session"))
            calls.setdefault(whose, []).append(line.seconds)
        elif person.mentioned(call or line.text):
            found.left["recorded calls"] += 1
    found.gone["recorded calls"] += len(theirs)
    if theirs and not dry:
        home.drop(theirs)
    return calls


def _events(
    rows: Rows, person: PersonValue, calls: Mapping[Call, list[float]], found: Forgotten, dry: bool
) -> None:
    gone = 0
    for row in _events_that_may(rows, person, calls):
        values = [_read(row[name]) for name in _TEXTS]
        times = calls.get((row["tool"], row["session"]), ())
        if any(abs(row["time"] - when) <= NEAR for when in times) or _shows(values, person):
            gone += 1
            if not dry:
                rows.update("events", _blanked(row, person), id=row["id"])
        elif person.mentioned(values):
            found.left["events"] += 1
    found.gone["events"] += gone


def _events_that_may(rows: Rows, person: PersonValue, calls: Mapping[Call, list[float]]) -> Iterable[Row]:
    """Return the events that may be the person's: of millions few are read."""
    which: list[dict[str, Any]] = [{"containing": person.sign}]
    for (tool, session), times in calls.items():
        if session is not None:
            begin, end = min(times) - NEAR, max(times) + NEAR
            which.append({"tool": tool, "session": session, "since": begin, "until": end + 1})
    names = ("id", "time", "tool", *_TEXTS)
    return {row["id"]: row for one in which for row in rows.select("events", *names, **one)}.values()


def _shows(values: list[Any], person: PersonValue) -> bool:
    _, _, violations, receipt, arguments, result = values
    if person.anywhere:
        return person.mentioned(values)
    shown = [*(violations if isinstance(violations, list) else ()), *([receipt] if receipt else ())]
    return person.in_value([arguments, result]) or any(
        person.in_violation(one if isinstance(one, dict) else {"": one}) for one in shown
    )


def _blanked(row: Row, person: PersonValue) -> Row:
    """Return what an event has in the place of what was in it."""
    found = _read(row["violations"])
    there = found if isinstance(found, list) else []
    return {
        "session": None if person.mentioned(row["session"]) else row["session"],
        "why": FORGOTTEN if person.mentioned(row["why"]) else row["why"],
        "violations": json.dumps(
            [{**one, "expected": None, "observed": None, "detail": FORGOTTEN} for one in there]
        ),
        "receipt": "null",
        "arguments": None,
        "result": None,
    }


def _stages(rows: Rows, person: PersonValue, found: Forgotten, dry: bool) -> None:
    gone = 0
    for row in rows.select("clauses"):
        texts = [text for text in (row["trial"], row["proven"]) if text is not None]
        clauses = [_read(text) for text in texts if person.may_be_in(text)]
        if any(map(person.in_clause, clauses)):
            gone += 1
            if not dry:
                rows.delete("clauses", tool=row["tool"], clause=row["clause"])
        elif person.mentioned(clauses):
            found.left["clauses on trial"] += 1
    found.gone["clauses on trial"] += gone
    if gone and not dry:
        # Whoever has read them reads them anew.
        [turns] = rows.select("turns")
        rows.update("turns", {"turn": turns["turn"] + 1})


def _changes(rows: Rows, person: PersonValue, found: Forgotten, dry: bool) -> None:
    gone = 0
    for row in rows.select("ways", "way", "path", containing=person.sign):
        way = row["way"]
        news = _read(way)
        if person.in_violation({"path": row["path"], "news": news}):
            gone += 1
            if not dry:
                rows.delete("ways", way=way)
        elif person.mentioned(news):
            found.left["changes"] += 1
    found.gone["changes"] += gone


def _versions(rows: Rows, person: PersonValue, found: Forgotten, dry: bool) -> None:
    for row in rows.select("versions", "number", "body", "changes", "reason"):
        body, gone = (
            without_clauses(row["body"], person) if person.may_be_in(row["body"]) else (row["body"], 0)
        )
        without = {
            **row,
            "body": body,
            "changes": "{}" if person.mentioned(_read(row["changes"])) else row["changes"],
            "reason": FORGOTTEN if person.mentioned(row["reason"]) else row["reason"],
        }
        found.gone["clauses of versions"] += gone
        if not dry and without != row:
            rows.update("versions", without, number=row["number"])
        if person.may_be_in(body) and person.mentioned(_read(body)):
            found.left["versions"] += 1


def _documents(home: Storage, person: PersonValue, found: Forgotten, dry: bool) -> None:
    documents = home.documents()
    for name, body in documents.items():
        if not person.may_be_in(body):
            continue
        text, number = body, 0
        if name in (CONTRACTS, GIVEN):
            text, number = without_clauses(body, person)
            found.gone["clauses"] += number
            if name == CONTRACTS and VERSION in documents and not dry:
                # What is left is still the version that holds.
                home.put(VERSION, version_text(version_number(documents[VERSION], body.encode()), text))
        elif name == OVERRIDES:
            text, number = _without_decisions(body, person)
            found.gone["decisions"] += number
        if text != body and not dry:
            home.put(name, text)
        if person.mentioned(_read(text)):
            found.left[name] += 1


def without_clauses(body: str, person: PersonValue) -> tuple[str, int]:
    """Return a contract file without the clauses that have a person's value in them, and how many these are."""
    registry = Registry.loads(body)
    gone = 0

    def without(clauses: Iterable[Clause]) -> tuple[Clause, ...]:
        nonlocal gone
        there = [*clauses]
        left = tuple(clause for clause in there if not person.in_clause(clause_json(clause)))
        gone += len(there) - len(left)
        return left

    contracts = {
        tool: Contract(tool, without(contract.clauses)) for tool, contract in registry.contracts.items()
    }
    shapes = [replace(shape, clauses=without(shape.clauses)) for shape in registry.shapes]
    return Registry(contracts, registry.profile, shapes).dumps(), gone


def _without_decisions(body: str, person: PersonValue) -> tuple[str, int]:
    """Return decisions without those that hold a person's value; a note or a session that has it goes in any case."""
    decided = overrides.loads(body)
    entries = {
        name: entry
        for name, entry in decided.entries.items()
        if not (
            person.mentioned([entry.note, dict(entry.about)])
            or (entry.pinned is not None and person.in_clause(clause_json(entry.pinned)))
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
