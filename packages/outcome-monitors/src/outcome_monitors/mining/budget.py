"""Which of the suggested clauses become the contract: the false-alarm budget.

The tasks are dealt into parts. For each part, clauses are suggested by all the others and tried on it: what fires there is a
false alarm on tasks that mining had not seen. A clause that fires is dropped, unless it does so hardly ever and the budget has room for it. How many more would have come through had there
been other tasks is read off each part in turn, with what the other parts would have dropped left out; and while that is
more than the budget, more witnesses are asked of the sort of clause that fires most, for what it is worth. A clause whose sort costs
too much by itself (`priors`) is not taken either: where there are few tasks, the parts show next to nothing.
"""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from outcome_monitors.contracts.identity import about, redundancy_key
from outcome_monitors.contracts.privacy import guessable_in, without_private
from outcome_monitors.features.feature import Sort
from outcome_monitors.features.tool_names import may_write
from outcome_monitors.model import BUDGET, Clause
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.kind import Candidate, Kind
from outcome_monitors.rules.base.record import is_of, place_of
from outcome_monitors.rules.base.traits import Determined
from outcome_monitors.rules.evidence.evidence import Evidence

from .config import CONFIG
from .priors import FalsePositivePrior, PriorTable, RuleBucket
from .validation import HeldOutResult, Name, ValidationRecord, is_trusted, name_of

__all__ = [
    "BUDGET",
    "accept",
    "may_make_redundant",
    "needed",
    "rule_bucket",
    "spoken_of",
    "supplied_by_caller",
]


def accept(
    whole: Mapping[str, Evidence],
    proposed: Mapping[str, Sequence[Candidate]],
    trials: Sequence[HeldOutResult],
    budget: float,
    table: PriorTable,
) -> Iterator[tuple[str, Candidate]]:
    """Yield every proposal with its tool, those that are not accepted marked as refused.

    `whole` is the evidence of all tasks, and `trials` is how the proposals of the other parts did on each part.
    """
    record = ValidationRecord(trials)
    sorts = _Sorts({tool: evidence.witnesses() for tool, evidence in whole.items()})
    allowed = budget * sum(evidence.calls for evidence in whole.values())
    forgiven, known = _forgiven(record, CONFIG.forgiven_share * allowed)
    least = _Trials(trials, record, forgiven, sorts).least(CONFIG.selection_margin * (allowed - known))
    priors = FalsePositivePrior(table, _quiet(trials))
    for tool, found in proposed.items():
        guessable = guessable_in(whole[tool])
        public = [without_private(candidate, guessable(candidate.clause.path)) for candidate in found]
        affordable = [_if_affordable(candidate, priors, budget) for candidate in public]
        judged = [_judged(tool, candidate, record, forgiven, least, sorts) for candidate in affordable]
        refusals = needed(judged, supplied_by_caller(candidate for candidate, _ in judged))
        for (candidate, _), refused in zip(judged, refusals, strict=True):
            yield tool, replace(candidate, refused=refused) if refused else candidate


def _forgiven(record: ValidationRecord, allowed: float) -> tuple[set[Name], int]:
    """Return the clauses that are kept although they fired, and on how many results they did: label noise has its share of the budget.

    What is hardly ever broken, for what it is worth, comes first.
    """
    forgiven: set[Name] = set()
    fired: dict[tuple[str, int], int] = {}
    flagged = 0
    for name in sorted(record.broken(), key=lambda name: (record.share(name) / _worth(name), repr(name))):
        if record.share(name) > CONFIG.label_noise:
            continue
        more = {(name.tool, task): calls for task, calls in record.fired(name).items()}
        # A task that fires twice counts once, with the more calls.
        cost = sum(max(calls - fired.get(task, 0), 0) for task, calls in more.items())
        if flagged + cost <= allowed:
            flagged += cost
            forgiven.add(name)
            for task, calls in more.items():
                fired[task] = max(calls, fired.get(task, 0))
    return forgiven, flagged


def _worth(name: Name) -> float:
    return KINDS[name.kind].mining.budget_weight


