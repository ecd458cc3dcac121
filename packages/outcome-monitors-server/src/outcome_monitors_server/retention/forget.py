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
from outcome_monitors.contracts.candidate import VersionsInForce, candidate_text, digest_of
from outcome_monitors.contracts.registry import Registry, clause_json
from outcome_monitors.exceptions import StateError
from outcome_monitors.features.feature import Feature
from outcome_monitors.jsonvalue.paths import Each, InText, parse
from outcome_monitors.jsonvalue.types import normalise
from outcome_monitors.model import Clause, Contract
from outcome_monitors.rules.base.record import is_feature
from outcome_monitors.storage.layout import CANDIDATE, CONTRACTS, GIVEN, OVERRIDES
from outcome_monitors.storage.storage import Storage
from outcome_monitors.storage.tables import TableConnection
from outcome_monitors_server.storage.contract_lines import END

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
                f"--path {self.path!r} and its value name nobody; --path customer_id --value C-17 is an example"
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
_BLANK = "UPDATE events SET session = ?, why = ?, violations = ?, receipt = 'null', arguments = NULL, result = NULL WHERE id = ?"

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
    rows: TableConnection, person: PersonValue, calls: Mapping[Call, list[float]], found: Forgotten, dry: bool
) -> None:
    blank = []
    for number, time, tool, *texts in rows.execute(*_events_that_may(person, calls)).fetchall():
        values = [*map(_read, texts)]
        near = any(abs(time - when) <= NEAR for when in calls.get((tool, texts[0]), ()))
        if near or _shows(values, person):
            blank.append(_blanked(number, texts[0], texts[1], values[2], person))
        elif person.mentioned(values):
            found.left["events"] += 1
    found.gone["events"] += len(blank)
    if not dry:
        rows.executemany(_BLANK, blank)


def _events_that_may(person: PersonValue, calls: Mapping[Call, list[float]]) -> tuple[str, list[Any]]:
    """Return a query for the events that may be the person's, with its values: of millions few are read."""
    sign = person.sign.replace("!", "!!").replace("%", "!%").replace("_", "!_")
    parts = [f"lower({column}) LIKE ? ESCAPE '!'" for column in _TEXTS]
    values: list[Any] = [f"%{sign}%"] * len(_TEXTS)
    for (tool, session), times in calls.items():
        parts.append("(tool = ? AND session = ? AND time BETWEEN ? AND ?)")
        values += [tool, session, min(times) - NEAR, max(times) + NEAR]
    # The names are our own, and there is a mark for each value.
    return f"SELECT id, time, tool, {', '.join(_TEXTS)} FROM events WHERE {' OR '.join(parts)}", values  # noqa: S608


def _shows(values: list[Any], person: PersonValue) -> bool:
    _, _, violations, receipt, arguments, result = values
    if person.anywhere:
        return person.mentioned(values)
    shown = [*(violations if isinstance(violations, list) else ()), *([receipt] if receipt else ())]
    return person.in_value([arguments, result]) or any(
        person.in_violation(one if isinstance(one, dict) else {"": one}) for one in shown
    )


def _blanked(
    number: int, session: str | None, why: str, violations: Any, person: PersonValue
) -> tuple[Any, ...]:
    there = violations if isinstance(violations, list) else []
    return (
        None if person.mentioned(session) else session,
        FORGOTTEN if person.mentioned(why) else why,
        json.dumps([{**one, "expected": None, "observed": None, "detail": FORGOTTEN} for one in there]),
        number,
    )


def _stages(rows: TableConnection, person: PersonValue, found: Forgotten, dry: bool) -> None:
    theirs = []
    for tool, clause, *texts in rows.execute("SELECT tool, clause, trial, proven FROM clauses").fetchall():
        clauses = [_read(text) for text in texts if text is not None and person.may_be_in(text)]
        if any(map(person.in_clause, clauses)):
            theirs.append((tool, clause))
        elif person.mentioned(clauses):
            found.left["clauses on trial"] += 1
    found.gone["clauses on trial"] += len(theirs)
    if theirs and not dry:
        rows.executemany("DELETE FROM clauses WHERE tool = ? AND clause = ?", theirs)
        # Whoever has read them reads them anew.
        rows.execute("UPDATE turns SET turn = turn + 1")


def _changes(rows: TableConnection, person: PersonValue, found: Forgotten, dry: bool) -> None:
    theirs = []
    for way, path in rows.execute("SELECT way, path FROM ways").fetchall():
        news = _read(way.rpartition(END)[2])
        if person.may_be_in(way) and person.in_violation({"path": path, "news": news}):
            theirs.append((way,))
        elif person.may_be_in(way) and person.mentioned(news):
            found.left["changes"] += 1
    found.gone["changes"] += len(theirs)
    if not dry:
        rows.executemany("DELETE FROM ways WHERE way = ?", theirs)


def _versions(rows: TableConnection, person: PersonValue, found: Forgotten, dry: bool) -> None:
    query = "SELECT number, body, changes, evidence, reason FROM versions"
    for number, body, *texts in rows.execute(query).fetchall():
        kept, gone = without_clauses(body, person) if person.may_be_in(body) else (body, 0)
        changes, evidence, reason = texts
        blank = [
            "{}" if person.mentioned(_read(changes)) else changes,
            evidence,
            FORGOTTEN if person.mentioned(reason) else reason,
        ]
        found.gone["clauses of versions"] += gone
        if not dry and (kept, blank) != (body, texts):
            values = (kept, *blank, number)
            rows.execute(
                "UPDATE versions SET body = ?, changes = ?, evidence = ?, reason = ? WHERE number = ?", values
            )
        if person.may_be_in(kept) and person.mentioned(_read(kept)):
            found.left["versions"] += 1


def _documents(home: Storage, person: PersonValue, found: Forgotten, dry: bool) -> None:
    documents = home.documents()
    for document, body in documents.items():
        name, _, labels = document.partition("?")
        if not body or (not person.may_be_in(body) and name != CANDIDATE):
            continue
        text, number = body, 0
        if name in (CONTRACTS, GIVEN):
            text, number = without_clauses(body, person)
            found.gone["clauses"] += number
        elif name == CANDIDATE:
            of_line = f"{CONTRACTS}?{labels}" if labels else CONTRACTS
            text, number = _candidate(body, documents.get(of_line, ""), person)
        elif name == OVERRIDES:
            text, number = _without_decisions(body, person)
            found.gone["decisions"] += number
        if text != body and not dry:
            home.put(document, text)
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


def _candidate(body: str, contracts: str, person: PersonValue) -> tuple[str, int]:
    """Return the document of the versions in force without a person's clauses; it names the contracts as they are then."""
    there = VersionsInForce.loads(body, CANDIDATE)
    digest, gone, tried = there.digest, 0, None
    if contracts and there.number_of(contracts.encode()) is not None:
        digest = digest_of(without_clauses(contracts, person)[0].encode())
    if there.candidate is not None:
        one = there.candidate
        kept, gone = without_clauses(one.registry.dumps(), person)
        tried = (one.number, one.stage, one.share, kept)
    return candidate_text(there.number, digest, tried), gone


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
