"""Which of the suggested clauses become the contract: the false-alarm budget.

The tasks are dealt into parts. For each part, clauses are suggested by all the others and tried on it: what fires there is a
false alarm on tasks that mining had not seen. A clause that fires is dropped. How many more would have come through had there
been other tasks is read off each part in turn, with what the other parts would have dropped left out; and while that is
more than the budget, the sort of clause that fires most, for what it is worth, is given up: clauses of one kind, with about as many
tasks behind them, in all and for each value that they list. Kinds that are trusted have a budget of their own, and are given up only
where few tasks stand behind a clause. A clause whose sort costs too much by itself (`priors`) is not taken either: where there are few
tasks, the parts show next to nothing.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
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
from outcome_monitors.rules.config import CONFIG as RULES
from outcome_monitors.rules.evidence.evidence import Evidence

from .config import CONFIG
from .priors import FalsePositivePrior, PriorTable, RuleBucket
from .validation import HeldOutResult, ValidationRecord, is_trusted, name_of

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
    groups = _groups(trials, record)
    results = sum(evidence.calls for evidence in whole.values())
    # One false alarm says nothing against all that few results could show.
    given_up = _given_up(groups, CONFIG.selection_margin * budget * results + 1, _doubtful)
    given_up |= _given_up(groups, budget * results + 1, _hardly_shown)
    priors = FalsePositivePrior(table, _quiet(trials))
    for tool, found in proposed.items():
        guessable = guessable_in(whole[tool])
        public = [without_private(candidate, guessable(candidate.clause.path)) for candidate in found]
        affordable = [_if_affordable(candidate, priors, budget) for candidate in public]
        candidates = [_or_looser(tool, candidate, given_up) for candidate in affordable]
        alone = CONFIG.single_task_noise * whole[tool].calls
        judged = [(c, c.refused or _refusal(tool, c, record, given_up, alone)) for c in candidates]
        for candidate, refused in zip(
            candidates, needed(judged, supplied_by_caller(candidates)), strict=True
        ):
            yield tool, replace(candidate, refused=refused) if refused else candidate


def _quiet(trials: Iterable[HeldOutResult]) -> Iterator[RuleBucket]:
    """Yield the sorts of the clauses that were tried and did not fire."""
    for trial in trials:
        if trial.checked and not trial.fired:
            yield RuleBucket.of(sort_of(trial.candidate), _behind(trial.candidate))


def _if_affordable(candidate: Candidate, priors: FalsePositivePrior, budget: float) -> Candidate:
    """Return a clause, or a looser one, or mark it as refused: where its sort costs more than a clause of its worth may."""
    clause, kind = candidate.clause, KINDS[candidate.clause.kind]
    # As in the trials, what is trusted may use up the whole of a budget, and all else a share of it.
    max_cost = CONFIG.max_cost / CONFIG.selection_margin if is_trusted(candidate) else CONFIG.max_cost
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


def _refusal(
    tool: str, candidate: Candidate, record: ValidationRecord, given_up: Collection["_Sort"], alone: float
) -> str:
    name = name_of(tool, candidate)
    if record.fired(name, candidate):
        return "raised false alarms on tasks that were left out"
    clause = candidate.clause
    if is_trusted(candidate):
        # Where there is a looser one, that has been taken in its place.
        given = (
            _worse_given_up(tool, candidate, given_up) and KINDS[clause.kind].mining.looser(clause) is None
        )
        return "would raise more false alarms than the budget allows" if given else ""
    if sum(candidate.fired.values()) > max(alone, record.tolerates(name, candidate)):
        return "a single task would have broken it, had it been left out"
    if not record.tried(name):
        return "too few tasks to try it on"
    # In the trials, a part of the tasks was left out.
    sort = _sort(tool, candidate, (CONFIG.parts - 1) / CONFIG.parts)
    return "would raise more false alarms than the budget allows" if sort in given_up else ""


_Sort = tuple[str, int, int, bool, bool]


def _sort(tool: str, candidate: Candidate, share: float = 1.0) -> _Sort:
    """Return the sort of a clause: what it is like in all that tells how likely it is to fire.

    That is its kind, how many tasks stand behind it, in all and behind each value, whether one alone could break it, and whether
    the tool only reads: what a write answers is new each time. `share` is the share of the tasks that counts.
    """
    tasks = max(int(_behind(candidate) * share), 1)
    each = tasks // max(candidate.values, 1)
    return (
        sort_of(candidate),
        tasks.bit_length(),
        each.bit_length(),
        bool(candidate.fired),
        not may_write(tool),
    )


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


def _worse_given_up(tool: str, candidate: Candidate, given_up: Collection[_Sort]) -> bool:
    """Say whether the sort of a clause that few tasks show is given up, or the same with more tasks behind it."""
    if not _hardly_shown(candidate):
        return False
    # In the trials, a part of the tasks was left out.
    kind, tasks, *_ = _sort(tool, candidate, (CONFIG.parts - 1) / CONFIG.parts)
    return any(kind == worse[0] and tasks <= worse[1] for worse in given_up)


def _or_looser(tool: str, candidate: Candidate, given_up: Collection[_Sort]) -> Candidate:
    """Return a clause that admits more, if there is one, where few tasks show this one and that is not enough."""
    if not _worse_given_up(tool, candidate, given_up):
        return candidate
    looser = KINDS[candidate.clause.kind].mining.looser(candidate.clause)
    return candidate if looser is None else replace(candidate, clause=looser)


class _Group(NamedTuple):
    """The trials of one tool on one part, as far as they tell what is flagged falsely there."""

    trials: list[tuple[HeldOutResult, _Sort]]
    counting: list[bool]
    """Which of them are held against their sort: they fired, and not for label noise."""
    supplied: set[str]


_Which = Callable[[Candidate], bool]


def _doubtful(candidate: Candidate) -> bool:
    return not is_trusted(candidate)


def _hardly_shown(candidate: Candidate) -> bool:
    """Say whether a clause of a trusted kind has so few tasks behind it that others may well break it."""
    return is_trusted(candidate) and candidate.clause.tasks < RULES.label_noise_tasks


def _groups(trials: Iterable[HeldOutResult], record: ValidationRecord) -> list[_Group]:
    """Return the trials of each part and tool."""
    by_tool: dict[tuple[int, str], list[HeldOutResult]] = {}
    for trial in trials:
        # What fired on another part is dropped, here as in the end: so this part says what comes through all the same.
        if not record.fired(trial.name, trial.candidate, trial.part):
            by_tool.setdefault((trial.part, trial.tool), []).append(trial)
    return [group for found in by_tool.values() if (group := _group(found, record)).trials]


def _group(trials: Sequence[HeldOutResult], record: ValidationRecord) -> _Group:
    """Keep the trials that count, and those that may make one of them needless: mostly, few of many."""
    counting = [bool(t.fired) and not record.forgives(t.name, t.candidate) for t in trials]
    questioned = {
        spoken_of(trial.candidate) for trial, counts in zip(trials, counting, strict=True) if counts
    }
    kept = [
        (trial, counts)
        for trial, counts in zip(trials, counting, strict=True)
        if questioned
        and (may_make_redundant(trial.candidate.clause) or spoken_of(trial.candidate) in questioned)
    ]
    return _Group(
        [(trial, _sort(trial.tool, trial.candidate)) for trial, _ in kept],
        [counts for _, counts in kept],
        supplied_by_caller(trial.candidate for trial in trials),
    )


def _given_up(groups: Sequence[_Group], allowed: float, which: _Which) -> set[_Sort]:
    """Return the sorts of clause to do without, so that what is left keeps the budget; `which` can be given up."""
    given_up: set[_Sort] = set()
    while True:
        flagged, blame = _flagged(groups, given_up, which)
        if flagged <= allowed or not blame:
            return given_up
        worst = sorted(blame, key=lambda sort: (-blame[sort], sort))
        # A few at a time: with many sorts, one by one would take too long.
        given_up.update(worst[: 1 + len(worst) // 16])


def _flagged(
    groups: Iterable[_Group], given_up: Collection[_Sort], which: _Which
) -> tuple[int, dict[_Sort, float]]:
    """Count what is flagged falsely without some sorts, and how much each other one flags for what it is worth."""
    flagged = 0
    blame: dict[_Sort, float] = {}
    for trials, counting, supplied in groups:
        judged = [(trial.candidate, "given up" if sort in given_up else "") for trial, sort in trials]
        fired: dict[int, int] = {}
        refusals = needed(judged, supplied)
        for (trial, sort), counts, refused in zip(trials, counting, refusals, strict=True):
            # What cannot be given up is not held against the others.
            if refused or not counts or not which(trial.candidate):
                continue
            worth = KINDS[trial.candidate.clause.kind].mining.budget_weight
            blame[sort] = blame.get(sort, 0.0) + sum(trial.fired.values()) / worth
            for task, calls in trial.fired.items():
                # A task that fires twice counts once, with the more calls.
                fired[task] = max(calls, fired.get(task, 0))
        flagged += sum(fired.values())
    return flagged, blame


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
