"""`affine`: one number lies on a line over another: a subtotal over a count, one unit over another.

Each sample must lie within the published tolerance of one line. The state of a pair of fields is the corners of what its points
span, in whole units of 1e-12: no other point decides whether there is such a line, so that merging is exact. A pair that has none
is out for good, and its corners are dropped.
"""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import pairwise, permutations

from outcome_monitors.features.walk import WalkedCall
from outcome_monitors.jsonvalue.display import clip
from outcome_monitors.jsonvalue.paths import ROOT, below, select
from outcome_monitors.jsonvalue.types import finite
from outcome_monitors.model import Clause, Json, Violation

from .base.kind import Beside, Bind, Candidate, Counting, State
from .base.support import Ground
from .base.traits import Mining, Traits
from .config import PAPER

MOST_FIELDS = 40
"""Numeric fields of one object that are paired; of more, the first by name."""
CHECK_TOLERANCE = 1e-5
"""The paper's tolerance at run time, flat: large numbers have no more room than small ones."""

_UNIT = 10**12
_MINING_TOLERANCE = _UNIT // 10**8
_LARGEST = 10.0**15
Point = tuple[int, int]


class Affine(Counting):
    """The second number is a fixed multiple of the first plus a constant; either may be the second."""

    name = "affine"
    code = "affine_relation_broken"
    traits = Traits(about="object")
    mining = Mining(profiles=frozenset({"paper"}))
    identity = ("x", "y")
    params = {
        "x": lambda v: isinstance(v, str),
        "y": lambda v: isinstance(v, str),
        "slope": finite,
        "intercept": finite,
    }

    def observe(self, state: State, seen: WalkedCall) -> None:
        """Add each pair of numeric fields, read in both directions."""
        for result in seen.objects.get(ROOT, ()):
            numbers = [(name, _units(result[name])) for name in sorted(result) if _usable(result[name])]
            for (x_name, x), (y_name, y) in permutations(numbers[:MOST_FIELDS], 2):
                _add(state, (x_name, y_name), [1, [(x, y)], {x}, {y}])

    def merge(self, state: State, other: State) -> None:
        for pair, more in other.items():
            _add(state, pair, more)

    def accept(self, state: State, ground: Ground) -> Iterator[Candidate]:
        """Accept a pair of required fields whose points, enough and distinct, lie on one line."""
        for x_name, y_name in sorted(state):
            kept = state[x_name, y_name]
            refused = _refusal(kept, ground, x_name, y_name)
            slope, intercept = (0.0, 0.0) if refused else _line(kept[1])
            params: dict[str, Json] = {"x": x_name, "y": y_name, "slope": slope, "intercept": intercept}
            samples = 0 if kept is None else kept[0]
            if not refused and not all(_holds(params)(_fields(params, corner)) for corner in kept[1]):
                refused = "too large for floats to hold the line"
            yield Candidate(ground.clause(self.name, ROOT, params, samples, below(ROOT, y_name)), refused)

    def check(self, clause: Clause, arguments: Mapping[str, Json], result: Json) -> Iterator[Violation]:
        """Yield each object whose numbers are off the line."""
        x_name, y_name = clause.params["x"], clause.params["y"]
        holds = _holds(clause.params)
        for place, value in select(result, clause.path):
            if isinstance(value, dict) and not holds(value):
                line = clause.params["slope"] * value[x_name] + clause.params["intercept"]
                detail = (
                    f"fields {below(place, x_name)} and {below(place, y_name)} violate a nominal relation"
                )
                yield Violation(
                    self.code, below(place, y_name), clip(round(line, 6)), clip(value[y_name]), detail
                )

    def explain(self, clause: Clause) -> str:
        slope, intercept = clause.params["slope"], clause.params["intercept"]
        x, y = below(clause.path, clause.params["x"]), below(clause.path, clause.params["y"])
        times = x if slope == 1 else f"{slope:.10g} x {x}"
        plus = "" if not intercept else f" {'+' if intercept > 0 else '-'} {abs(intercept):.10g}"
        return f"{y} = {times}{plus}"

    def fast(self, clause: Clause, bind: Bind, beside: Beside) -> str | None:
        return f"{bind(_holds(clause.params))}({{v}})"


