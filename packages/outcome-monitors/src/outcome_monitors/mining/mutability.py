"""What changes, by all that the traffic shows: what writes are told to change, and what two answers say differently of one thing.

A tool's own answers may never have shown it: in an afternoon no order has moved on, and yet there is a tool that moves them.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from outcome_monitors.contracts.identity import about
from outcome_monitors.features.feature import ABSENT, Feature, Sort
from outcome_monitors.features.field_names import IDS, names_a_thing
from outcome_monitors.features.tool_names import action_of, may_write, named_action
from outcome_monitors.jsonvalue.paths import ROOT
from outcome_monitors.jsonvalue.text import last_word, words
from outcome_monitors.jsonvalue.types import is_number
from outcome_monitors.model import Clause
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.record import finest
from outcome_monitors.rules.evidence.evidence import Evidence
from outcome_monitors.rules.evidence.table import Table

from .config import CONFIG
from .shapes import Family

_CHANGES = frozenset({"update"})
"""What a tool does that changes what was there; what is created is new, and what is deleted is gone."""
_REMOVES = frozenset({"delete"})
"""What a tool does after which a list has one less."""


class Mutability:
    """What a clause that says what things are must not speak of."""

    def __init__(self, evidence: Mapping[str, Evidence], families: Iterable[Family]) -> None:
        self._evidence = evidence
        self._removers = [_nouns(tool) for tool in evidence if named_action(tool) in _REMOVES]
        self._writes = [*filter(None, (_write(tool, found) for tool, found in evidence.items()))]
        self._changed: dict[tuple[str, str], frozenset[Feature]] = {}
        for family in families:
            if ROOT in family.evidence.records:
                changed = frozenset(_changed(family.evidence.table(ROOT)))
                self._changed.update({(member.tool, member.path): changed for member in family.members})

    def concerns(self, tool: str, clause: Clause) -> bool:
        """Say whether a clause takes for lasting what changes; that a city is in a country does not, wherever a user moves."""
        kind = KINDS[clause.kind]
        if not kind.mining.lasting or kind.mining.judged is None:
            return False
        field = Feature.parse(clause.params[kind.mining.judged])
        keys = [Feature.parse(part) for name, part in about(clause).items() if name != kind.mining.judged]
        asked = any(key.sort.of_call for key in keys)
        named = any(key.sort is Sort.KEY or names_a_thing(key) for key in keys)
        if not asked and not named and not self._is_number(tool, clause.path, field):
            return False
        if field.sort is Sort.MEMBERS and self._loses(tool, field):
            return True
        # What a write answers is new each time, whatever it was asked.
        return (asked and may_write(tool)) or self._changes(tool, clause.path, field)

    def _is_number(self, tool: str, path: str, field: Feature) -> bool:
        """Say whether a field is a number: one that a write sets belongs to the thing, whatever else goes with it."""
        found = self._evidence.get(tool)
        column = found.table(path).columns.get(field) if found is not None and path in found.records else None
        return column is not None and any(map(is_number, column.values))

    def _loses(self, tool: str, field: Feature) -> bool:
        """Say whether a tool takes things away of which a list is: by its own name, or by that of the tool that gives it."""
        listed = {word.removesuffix("s") for word in words(_name(field))} or _nouns(tool)
        return any(not listed.isdisjoint(removed) for removed in self._removers)

    def _changes(self, tool: str, path: str, field: Feature) -> bool:
        if field in self._changed.get((tool, path), ()):
            return True
        known = {_name(feature) for feature in self._columns(tool, path)}
        return any(
            _name(field) in write.sets and write.thing in known and write.may_concern(tool)
            for write in self._writes
        )

    def _columns(self, tool: str, path: str) -> Iterable[Feature]:
        found = self._evidence.get(tool)
        return found.table(path).columns if found is not None and path in found.records else ()


class _Write(NamedTuple):
    """What a tool is given to change: the argument that says of which thing, and those that say what."""

    tool: str
    thing: str
    sets: frozenset[str]

    def may_concern(self, other: str) -> bool:
        """Say whether it may change what another tool tells of; a bare `id` may be that of anything, and the tools' names must tell.

        A scheduled transfer is a transfer, and no recent one: of two names, one says no more than the other.
        """
        if len(words(self.thing)) > 1:
            return True
        mine, theirs = _nouns(self.tool), _nouns(other)
        return not mine.isdisjoint(theirs) and (mine <= theirs or theirs <= mine)


def _write(tool: str, evidence: Evidence) -> _Write | None:
    """Return what a tool changes; None of one that changes nothing, or of which it is not said of what."""
    if named_action(tool) not in _CHANGES or ROOT not in evidence.records:
        return None
    named = {
        _name(feature) for feature in evidence.table(ROOT).columns if feature.sort.of_call and feature.path
    }
    things = sorted(name for name in named if last_word(name) in IDS)
    # A name of several words says of what.
    things.sort(key=lambda name: len(words(name)) == 1)
    return _Write(tool, things[0], frozenset(named - {*things})) if things else None


def _nouns(tool: str) -> set[str]:
    """Return the words of a tool's own name that are no verbs, in the singular."""
    return {word.removesuffix("s") for word in words(tool.rpartition(".")[2]) if action_of(word) is None}


def _name(feature: Feature) -> str:
    """Return the last name in a feature's path, or that of an argument."""
    named = [step for step in feature.steps if isinstance(step, str)]
    return named[-1] if named else feature.path


def _changed(table: Table) -> Iterator[Feature]:
    """Yield the fields that records of one identity do not agree on."""
    alike = [records for name in finest(table) for records in _repeated(table.columns[name].values)]
    for name, column in table.columns.items():
        if name.sort is Sort.FIELD:
            odd = sum(len({column.values[index] for index in records} - {ABSENT}) > 1 for records in alike)
            if odd > max(1, len(alike) // CONFIG.one_change_in):
                yield name


def _repeated(values: list[object]) -> list[list[int]]:
    """Return the records that share a value, those of each value together, where there are several."""
    by_value: dict[object, list[int]] = {}
    for index, value in enumerate(values):
        if value is not ABSENT and value is not None:
            by_value.setdefault(value, []).append(index)
    return [records for records in by_value.values() if len(records) > 1]
