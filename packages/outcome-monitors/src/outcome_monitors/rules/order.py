"""`order`: one time is not after another: a start and its end.

In profile `paper` the pairs are the three of `DATE_PAIRS`.
"""

from collections.abc import Iterator, Mapping

from outcome_monitors.features.walk import WalkedCall
from outcome_monitors.jsonvalue.display import clip
from outcome_monitors.jsonvalue.paths import ROOT, below, select
from outcome_monitors.jsonvalue.times import comparable, when
from outcome_monitors.model import Clause, Json, Violation

from .base.kind import Beside, Bind, Candidate, Counting, State
from .base.support import Ground
from .base.traits import Mining, Traits
from .config import PAPER

# The paper speaks of three fixed date pairs and does not print them. These are the commonest spellings of a beginning and an
# end, a departure and an arrival, and a creation and a change.
DATE_PAIRS = (
    ("start_date", "end_date"),
    ("departure_time", "arrival_time"),
    ("created_at", "updated_at"),
)


class Order(Counting):
    """The time in the first field is not after the one in the second."""

    name = "order"
    code = "order_broken"
    traits = Traits(about="object")
    mining = Mining(profiles=frozenset({"paper"}))
    identity = ("first", "second")
    params = {
        "first": lambda v: isinstance(v, str),
        "second": lambda v: isinstance(v, str),
    }

    def observe(self, state: State, seen: WalkedCall) -> None:
        """Count the parsed samples of each pair, and those in order."""
        for result in seen.objects.get(ROOT, ()):
            for first, second in DATE_PAIRS:
                in_order = _in_order(result.get(first), result.get(second))
                if in_order is not None:
                    counts = state.setdefault(f"{first} {second}", [0, 0])
                    counts[0] += 1
                    counts[1] += in_order

    def accept(self, state: State, ground: Ground) -> Iterator[Candidate]:
        """Accept a pair with at least two parsed samples, all in order."""
        for pair in sorted(state):
            first, second = pair.split()
            parsed, in_order = state[pair]
            refused = ""
            if in_order < parsed:
                refused = "not always in order"
            elif parsed < PAPER.order_samples:
                refused = f"fewer than {PAPER.order_samples} samples"
            params = {"first": first, "second": second}
            yield Candidate(ground.clause(self.name, ROOT, params, parsed, below(ROOT, second)), refused)

    def check(self, clause: Clause, arguments: Mapping[str, Json], result: Json) -> Iterator[Violation]:
        """Yield each object whose times are out of order."""
        first, second = clause.params["first"], clause.params["second"]
        for place, value in select(result, clause.path):
            if isinstance(value, dict) and _in_order(value.get(first), value.get(second)) is False:
                detail = f"field {second} is earlier than field {first}"
                expected = f"not before {clip(value[first])}"
                yield Violation(self.code, below(place, second), expected, clip(value[second]), detail)

    def explain(self, clause: Clause) -> str:
        return f"{below(clause.path, clause.params['first'])} is not after {below(clause.path, clause.params['second'])}"

    def fast(self, clause: Clause, bind: Bind, beside: Beside) -> str | None:
        first, second = clause.params["first"], clause.params["second"]
        name = bind(lambda value: _in_order(value.get(first), value.get(second)) is not False)
        return f"{name}({{v}})"


def _in_order(first: Json, second: Json) -> bool | None:
    """Say whether two times are in order, or None where that cannot be said."""
    start, end = when(first), when(second)
    if start is None or end is None or not comparable(start, end):
        return None
    return start <= end
