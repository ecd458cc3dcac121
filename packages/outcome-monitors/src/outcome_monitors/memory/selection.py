"""What clauses ask of a session's memory: no more of an answer is read, and kept, than they name.

It is what `past.all_of` has of all records, less what nobody asks for. What an answer says of an order is of interest to every tool
that has a clause by `order_id`; what it says to a question, which answers there were, and how far counts have run, to the tool itself.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from outcome_monitors.records.aggregates import digest, known_by, question_of
from outcome_monitors.records.extraction import DEEPEST, answer_of, answers_in, rows_of
from outcome_monitors.records.feature import Feature, Sort
from outcome_monitors.records.features import kept
from outcome_monitors.records.identity import names_a_thing
from outcome_monitors.records.walk import keys_are_data
from outcome_monitors.values.paths import ROOT, InText, below, parse
from outcome_monitors.values.types import Hidden

from . import What
from .answers import AFTER, OTHERS, summary_of
from .counters import ONWARD, counted_in
from .past import Keepsake
from .statements import MOST_RECORDS, Statement, names, records_to_remember, says_of_what

__all__ = ["Selection", "shape_of"]

_QUESTION = Sort.ARGUMENTS.of()
_KEY = Sort.KEY.of()
_UNCOVERED = ""
"""Stands for every tool without a clause of its own."""
_SCALARS = frozenset({bool, float, int, str, type(None)})


class Selection:
    """What is kept of the answers of each tool, by what the clauses of all of them name."""

    def __init__(self, named: Mapping[str, Iterable[What]]) -> None:
        whats = {tool: [*found] for tool, found in named.items()}
        keys = [key for found in whats.values() for _, key, _ in found]
        writers = {key.removeprefix(AFTER) for key in keys if key.startswith(AFTER)}
        self.renews = bool(writers)
        """An answer may have to be another one after a write, so that writes are noted."""
        self._answers = writers | {tool for tool, found in whats.items() if any(map(_is_of_answers, found))}
        """The tools whose answers are summed up."""
        self._counted = {tool for tool, found in whats.items() if any(map(_counts, found))}
        stated = {
            tool: [what for what in found if not _is_of_answers(what) and not _counts(what)]
            for tool, found in whats.items()
        }
        shared = [what for found in stated.values() for what in found if what[1] != _QUESTION]
        self._readers = {
            tool: _StatementReader(tool, {*shared, *own}) for tool, own in [(_UNCOVERED, []), *stated.items()]
        }

    def hear(self, tool: str, arguments: Mapping[str, Any], result: Any) -> Keepsake | None:
        """Return what is kept of an answer; None where that is nothing."""
        reader = self._readers.get(tool) or self._readers[_UNCOVERED]
        summed_up = tool in self._answers
        asked = question_of(arguments) if summed_up or reader.asks else None
        statements = reader.read(asked, result) if reader.keys else []
        answer = None
        if summed_up:
            question = digest(arguments) if asked is None else asked
            answer = summary_of(arguments, answer_of(arguments, result))._replace(asked=question)
        counted = []
        if tool in self._counted:
            counted = counted_in(tool, arguments, records_to_remember(arguments, result))
        if not statements and answer is None and not counted:
            return None
        return Keepsake(statements, answer, counted, self.renews)


def _is_of_answers(what: What) -> bool:
    return what[1] == OTHERS or what[1].startswith(AFTER)


def _counts(what: What) -> bool:
    return what[1].startswith(ONWARD)


def _names_a_record(key: Feature) -> bool:
    return key.sort in (Sort.ARGUMENTS, Sort.KEY) or (key.sort is Sort.FIELD and names_a_thing(key))


class _StatementReader:
    """Reads what clauses name of the records of a tool's answers."""

    def __init__(self, tool: str, whats: Iterable[What]) -> None:
        self._tool = tool
        self._fields = _NamedFields()
        self.keys = sorted(filter(_names_a_record, {Feature.parse(key) for _, key, _ in whats}))
        for name in {*self.keys, *(Feature.parse(field) for _, _, field in whats)}:
            if name.sort.of_answer:
                self._fields.add(name)
        self.asks, self._by_key = _QUESTION in self.keys, _KEY in self.keys
        self._named = [(key, says_of_what(key)) for key in self.keys if key.sort is Sort.FIELD]
        self._firsts = frozenset(str(key.steps[0]) for key, _ in self._named)
        """The fields without which no field can name a record."""
        self._in_texts = any(InText.JSON in parse(path) for path, _, _ in whats)

    def read(self, asked: str | None, result: Any) -> list[Statement]:
        """Return what an answer says of whatever names its records."""
        found: list[Statement] = []
        for path, answer in answers_in(result, MOST_RECORDS) if self._in_texts else ((ROOT, result),):
            said: dict[Feature, Any] = {}
            self._fields.of_answer(answer, said)
            self._add(path, answer, said, found)
            if asked is not None and self.asks:
                found.append((path, _QUESTION, (self._tool, asked + path), said))
            if self._named or self._by_key:
                self._add_rows(path, answer, found)
        return found

    def _add_rows(self, path: str, answer: Any, found: list[Statement]) -> None:
        for place, key, row in rows_of(path, answer, MOST_RECORDS):
            keyed = self._by_key and key is not None
            if keyed or not self._firsts.isdisjoint(row):
                said: dict[Feature, Any] = {}
                self._fields.of_row(row, said)
                if keyed:
                    found.append((place, _KEY, (_KEY, key), said))
                self._add(place, row, said, found)

    def _add(self, path: str, record: Any, said: dict[Feature, Any], found: list[Statement]) -> None:
        """Add what is said of a record under each of its fields that names it."""
        for key, clear in self._named:
            value = said.get(key)
            if value is not None and names(value):
                found.append((path, key, (key if clear else shape_of(record), value), said))


