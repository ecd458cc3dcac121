"""Which of the suggested clauses become the contract: the false-alarm budget.

The tasks are dealt into parts. For each part, clauses are suggested by all the others and tried on it: what fires there is a
false alarm on tasks that mining had not seen. Two things are read off these trials. For each kind of clause, by how many tasks
and how many values stand behind it: how often it fires. And for each single clause, whether it did. Together they give
what a clause costs, as a share of the tool's results; and the dearest clause that is taken is found by trying: so that all
that are taken, together, would have kept the budget on the parts that were left out.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ._evidence import Evidence
from ._families import families
from ._model import Clause
from .rules import KINDS
from .rules._kind import Candidate, Kind
from .rules._record import place_of

__all__ = ["BUDGET", "PARTS", "accept"]

BUDGET = 0.01
"""The share of clean results that may raise a false alarm."""
PARTS = 4
SAFETY = 0.5
"""The trials may use up this share of the budget: the dearest clause is chosen by them, so they flatter what is chosen."""

TRUSTED_LIMIT = 0.01
"""What a clause of a trusted kind may cost in any case."""

# What is assumed before any trial: as if so many results had been checked by clauses of the kind, so many of them flagged.
_PRIOR_RESULTS = 20.0
_PRIOR_FLAGGED = 0.4
_PRIOR_FLAGGED_TRUSTED = 0.02

Suggested = dict[str, list[Candidate]]


@dataclass(frozen=True, slots=True)
class _Trial:
    """A clause that the other parts suggest, tried on one part."""

    tool: str
    candidate: Candidate
    checked: int
    """Results of the tool in the part, times the share that has the path."""
    fired: Mapping[int, int]
    part: int


def accept(
    parts: Sequence[Mapping[str, Evidence]], kinds: Sequence[Kind], budget: float
) -> Iterator[tuple[str, Candidate]]:
    """Yield every candidate with its tool, those that are not taken marked as refused."""
    trials = list(_trials(parts, kinds))
    costs = _Costs(trials)
    limit = _limit(trials, costs, parts, budget)
    for tool, candidates in _suggested(_together(parts), kinds).items():
        judged = [(c, c.refused or _refusal(tool, c, costs, limit)) for c in candidates]
        for candidate, refused in zip(candidates, _needed(judged, _supplied(candidates)), strict=True):
            yield tool, replace(candidate, refused=refused) if refused else candidate


def _needed(judged: Sequence[tuple[Candidate, str]], supplied: Collection[str]) -> Iterator[str]:
    """Yield why each candidate is refused, if it is: also for what another clause says already, or the caller supplies."""
    listed = {c.clause.path for c, refused in judged if not refused and c.clause.kind == "domain"}
    formed = {c.clause.path for c, refused in judged if not refused and c.clause.kind == "form"}
    taken: set[tuple[str, ...]] = set()
    for candidate, already in judged:
        if already:
            yield already
            continue
        refused = ""
        clause, kind = candidate.clause, KINDS[candidate.clause.kind]
        grade = (str(clause.params.get("of")),) if kind.grades else _words(clause)
        what = (clause.kind, clause.path, *grade)
        if kind.of_the_answer and clause.path in supplied:
            refused = "the caller supplies it"
        elif what in taken:
            refused = "a stricter one holds, or the tool's own evidence suffices"
        elif clause.path in listed and clause.kind in _OF_TEXTS:
            refused = "the values are listed"
        elif clause.path in formed and clause.kind in _OF_CHARACTERS:
            refused = "the form says it"
        else:
            taken.add(what)
        yield refused


_OF_TEXTS = frozenset({"alphabet", "edges", "foreign", "form"})
"""Kinds that have nothing to add where a text's values are listed."""
_OF_CHARACTERS = frozenset({"alphabet", "edges", "foreign"})
"""Kinds that have nothing to add where a text's form is known."""


