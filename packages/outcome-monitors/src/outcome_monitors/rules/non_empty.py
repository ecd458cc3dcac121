"""`non_empty`: the text, or the list, is not empty where it never was."""

from collections.abc import Callable, Iterator, Mapping

from outcome_monitors.features.feature import Sort
from outcome_monitors.features.field_names import IDS
from outcome_monitors.jsonvalue.paths import ROOT
from outcome_monitors.jsonvalue.text import last_word
from outcome_monitors.jsonvalue.types import finite
from outcome_monitors.model import Clause, Json, Violation
from outcome_monitors.rules.evidence.evidence import Evidence, Place

from .base.kind import TEXTS, Beside, Bind, Candidate, ValueKind, witnesses
from .base.severity import Severity
from .base.texts import may_be_left_empty
from .base.traits import Determined, Drift, Mining, Traits
from .config import CONFIG

OF = ("text", "list")


def _needless_where(params: Mapping[str, Json]) -> Determined:
    """Add nothing where texts are listed, or their form tells how long they are."""
    return Determined.VALUES | Determined.LENGTH if params["of"] == "text" else Determined.NOTHING


class NonEmpty(ValueKind):
    """No text, or no list, at the path is empty."""

    name = "non_empty"
    code = "empty_value"
    traits = Traits(
        optional=frozenset({"usual"}),
        drift=Drift.BOUNDED,
        severity=Severity.LOW,
        ambiguous_change=True,
        discreet=True,
    )
    mining = Mining(budget_weight=2.0, pools=True, of_the_answer=True, redundant_given=_needless_where)
    identity = ("of",)
    sentence = "{path} is not empty"
    wrong = "field {place} is empty, and never is in clean results"
    params = {
        "of": lambda v: isinstance(v, str) and v in OF,
        "usual": lambda v: isinstance(v, dict) and all(map(_is_span, v.values())),
    }

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest it of what was never empty in a few tasks."""
        for path, place in sorted(evidence.places.items()):
            tasks = evidence.tasks(path)
            for of in OF:
                seen = place.sizes if of == "text" else place.lengths
                if len(seen) and tasks >= _least_tasks(path, of) and not _empty(place, of):
                    params = {"of": of, **(_usual(evidence) if of == "list" else {})}
                    yield Candidate(Clause(self.name, path, params, place.count, tasks, "traces"))

    def check(self, clause: Clause, arguments: Mapping[str, Json], result: Json) -> Iterator[Violation]:
        """Yield what is empty; that nothing fits a number which nobody asked for before is an answer."""
        spans = clause.params.get("usual", {})
        asked = ((arguments.get(name), span) for name, span in spans.items())
        unusual = any(finite(value) and not span[0] <= value <= span[1] for value, span in asked)
        return iter(()) if unusual else super().check(clause, arguments, result)

    def holds(self, params: Mapping[str, Json]) -> Callable[[Json], bool]:
        """Test for emptiness; a text of space alone is empty."""
        if params["of"] == "list":
            return lambda value: type(value) is not list or bool(value)
        return lambda value: type(value) is not str or bool(value.strip())

    def fires(self, clause: Clause, evidence: Evidence) -> Mapping[int, int]:
        place = evidence.places.get(clause.path)
        return _empty(place, clause.params["of"]) if place is not None else {}

    def expected(self, params: Mapping[str, Json]) -> Json:
        return f"a {params['of']} that is not empty"

    def speaks_of(self, params: Mapping[str, Json]) -> frozenset[type]:
        return TEXTS if params["of"] == "text" else frozenset({list})

    def fast(self, clause: Clause, bind: Bind, beside: Beside) -> str | None:
        return "{v}" if clause.params["of"] == "list" else "{v}.strip()"


def _least_tasks(path: str, of: str) -> int:
    if of == "list":
        return CONFIG.non_empty_list_tasks
    return CONFIG.non_empty_remark_tasks if may_be_left_empty(path) else CONFIG.min_tasks


def _is_span(value: Json) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(finite, value))


def _usual(evidence: Evidence) -> dict[str, Json]:
    """Return the least and the most of each number that was asked for, but for those that name a thing."""
    columns = evidence.table(ROOT).columns if ROOT in evidence.records else {}
    asked = {name.path: column.values for name, column in columns.items() if name.sort is Sort.ARGUMENT}
    numbers = {
        name: [*filter(finite, values)] for name, values in asked.items() if last_word(name) not in IDS
    }
    found = {name: [min(some), max(some)] for name, some in sorted(numbers.items()) if some}
    return {"usual": found} if found else {}


def _empty(place: Place, of: str) -> dict[int, int]:
    """Return the tasks with an empty text or list at a place, with the calls."""
    if of == "list":
        return witnesses(witness for length, witness in place.lengths.items() if not length)
    # A sample of texts may have left out the empty one; the one of their lengths has not.
    lengths = [witness for length, witness in place.sizes.items() if not length]
    return witnesses((*lengths, *(w for text, w in place.texts.items() if text.isspace())))
