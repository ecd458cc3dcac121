"""`positive`: the number is above zero: a price, an id, an age.

In profile `full` a number that counts or sums up may be zero, though it never was: that nothing was found is an answer.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from outcome_monitors.features.field_names import counts
from outcome_monitors.features.walk import WalkedCall
from outcome_monitors.jsonvalue.types import is_number
from outcome_monitors.model import Clause, Json, Violation
from outcome_monitors.rules.evidence.evidence import Evidence

from .base.kind import NUMBERS, Beside, Bind, Candidate, Counting, State, ValueKind
from .base.severity import Severity
from .base.support import Ground, close
from .base.traits import Mining, Tools, Traits
from .config import CONFIG, PAPER


def _sort_of(clause: Clause) -> str:
    """Tell what may be zero, and is hardly ever below, from what may not."""
    return "nonnegative" if clause.params.get("zero") else "positive"


def _looser(clause: Clause) -> Clause | None:
    """Let a number be zero, which few tasks may not have shown."""
    return None if clause.params.get("zero") else replace(clause, params={"zero": True})


class Positive(Counting, ValueKind):
    """Every number at the path is above zero."""

    name = "positive"
    code = "nonpositive_value"
    traits = Traits(types=NUMBERS, optional=frozenset({"zero"}), never_normal=True)
    mining = Mining(
        profiles=frozenset({"full", "paper"}),
        trusted=True,
        budget_weight=2.0,
        pools=True,
        tools=Tools(CONFIG.shape_tools),
        of_the_answer=True,
        sort=_sort_of,
        looser=_looser,
    )
    wrong = "nominally positive field {place} is not positive"
    params = {"zero": lambda v: v is True}

    def observe(self, state: State, seen: WalkedCall) -> None:
        """Count the numbers at each path, and those above zero."""
        for path, values in seen.values.items():
            numbers = [value for value in values if is_number(value)]
            if numbers:
                counts = state.setdefault(path, [0, 0])
                counts[0] += len(numbers)
                counts[1] += sum(number > 0 for number in numbers)

    def accept(self, state: State, ground: Ground) -> Iterator[Candidate]:
        """Accept a required field that was a positive number in at least three samples and never another."""
        for path in sorted(state):
            numbers, positive = state[path]
            refused = ""
            if positive < numbers:
                refused = "not always positive"
            elif not ground.required(path):
                refused = "not always present"
            elif numbers < PAPER.positive_samples:
                refused = f"fewer than {PAPER.positive_samples} samples"
            yield Candidate(ground.clause(self.name, path, {}, numbers), refused)

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest it of numbers that enough tasks show to be always positive, but for label noise."""
        for path, place in sorted(evidence.places.items()):
            tasks = evidence.tasks(path)
            params = {"zero": True} if counts(path) else {}
            closed = close(place.numbers.items(), tasks, self.holds(params))
            if closed.admitted == {True} and tasks >= CONFIG.min_tasks:
                clause = Clause(self.name, path, params, place.count, tasks, "traces")
                fired = {} if closed.seen == 1 else closed.fired
                yield Candidate(clause, "", fired, entities=len(place.numbers))

    def holds(self, params: Mapping[str, Json]) -> Callable[[Json], bool]:
        if params.get("zero"):
            return lambda value: not is_number(value) or value >= 0
        return lambda value: not is_number(value) or value > 0

    def expected(self, params: Mapping[str, Json]) -> Json:
        return ">= 0" if params.get("zero") else "> 0"

    def severity(self, clause: Clause, violation: Violation, result: Json) -> Severity:
        """Make little of a zero."""
        return Severity.MEDIUM if violation.observed == 0 else Severity.HIGH

    def explain(self, clause: Clause) -> str:
        return f"{clause.path} is {'not below' if clause.params.get('zero') else 'above'} zero"

    def fast(self, clause: Clause, bind: Bind, beside: Beside) -> str | None:
        return "{v} >= 0" if clause.params.get("zero") else "{v} > 0"
