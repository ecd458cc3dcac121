"""`fields_equal`: two fields of a record say the same: the key and the id, the route's origin and its first leg's."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import combinations
from typing import Any

from outcome_monitors.features.feature import Feature, Sort, normal_form
from outcome_monitors.model import Json
from outcome_monitors.rules.evidence.evidence import Evidence
from outcome_monitors.rules.evidence.samples import tasks_behind
from outcome_monitors.rules.evidence.table import Column, Table

from .base.kind import Candidate
from .base.record import Fault, RecordKind, column_of, is_feature, rows_of, tables_of
from .base.support import has_times, may_happen_to_agree
from .base.traits import Cause, Mining, Traits
from .config import CONFIG

TEXTS = frozenset({Sort.FIELD, Sort.KEY, Sort.FIRST, Sort.LAST})
"""Sorts that may be texts of the answer."""


class FieldsEqual(RecordKind):
    """Two texts of a record are equal."""

    name = "fields_equal"
    code = "fields_disagree"
    cause = Cause.NAMES_DISAGREE
    traits = Traits(about="record", corroborates=True)
    mining = Mining(budget_weight=5.0, pools=True)
    identity = ("first", "second")
    sentence = "{first} and {second} are the same"
    wrong = "{second} is not the same as {first}"
    params = {"first": is_feature, "second": is_feature}

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest each two texts that vary together."""
        for path, table in tables_of(evidence):
            columns = _columns(table)
            for first, second in combinations(columns, 2):
                # Of one column, the first and the last are the same by accident: the lists are short.
                least = (
                    CONFIG.min_values_of_ends
                    if first.sort.is_end or second.sort.is_end
                    else CONFIG.min_values
                )
                both = columns[first].having & columns[second].having
                if (
                    first.path == second.path
                    or both.bit_count() < least
                    or may_happen_to_agree(first, second)
                ):
                    continue
                equal = partial(_equal_at, columns[first].values, columns[second].values)
                if table.odd(both, equal, CONFIG.label_noise) is None:
                    continue
                pairs = rows_of(table, columns[first], columns[second])
                if _no_accident(pairs, least):
                    params = {"first": str(first), "second": str(second)}
                    behind, odd = [w for *_, w in pairs], [w for a, b, w in pairs if a != b]
                    entities = len({a for a, _, _ in pairs})
                    yield self.candidate(path, params, behind, odd, evidence.tasks(path), entities)

    def broken(self, params: Mapping[str, Json]) -> Callable[..., Fault | None]:
        second = params["second"]

        def broken(one: Any, other: Any) -> Fault | None:
            if (
                type(one) is not str
                or type(other) is not str
                or one == other
                or normal_form(one) == normal_form(other)
            ):
                return None
            return second, one, other

        return broken

    def at_fault(self, params: Mapping[str, Json]) -> str:
        return str(params["second"])


def _columns(table: Table) -> dict[Feature, Column]:
    """Return the texts of the answer that vary; not times: what is made and changed in one second is so by accident."""
    columns: dict[Feature, Column] = {}
    for name, (values, _) in table.columns.items():
        if name.sort in TEXTS:
            texts = [value if type(value) is str else None for value in values]
            if len(set(texts) - {None}) >= CONFIG.min_values and not has_times(name, table):
                columns[name] = column_of(texts)
    return columns


def _equal_at(ones: list[str | None], others: list[str | None], row: int) -> bool:
    return ones[row] == others[row]


def _no_accident(pairs: list[tuple[Any, ...]], least: int) -> bool:
    """Say whether enough different ones are equal, in enough tasks."""
    equal = {a for a, b, _ in pairs if a == b}
    return len(equal) >= least and len(tasks_behind(w for *_, w in pairs)) >= CONFIG.min_tasks