def _judged(
    tool: str,
    candidate: Candidate,
    record: ValidationRecord,
    forgiven: Collection[Name],
    least: "_Least",
    sorts: "_Sorts",
) -> tuple[Candidate, str]:
    """Return a clause, or a looser one, and why it is refused, if it is."""
    if candidate.refused:
        return candidate, candidate.refused
    name = name_of(tool, candidate)
    if record.fired(name) and name not in forgiven:
        return candidate, "raised false alarms on tasks that were left out"
    # In the trials, a part of the tasks was left out.
    if _too_few(sorts.of(tool, candidate, (CONFIG.parts - 1) / CONFIG.parts), least):
        return candidate, "would raise more false alarms than the budget allows"
    if not is_trusted(candidate) and not record.tried(name):
        return candidate, "too few tasks to try it on"
    return candidate, ""


def _quiet(trials: Iterable[HeldOutResult]) -> Iterator[RuleBucket]:
    """Yield the sorts of the clauses that were tried and did not fire."""
    for trial in trials:
        if trial.checked and not trial.fired:
            yield RuleBucket.of(sort_of(trial.candidate), _behind(trial.candidate))


def _if_affordable(candidate: Candidate, priors: FalsePositivePrior, budget: float) -> Candidate:
    """Return a clause, or a looser one, or mark it as refused: where its sort costs more than a clause of its worth may."""
    clause, kind = candidate.clause, KINDS[candidate.clause.kind]
    # What is trusted may cost more.
    max_cost = CONFIG.max_cost_trusted if is_trusted(candidate) else CONFIG.max_cost
    if (
        candidate.refused
        or priors.cost(rule_bucket(candidate)) <= max_cost * budget * kind.mining.budget_weight
    ):
        return candidate
    looser = kind.mining.looser(clause)
    if looser is None:
        return replace(
            candidate, refused="clauses of its sort, with so few tasks, flag too many right results"
        )
    return replace(candidate, clause=looser)


def rule_bucket(candidate: Candidate) -> RuleBucket:
    """Return what a clause is affordable as; in the trials a part of the tasks was left out, and so it is here."""
    return RuleBucket.of(sort_of(candidate), int(_behind(candidate) * (CONFIG.parts - 1) / CONFIG.parts))


class _Sort(NamedTuple):
    """Clauses that are about as likely to fire, but for how many witnesses stand behind them."""

    kind: str
    reads: bool
    """Whether the tool only reads: what a write answers is new each time."""


class _Place(NamedTuple):
    """Where a clause stands among those of its sort."""

    sort: _Sort
    witnesses: int
    """Independent ones, behind each value that it lists, by powers of two."""


class _Sorts:
    """The sort of each clause, and its witnesses."""

    def __init__(self, witnesses: Mapping[str, int]) -> None:
        self._witnesses = witnesses
        """Those of each tool, which are independent of each other."""

    def of(self, tool: str, candidate: Candidate, share: float = 1.0) -> _Place:
        """Return the place of a clause; `share` is the share of what stands behind it that counts."""
        of_tool = self._witnesses[tool] * (CONFIG.parts - 1) / CONFIG.parts
        witnesses = int(min(_behind(candidate) * share, of_tool)) // max(candidate.values, 1)
        return _Place(_Sort(sort_of(candidate), not may_write(tool)), witnesses.bit_length())


def sort_of(candidate: Candidate) -> str:
    """Return what sort of clause a candidate is, whatever stands behind it."""
    clause = candidate.clause
    sort = [KINDS[clause.kind].mining.sort_of(clause)]
    if candidate.trusted is not None:
        sort.append("trusted" if candidate.trusted else "doubtful")
    if candidate.sort:
        sort.append(candidate.sort)
    # What holds of the first or the last row holds by the order of rows, which fewer tools promise.
    if any(isinstance(part, str) and _of_ends(part) for part in about(clause).values()):
        sort.append("of ends")
    if candidate.pooled:
        sort.append("pooled")
    return " ".join(sort)


