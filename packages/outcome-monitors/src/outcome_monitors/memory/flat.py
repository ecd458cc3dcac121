"""Answers whose fields are all plain, as most are: what is kept of them is told by the names of the fields, once for all that have the same.

It says what `selection` and `summary` say of answers of any sort.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import compress
from operator import itemgetter
from typing import Any, NamedTuple

from outcome_monitors.records.feature import Feature, Sort
from outcome_monitors.records.features import LONGEST, MOST, kept
from outcome_monitors.records.identity import names_a_thing
from outcome_monitors.records.walk import keys_are_data
from outcome_monitors.values.paths import ROOT, below

from .fields import shape_of
from .statements import Identity, Statement, names
from .summary import Summary, about, word_of

__all__ = ["FlatLayout", "Glance", "flat_values", "has_layout"]

MOST_TEXT = 2000
"""Characters of all texts of an answer that is put by as it came."""

_AS_THEY_ARE = frozenset({bool, int, type(None)})
_PLAIN = frozenset({*_AS_THEY_ARE, float, str})
_UNASKED: frozenset[tuple[str, Any]] = frozenset()
_NOTHING_NAMED: frozenset[str] = frozenset()


def flat_values(result: Mapping[str, Any]) -> list[Any] | None:
    """Return the values of an object as they are kept; None where one of them is not plain."""
    if not _PLAIN.issuperset(map(type, result.values())):
        return None
    return [
        value
        if (type(value) is str and len(value) <= LONGEST) or type(value) in _AS_THEY_ARE
        else kept(value)
        for value in result.values()
    ]


@lru_cache(maxsize=1024)
def has_layout(fields: tuple[Any, ...]) -> bool:
    """Say whether all features of a plain object with these fields are kept, and its keys cannot be data."""
    # A field has two features at most.
    names = {str}.issuperset(map(type, fields))
    return len(fields) < MOST // 2 and names and not keys_are_data(dict.fromkeys(fields))


class Glance(NamedTuple):
    """A plain answer as it came, and what it is known by: enough to tell that it says nothing new of what it speaks of, or speaks of something new."""

    identities: list[Identity]
    content: tuple[Any, ...]
    """The layout, the question, the types and the values: what has the same is the same answer."""
    summed_up: bool
    """It is asked whether another question had the same answer. A field names the answer then, so that of a new thing all of it is new."""

    def read(self) -> tuple[str, list[Statement], Summary | None]:
        """Return the tool, what the answer says, and its summary where that is asked for."""
        layout, asked, _, raw = self.content
        values = [*map(kept, raw)]
        summary = layout.summary(asked, values, {}, ids=False, renews=False) if self.summed_up else None
        return layout.tool, layout.statements(asked, values), summary


class FlatLayout:
    """What clauses name of the answers of a tool that have these fields, by their places."""

    def __init__(
        self,
        tool: str,
        fields: tuple[str, ...],
        named: Iterable[Feature],
        keys: Iterable[tuple[Feature, bool]],
        question: Feature | None,
    ) -> None:
        self.tool = tool
        self._question = question
        """What names the question, where what is said to it is asked for."""
        self._plain: tuple[tuple[type, ...], list[bool]] = ((), [])
        """The types that the values had last, and which of them are texts."""
        self._fields = fields
        features = [Sort.FIELD.of(below(ROOT, field)) for field in fields]
        wanted = {*named}
        self._said = [(name, place) for place, name in enumerate(features) if name in wanted]
        shape = shape_of(dict.fromkeys(fields))
        self._keys = [
            (key, key if clear else shape, features.index(key)) for key, clear in keys if key in features
        ]
        self._ids = [(name, place) for place, name in enumerate(features) if names_a_thing(name)]
        self._sorted = "\0".join(sorted(fields))
        places = sorted(range(len(fields)), key=fields.__getitem__)
        # Most answers of a tool have their fields in one order; those in another are the same answers.
        self._in_order: Callable[[Sequence[Any]], tuple[Any, ...]] = tuple
        if places != sorted(places):
            self._in_order = itemgetter(*places)

    def types_of(self, values: tuple[Any, ...]) -> tuple[type, ...] | None:
        """Return the types of the values of an answer that can be put by; None where one is not plain, or texts are long."""
        types, plain = tuple(map(type, values)), self._plain
        if types != plain[0]:
            if not _PLAIN.issuperset(types):
                return None
            plain = self._plain = types, [python is str for python in types]
        return types if len("".join(compress(values, plain[1]))) <= MOST_TEXT else None

    def glance(
        self, asked: str, types: tuple[type, ...], values: tuple[Any, ...], *, summed_up: bool
    ) -> Glance | None:
        """Look at an answer; None of one that must be read."""
        identities: list[Identity] = []
        for _, identity, place in self._keys:
            value = values[place]
            if type(value) is int or (type(value) is str and 0 < len(value) <= LONGEST):
                identities.append((identity, value))
        if summed_up and not identities:
            return None
        if self._question is not None:
            identities.append((self.tool, asked))
        return Glance(identities, (self, asked, types, values), summed_up) if identities else None

    def statements(self, asked: str | None, values: Sequence[Any]) -> list[Statement]:
        """Return what an answer says under each of its fields that names it, and to the question."""
        said = {name: values[place] for name, place in self._said}
        found: list[Statement] = [
            (ROOT, key, (identity, values[place]), said)
            for key, identity, place in self._keys
            if names(values[place])
        ]
        if asked is not None and self._question is not None:
            found.append((ROOT, self._question, (self.tool, asked), said))
        return found

    def summary(
        self, asked: str, values: Sequence[Any], arguments: Mapping[str, Any], *, ids: bool, renews: bool
    ) -> Summary:
        """Sum an answer up: its `ids` where one is asked for, what it says where a write `renews` answers."""
        ordered = self._in_order(values)
        # 1 and true are equal, and not the same answer.
        whole = (self._sorted, ordered, tuple(map(type, ordered)))
        named = [(name, values[place], word_of(values[place])) for name, place in self._ids] if ids else []
        said = frozenset(zip(self._fields, values, strict=True)) if renews else _UNASKED
        # What was asked about is of interest for these two alone.
        asked_about = about(arguments) if ids or renews else _NOTHING_NAMED
        return Summary(asked, whole, any(values), tuple([one for one in named if one[2]]), said, asked_about)
