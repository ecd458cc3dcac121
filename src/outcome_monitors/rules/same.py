"""`same`: two fields of a record say the same: the key and the id, the route's origin and its first leg's."""

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations

from .._evidence import Evidence, Rows, Witness, tasks_behind
from .._features import kept
from .._model import Clause, Json
from ._kind import Beside, Bind, Candidate, Fast
from ._record import Get, RecordKind, is_feature, rows_of, said

__all__ = ["Same"]

LEAST_TASKS = 3
LEAST_VALUES = 3
LEAST_OF_ENDS = 8
"""Distinct values of a first or last row: that rows come in an order is seldom anyone's promise."""
MOST_BROKEN = 0.01
"""The share of records in which they may differ: traces have dirt in them."""

_Pair = tuple[str, str, Witness]


class Same(RecordKind):
    """Two texts of a record are equal."""

    name = "same"
    code = "fields_disagree"
    profiles = frozenset({"full"})
    worth = 5.0
    exact = True
    pools = True
    params = {"first": is_feature, "second": is_feature}

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest each two texts that vary together."""
        for path, rows in rows_of(evidence):
            columns = _columns(rows)
            for first, second in combinations(sorted(columns), 2):
                # Of one column, the first and the last are the same by accident: the lists are short.
                if first[1:] == second[1:]:
                    continue
                pairs = _pairs(columns[first], columns[second], rows)
                if _no_accident(pairs, LEAST_OF_ENDS if {first[0], second[0]} & {"<", ">"} else LEAST_VALUES):
                    yield self._candidate(path, first, second, pairs, evidence.tasks(path))

    def _candidate(self, path: str, first: str, second: str, pairs: list[_Pair], tasks: int) -> Candidate:
        samples = sum(w.calls for *_, w in pairs)
        clause = Clause(self.name, path, {"first": first, "second": second}, samples, tasks, "traces")
        fired = {w.first: w.calls for a, b, w in pairs if a != b}
        return Candidate(clause, "", fired, entities=len({a for a, _, _ in pairs}))

    def features(self, params: Mapping[str, Json]) -> tuple[str, ...]:
        """Return both, whatever their order in a file."""
        return params["first"], params["second"]

    def broken(self, params: Mapping[str, Json]) -> Callable[[Get], tuple[str, Json, Json] | None]:
        """Compare, where both are texts."""
        first, second = params["first"], params["second"]

        def broken(get: Get) -> tuple[str, Json, Json] | None:
            one, other = get(first), get(second)
            if type(one) is not str or type(other) is not str or kept(one) == kept(other):
                return None
            return second, one, other

        return broken

    def detail(self, params: Mapping[str, Json]) -> str:
        """Say what is wrong."""
        return f"{said(params['second'])} is not the same as {said(params['first'])}"

    def explain(self, clause: Clause) -> str:
        """Say it in words."""
        return f"{said(clause.params['first'])} and {said(clause.params['second'])} are the same"

    def fast(self, clause: Clause, bind: Bind, beside: Beside) -> Fast | None:
        """Compare first; only what is not plainly equal goes through the test."""
        slow = super().fast(clause, bind, beside)
        if slow is None:
            return None
        return Fast(
            f"({{0}} == {{1}} or {slow.one})", f"({{0}} == {{1}} or {slow.column})", features=slow.features
        )


def _columns(rows: Rows) -> dict[str, dict[int, str]]:
    """Return the texts of the answer that vary, by record."""
    columns: dict[str, dict[int, str]] = {}
    for index, (found, _) in enumerate(rows):
        for name, value in found.items():
            if type(value) is str and name[0] in ".$<>":
                columns.setdefault(name, {})[index] = value
    return {name: column for name, column in columns.items() if len(set(column.values())) >= LEAST_VALUES}


def _pairs(first: dict[int, str], second: dict[int, str], rows: Rows) -> list[_Pair]:
    return [(text, second[index], rows[index][1]) for index, text in first.items() if index in second]


def _no_accident(pairs: list[_Pair], least: int) -> bool:
    """Say whether nearly all are equal, and enough different ones are."""
    allowed = MOST_BROKEN * len(pairs)
    broken = 0
    for a, b, _ in pairs:
        broken += a != b
        if broken > allowed:
            return False
    equal = {a for a, b, _ in pairs if a == b}
    return len(equal) >= least and len(tasks_behind(w for *_, w in pairs)) >= LEAST_TASKS
