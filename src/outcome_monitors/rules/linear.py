"""`linear`: numbers of a record that belong together: a count and its rows, a total and its parts, price times quantity.

The forms are y = x, y = ax + b, z = x + y, z = x - y and z = xy over the features of a record, counts and sums of its lists among
them. Each must hold exactly, to the last decimal place, on enough different numbers that chance cannot explain it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from .._evidence import Evidence, Witness
from .._model import Clause, Json
from .._values import finite, is_number
from ._kind import Candidate
from ._record import Get, RecordKind, is_feature, rows_of, said

__all__ = ["Linear"]

LEAST_TASKS = 3
LEAST_DISTINCT = 4
MOST_FEATURES = 14
TOLERANCE = 1e-4
"""Of the larger of 1 and the number; money is kept to the cent."""

FORMS: dict[str, Callable[[float, float], float]] = {
    "sum": lambda x, y: x + y,
    "difference": lambda x, y: x - y,
    "product": lambda x, y: x * y,
}


def _near(found: float, expected: float) -> bool:
    return abs(found - expected) <= TOLERANCE * max(1.0, min(abs(expected), 10.0))


class Linear(RecordKind):
    """A number is what others make it."""

    name = "linear"
    code = "arithmetic_broken"
    profiles = frozenset({"full"})
    pools = True
    params = {
        "form": lambda v: v in ("line", *FORMS),
        "of": lambda v: isinstance(v, list) and len(v) in (1, 2) and all(is_feature(f) for f in v),
        "field": is_feature,
        "slope": finite,
        "intercept": finite,
    }

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest each form that fits all records."""
        for path, rows in rows_of(evidence):
            names = _numeric(rows)
            related: set[str] = set()
            for candidate in self._lines(path, rows, names, evidence.tasks(path)):
                related.add(candidate.clause.params["field"])
                yield candidate
            yield from self._triples(
                path, rows, [name for name in names if name not in related], evidence.tasks(path)
            )

    def _lines(
        self, path: str, rows: Sequence[tuple[dict[str, Any], Witness]], names: list[str], tasks: int
    ) -> Iterator[Candidate]:
        for x, y in combinations(names, 2):
            if x[0] == "@" and y[0] == "@":
                continue
            points = [
                (found[x], found[y], w)
                for found, w in rows
                if is_number(found.get(x)) and is_number(found.get(y))
            ]
            line = _line(points)
            if line is not None:
                slope, intercept, broken = line
                yield self._candidate(path, "line", [x], y, points, broken, tasks, slope, intercept)

    def _triples(
        self, path: str, rows: Sequence[tuple[dict[str, Any], Witness]], names: list[str], tasks: int
    ) -> Iterator[Candidate]:
        for z in names:
            if z[0] == "@":
                continue
            for x, y in combinations([name for name in names if name != z], 2):
                points = [
                    (found[x], found[y], found[z], w)
                    for found, w in rows
                    if is_number(found.get(x)) and is_number(found.get(y)) and is_number(found.get(z))
                ]
                if len(points) < LEAST_DISTINCT:
                    continue
                for form, make in FORMS.items():
                    if not _near(points[0][2], make(points[0][0], points[0][1])) and not _near(
                        points[-1][2], make(points[-1][0], points[-1][1])
                    ):
                        continue
                    broken = [w for a, b, c, w in points if not _near(c, make(a, b))]
                    told = {(a, b, c) for a, b, c, _ in points if a not in (0, 1) and b not in (0, 1)}
                    if (
                        len(broken) <= 0.01 * len(points)
                        and len(told) >= LEAST_DISTINCT
                        and len({c for _, _, c in told}) >= 3
                        and len({b for _, b, _ in told}) > 1
                        and len({a for a, _, _ in told}) > 1
                    ):
                        yield self._candidate(path, form, [x, y], z, points, broken, tasks, 1.0, 0.0)

    def _candidate(
        self,
        path: str,
        form: str,
        of: list[str],
        field: str,
        points: Sequence[Any],
        broken: list[Witness],
        tasks: int,
        slope: float,
        intercept: float,
    ) -> Candidate:
        params = {"form": form, "of": of, "field": field, "slope": slope, "intercept": intercept}
        samples = sum(point[-1].calls for point in points)
        clause = Clause(self.name, path, params, samples, tasks, "traces")
        return Candidate(clause, "", {w.first: w.calls for w in broken}, entities=len(points))

    def broken(self, params: Mapping[str, Json]) -> Callable[[Get], tuple[str, Json, Json] | None]:
        """Compute the number and compare."""
        of, field = params["of"], params["field"]
        slope, intercept = params["slope"], params["intercept"]
        make = FORMS.get(params["form"])

        def broken(get: Get) -> tuple[str, Json, Json] | None:
            found = get(field)
            values = [get(feature) for feature in of]
            if not finite(found) or not all(map(finite, values)):
                return None
            expected = slope * values[0] + intercept if make is None else make(values[0], values[1])
            return None if _near(found, expected) else (field, round(expected, 6), found)

        return broken

    def detail(self, params: Mapping[str, Json]) -> str:
        """Say what is wrong."""
        return f"{said(params['field'])} does not fit {' and '.join(map(said, params['of']))}"

    def explain(self, clause: Clause) -> str:
        """Say it in words."""
        params = clause.params
        first = said(params["of"][0])
        if params["form"] == "line":
            times = first if params["slope"] == 1 else f"{params['slope']:.10g} x {first}"
            plus = f" + {params['intercept']:.10g}" if params["intercept"] else ""
            return f"{said(params['field'])} = {times}{plus}"
        sign = {"sum": "+", "difference": "-", "product": "x"}[params["form"]]
        return f"{said(params['field'])} = {first} {sign} {said(params['of'][1])}"


def _numeric(rows: Sequence[tuple[dict[str, Any], Witness]]) -> list[str]:
    """Return the features that are numbers and vary, those of the answer first."""
    values: dict[str, set[float]] = {}
    for found, _ in rows:
        for name, value in found.items():
            if is_number(value):
                values.setdefault(name, set()).add(value)
    names = sorted(
        (name for name, found in values.items() if len(found) > 1), key=lambda name: (name[0] == "@", name)
    )
    return names[:MOST_FEATURES]


def _line(points: Sequence[tuple[float, float, Witness]]) -> tuple[float, float, list[Witness]] | None:
    """Return the line through the points and what is off it; None where there is none."""
    xs, ys = {x for x, _, _ in points}, {y for _, y, _ in points}
    if min(len(xs), len(ys)) < LEAST_DISTINCT and not (
        min(len(xs), len(ys)) >= 3 and all(x == y for x, y, _ in points)
    ):
        return None
    if len({task for *_, w in points for task in w[1:]}) < LEAST_TASKS:
        return None
    same = [w for x, y, w in points if not _near(y, x)]
    if len(same) <= 0.01 * len(points):
        return 1.0, 0.0, same
    ordered = sorted(points, key=lambda point: point[:2])
    (x0, y0, _), (x1, y1, _) = ordered[0], ordered[-1]
    if x0 == x1 or len(xs) < LEAST_DISTINCT + 1:
        return None
    slope = (y1 - y0) / (x1 - x0)
    intercept = y0 - slope * x0
    if slope == 0:
        return None
    broken = [w for x, y, w in points if not _near(y, slope * x + intercept)]
    if broken:
        return None
    return float(f"{slope:.12g}"), round(intercept, 9) + 0.0, broken
