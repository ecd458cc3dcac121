"""`memory`: what was said earlier in the session of an order, a user, the same question, is said again.

A clause names what identifies the record and a field that, in clean sessions, stayed as it was until a tool that writes was
called. It is checked where a session is kept (`Monitor.session`); a single result is not held against it. Of a clock it says nothing, nor
of what a key refers to without naming it: two items of one product have one name, and each its own colour.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from outcome_monitors.features.feature import ABSENT, Feature, Sort, is_hashed
from outcome_monitors.features.field_names import has_time, is_moment, names_a_thing
from outcome_monitors.features.session import What
from outcome_monitors.jsonvalue.display import clip, contrast
from outcome_monitors.jsonvalue.text import words
from outcome_monitors.model import Clause, Json, Violation
from outcome_monitors.rules.evidence.evidence import Evidence
from outcome_monitors.rules.evidence.table import Table

from .base.kind import Candidate
from .base.record import described, finest, is_feature, noun, place_of
from .base.session import SessionKind
from .base.traits import Cause
from .config import CONFIG


class Memory(SessionKind):
    """The fields of a record are as they were when the session last heard of it."""

    name = "memory"
    code = "remembered_fact_contradicted"
    cause = Cause.DENIES_RUN
    mining = replace(SessionKind.mining, judged="field")
    identity = ("key", "field")
    params = {"key": is_feature, "field": is_feature}

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest, for each key, the fields that were said again in the sessions of more than one task."""
        for candidate in super().suggest(evidence):
            path, key, field = self.what(candidate.clause)
            table = evidence.table(path) if path in evidence.records else Table([])
            if _may_stay(table, finest(table), Feature.parse(key), Feature.parse(field)):
                yield candidate

    def about(self, what: What) -> Mapping[str, Json] | None:
        _, key, field = what
        return {"key": key, "field": field} if is_feature(key) else None

    def what(self, clause: Clause) -> What:
        return clause.path, clause.params["key"], clause.params["field"]

    def violation(self, clause: Clause, before: Json, now: Json) -> Violation:
        key, field = clause.params["key"], clause.params["field"]
        detail = f"{described(field)} is not what this session heard before for the same {noun(key)}"
        if is_hashed(before):
            expected, observed = f"as heard before for the same {noun(key)}", clip(now)
        else:
            expected, observed = contrast(before, now)
        return Violation(self.code, place_of(clause.path, field), expected, observed, detail)

    def explain(self, clause: Clause) -> str:
        key, field = noun(clause.params["key"]), described(clause.params["field"])
        return f"within a session, {field} stays as it was for the same {key}"


def _may_stay(table: Table, named: Collection[Feature], key: Feature, field: Feature) -> bool:
    """Say whether a field may stay as it is for a key: no two things of one key differ in it, and it is no time.

    When a message was sent stays for its id, as what it says does; the same question has another time tomorrow. A key that is none
    of those that name the record itself names what it belongs to: the owner of a reservation, of whom there may be several.
    """
    column = table.columns.get(field)
    if column is None:
        return not is_moment(field.path)
    refers = key.sort is Sort.FIELD and key in table.columns and key not in named
    if refers and not _of_one_noun(key, field):
        return False
    if not (names_a_thing(key) if has_time(column.values) else not is_moment(field.path)):
        return False
    return not _differs(table, key, field)


def _of_one_noun(key: Feature, field: Feature) -> bool:
    """Say whether a field is of what a key names: the name of a user stays, in whatever reservation."""
    return not {*words(key.path)[:-1]}.isdisjoint(words(field.path))


def _differs(table: Table, key: Feature, field: Feature) -> bool:
    """Say whether records of one key that are about different things differ in a field, more often than label noise does."""
    if key.sort is not Sort.FIELD or key not in table.columns:
        return False
    others = [
        name for name in table.columns if name.sort is Sort.FIELD and names_a_thing(name) and name != key
    ]
    by_key: dict[Any, dict[Any, set[Any]]] = {}
    for index, identity in enumerate(table.columns[key].values):
        value = table.columns[field].values[index]
        if identity is not ABSENT and value is not ABSENT:
            thing = tuple(table.columns[name].values[index] for name in others)
            by_key.setdefault(identity, {}).setdefault(thing, set()).add(value)
    shared = [things for things in by_key.values() if len(things) > 1]
    return sum(len(set().union(*things.values())) > 1 for things in shared) > CONFIG.label_noise * len(by_key)
