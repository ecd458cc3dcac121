"""Which of the suggested clauses become the contract: the false-alarm budget.

The tasks are dealt into parts. For each part, clauses are suggested by all the others and tried on it: what fires there is a
false alarm on tasks that mining had not seen. Two things are read off these trials. For each kind of clause, by how many tasks
and how many values stand behind it: how often it fires. And for each single clause, whether it did. Together they give
what a clause costs, as a share of the tool's results; and the dearest clause that is taken is found by trying: so that all
that are taken, together, would have kept the budget on the parts that were left out.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ._evidence import Evidence
from ._families import pooled
from .rules import KINDS
from .rules._kind import Candidate, Kind
from .rules._record import place_of

__all__ = ["BUDGET", "PARTS", "accept"]

BUDGET = 0.01
"""The share of clean results that may raise a false alarm."""
PARTS = 4
SAFETY = 0.5
"""The trials may use up this share of the budget: the dearest clause is chosen by them, so they flatter what is chosen."""

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
        taken: set[tuple[str, str, str]] = set()
        supplied = _supplied(candidates)
        for candidate in candidates:
            refused = candidate.refused or _refusal(tool, candidate, costs, limit)
            if (
                not refused
                and candidate.clause.path in supplied
                and KINDS[candidate.clause.kind].of_the_answer
            ):
                refused = "the caller supplies it"
            grade = KINDS[candidate.clause.kind].grades
            if grade and not refused:
                # Grades come strictest first.
                rank = (candidate.clause.kind, candidate.clause.path, str(candidate.clause.params.get("of")))
                refused = "a stricter one holds" if rank in taken else ""
                taken.add(rank)
            yield tool, replace(candidate, refused=refused) if refused else candidate


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
    return "would raise more false alarms than the budget allows" if costs.usual(candidate) > limit else ""


def _together(parts: Iterable[Mapping[str, Evidence]]) -> dict[str, Evidence]:
    whole: dict[str, Evidence] = {}
    for part in parts:
        for tool, evidence in part.items():
            if tool not in whole:
                whole[tool] = Evidence()
            whole[tool].merge(evidence)
    return whole


def _suggested(
    evidence: Mapping[str, Evidence], kinds: Sequence[Kind], only: Iterable[str] | None = None
) -> Suggested:
    """Return what each tool's own evidence suggests, then what all objects of the same shapes do."""
    families = pooled(evidence)
    return {
        tool: [
            *(candidate for kind in kinds for candidate in kind.suggest(evidence[tool])),
            *(
                replace(candidate, pooled=True)
                for kind in kinds
                if kind.pools
                for candidate in kind.suggest(families[tool])
            ),
        ]
        for tool in sorted(evidence if only is None else only)
    }


def _trials(parts: Sequence[Mapping[str, Evidence]], kinds: Sequence[Kind]) -> Iterator[_Trial]:
    for index, part in enumerate(parts):
        others = _together(other for number, other in enumerate(parts) if number != index)
        for tool, candidates in _suggested(others, kinds, [tool for tool in part if tool in others]).items():
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
        for trial in trials:
            flagged = sum(trial.fired.values())
            usual = self._usual.setdefault(_bucket(trial.candidate), [0, 0])
            usual[0] += trial.checked
            usual[1] += flagged
            self._tried[_name(trial.tool, trial.candidate)] += trial.checked > 0
            self._fired.setdefault(_name(trial.tool, trial.candidate), [0] * PARTS)[trial.part] += flagged

    def usual(self, candidate: Candidate) -> float:
        """Return the share of results that clauses like this one flag falsely."""
        checked, flagged = self._usual.get(_bucket(candidate), (0, 0))
        prior = _PRIOR_FLAGGED_TRUSTED if KINDS[candidate.clause.kind].trusted else _PRIOR_FLAGGED
        return (flagged + prior) / (checked + _PRIOR_RESULTS)

    def tried(self, tool: str, candidate: Candidate) -> bool:
        """Say whether a clause was tried on most parts that were left out of its mining."""
        return self._tried[_name(tool, candidate)] >= PARTS // 2

    def fired(self, tool: str, candidate: Candidate, without: int | None = None) -> bool:
        """Say whether a clause fired in the trials, or in those of the other parts than one."""
        return any(
            calls for part, calls in enumerate(self._fired.get(_name(tool, candidate), ())) if part != without
        )


_Bucket = tuple[str, int, int]


def _bucket(candidate: Candidate) -> _Bucket:
    """Return what clauses are alike: of one kind, with as many tasks behind them, in all and for each value."""
    tasks = max(candidate.clause.tasks, 1)
    if candidate.entities is not None:
        tasks = min(tasks, candidate.entities)
    grade = KINDS[candidate.clause.kind].grades
    kind = (
        candidate.clause.kind
        + (" " + candidate.clause.params[grade] if grade else "")
        + (" pooled" if candidate.pooled else "")
    )
    return kind, tasks.bit_length(), (tasks // max(candidate.values, 1)).bit_length()


_Name = tuple[str, str, str, tuple[str, ...], bool]


def _name(tool: str, candidate: Candidate) -> _Name:
    """Return what makes a clause the same one in two minings: all but the values it has learned."""
    clause = candidate.clause
    words = tuple(value for _, value in sorted(clause.params.items()) if isinstance(value, str))
    return tool, clause.kind, clause.path, words, candidate.pooled


def _limit(
    trials: Sequence[_Trial], costs: _Costs, parts: Sequence[Mapping[str, Evidence]], budget: float
) -> float:
    """Return the cost of the dearest clause that can be taken so that all together keep the budget."""
    allowed = SAFETY * budget * sum(evidence.calls for part in parts for evidence in part.values())
    fired: dict[tuple[int, str, int], int] = {}
    total, limit = 0, 0.0
    for cost, trial in sorted(((costs.usual(t.candidate), t) for t in trials), key=lambda pair: pair[0]):
        # What fired on another part is dropped, here as in the end: so this part says what comes through all the same.
        if not costs.fired(trial.tool, trial.candidate, trial.part):
            for task, calls in trial.fired.items():
                # A task that fires twice counts once, with the more calls.
                key = (trial.part, trial.tool, task)
                total += max(calls - fired.get(key, 0), 0)
                fired[key] = max(calls, fired.get(key, 0))
        if total > allowed:
            return limit
        limit = cost
    return 1.0
