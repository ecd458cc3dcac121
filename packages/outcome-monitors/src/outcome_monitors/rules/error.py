"""`error`: no field that bears an error, in a result that was delivered as a success.

The names are those of `ERROR_FIELDS`, whatever their case; a field bears an error where it says anything: not null, false, zero
or empty. A name that carried something in clean traces is left out, for then it is data.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from outcome_monitors.features.walk import WalkedCall
from outcome_monitors.jsonvalue.display import clip, clip_text
from outcome_monitors.jsonvalue.paths import ROOT, below, parent, parse, select
from outcome_monitors.model import Clause, Json, Violation
from outcome_monitors.rules.evidence.evidence import Evidence, Place

from .base.kind import Beside, Bind, Candidate, Counting, State
from .base.severity import Severity
from .base.support import Ground
from .base.traits import Cause, Mining, Tools, Traits
from .config import CONFIG

ERROR_FIELDS = tuple(
    """
    error error_code error_description error_message error_type errors exception failure failures fault stack_trace
    stacktrace traceback
    """.split()  # noqa: SIM905 - words read better as words
)

_NO = re.compile(
    r"\bno (?:such|\w+ (?:named|called|with|for)\b)|\bthere (?:is|are|was|were) no\b|\bnot (?:found|known|(?:a )?valid|allowed|supported|accepted)\b"
    r"|\b(?:does|do|did) ?n[o']t exist\b|\bunknown\b|\bun(?:recogni[sz]ed|supported)\b|\binvalid\b|\bmust (?:not )?(?:be|have|match)\b"
    r"|\bshould be\b|\bout of range\b|\bcan ?not be\b|\btoo (?:long|large|small|short|many|few)\b",
    re.IGNORECASE,
)


class Error(Counting):
    """The object has no error-bearing field that says anything."""

    name = "error"
    code = "explicit_error"
    cause = Cause.FAILURE
    traits = Traits(about="object", severity=Severity.CRITICAL, own_words=True, never_normal=True)
    mining = Mining(
        profiles=frozenset({"full", "paper"}),
        trusted=True,
        budget_weight=5.0,
        tools=Tools(CONFIG.shape_tools, CONFIG.anything_tools),
    )
    params = {
        "fields": lambda v: (
            isinstance(v, list) and bool(v) and all(isinstance(f, str) and f == f.lower() for f in v)
        ),
    }

    def observe(self, state: State, seen: WalkedCall) -> None:
        """Keep the error names that carried something."""
        for result in seen.objects.get(ROOT, ()):
            for field in _bearing(result, frozenset(ERROR_FIELDS)):
                state[field.lower()] = True

    def merge(self, state: State, other: State) -> None:
        state.update(other)

    def accept(self, state: State, ground: Ground) -> Iterator[Candidate]:
        """Accept the names that never carried anything."""
        objects = ground.presence.objects.get(ROOT, 0)
        if objects:
            fields = [field for field in ERROR_FIELDS if field not in state]
            yield Candidate(
                ground.clause(self.name, ROOT, {"fields": fields}, objects),
                "" if fields else "all are in use",
            )

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest, for every object, the names that never carried anything there."""
        in_use = _in_use(evidence)
        for path, place in sorted(evidence.places.items()):
            if place.with_objects:
                fields = [field for field in ERROR_FIELDS if field not in in_use.get(path, ())]
                tasks = evidence.tasks(path)
                clause = Clause(self.name, path, {"fields": fields}, place.with_objects, tasks, "traces")
                yield Candidate(clause, "" if fields else "all are in use")

    def fires(self, clause: Clause, evidence: Evidence) -> Mapping[int, int]:
        """Say nothing: a name that carries something anywhere is not in the clause that all evidence suggests."""
        return {}

    def check(self, clause: Clause, arguments: Mapping[str, Json], result: Json) -> Iterator[Violation]:
        """Yield one violation an object, at the first of its error-bearing fields; the detail names them all."""
        fields = frozenset(clause.params["fields"])
        for place, value in select(result, clause.path):
            bearing = _bearing(value, fields) if isinstance(value, dict) else []
            if bearing:
                first, names = bearing[0], clip_text(", ".join(sorted(bearing)))
                detail = f"error-bearing field(s): {names}"
                yield Violation(self.code, below(place, first), "absent", clip(value[first]), detail)

    def admits(self, clause: Clause, place: str, value: Json) -> bool:
        name = place.rpartition(".")[2].lower()
        return parent(place) == clause.path and name in ERROR_FIELDS and name not in clause.params["fields"]

    def excuses(self, clause: Clause, arguments: Mapping[str, Json], answer: Json) -> tuple[str, ...]:
        """Name the arguments that an answer as a whole refuses."""
        return () if clause.path else tuple(_refused(arguments, answer, clause.params["fields"]))

    def explain(self, clause: Clause) -> str:
        return f"no field of {clause.path} bears an error" if clause.path else "no field bears an error"

    def fast(self, clause: Clause, bind: Bind, beside: Beside) -> str | None:
        """Nothing to test where all known fields have other names; `closed_fields` is tested before."""
        fields = frozenset(clause.params["fields"])
        known = beside.get("closed_fields")
        if known is not None and fields.isdisjoint(field.lower() for field in known.params["fields"]):
            return "True"
        return f"{bind(lambda value: not _bearing(value, fields))}({{v}})"


