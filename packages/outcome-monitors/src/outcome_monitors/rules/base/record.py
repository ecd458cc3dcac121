"""What the kinds have in common that relate the features of a record to each other (`features.features`).

An equation that breaks says that its members do not agree; which of them is wrong others must tell (`checking.localization`).
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, reduce
from operator import and_
from typing import Any, ClassVar, TypeGuard

from outcome_monitors.features.feature import ABSENT, Feature, Sort, is_answer
from outcome_monitors.features.field_names import names_a_thing
from outcome_monitors.features.reader import reader
from outcome_monitors.jsonvalue.display import LONGEST, alike, clip, clip_around, clip_text, contrast
from outcome_monitors.jsonvalue.paths import parse, render, select
from outcome_monitors.model import Clause, Json, Violation
from outcome_monitors.rules.config import CONFIG
from outcome_monitors.rules.evidence.evidence import Evidence
from outcome_monitors.rules.evidence.samples import Witness
from outcome_monitors.rules.evidence.table import Column, Table, members, set_of

from .kind import Beside, Bind, Candidate, Kind, witnesses
from .traits import Traits

Get = Callable[[str], Any]
"""Gives a feature of a record, or ABSENT."""
Fault = tuple[str, Json, Json]
"""The feature at fault, what was expected of it, and what was observed."""


_HASHED = frozenset({Sort.WHOLE, Sort.ARGUMENTS, Sort.ARGUMENT_WHOLE})
"""Sorts that are known by a hash, which says nothing to anyone."""
_QUOTES = 6
"""Characters that stand between values, quotes among them."""
_MORE = re.compile(r" \(and \d+ more\)\Z")
"""What `rules.evaluate` says of further places of the same clause."""


def is_feature(value: Any) -> bool:
    """Say whether a value from a contract file names a feature."""
    try:
        return isinstance(value, str) and Feature.parse(value) == value
    except ValueError:
        return False


def is_of(value: Any, *sorts: Sort) -> TypeGuard[str]:
    """Say whether a value from a contract file names a feature of one of these sorts."""
    return is_feature(value) and Feature.parse(value).sort in sorts


def tables_of(evidence: Evidence) -> Iterator[tuple[str, Table]]:
    """Yield the distinct records of each path, feature by feature."""
    return ((path, evidence.table(path)) for path in sorted(evidence.records))


def column_of(values: list[Any]) -> Column:
    """Return what is made of a feature in every record; None in those that it cannot be made of."""
    return Column(values, set_of((row for row, value in enumerate(values) if value is not None), len(values)))


def rows_of(table: Table, *columns: Column) -> list[tuple[Any, ...]]:
    """Return the values of the records that have all of some columns, each row with its witness last."""
    rows = members(reduce(and_, (column.having for column in columns)))
    values = ([column.values[row] for row in rows] for column in columns)
    return [*zip(*values, [table.witnesses[row] for row in rows], strict=True)]


def finest(table: Table) -> list[Feature]:
    """Return the fields that name the thing itself that a record is about."""
    named = {
        name: column.values
        for name, column in table.columns.items()
        if name.sort is Sort.FIELD and names_a_thing(name)
    }
    distinct = {name: len({*values}) for name, values in named.items()}
    most = max(distinct.values(), default=0)
    return [name for name, count in distinct.items() if count >= CONFIG.identity_share * most]


def of_one_thing(key: Feature, name: Feature) -> bool:
    """Say whether a field is of the thing that a key names: the id of an owner, or its city, says nothing of what it owns."""
    above = key.steps[:-1]
    return name.steps[: len(above)] == above


class RecordKind(Kind):
    """A kind that relates the features of one record, and judges each record at a path by them."""

    traits = Traits(about="record")
    sentence: ClassVar[str]
    """A clause in words; the parameters stand in braces, features by their names."""
    wrong: ClassVar[str]
    """What is wrong, in the same way."""

    def broken(self, params: Mapping[str, Json]) -> Callable[..., Fault | None]:
        """Return the test of the values of `features`: None where they agree."""
        raise NotImplementedError

    def candidate(
        self,
        path: str,
        params: Mapping[str, Json],
        behind: Iterable[Witness],
        odd: Iterable[Witness],
        tasks: int,
        entities: int,
        *,
        trusted: bool | None = None,
    ) -> Candidate:
        """Suggest a clause by the witnesses behind it, and those of what breaks it."""
        clause = Clause(self.name, path, params, sum(one.calls for one in behind), tasks, "traces")
        fired = {one.first: one.calls for one in odd}
        return Candidate(clause, "", fired, entities=entities, trusted=trusted)

    def detail(self, params: Mapping[str, Json]) -> str:
        """Say what is wrong."""
        return self.wrong.format_map(_in_words(params))

    def explain(self, clause: Clause) -> str:
        """Say it in words."""
        return self.sentence.format_map(_in_words(clause.params))

    def features(self, params: Mapping[str, Json]) -> tuple[str, ...]:
        """Return the features that the test reads, in the order of its arguments."""
        return tuple(params[name] for name in self.identity if is_feature(params[name]))

    def wanted(self, params: Mapping[str, Json]) -> tuple[str, ...]:
        """Return the features that must be there for a clause to judge a record."""
        return self.features(params)

    def can_judge(self, params: Mapping[str, Json], values: Sequence[Any]) -> bool:
        """Say whether a clause judges a record with these values of what is wanted."""
        return True

    def at_fault(self, params: Mapping[str, Json]) -> str:
        """Return the feature that the test names as the one at fault."""
        return str(params["field"])

    def agreement(self, clause: Clause, get: Get) -> str:
        """Say in few words what should hold between the features of a record."""
        return self.explain(clause)

    def compared(self, clause: Clause, get: Get, expected: Json, observed: Json) -> tuple[Json, Json]:
        """Return what the test expected and observed, fit to be shown; `get` has what it read."""
        return contrast(expected, observed)

    def agrees(self, clause: Clause, place: str, arguments: Mapping[str, Json], result: Json) -> bool:
        """Say whether the record at a place has all that a clause relates, and the clause holds."""
        get = _getter(place, arguments, result)
        values = [get(feature) for feature in self.wanted(clause.params)]
        there = not any(value is ABSENT or value is None for value in values)
        return there and self.can_judge(clause.params, values) and self.fault(clause.params, get) is None

    def fault(self, params: Mapping[str, Json], get: Get) -> Fault | None:
        """Return what is wrong with the record that `get` reads, if anything is."""
        return self.broken(params)(*map(get, self.features(params)))

    def related(self, clause: Clause) -> tuple[str, ...]:
        """Return the paths of all features of the answer that a clause relates."""
        return self._places(clause.path, self._of_answer(clause.params))

    def suspects(self, params: Mapping[str, Json], get: Get) -> list[str]:
        """Return the features that may be at fault in a record that fails the test: `get` reads them."""
        return self._of_answer(params)

    def members(
        self, clause: Clause, violation: Violation, arguments: Mapping[str, Json], result: Json
    ) -> tuple[str, ...]:
        """Return the places of all features that may be at fault."""
        place = record_of(clause, violation)
        found = self._places(place, self.suspects(clause.params, _getter(place, arguments, result)))
        return found if len(found) > 1 else (violation.path,)

    def own_place(self, clause: Clause, violation: Violation) -> str:
        """Return the place of the feature that the test names."""
        return place_of(record_of(clause, violation), self.at_fault(clause.params))

    def restate(
        self,
        clause: Clause,
        violation: Violation,
        member: str | None,
        arguments: Mapping[str, Json],
        result: Json,
    ) -> Violation:
        """Say of the feature that the test names what it should be; of others, or of all, on what they do not agree."""
        own, place = self.own_place(clause, violation), record_of(clause, violation)
        if member == violation.path == own:
            return violation
        get = _getter(place, arguments, result)
        if member == own and (found := self.fault(clause.params, get)) is not None:
            expected, observed = self.compared(clause, get, *found[1:])
            detail = self.detail(clause.params)
        else:
            names = _and([described(name) for name in self.suspects(clause.params, get)])
            expected, detail = (
                _in_short(self.agreement(clause, get), f"{names} agree"),
                f"{names} do not agree",
            )
            observed = self._values(clause.params, get) if member is None else value_at(result, member)
        more = _MORE.search(violation.detail)
        return replace(
            violation,
            path=place if member is None else member,
            expected=expected,
            observed=observed,
            detail=detail + (more.group() if more is not None else ""),
        )

    def _of_answer(self, params: Mapping[str, Json]) -> list[str]:
        """Return the features that the test reads; what was asked is not at fault, nor is the key that a record stands under."""
        features = self.features(params)
        return [name for name in features if Feature.parse(name).sort.of_answer] or [self.at_fault(params)]

    @staticmethod
    def _places(place: str, features: Iterable[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(place_of(place, feature) for feature in features))

    def _values(self, params: Mapping[str, Json], get: Get) -> str:
        """Return the values of all members; long texts are cut around the place where they differ."""
        names = self.suspects(params, get)
        room = LONGEST // len(names) - _QUOTES
        values = [written(get, name, room, _alike(map(get, names))) for name in names]
        with_names = (
            f"{Feature.parse(name).path} {value}" for name, value in zip(names, values, strict=True)
        )
        return _in_short(", ".join(with_names), " and ".join(values))

    def fires(self, clause: Clause, evidence: Evidence) -> Mapping[int, int]:
        """Test every distinct record of other evidence."""
        if clause.path not in evidence.records:
            return {}
        broken, features = self.broken(clause.params), self.features(clause.params)
        return witnesses(
            witness
            for found, witness in evidence.rows(clause.path)
            if broken(*(found.get(feature, ABSENT) for feature in features)) is not None
        )

    def check(self, clause: Clause, arguments: Mapping[str, Json], result: Json) -> Iterator[Violation]:
        """Yield each record that fails the test."""
        broken, features = self.broken(clause.params), self.features(clause.params)
        for place, record in select(result, clause.path):
            # A scalar is a record only as the whole result or under a key that is data: no other was mined from.
            if not (isinstance(record, (dict, list)) or is_answer(place) or clause.path.endswith("*")):
                continue

            def get(feature: str, record: Any = record, place: str = place) -> Any:
                return reader(feature)(record, arguments, place)

            found = broken(*map(get, features))
            if found is not None:
                feature, *values = found
                expected, observed = self.compared(clause, get, *values)
                yield Violation(
                    self.code_of(clause),
                    place_of(place, feature),
                    expected,
                    observed,
                    self.detail(clause.params),
                )

    def fast(self, clause: Clause, bind: Bind, beside: Beside) -> str | None:
        """Run the test itself on the values of its features."""
        places = ", ".join(f"{{{index}}}" for index in range(len(self.features(clause.params))))
        return f"{bind(self.broken(clause.params))}({places}) is None"


def _in_words(params: Mapping[str, Json]) -> dict[str, Json]:
    return {name: described(value) if is_feature(value) else value for name, value in params.items()}


def record_of(clause: Clause, violation: Violation) -> str:
    """Return the place of the record that a violation is of, whichever of its members it was told of."""
    return render(parse(violation.path)[: len(parse(clause.path))])


def _getter(place: str, arguments: Mapping[str, Json], result: Json) -> Get:
    """Return what reads the features of the record at a place."""
    record = next((value for _, value in select(result, place)), None)
    return lambda feature: reader(feature)(record, arguments, place)


def written(get: Get, feature: str, room: int = LONGEST, place: int = 0) -> str:
    """Return what a feature of a record is as it stands in a sentence, texts in quotes; of a list, how long it is."""
    name = Feature.parse(feature)
    if name.sort in _HASHED:
        size = get(Sort.NUMBER.of(name.path)) if name.sort is Sort.WHOLE else ABSENT
        return "all of it" if size is ABSENT else f"a list of {size}"
    value = get(feature)
    if isinstance(value, str):
        return repr(clip_around(value, place, room))
    return "nothing" if value is ABSENT else json.dumps(clip(value), ensure_ascii=False)


def _alike(values: Iterable[Any]) -> int:
    """Return how many characters the texts among values have in common before they differ."""
    first, *others = [value for value in values if isinstance(value, str)] or [""]
    return min((alike(first, other) for other in others), default=0)


def value_at(result: Json, path: str) -> Json:
    """Return what stands at a place; of several places, how many."""
    found = [value for _, value in select(result, path)]
    return clip(found[0] if len(found) == 1 else found)


def _in_short(words: str, shorter: str) -> str:
    return clip_text(words if len(words) <= LONGEST else shorter)


def _and(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def place_of(place: str, feature: str) -> str:
    """Return the path of a feature of the record at a place."""
    return Feature.parse(feature).within(place)


@lru_cache(maxsize=16384)
def learned_at(place: str, feature: str | None) -> str:
    """Return the path that a text which a clause has learned is of; of an argument its own, and of no field the empty one."""
    if feature is None:
        return ""
    named = Feature.parse(feature) if is_feature(feature) else None
    try:
        # What names no feature is the name of a field.
        steps = parse(feature if named is None else named.path)
    except ValueError:
        return place
    return render(steps if named is not None and named.sort.of_call else [*parse(place), *steps])


def described(feature: str) -> str:
    """Return a feature as it stands in a sentence."""
    return Feature.parse(feature).described


def noun(feature: str) -> str:
    """Return a feature as it stands after "this" or "the same"."""
    return described(feature).removeprefix("the ").removeprefix("its ")
