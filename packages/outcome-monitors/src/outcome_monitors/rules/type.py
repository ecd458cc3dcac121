"""`type`: the value is of a type that was seen before.

The types are those of JSON, with whole numbers told apart. As in JSON Schema, `number` admits whole numbers and `integer`
admits 3.0: the two are written alike by many servers.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace

from outcome_monitors.features.feature import ABSENT, Feature, Sort
from outcome_monitors.features.field_names import names_a_thing
from outcome_monitors.features.walk import WalkedCall
from outcome_monitors.jsonvalue.paths import ROOT, parse
from outcome_monitors.jsonvalue.types import kind_of
from outcome_monitors.model import Clause, Json, Violation
from outcome_monitors.rules.evidence.evidence import Evidence, Place

from .base.kind import Beside, Bind, Candidate, Counting, State, ValueKind, named, witnesses
from .base.severity import Severity
from .base.support import Ground, close
from .base.traits import Build, Drift, Mining, Tools, Traits
from .config import CONFIG

NAMES = ("array", "boolean", "integer", "null", "number", "object", "string")


_PYTHON: dict[str, tuple[type, ...]] = {
    "array": (list,),
    "boolean": (bool,),
    "integer": (int,),
    "null": (type(None),),
    "number": (float, int),
    "object": (dict,),
    "string": (str,),
}
_NAME_OF = {types[0]: kind for kind, types in _PYTHON.items()}


def _sort_of(clause: Clause) -> str:
    """Tell fields from results: a field changes its type less often than a result its form."""
    return "type" if clause.path else "type of the result"


def _looser(clause: Clause) -> Clause | None:
    """Let a field be null too, rather than of any type; a result is not null by chance."""
    kinds = sorted({*clause.params["kinds"], "null"})
    return replace(clause, params={"kinds": kinds}) if clause.path else None


def _generalized(clause: Clause) -> Clause:
    """Leave it to each tool which fields it leaves empty."""
    return _looser(clause) or clause


class Type(Counting, ValueKind):
    """The value's JSON type is one that was seen."""

    name = "type"
    code = "learned_type_mismatch"
    traits = Traits(
        schema_code="schema_type_mismatch",
        optional=frozenset({"asked"}),
        about="shape",
        build=Build.TYPES,
        change="is of type {novel}",
        drift=Drift.LISTED,
        own_words=True,
    )
    mining = Mining(
        profiles=frozenset({"full", "paper"}),
        trusted=True,
        budget_weight=3.0,
        pools=True,
        tools=Tools(CONFIG.shape_tools, CONFIG.anything_tools),
        sort=_sort_of,
        looser=_looser,
        generalize=_generalized,
    )
    wrong = "field {place} has unexpected type"
    params = {
        "kinds": lambda v: isinstance(v, list) and bool(v) and all(kind in NAMES for kind in v),
        "asked": lambda v: isinstance(v, str),
    }

    def observe(self, state: State, seen: WalkedCall) -> None:
        """Add the types of the values at each path."""
        for path, values in seen.values.items():
            kinds = state.setdefault(path, set())
            for python in set(map(type, values)):
                kinds.add(_NAME_OF.get(python) or kind_of(next(v for v in values if type(v) is python)))

    def merge(self, state: State, other: State) -> None:
        for path, kinds in other.items():
            state.setdefault(path, set()).update(kinds)

    def accept(self, state: State, ground: Ground) -> Iterator[Candidate]:
        """Accept the union of the types seen."""
        for path in sorted(state):
            kinds = sorted(state[path] & set(NAMES))
            clause = ground.clause(self.name, path, {"kinds": kinds}, ground.samples(path))
            yield Candidate(clause, "" if kinds else "no JSON type")

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest the types that more than one task brought."""
        for path, place in sorted(evidence.places.items()):
            tasks = evidence.tasks(path)
            closed = close(place.kinds.items(), tasks)
            found = closed.admitted & set(NAMES)
            # What few tasks show of a field may well be null in the next; what was always null may be anything.
            kinds = sorted(found | {"null"} if path and tasks < CONFIG.min_tasks else found)
            refused = "no JSON type" if not found else ""
            if path and found == {"null"} and tasks < CONFIG.label_noise_tasks:
                refused = "null so far"
            few = tasks < CONFIG.label_noise_tasks and "null" not in kinds
            asked = _argument_values(evidence, path) if few else {}
            clause = Clause(self.name, path, {"kinds": kinds, **asked}, place.count, tasks, "traces")
            yield Candidate(clause, refused, _alone(place, kinds, tasks) if tasks >= CONFIG.min_tasks else {})

    def fires(self, clause: Clause, evidence: Evidence) -> Mapping[int, int]:
        place = evidence.places.get(clause.path)
        if place is None:
            return {}
        kinds = clause.params["kinds"]
        return witnesses(witness for kind, witness in place.kinds.items() if not _is_among(kind, kinds))

    def check(self, clause: Clause, arguments: Mapping[str, Json], result: Json) -> Iterator[Violation]:
        """Yield each value of another type; one that repeats an argument is null where that was not given."""
        asked = clause.params.get("asked")
        left_out = asked is not None and arguments.get(asked) is None
        for violation in super().check(clause, arguments, result):
            if not (left_out and violation.observed == "null"):
                yield violation

    def holds(self, params: Mapping[str, Json]) -> Callable[[Json], bool]:
        kinds = frozenset(params["kinds"])

        def holds(value: Json) -> bool:
            kind = kind_of(value)
            return _is_among(kind, kinds) or (kind == "number" and "integer" in kinds and value.is_integer())

        return holds

    def expected(self, params: Mapping[str, Json]) -> Json:
        return list(params["kinds"])

    def observed(self, value: Json) -> Json:
        return kind_of(value)

    def severity(self, clause: Clause, violation: Violation, result: Json) -> Severity:
        """Make little of a field that is null, and all of a result that is something else."""
        if not clause.path:
            return Severity.CRITICAL if clause.tasks >= CONFIG.min_tasks else Severity.MEDIUM
        return Severity.MEDIUM if violation.observed == "null" else Severity.HIGH

    def explain(self, clause: Clause) -> str:
        kinds, asked = " or ".join(clause.params["kinds"]), clause.params.get("asked")
        return f"{named(clause.path)} is {kinds}" + (
            f", or null without the argument {asked}" if asked else ""
        )

    def fast(self, clause: Clause, bind: Bind, beside: Beside) -> str | None:
        types = python_types(clause.params["kinds"])
        if len(types) == 1:
            return f"type({{v}}) is {bind(types[0])}"
        return f"type({{v}}) in {bind(frozenset(types))}"


def python_types(kinds: list[str]) -> tuple[type, ...]:
    """Return the Python types that stand for these JSON types."""
    return tuple(dict.fromkeys(python for kind in kinds for python in _PYTHON.get(kind, ())))


def _argument_values(evidence: Evidence, path: str) -> dict[str, Json]:
    """Return the argument that a field repeats under its name in every call, if it does: it may be left out one day."""
    steps = parse(path)
    if len(steps) != 1 or not isinstance(steps[0], str) or ROOT not in evidence.records:
        return {}
    if names_a_thing(Sort.FIELD.of(path)):
        return {}
    columns = evidence.table(ROOT).columns
    asked, found = (columns.get(name) for name in (Feature.parse(f"@{steps[0]}"), Sort.FIELD.of(path)))
    if asked is None or found is None:
        return {}
    pairs = [pair for pair in zip(asked.values, found.values, strict=True) if pair[1] is not ABSENT]
    repeated = all(given == value for given, value in pairs)
    return {"asked": steps[0]} if repeated and len({*pairs}) >= CONFIG.type_repeated else {}


def _is_among(kind: str, kinds: Collection[str]) -> bool:
    return kind in kinds or (kind == "integer" and "number" in kinds)


def _alone(place: Place, kinds: list[str], tasks: int) -> dict[int, int]:
    """Return the tasks that alone brought a type, other than whole numbers among numbers."""
    told = [
        (kind, witness) for kind, witness in place.kinds.items() if kind != "integer" or "number" not in kinds
    ]
    return close(told, tasks).fired