def _supplied(candidates: Iterable[Candidate]) -> set[str]:
    """Return the paths that repeat an argument: their values are the caller's, and say nothing of the tool."""
    return {
        place_of(candidate.clause.path, candidate.clause.params["field"])
        for candidate in candidates
        if candidate.clause.kind == "argument" and candidate.clause.params["agree"] in ("equal", "same")
    }


def _refusal(tool: str, candidate: Candidate, costs: "_Costs", limit: float) -> str:
    if costs.fired(tool, candidate):
        return "raised false alarms on tasks that were left out"
    if not costs.tried(tool, candidate) and not KINDS[candidate.clause.kind].trusted:
        return "too few tasks to try it on"
    return (
        "would raise more false alarms than the budget allows"
        if _too_dear(candidate, costs.of(tool, candidate), limit)
        else ""
    )


def _together(parts: Iterable[Mapping[str, Evidence]]) -> dict[str, Evidence]:
    whole: dict[str, Evidence] = {}
    for part in parts:
        for tool, evidence in part.items():
            if tool not in whole:
                whole[tool] = Evidence()
            whole[tool].merge(evidence)
    return whole


def _suggested(evidence: Mapping[str, Evidence], kinds: Sequence[Kind]) -> Suggested:
    """Return what each tool's own evidence suggests, then what all objects of the same shapes do."""
    suggested = {
        tool: [candidate for kind in kinds for candidate in kind.suggest(evidence[tool])]
        for tool in sorted(evidence)
    }
    pooling = [kind for kind in kinds if kind.pools]
    for family in families(evidence):
        shared = [candidate for kind in pooling for candidate in kind.suggest(family.evidence)]
        for member in family.members:
            for candidate in shared:
                clause = candidate.clause
                path = member.place(clause.path)
                if path is not None and (clause.path or KINDS[clause.kind].about == "record"):
                    here = replace(candidate, clause=replace(clause, path=path), pooled=True)
                    suggested[member.tool].append(here)
    return suggested


def _trials(parts: Sequence[Mapping[str, Evidence]], kinds: Sequence[Kind]) -> Iterator[_Trial]:
    for index, part in enumerate(parts):
        others = _together(other for number, other in enumerate(parts) if number != index)
        for tool, candidates in _suggested(others, kinds).items():
            if tool not in part:
                continue
            evidence = part[tool]
            for candidate in candidates:
                if not candidate.refused:
                    place = evidence.places.get(candidate.clause.path)
                    fired = KINDS[candidate.clause.kind].fires(candidate.clause, evidence)
                    yield _Trial(tool, candidate, place.calls if place else 0, fired, index)


class _Costs:
    """What clauses cost, by the trials."""

    def __init__(self, trials: Iterable[_Trial]) -> None:
        self._usual: dict[_Bucket, list[int]] = {}
        self._fired: dict[_Name, list[int]] = {}
        self._tried: Counter[_Name] = Counter()
        self._checked: Counter[_Name] = Counter()
        for trial in trials:
            flagged = sum(trial.fired.values())
            usual = self._usual.setdefault(_bucket(trial.candidate), [0, 0])
            usual[0] += trial.checked
            usual[1] += flagged
            self._tried[_name(trial.tool, trial.candidate)] += trial.checked > 0
            self._checked[_name(trial.tool, trial.candidate)] += trial.checked
            self._fired.setdefault(_name(trial.tool, trial.candidate), [0] * PARTS)[trial.part] += flagged

    def of(self, tool: str, candidate: Candidate, without: _Trial | None = None) -> float:
        """Return the share of results that a clause is expected to flag falsely, for what it is worth.

        It is what clauses like this one flagged; the more results the clause itself has been tried on, flagging none, the less.
        """
        kind = KINDS[candidate.clause.kind]
        checked, flagged = self._usual.get(_bucket(candidate), (0, 0))
        prior = _PRIOR_FLAGGED_TRUSTED if kind.trusted else _PRIOR_FLAGGED
        usual = (flagged + prior) / (checked + _PRIOR_RESULTS)
        tried = self._checked[_name(tool, candidate)] - (without.checked if without else 0)
        return usual * _PRIOR_RESULTS / (_PRIOR_RESULTS + tried) / kind.worth

    def tried(self, tool: str, candidate: Candidate) -> bool:
        """Say whether a clause was tried on most parts that were left out of its mining."""
        return self._tried[_name(tool, candidate)] >= PARTS // 2

    def fired(self, tool: str, candidate: Candidate, without: int | None = None) -> bool:
        """Say whether a clause fired in the trials, or in those of the other parts than one."""
        return any(
            calls for part, calls in enumerate(self._fired.get(_name(tool, candidate), ())) if part != without
        )


