"""`contains_id`: a link, or another text, has the id of its record in it: `/orders/86138` of order 86138.

That an id of five digits stands in a text is no accident, so two records of two tasks are enough.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from outcome_monitors.features.feature import Feature, Sort, is_hashed
from outcome_monitors.features.field_names import names_a_thing
from outcome_monitors.jsonvalue.text import last_word
from outcome_monitors.model import Clause, Json
from outcome_monitors.rules.evidence.evidence import Evidence
from outcome_monitors.rules.evidence.samples import tasks_behind
from outcome_monitors.rules.evidence.table import Column, Table, members

from .base.kind import Candidate
from .base.record import Fault, RecordKind, described, is_of, tables_of
from .base.traits import Cause, Mining, Traits
from .config import CONFIG

LINKS = frozenset({"href", "link", "path", "uri", "url"})
"""Last words of what leads to a thing, and names it on the way."""

_DIGIT = re.compile(r"\d")


class ContainsId(RecordKind):
    """The text has the id in it."""

    name = "contains_id"
    code = "id_not_cited"
    cause = Cause.NAMES_DISAGREE
    traits = Traits(about="record", corroborates=True)
    mining = Mining(trusted=True, budget_weight=5.0, pools=True, judged="field")
    identity = ("field", "id")
    sentence = "{field} has {id} in it"
    wrong = "{field} does not have {id} in it"
    params = {"field": lambda v: is_of(v, Sort.FIELD), "id": lambda v: is_of(v, Sort.FIELD)}

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest each link that always has an id of its record in it."""
        for path, table in tables_of(evidence):
            ids = [name for name, column in table.columns.items() if _is_id(name, column)][
                : CONFIG.contains_id_max_ids
            ]
            links = [name for name in table.columns if ids and _is_link(name)][: CONFIG.contains_id_max_links]
            for one in ids:
                for link in links:
                    candidate = self._of(path, one, link, table, evidence.tasks(path))
                    if candidate is not None:
                        yield candidate

    def _of(self, path: str, one: Feature, link: Feature, table: Table, tasks: int) -> Candidate | None:
        if link.steps[:-1] != one.steps[:-1] or link == one:
            # The link of a user says nothing of the order that it stands in.
            return None
        ids, links = table.columns[one], table.columns[link]
        told = [
            (index, str(ids.values[index]))
            for index in members(ids.having & links.having)
            if _is_specific(ids.values[index]) and _is_text(links.values[index])
        ]
        if len({found for _, found in told}) < CONFIG.contains_id_ids:
            return None
        if not all(_cites(links.values[index], found) for index, found in told):
            return None
        if len(tasks_behind(table.witnesses[index] for index, _ in told)) < CONFIG.contains_id_tasks:
            return None
        calls = sum(table.witnesses[index].calls for index, _ in told)
        clause = Clause(self.name, path, {"field": str(link), "id": str(one)}, calls, tasks, "traces")
        return Candidate(clause, entities=len({found for _, found in told}))

    def broken(self, params: Mapping[str, Json]) -> Callable[..., Fault | None]:
        link, expected = params["field"], described(params["id"])

        def broken(text: Any, found: Any) -> Fault | None:
            if not _is_text(text) or not _is_specific(found) or _cites(text, str(found)):
                return None
            return link, f"{expected} {found} in it", text

        return broken


def _is_id(name: Feature, column: Column) -> bool:
    return name.sort is Sort.FIELD and names_a_thing(name) and any(map(_is_specific, column.values))


@lru_cache(maxsize=16384)
def _is_link(name: Feature) -> bool:
    steps = name.steps
    return (
        name.sort is Sort.FIELD
        and bool(steps)
        and isinstance(steps[-1], str)
        and last_word(steps[-1]) in LINKS
    )


def _is_specific(value: Any) -> bool:
    """Say whether a value is an id that stands in no text by chance."""
    if type(value) is int:
        return bool(value >= 10 ** (CONFIG.contains_id_digits - 1))
    if (
        type(value) is not str
        or not CONFIG.contains_id_length <= len(value) <= CONFIG.contains_id_max_length
        or is_hashed(value)
    ):
        return False
    return value.isalnum() and _DIGIT.search(value) is not None


def _is_text(value: Any) -> bool:
    return type(value) is str and not is_hashed(value)


def _cites(text: str, one: str) -> bool:
    """Say whether an id stands in a text, and not as a part of another."""
    start = text.find(one)
    while start >= 0:
        after = start + len(one)
        if not text[start - 1 : start].isalnum() and not text[after : after + 1].isalnum():
            return True
        start = text.find(one, start + 1)
    return False
