"""`rows`: how the rows of a list stand: all different, as a whole or by a field, ascending or descending by it."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from typing import Any

from outcome_monitors.features.aggregates import digest
from outcome_monitors.features.feature import Feature, Sort
from outcome_monitors.features.field_names import names_a_thing
from outcome_monitors.jsonvalue.display import clip
from outcome_monitors.jsonvalue.paths import select
from outcome_monitors.jsonvalue.text import last_word, words
from outcome_monitors.model import Clause, Json, Violation
from outcome_monitors.rules.evidence.evidence import Evidence
from outcome_monitors.rules.evidence.samples import tasks_behind
from outcome_monitors.rules.evidence.table import Table

from .base.kind import Candidate
from .base.record import Fault, RecordKind, is_feature, tables_of
from .base.traits import Mining, Traits
from .config import CONFIG

STANDINGS = {"u": "all different", "a": "ascending", "d": "descending"}


class Rows(RecordKind):
    """The rows are all different, ascending or descending by a field."""

    name = "rows"
    code = "row_order_broken"
    traits = Traits(about="record")
    mining = Mining(budget_weight=2.0, of_the_answer=True, judged="field")
    identity = ("field", "standing")
    params = {"field": is_feature, "standing": lambda v: isinstance(v, str) and v in STANDINGS}

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest each standing that nearly all lists long enough to show it have."""
        for path, table in tables_of(evidence):
            tasks = evidence.tasks(path)
            told: set[str] = set()
            # Ids before rows as a whole, which have nothing to add to them.
            for field in sorted((name for name in table.columns if name.sort is Sort.ORDER), key=_is_whole):
                for standing in STANDINGS:
                    candidate = self._of(path, field, standing, table, tasks)
                    if candidate is None or (
                        standing == "u" and _list_of(field) in told and _is_whole(field)
                    ):
                        continue
                    if standing == "u":
                        told.add(_list_of(field))
                    yield candidate

    def _of(self, path: str, field: Feature, standing: str, table: Table, tasks: int) -> Candidate | None:
        # That prices are all different is an accident; that ids are is not, nor that whole rows are.
        if standing == "u" and not (_names_the_row(field, table) or _is_whole(field)):
            return None
        flagged = zip(table.columns[field].values, table.witnesses, strict=True)
        lists = [(flags, witness) for flags, witness in flagged if _shows(standing, flags)]
        broken = [w for flags, w in lists if standing not in flags]
        behind = tasks_behind(w for _, w in lists)
        columns = [name for name in table.columns if name.startswith(f"{field}.")]
        of_things = (
            standing == "u" and len(columns) >= CONFIG.rows_fields and any(map(names_a_thing, columns))
        )
        least = 1 if of_things else CONFIG.rows_lists_of_objects if columns else CONFIG.rows_lists
        # A column of one value is in any order, and shows none.
        telling = sum(not {"a", "d"} <= set(flags) for flags, _ in lists)
        if telling < least or len(broken) > CONFIG.label_noise * len(lists):
            return None
        if len(behind) < CONFIG.rows_tasks and not of_things:
            return None
        params = {"field": str(field), "standing": standing}
        trusted = True if of_things and not broken else None
        return self.candidate(path, params, [w for _, w in lists], broken, tasks, len(lists), trusted=trusted)

    def broken(self, params: Mapping[str, Json]) -> Callable[..., Fault | None]:
        field, standing = params["field"], params["standing"]
        fault = field, STANDINGS[standing], f"not {STANDINGS[standing]}"
        return lambda flags: fault if _shows(standing, flags) and standing not in flags else None

    def check(self, clause: Clause, arguments: Mapping[str, Json], result: Json) -> Iterator[Violation]:
        """Yield each list that stands otherwise, with the first rows that do; which of the two is wrong, it cannot tell."""
        for violation in super().check(clause, arguments, result):
            rows = [value for _, value in select(result, violation.path)]
            odd = _odd_row(rows, clause.params["standing"])
            yield replace(violation, observed=odd) if odd else violation

    def detail(self, params: Mapping[str, Json]) -> str:
        field, standing = Feature.parse(params["field"]), STANDINGS[params["standing"]]
        return (
            f"rows of {field.path} are not {standing}"
            if _is_whole(field)
            else f"rows are not {standing} by {field.path}"
        )

    def explain(self, clause: Clause) -> str:
        column = Feature.parse(clause.params["field"]).path or "the items"
        return f"{column} are {STANDINGS[clause.params['standing']]}"


def _odd_row(values: list[Any], standing: str) -> str:
    """Name the first two rows that are out of line, counted from 1; nothing where none are found."""
    if standing == "u":
        known: dict[str, int] = {}
        for number, value in enumerate(values, 1):
            first = known.setdefault(digest(value), number)
            if first != number:
                return f"items {first} and {number} are the same"
        return ""
    with suppress(TypeError):
        for number, (before, value) in enumerate(pairwise(values), 2):
            if before > value if standing == "a" else before < value:
                return f"item {number} is {clip(value)!r} after {clip(before)!r}"
    return ""


def _is_whole(field: Feature) -> bool:
    return field.path.endswith("[]")


def _names_the_row(field: Feature, table: Table) -> bool:
    """Say whether a column names the rows themselves: of several ids, the one of the list's own name, or a bare one.

    The items of an order have an id each; two of them may be of one product.
    """
    if not names_a_thing(field):
        return False
    beside = [
        name
        for name in table.columns
        if name.sort is Sort.ORDER and _list_of(name) == _list_of(field) and names_a_thing(name)
    ]
    if len(beside) == 1:
        return True
    of_rows = last_word(_list_of(field)).removesuffix("s")
    own = [name for name in beside if words(_column(name))[:-1] in ((), (of_rows,))]
    return field in own or not own


def _column(field: Feature) -> str:
    return field.path.rpartition("[]")[2]


def _list_of(field: Feature) -> str:
    return field.path.rpartition("[]")[0]


def _shows(standing: str, flags: Any) -> bool:
    """Say whether a list is long enough to show a standing: two rows are always in some order."""
    # A file may name a feature that is no order at all.
    return isinstance(flags, str) and (standing == "u" or "?" not in flags)
