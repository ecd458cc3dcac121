"""`before`: one number or time is never above another: a start and an end, a minimum and a price, a limit and a count.

Any two features of a record may be so related, arguments among them (a window that was honoured). It must be no accident: had the
pairs been shuffled, several would have been out of order.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any

from .._evidence import Evidence, Witness
from .._features import ABSENT
from .._model import Clause, Json
from .._values import clip, comparable, is_number, when
from ._kind import Candidate
from ._record import Get, RecordKind, is_feature, rows_of, said

__all__ = ["Before"]

LEAST_TASKS = 4
LEAST_PAIRS = 5
LEAST_SURPRISE = 4.0
MOST_FEATURES = 16


class Before(RecordKind):
    """The first is not above the second."""

    name = "before"
    code = "order_broken"
    profiles = frozenset({"full"})
    pools = True
    params = {"first": is_feature, "second": is_feature}

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest each pair that is in order in all records, where chance would have broken it."""
        for path, rows in rows_of(evidence):
            for sort in (_number, _time):
                columns = _columns(rows, sort)
                for first, second in permutations(columns, 2):
                    if first[0] == "@" and second[0] == "@":
                        continue
                    candidate = self._of(path, first, second, columns, rows, evidence.tasks(path))
                    if candidate is not None:
                        yield candidate

    def _of(
        self,
        path: str,
        first: str,
        second: str,
        columns: Mapping[str, dict[int, Any]],
        rows: Sequence[tuple[Any, Witness]],
        tasks: int,
    ) -> Candidate | None:
        both = [
            (columns[first][i], columns[second][i], rows[i][1])
            for i in columns[first]
            if i in columns[second]
        ]
        if len({(a, b) for a, b, _ in both}) < LEAST_PAIRS:
            return None
        broken = [w for a, b, w in both if not _in_order(a, b)]
        if len(broken) > 0.01 * len(both) or all(a == b for a, b, _ in both):
            return None
        if len({task for *_, w in both for task in w[1:]}) < LEAST_TASKS:
            return None
        firsts, seconds = [a for a, _, _ in both], [b for _, b, _ in both]
        step = max(1, len(firsts) // 40)
        tried = [(a, b) for a in firsts[::step] for b in seconds[::step]]
        by_chance = sum(not _in_order(a, b) for a, b in tried) / len(tried)
        if by_chance * len({(a, b) for a, b, _ in both}) < LEAST_SURPRISE:
            return None
        clause = Clause(
            self.name,
            path,
            {"first": first, "second": second},
            sum(w.calls for *_, w in both),
            tasks,
            "traces",
        )
        return Candidate(
            clause, "", {w.first: w.calls for w in broken}, entities=len({(a, b) for a, b, _ in both})
        )

    def broken(self, params: Mapping[str, Json]) -> Callable[[Get], tuple[str, Json, Json] | None]:
        """Compare as numbers, or as times."""
        first, second = params["first"], params["second"]

        def broken(get: Get) -> tuple[str, Json, Json] | None:
            low, high = get(first), get(second)
            if low is ABSENT or high is ABSENT:
                return None
            for sort in (_number, _time):
                a, b = sort(low), sort(high)
                if a is not None and b is not None:
                    return (
                        None
                        if _in_order(a, b)
                        else (
                            second if second[0] != "@" else first,
                            f"{said(first)} not above {said(second)}",
                            f"{clip(low)} and {clip(high)}",
                        )
                    )
            return None

        return broken

    def detail(self, params: Mapping[str, Json]) -> str:
        """Say what is wrong."""
        return f"{said(params['first'])} is above {said(params['second'])}"

    def explain(self, clause: Clause) -> str:
        """Say it in words."""
        return f"{said(clause.params['first'])} is not above {said(clause.params['second'])}"


def _number(value: Any) -> Any:
    return value if is_number(value) else None


def _time(value: Any) -> Any:
    moment = when(value)
    if moment is not None:
        return moment
    # A time of day, as clocks write it.
    if (
        type(value) is str
        and len(value) in (5, 8)
        and value[2:3] == ":"
        and value[:2].isdigit()
        and value[3:5].isdigit()
    ):
        return value
    return None


def _in_order(first: Any, second: Any) -> bool:
    if isinstance(first, str) or isinstance(second, str):
        return type(first) is not type(second) or len(first) != len(second) or first <= second
    if hasattr(first, "tzinfo") and (not hasattr(second, "tzinfo") or not comparable(first, second)):
        return True
    return bool(first <= second)


def _columns(
    rows: Sequence[tuple[dict[str, Any], Witness]], sort: Callable[[Any], Any]
) -> dict[str, dict[int, Any]]:
    """Return the features that can be ordered, by record, those of the answer first."""
    columns: dict[str, dict[int, Any]] = {}
    for index, (found, _) in enumerate(rows):
        for name, value in found.items():
            known = sort(value) if name[0] in ".#+@" else None
            if known is not None:
                columns.setdefault(name, {})[index] = known
    names = sorted(
        (n for n, c in columns.items() if len(set(map(str, c.values()))) > 1),
        key=lambda name: (name[0] == "@", name),
    )
    return {name: columns[name] for name in names[:MOST_FEATURES]}