class _NamedFields:
    """What is named of a value: itself, how many there are in it, all of it, and the fields below; read as extraction reads all."""

    __slots__ = ("below", "field", "number", "whole")

    def __init__(self) -> None:
        self.field: Feature | None = None
        self.number: Feature | None = None
        self.whole: Feature | None = None
        self.below: dict[str, _NamedFields] = {}

    def add(self, name: Feature) -> None:
        """Name a feature; what is of rows, or made of them, is not remembered."""
        at = self
        for step in name.steps:
            if not isinstance(step, str):
                return
            at = at.below.setdefault(step, _NamedFields())
        if name.sort is Sort.FIELD:
            at.field = name
        elif name.sort is Sort.NUMBER:
            at.number = name
        elif name.sort is Sort.WHOLE:
            at.whole = name

    def of_row(self, row: Mapping[str, Any], said: dict[Feature, Any], depth: int = DEEPEST) -> None:
        """Read an object, whatever its keys are."""
        for key in self.below if len(self.below) < len(row) else row:
            if key in self.below and key in row:
                self.below[key].of_answer(row[key], said, depth - 1)

    def of_answer(self, value: Any, said: dict[Feature, Any], depth: int = DEEPEST) -> None:
        """Read a value of any sort."""
        python = type(value)
        if python is dict and not keys_are_data(value):
            if depth:
                self.of_row(value, said, depth)
        elif python is dict or python is list:
            if self.number is not None:
                said[self.number] = len(value)
            if self.whole is not None and not isinstance(whole := known_by(value), Hidden):
                said[self.whole] = whole
        elif self.field is not None and not isinstance(value, Hidden):
            said[self.field] = kept(value)


def shape_of(record: Any) -> str:
    """Return what a bare `id` of a record is the id of: the names of all its fields, in order."""
    if type(record) is not dict:
        return ""
    if _SCALARS.issuperset(map(type, record.values())):
        return _flat_shape(tuple(record))
    return " ".join(sorted(_names(record, ROOT, DEEPEST)))


@lru_cache(maxsize=4096)
def _flat_shape(fields: tuple[Any, ...]) -> str:
    return " ".join(sorted(Sort.FIELD.of(below(ROOT, key)) for key in fields if type(key) is str))


def _names(record: Mapping[str, Any], prefix: str, depth: int) -> Iterator[str]:
    for key, value in record.items():
        if type(key) is not str or isinstance(value, Hidden):
            continue
        path = below(prefix, key)
        if type(value) is list or (type(value) is dict and keys_are_data(value)):
            yield from (Sort.NUMBER.of(path), Sort.WHOLE.of(path))
        elif type(value) is not dict:
            yield Sort.FIELD.of(path)
        elif depth > 1:
            yield from _names(value, path, depth - 1)
