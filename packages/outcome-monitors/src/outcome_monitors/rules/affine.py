"""`affine`: two numbers lie on one line: a subtotal and a count, one unit and another.

The state of a pair is the sums of a least-squares fit, in whole numbers (each value in units of 1e-12), so that merging is
exact. The residue of the best line can only grow with more points; once it is above the tolerance the pair is
out for good, and its sums are dropped.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations

from outcome_monitors.features.walk import WalkedCall
from outcome_monitors.jsonvalue.display import clip
from outcome_monitors.jsonvalue.paths import ROOT, below, select
from outcome_monitors.jsonvalue.types import finite
from outcome_monitors.model import Clause, Json, Violation

from .base.kind import Beside, Bind, Candidate, Counting, State
from .base.support import Ground
from .base.traits import Mining, Traits
from .config import PAPER

__all__ = ["Affine"]

MOST_FIELDS = 40
"""Numeric fields of one object that are paired; of more, the first by name."""
CHECK_TOLERANCE = 1e-5
"""The paper's tolerance at run time, flat: large numbers have no more room than small ones."""
ROUNDING = 1e-11
"""Of the larger of the two numbers that are compared: what the digits of the slope, and floats, leave open."""

_UNIT = 10**12
_MINING_TOLERANCE = _UNIT // 10**8
_LARGEST = 10.0**15


class Affine(Counting):
    """The second number is a fixed multiple of the first plus a constant."""

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
        """Add each pair of numeric fields, in the order of their names."""
        for result in seen.objects.get(ROOT, ()):
            numbers = [(name, _units(result[name])) for name in sorted(result) if _usable(result[name])]
            for (x_name, x), (y_name, y) in combinations(numbers[:MOST_FIELDS], 2):
                pair = (x_name, y_name)
                if pair not in state:
                    state[pair] = [1, x, y, x * x, x * y, y * y, {x}, {y}]
                elif state[pair] is not None:
                    _add(state, pair, [1, x, y, x * x, x * y, y * y, {x}, {y}])

    def merge(self, state: State, other: State) -> None:
        for pair, sums in other.items():
            if pair not in state:
                state[pair] = None if sums is None else [*sums[:6], set(sums[6]), set(sums[7])]
            elif state[pair] is not None:
                _add(state, pair, sums)

    def accept(self, state: State, ground: Ground) -> Iterator[Candidate]:
        """Accept a pair of required fields whose points, enough and distinct, lie on one line."""
        for x_name, y_name in sorted(state):
            sums = state[x_name, y_name]
            refused = _refusal(sums, ground, x_name, y_name)
            slope, intercept = (0.0, 0.0) if refused else _line(sums)
            params: dict[str, Json] = {"x": x_name, "y": y_name, "slope": slope, "intercept": intercept}
            samples = 0 if sums is None else sums[0]
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


def _refusal(sums: State, ground: Ground, x_name: str, y_name: str) -> str:
    """Say why a pair is not accepted; nothing where it is."""
    if sums is None:
        return "no one line fits"
    if not (ground.required(below(ROOT, x_name)) and ground.required(below(ROOT, y_name))):
        return "not always present"
    if sums[0] < PAPER.affine_samples:
        return f"fewer than {PAPER.affine_samples} samples"
    # A line that is not flat is the same line read the other way; a constant is related to nothing.
    return (
        f"fewer than {PAPER.affine_distinct} distinct values"
        if min(len(sums[6]), len(sums[7])) < PAPER.affine_distinct
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
    if more is None:
        state[pair] = None
        return
    sums = state[pair]
    for index in range(6):
        sums[index] += more[index]
    for index in (6, 7):
        if len(sums[index]) < PAPER.affine_distinct or sums[index] != more[index]:
            sums[index] = set(sorted(sums[index] | more[index])[: PAPER.affine_distinct])
    if not _on_a_line(sums):
        state[pair] = None


def _on_a_line(sums: State) -> bool:
    """Say whether the whole residue of the best line is within the mining tolerance."""
    n, sx, sy, sxx, sxy, syy = sums[:6]
    xx, xy, yy = n * sxx - sx * sx, n * sxy - sx * sy, n * syy - sy * sy
    if xx == 0:
        return bool(yy <= n * _MINING_TOLERANCE**2)
    return bool(yy * xx - xy * xy <= n * xx * _MINING_TOLERANCE**2)


def _line(sums: State) -> tuple[float, float]:
    n, sx, sy, sxx, sxy = sums[:5]
    from fractions import Fraction  # noqa: PLC0415 - long in coming, and for mining alone

    slope = Fraction(n * sxy - sx * sy, n * sxx - sx * sx)
    intercept = (sy - slope * sx) / (n * _UNIT)
    # Twelve digits are more than the data has, and keep 0.1 from being written as 0.09999999999999998.
    return float(f"{float(slope):.12g}"), round(float(intercept), 9) + 0.0


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
            return bool(abs(y - line - intercept) <= CHECK_TOLERANCE + ROUNDING * max(abs(line), abs(y)))
        except OverflowError:
            return False

    return holds
