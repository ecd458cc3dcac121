"""What clauses ask of a session's memory: no more of an answer is read, and kept, than they name.

It is what `past.all_of` has of all records, less what nobody asks for. What an answer says of an order is of interest to every tool
that has a clause by `order_id`; what it says to a question, which answers there were, and how far counts have run, to the tool itself.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from outcome_monitors.records.aggregates import digest, question_of
from outcome_monitors.records.extraction import answer_of, answers_in, rows_of
from outcome_monitors.records.feature import Feature, Sort
from outcome_monitors.records.identity import names_a_thing
from outcome_monitors.values.paths import ROOT, InText, parse

from . import What
from .answers import AFTER, OTHERS, WHOLE
from .content import content_of
from .counters import ONWARD, counted_in
from .fields import NamedFields, shape_of
from .flat import FlatLayout, Glance, flat_values, has_layout
from .past import Keepsake
from .statements import MOST_RECORDS, Statement, names, records_to_remember, says_of_what
from .summary import Summary, summary_of

__all__ = ["Selection"]

_QUESTION = Sort.ARGUMENTS.of()
_KEY = Sort.KEY.of()
_MOST_LAYOUTS = 256
_STRANGER = ""
"""Stands for every tool without a clause of its own."""


_Flat = tuple[FlatLayout, list[Any]]
_Layouts = dict[tuple[Any, ...], FlatLayout]
_NOTHING_SAID: frozenset[tuple[str, Any]] = frozenset()
_ABOUT_NOTHING: frozenset[str] = frozenset()


class Selection:
    """What is kept of the answers of each tool, by what the clauses of all of them name."""

    def __init__(self, named: Mapping[str, Iterable[What]]) -> None:
        whats = {tool: [*found] for tool, found in named.items()}
        writers = {
            key.removeprefix(AFTER)
            for found in whats.values()
            for _, key, _ in found
            if key.startswith(AFTER)
        }
        self.renews = bool(writers)
        """An answer may have to be another one after a write, so that writes are noted."""
        self._answers = {tool: any(map(_of_ids, whats.get(tool, ()))) for tool in writers}
        """The tools whose answers are summed up, and whether the ids in them are asked for."""
        for tool, found in whats.items():
            if any(map(_of_answers, found)):
                self._answers[tool] = any(map(_of_ids, found))
        self._counted = {tool for tool, found in whats.items() if any(map(_counts, found))}
        told = {tool: [what for what in found if _states(what)] for tool, found in whats.items()}
        shared = [what for found in told.values() for what in found if what[1] != _QUESTION]
        self._readers = {
            tool: _StatementReader(tool, {*shared, *own}) for tool, own in [(_STRANGER, []), *told.items()]
        }

    def glance(self, tool: str, arguments: Mapping[str, Any], result: Any) -> Glance | None:
        """Return a plain answer as it came; None where more is asked for than a glance can tell."""
        reader = self._readers.get(tool) or self._readers[_STRANGER]
        summed_up = tool in self._answers
        if type(result) is not dict or not reader.at_a_glance or tool in self._counted:
            return None
        if summed_up and (self.renews or self._answers[tool]):
            return None
        seen = reader.seen(result, whole=summed_up)
        if seen is None:
            return None
        layout, values = seen
        types = layout.types_of(values)
        asked = question_of(arguments) if types is not None else None
        if types is None or asked is None:
            return None
        return layout.glance(asked, types, values, summed_up=summed_up)

    def hear(self, tool: str, arguments: Mapping[str, Any], result: Any) -> Keepsake | None:
        """Return what is kept of an answer; None where that is nothing."""
        reader = self._readers.get(tool) or self._readers[_STRANGER]
        ids = self._answers.get(tool)
        asked = question_of(arguments) if ids is not None or reader.asks else None
        flat = reader.flat(result) if reader.keys or ids is not None else None
        statements = reader.read(asked, result, flat) if reader.keys else ()
        answer = None
        if ids is not None:
            question = digest(arguments) if asked is None else asked
            answer = self._summed_up(question, arguments, result, flat, ids=ids)
        counted = []
        if tool in self._counted:
            counted = counted_in(tool, arguments, records_to_remember(arguments, result))
        if not statements and answer is None and not counted:
            return None
        return Keepsake(statements, answer, counted, self.renews)

    def _summed_up(
        self, question: str, arguments: Mapping[str, Any], result: Any, flat: _Flat | None, *, ids: bool
    ) -> Summary:
        """Return an answer as a whole, with its ids where they are asked for."""
        if flat is not None:
            return flat[0].summary(question, flat[1], arguments, ids=ids, renews=self.renews)
        content = None if ids or self.renews else content_of(result)
        if content is not None:
            return Summary(question, *content, (), _NOTHING_SAID, _ABOUT_NOTHING)
        return summary_of(arguments, answer_of(arguments, result))._replace(asked=question)


def _of_answers(what: What) -> bool:
    return what[1] == OTHERS or what[1].startswith(AFTER)


def _of_ids(what: What) -> bool:
    return what[1] == OTHERS and what[2] != WHOLE


def _counts(what: What) -> bool:
    return what[1].startswith(ONWARD)


def _states(what: What) -> bool:
    return not _of_answers(what) and not _counts(what)


def _names_a_record(key: Feature) -> bool:
    return key.sort in (Sort.ARGUMENTS, Sort.KEY) or (key.sort is Sort.FIELD and names_a_thing(key))


class _StatementReader:
    """Reads what clauses name of the records of a tool's answers."""

    def __init__(self, tool: str, whats: Iterable[What]) -> None:
        self._tool = tool
        self._fields = NamedFields()
        self.keys = sorted(filter(_names_a_record, {Feature.parse(key) for _, key, _ in whats}))
        for name in {*self.keys, *(Feature.parse(field) for _, _, field in whats)}:
            if name.sort.of_answer:
                self._fields.add(name)
        self.asks, self._by_key = _QUESTION in self.keys, _KEY in self.keys
        self._named = [(key, says_of_what(key)) for key in self.keys if key.sort is Sort.FIELD]
        self._firsts = frozenset(str(key.steps[0]) for key, _ in self._named)
        """The fields without which no field can name a record."""
        self._in_texts = any(InText.JSON in parse(path) for path, _, _ in whats)
        self.at_a_glance = bool(self.keys) and not self._in_texts
        self._alone = self._fields.alone() if self.keys == [_QUESTION] else None
        """The fields of the answer itself that are named, where nothing else of it is."""
        self._layouts: _Layouts = {}
        self._parts: _Layouts = {}
        """Those of parts of answers."""

    def flat(self, result: Any) -> _Flat | None:
        """Return an answer whose fields are all plain as its layout and its values; None of any other."""
        if type(result) is not dict:
            return None
        layout = self.layout(tuple(result))
        values = flat_values(result) if layout is not None else None
        return (layout, values) if layout is not None and values is not None else None

    def seen(self, result: dict[Any, Any], *, whole: bool) -> tuple[FlatLayout, tuple[Any, ...]] | None:
        """Return as much of an answer as must be the same for it to say the same: all of it where the `whole` is asked for."""
        if self._alone is None or whole:
            layout = self.layout(tuple(result))
            return None if layout is None else (layout, tuple(result.values()))
        if not has_layout(tuple(result)):
            return None
        fields = tuple(filter(result.__contains__, self._alone))
        layout = self._parts.get(fields) or self._lay_out(fields, self._parts)
        return layout, tuple(map(result.__getitem__, fields))

    def layout(self, fields: tuple[Any, ...]) -> FlatLayout | None:
        """Return what is named of plain answers with these fields; None where keys may be data."""
        return self._layouts.get(fields) or self._laid_out(fields)

    def _laid_out(self, fields: tuple[Any, ...]) -> FlatLayout | None:
        return self._lay_out(fields, self._layouts) if has_layout(fields) else None

    def _lay_out(self, fields: tuple[str, ...], layouts: _Layouts) -> FlatLayout:
        named = {at.field for at in self._fields.below.values() if at.field is not None}
        if len(layouts) >= _MOST_LAYOUTS:
            layouts.clear()
        question = _QUESTION if self.asks else None
        layout = layouts[fields] = FlatLayout(self._tool, fields, named, self._named, question)
        return layout

    def read(self, asked: str | None, result: Any, flat: _Flat | None) -> list[Statement]:
        """Return what an answer says of whatever names its records."""
        if flat is not None and not self._in_texts:
            layout, values = flat
            return layout.statements(asked, values)
        found: list[Statement] = []
        for path, answer in answers_in(result, MOST_RECORDS) if self._in_texts else ((ROOT, result),):
            said: dict[Feature, Any] = {}
            self._fields.of_answer(answer, said)
            self._tell(path, answer, said, found)
            if asked is not None and self.asks:
                found.append((path, _QUESTION, (self._tool, asked + path), said))
            if self._named or self._by_key:
                self._tell_of_rows(path, answer, found)
        return found

    def _tell_of_rows(self, path: str, answer: Any, found: list[Statement]) -> None:
        for place, key, row in rows_of(path, answer, MOST_RECORDS):
            keyed = self._by_key and key is not None
            if keyed or not self._firsts.isdisjoint(row):
                said: dict[Feature, Any] = {}
                self._fields.of_row(row, said)
                if keyed:
                    found.append((place, _KEY, (_KEY, key), said))
                self._tell(place, row, said, found)

    def _tell(self, path: str, record: Any, said: dict[Feature, Any], found: list[Statement]) -> None:
        """Add what is said of a record under each of its fields that names it."""
        for key, clear in self._named:
            value = said.get(key)
            if value is not None and names(value):
                found.append((path, key, (key if clear else shape_of(record), value), said))