_Bucket = tuple[str, int, int, bool]


def _bucket(candidate: Candidate) -> _Bucket:
    """Return what clauses are alike.

    They are of one kind, have as many tasks behind them, in all and for each value, and none, or some, that would have broken
    them had they been left out.
    """
    tasks = max(candidate.clause.tasks, 1)
    if candidate.entities is not None:
        tasks = min(tasks, candidate.entities)
    grade = KINDS[candidate.clause.kind].grades
    kind = (
        candidate.clause.kind
        + (" " + candidate.clause.params[grade] if grade else "")
        + (" pooled" if candidate.pooled else "")
    )
    return kind, tasks.bit_length(), (tasks // max(candidate.values, 1)).bit_length(), bool(candidate.fired)


_Name = tuple[str, str, str, tuple[str, ...], bool]


def _name(tool: str, candidate: Candidate) -> _Name:
    """Return what makes a clause the same one in two minings: all but the values it has learned."""
    clause = candidate.clause
    return tool, clause.kind, clause.path, _words(clause), candidate.pooled


def _words(clause: Clause) -> tuple[str, ...]:
    return tuple(value for _, value in sorted(clause.params.items()) if isinstance(value, str))


def _limit(
    trials: Sequence[_Trial], costs: _Costs, parts: Sequence[Mapping[str, Evidence]], budget: float
) -> float:
    """Return the cost of the dearest clause that can be taken so that all together keep the budget."""
    allowed = SAFETY * budget * sum(evidence.calls for part in parts for evidence in part.values())
    groups: dict[tuple[int, str], list[_Trial]] = {}
    for trial in trials:
        # What fired on another part is dropped, here as in the end: so this part says what comes through all the same.
        if not costs.fired(trial.tool, trial.candidate, trial.part):
            groups.setdefault((trial.part, trial.tool), []).append(trial)
    priced = [
        ([(t, costs.of(t.tool, t.candidate, t)) for t in found], _supplied(t.candidate for t in found))
        for found in groups.values()
    ]
    steps = sorted({cost for found, _ in priced for _, cost in found})
    low, high = -1, len(steps) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if sum(_flagged(found, supplied, steps[middle]) for found, supplied in priced) <= allowed:
            low = middle
        else:
            high = middle - 1
    return steps[low] if low >= 0 else 0.0


def _flagged(trials: Sequence[tuple[_Trial, float]], supplied: Collection[str], limit: float) -> int:
    """Count the results of one tool and part that are flagged falsely by what would be taken up to a limit."""
    judged = [
        (trial.candidate, "too dear" if _too_dear(trial.candidate, cost, limit) else "")
        for trial, cost in trials
    ]
    fired: dict[int, int] = {}
    for (trial, _), refused in zip(trials, _needed(judged, supplied), strict=True):
        # Trusted kinds have a limit of their own: what they cost is not held against the others.
        if not refused and not KINDS[trial.candidate.clause.kind].trusted:
            for task, calls in trial.fired.items():
                # A task that fires twice counts once, with the more calls.
                fired[task] = max(calls, fired.get(task, 0))
    return sum(fired.values())


def _too_dear(candidate: Candidate, cost: float, limit: float) -> bool:
    """Say whether a clause costs more than a limit; trusted kinds have a limit of their own."""
    return cost > (max(limit, TRUSTED_LIMIT) if KINDS[candidate.clause.kind].trusted else limit)