def _refusal(kept: State, ground: Ground, x_name: str, y_name: str) -> str:
    """Say why a pair is not accepted; nothing where it is."""
    if kept is None:
        return "no one line fits"
    if not (ground.required(below(ROOT, x_name)) and ground.required(below(ROOT, y_name))):
        return "not always present"
    if kept[0] < PAPER.affine_samples:
        return f"fewer than {PAPER.affine_samples} samples"
    # A constant is related to nothing: read as a line, it would pin a field to the one value that was seen.
    return (
        f"fewer than {PAPER.affine_distinct} distinct values"
        if min(len(kept[2]), len(kept[3])) < PAPER.affine_distinct
        else ""
    )


def _usable(value: Json) -> bool:
    return finite(value) and -_LARGEST < value < _LARGEST


def _units(value: float) -> int:
    """Return a number in whole units of 1e-12, rounded exactly."""
    if type(value) is int:
        return value * _UNIT
    over, under = value.as_integer_ratio()
    return (2 * over * _UNIT + under) // (2 * under)


def _add(state: State, pair: tuple[str, str], more: State) -> None:
    """Add the count, corners and first values of more points."""
    kept = state.setdefault(pair, [0, [], set(), set()])
    if kept is None or more is None:
        state[pair] = None
        return
    kept[0] += more[0]
    for index in (2, 3):
        kept[index] = set(sorted(kept[index] | more[index])[: PAPER.affine_distinct])
    if not {*kept[1]} >= {*more[1]}:
        kept[1] = _corners({*kept[1], *more[1]})
        if abs(_strip(kept[1])[2]) > 2 * _MINING_TOLERANCE:
            state[pair] = None


def _corners(points: set[Point]) -> list[Point]:
    """Return the corners of what points span, one after the other."""
    ordered = sorted(points)
    return ordered if len(ordered) < 3 else [*_side(ordered), *_side(ordered[::-1])]


def _side(points: list[Point]) -> list[Point]:
    corners: list[Point] = []
    for x, y in points:
        while len(corners) > 1:
            (x1, y1), (x2, y2) = corners[-2:]
            if (x2 - x1) * (y - y1) > (y2 - y1) * (x - x1):
                break
            corners.pop()
        corners.append((x, y))
    return corners[:-1]


def _strip(corners: list[Point]) -> tuple[Fraction, Fraction, Fraction]:
    """Return slope, intercept and signed height of the narrowest strip that holds all points: it lies along an edge."""
    found = []
    for (x1, y1), (x2, y2) in pairwise([*corners, corners[0]]):
        if x1 != x2:
            slope = Fraction(y2 - y1, x2 - x1)
            intercept = y1 - slope * x1
            found.append((slope, intercept, max((y - slope * x - intercept for x, y in corners), key=abs)))
    heights = [y for _, y in corners]
    upright = (Fraction(0), Fraction(min(heights)), Fraction(max(heights) - min(heights)))
    return min(found, key=lambda strip: abs(strip[2]), default=upright)


def _line(corners: list[Point]) -> tuple[float, float]:
    """Return the middle of the strip."""
    slope, intercept, height = _strip(corners)
    # Nine digits keep 0.3 from being written as 0.30000000000000004.
    return float(slope), round(float((intercept + height / 2) / _UNIT), 9) + 0.0


def _fields(params: Mapping[str, Json], corner: Point) -> dict[str, Json]:
    return {params["x"]: corner[0] / _UNIT, params["y"]: corner[1] / _UNIT}


def _holds(params: Mapping[str, Json]) -> Callable[[Mapping[str, Json]], bool]:
    x_name, y_name, slope, intercept = params["x"], params["y"], params["slope"], params["intercept"]

    def holds(value: Mapping[str, Json]) -> bool:
        x, y = value.get(x_name), value.get(y_name)
        if not (finite(x) and finite(y)):
            return True
        assert x is not None
        assert y is not None
        try:
            line = slope * x
            return bool(abs(y - line - intercept) <= CHECK_TOLERANCE)
        except OverflowError:
            return False

    return holds
