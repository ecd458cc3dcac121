"""`json`: the text is JSON, whole, where it was so in clean results: not cut off, and no prose in its place.

Many tools answer in a text that holds an object or a list. What stands in it has paths of its own; that it can be read at all is
this rule. Where clean texts are prose as well, it speaks of those that begin as JSON does.
"""

from collections.abc import Callable, Iterator, Mapping

from outcome_monitors.jsonvalue.paths import in_text, is_in_text, parent
from outcome_monitors.jsonvalue.text import LONGEST, begins_as_json, json_in
from outcome_monitors.model import Clause, Json
from outcome_monitors.rules.evidence.evidence import Evidence

from .base.kind import Beside, Bind, Candidate, ValueKind, named
from .base.severity import Severity
from .base.traits import Build, Determined, Drift, Mining, Traits
from .config import CONFIG

TEXTS = ("all", "begun")
"""Of which texts it speaks, strictest first: every one, or those that begin with a bracket."""
_UNKNOWN = -1
"""Stands for the tasks whose texts were no JSON: how many calls had one is kept, not which."""


def _determined_by(params: Mapping[str, Json]) -> Determined:
    """Have what stands in the texts told, where all of them are JSON."""
    return Determined.INSIDE if params["texts"] == "all" else Determined.NOTHING


class JsonText(ValueKind):
    """Every text at the path is JSON: an object or a list, whole."""

    name = "json"
    code = "not_json"
    traits = Traits(
        about="shape", build=Build.JSON, drift=Drift.LISTED, severity=Severity.CRITICAL, own_words=True
    )
    mining = Mining(trusted=True, budget_weight=3.0, grades="texts", determines=_determined_by)
    wrong = "text {place} cannot be read as JSON"
    params = {"texts": lambda v: isinstance(v, str) and v in TEXTS}

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest it of every path that held JSON in a text."""
        for path, place in sorted(evidence.places.items()):
            if is_in_text(path):
                tasks = evidence.tasks(path)
                for texts in TEXTS:
                    clause = Clause(self.name, parent(path), {"texts": texts}, place.count, tasks, "traces")
                    refused = f"fewer than {CONFIG.min_tasks} tasks" if tasks < CONFIG.min_tasks else ""
                    yield Candidate(
                        clause, "some texts are none" if self.fires(clause, evidence) else refused
                    )

    def fires(self, clause: Clause, evidence: Evidence) -> Mapping[int, int]:
        place = evidence.places.get(clause.path)
        if place is None:
            return {}
        inside = evidence.places.get(in_text(clause.path))
        texts = sum(witness.calls for kind, witness in place.kinds.items() if kind == "string")
        whole = inside.complete if inside else 0
        fired = place.broken_json if clause.params["texts"] == "begun" else texts - whole
        return {_UNKNOWN: fired} if fired else {}

    def holds(self, params: Mapping[str, Json]) -> Callable[[Json], bool]:
        """Read the text; one that is too long to be read is none of its business."""
        every = params["texts"] == "all"
        return lambda value: (
            type(value) is not str
            or json_in(value) is not None
            or len(value) > LONGEST
            or not (every or begins_as_json(value))
        )

    def expected(self, params: Mapping[str, Json]) -> Json:
        return "JSON"

    def where(self, params: Mapping[str, Json], text: str) -> int:
        """Show the end of what begins as JSON: it was cut, or goes on."""
        return len(text) - 1 if begins_as_json(text) else 0

    def explain(self, clause: Clause) -> str:
        begun = ", if it begins as such" if clause.params["texts"] == "begun" else ""
        return f"{named(clause.path)} is JSON in a text{begun}"

    def fast(self, clause: Clause, bind: Bind, beside: Beside) -> str | None:
        found = "{0} is not None"
        return found if clause.params["texts"] == "all" else f"{found} or not {bind(begins_as_json)}({{v}})"