@lru_cache(maxsize=16384)
def _of_ends(part: str) -> bool:
    return is_of(part, Sort.FIRST, Sort.LAST)


def _behind(candidate: Candidate) -> int:
    """Return how many tasks stand behind a clause, or how many things, where they are fewer."""
    tasks = candidate.clause.tasks
    return tasks if candidate.entities is None else min(tasks, candidate.entities)


class _Group(NamedTuple):
    """The trials of one tool on one part, as far as they tell what is flagged falsely there."""

    trials: list[tuple[HeldOutResult, _Place]]
    counting: list[bool]
    """Which of them are held against their sort: they fired, and that is not forgiven."""
    supplied: set[str]


_Least = Mapping[_Sort, int]
"""Sorts of which no clause is taken with so few witnesses, or fewer."""


class _Trials:
    """What comes through the trials of all parts but one, and fires on that one: as much will on tasks that come tomorrow."""

    def __init__(
        self,
        trials: Iterable[HeldOutResult],
        record: ValidationRecord,
        forgiven: Collection[Name],
        sorts: _Sorts,
    ) -> None:
        self._forgiven = forgiven
        self._worth: dict[_Place, float] = {}
        """What was checked by clauses of each place, times what these are worth."""
        by_tool: dict[tuple[int, str], list[tuple[HeldOutResult, _Place]]] = {}
        for trial in trials:
            # What fired on another part is dropped, here as in the end: so this part says what comes through all the same.
            if trial.name in forgiven or not record.fired(trial.name, trial.part):
                place = sorts.of(trial.tool, trial.candidate)
                more = trial.checked * _worth(trial.name)
                self._worth[place] = self._worth.get(place, 0.0) + more
                by_tool.setdefault((trial.part, trial.name.tool), []).append((trial, place))
        self._groups = [group for found in by_tool.values() if (group := self._group(found)).trials]

    def _group(self, trials: Sequence[tuple[HeldOutResult, _Place]]) -> _Group:
        """Keep the trials that count, and those that may make one of them needless: mostly, few of many."""
        counting = [bool(trial.fired) and trial.name not in self._forgiven for trial, _ in trials]
        questioned = {
            spoken_of(trial.candidate) for (trial, _), counts in zip(trials, counting, strict=True) if counts
        }
        kept = [
            (one, counts)
            for one, counts in zip(trials, counting, strict=True)
            if questioned
            and (may_make_redundant(one[0].candidate.clause) or spoken_of(one[0].candidate) in questioned)
        ]
        return _Group(
            [one for one, _ in kept],
            [counts for _, counts in kept],
            supplied_by_caller(trial.candidate for trial, _ in trials),
        )

    def least(self, allowed: float) -> _Least:
        """Return how many witnesses each sort must have more than, so that what is left keeps the budget."""
        least: dict[_Sort, int] = {}
        while True:
            flagged, blame = self._flagged(least)
            if flagged <= allowed or not blame:
                return least
            prices = {place: self._price(place, blame, least) for place in blame}
            worst = sorted(prices, key=lambda place: (-prices[place], place))
            # A few at a time: with many sorts, one by one would take too long.
            for sort, witnesses in worst[: 1 + len(worst) // 16]:
                least[sort] = max(witnesses, least.get(sort, 0))

    def _price(self, place: _Place, blame: Mapping[_Place, float], least: _Least) -> float:
        """Return what clauses of a place, and those with fewer witnesses, flag for what they are worth."""
        alike = [
            _Place(place.sort, witnesses)
            for witnesses in range(least.get(place.sort, -1) + 1, place.witnesses + 1)
        ]
        return sum(blame.get(one, 0.0) for one in alike) / (
            1 + sum(self._worth.get(one, 0.0) for one in alike)
        )

    def _flagged(self, least: _Least) -> tuple[int, dict[_Place, float]]:
        """Count what is flagged falsely, and by clauses of which place; a result that several flag is shared among them."""
        flagged = 0
        blame: dict[_Place, float] = {}
        for trials, counting, supplied in self._groups:
            judged = [
                (trial.candidate, "too few" if _too_few(place, least) else "") for trial, place in trials
            ]
            fired: dict[int, list[tuple[_Place, int]]] = {}
            refusals = needed(judged, supplied)
            for (trial, place), counts, refused in zip(trials, counting, refusals, strict=True):
                if counts and not refused:
                    for task, calls in trial.fired.items():
                        fired.setdefault(task, []).append((place, calls))
            for found in fired.values():
                # A task that fires twice counts once, with the more calls.
                flagged += max(calls for _, calls in found)
                for place, calls in found:
                    blame[place] = blame.get(place, 0.0) + calls / len(found)
        return flagged, blame


def _too_few(place: _Place, least: _Least) -> bool:
    return place.witnesses <= least.get(place.sort, -1)


def needed(judged: Sequence[tuple[Candidate, str]], supplied: Collection[str]) -> Iterator[str]:
    """Yield why each candidate is refused, if it is: also for what another clause says already, or the caller supplies."""
    determined = _determined(candidate.clause for candidate, refused in judged if not refused)
    read = {path for path, found in determined.items() if Determined.INSIDE in found}
    taken: set[Hashable] = set()
    beside: dict[tuple[str, str], list[Clause]] = {}
    for candidate, already in judged:
        if already:
            yield already
            continue
        clause, kind, what = candidate.clause, KINDS[candidate.clause.kind], spoken_of(candidate)
        others = beside.setdefault((clause.kind, clause.path), [])
        refused = ""
        if kind.mining.of_the_answer and _judged_at(clause, kind) in supplied:
            refused = "the caller supplies it"
        elif read and _text_of(clause, kind) in read:
            refused = "it is JSON, and what stands in it is determined"
        elif what in taken:
            refused = "a stricter one holds, or the tool's own evidence suffices"
        elif kind.mining.follows(clause, others):
            refused = "it follows from others"
        elif clause.path in determined:
            refused = _needless(determined[clause.path] & kind.mining.redundant_given(clause.params))
        if not refused:
            taken.add(what)
            others.append(clause)
        yield refused


def _determined(clauses: Iterable[Clause]) -> Mapping[str, Determined]:
    """Return what is determined of the texts at each path so fully that others need not."""
    determined: dict[str, Determined] = {}
    for clause in clauses:
        found = KINDS[clause.kind].mining.determines(clause.params)
        if found is not Determined.NOTHING:
            determined[clause.path] = determined.get(clause.path, Determined.NOTHING) | found
    return determined


def _needless(determined: Determined) -> str:
    if Determined.VALUES in determined:
        return "the values are listed"
    return "the form says it" if determined else ""


def may_make_redundant(clause: Clause) -> bool:
    """Say whether a clause may make others needless."""
    return KINDS[clause.kind].mining.determines(clause.params) is not Determined.NOTHING


def spoken_of(candidate: Candidate) -> Hashable:
    """Return what a clause speaks of: of all that speak of the same, the first that is taken is needed."""
    return redundancy_key(candidate.clause), candidate.sort


def _judged_at(clause: Clause, kind: Kind) -> str:
    """Return the place whose values a clause judges: of rows, that of their column."""
    return place_of(clause.path, clause.params[kind.mining.judged]) if kind.mining.judged else clause.path


def _text_of(clause: Clause, kind: Kind) -> str | None:
    """Return the place whose texts a clause takes as they stand; None where it takes none."""
    feature = clause.params[kind.mining.judged] if kind.mining.judged else ""
    if is_of(feature, Sort.FIELD):
        return place_of(clause.path, feature)
    return clause.path if kind.mining.of_the_answer else None


def supplied_by_caller(candidates: Iterable[Candidate]) -> set[str]:
    """Return the paths that repeat an argument: their values are the caller's, and say nothing of the tool."""
    clauses = (candidate.clause for candidate in candidates)
    return {path for clause in clauses for path in KINDS[clause.kind].mining.supplied(clause)}