def _in_use(evidence: Evidence) -> dict[str, set[str]]:
    """Return for each object the error names, in small letters, that carried something."""
    found: dict[str, set[str]] = {}
    for path, place in evidence.places.items():
        field = parse(path)[-1] if path else None
        if isinstance(field, str) and field.lower() in ERROR_FIELDS and _carried(place):
            found.setdefault(parent(path), set()).add(field.lower())
    return found


def _carried(place: Place) -> bool:
    """Say whether anything stood at a place but null, zero and the empty; of booleans and objects no values are kept."""
    samples = (place.texts, place.numbers, place.lengths)
    told = {"array", "integer", "null", "number", "string"}
    return any(value for sample in samples for value, _ in sample.items()) or any(
        kind not in told for kind, _ in place.kinds.items()
    )


def _bearing(value: Mapping[str, Json], fields: frozenset[str]) -> list[str]:
    """Return the names of the fields that bear an error, in document order."""
    return [key for key in value if isinstance(key, str) and key.lower() in fields and value[key]]


def _refused(arguments: Mapping[str, Json], answer: Json, fields: Iterable[str]) -> Iterator[str]:
    """Yield the arguments that an answer refuses, where that is all it does; `fields` are those that bear errors."""
    said = _text_of_error(answer, fields)
    if not said or _NO.search(said) is None:
        return
    for name, value in arguments.items():
        if any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", said) for word in _words(name, value)):
            yield name


def _words(name: str, value: Json) -> Iterator[str]:
    """Yield the words by which an error may name an argument."""
    yield str(name)
    if type(value) in (str, int, float) and value != "":
        yield clip_text(str(value), CONFIG.refusal_length)


def _text_of_error(answer: Json, fields: Iterable[str]) -> str:
    """Return the error that is all of an answer; nothing of any other."""
    if type(answer) is str:
        return answer if len(answer) <= CONFIG.refusal_length else ""
    if type(answer) is not dict or len(answer) > CONFIG.refusal_fields:
        return ""
    names = frozenset(fields)
    bearing = [value for key, value in answer.items() if str(key).lower() in names and value]
    return " ".join(islice(_texts(bearing), CONFIG.refusal_fields))[: CONFIG.refusal_length]


def _texts(values: Iterable[Any]) -> Iterator[str]:
    """Yield the texts among values, and those in the objects among them."""
    for value in values:
        if type(value) is str:
            yield value
        elif type(value) is dict and len(value) <= CONFIG.refusal_fields:
            yield from (inner for inner in value.values() if type(inner) is str)
