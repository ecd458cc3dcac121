"""Which of the suggested clauses become the contract: the false-alarm budget.

The tasks are dealt into parts. For each part, clauses are suggested by all the others and tried on it: what fires there is a
false alarm on tasks that mining had not seen. A clause that fires is dropped. How many more would have come through had there
been other tasks is read off each part in turn, with what the other parts would have dropped left out; and while that is
more than the budget, the sort of clause that fires most, for what it is worth, is given up: clauses of one kind, with about as many
tasks behind them, in all and for each value that they list. Kinds that are trusted have a budget of their own, and are given up only
where few tasks stand behind a clause.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ._evidence import Evidence, together
from ._families import families
from ._memory import reads
from ._model import Clause
from ._paths import each_item
from .rules import KINDS
from .rules._closed import TELLS_DIRT_FROM
from .rules._kind import Candidate, Kind
from .rules._record import place_of
from .rules.form import FIXED_WIDTH

__all__ = ["BUDGET", "PARTS", "accept"]

BUDGET = 0.01
"""The share of clean results that may raise a false alarm."""
PARTS = 4
DIRT = 0.015
"""The share of a tool's results that may be wrong in the traces."""
ALONE = 0.001
"""The share of a tool's results that single tasks, had they been left out, may have made to fire."""
SAFETY = 0.4
"""The trials may use up this share of the budget: the sorts given up are chosen by them, so they flatter what is left."""

Suggested = dict[str, list[Candidate]]


class _Trial(NamedTuple):
    """A clause that the other parts suggest, tried on one part."""

    tool: str
    candidate: Candidate
    checked: int
    """Results of the tool in the part, times the share that has the path."""
    fired: Mapping[int, int]
    part: int
    name: "_Name"


def accept(
    parts: Sequence[Mapping[str, Evidence]], kinds: Sequence[Kind], budget: float
) -> Iterator[tuple[str, Candidate]]:
    """Yield every candidate with its tool, those that are not taken marked as refused."""
    trials = list(_trials(parts, kinds))
    record = _Record(trials)
    groups = _groups(trials, record)
    results = sum(evidence.calls for part in parts for evidence in part.values())
    # One false alarm says nothing against all that few results could show.
    given_up = _given_up(groups, SAFETY * budget * results + 1, _doubtful)
    given_up |= _given_up(groups, budget * results + 1, _hardly_shown)
    whole = together(parts)
    for tool, suggested in _suggested(whole, kinds).items():
        candidates = [_or_null(tool, candidate, given_up) for candidate in suggested]
        alone = ALONE * whole[tool].calls
        judged = [(c, c.refused or _refusal(tool, c, record, given_up, alone)) for c in candidates]
        for candidate, refused in zip(candidates, _needed(judged, _supplied(candidates)), strict=True):
            yield tool, replace(candidate, refused=refused) if refused else candidate


def _needed(judged: Sequence[tuple[Candidate, str]], supplied: Collection[str]) -> Iterator[str]:
    """Yield why each candidate is refused, if it is: also for what another clause says already, or the caller supplies."""
    listed = {c.clause.path for c, refused in judged if not refused and c.clause.kind == "domain"}
    formed = {c.clause.path for c, refused in judged if not refused and c.clause.kind in ("form", "time")}
    sized = {c.clause.path for c, refused in judged if not refused and _is_sized(c.clause)}
    read = {c.clause.path for c, refused in judged if not refused and _reads_all(c.clause)}
    taken: set[tuple[str, ...]] = set()
    for candidate, already in judged:
        if already:
            yield already
            continue
        refused = ""
        clause, kind, what = candidate.clause, KINDS[candidate.clause.kind], _what(candidate)
        if kind.of_the_answer and clause.path in supplied:
            refused = "the caller supplies it"
        elif read and _is_of_text(clause, kind, read):
            refused = "it is JSON, and what stands in it is told"
        elif what in taken:
            refused = "a stricter one holds, or the tool's own evidence suffices"
        elif clause.path in listed and (clause.kind in _OF_TEXTS or clause.params.get("of") == "text"):
            refused = "the values are listed"
        elif (clause.path in formed and clause.kind in _OF_CHARACTERS) or (
            clause.path in sized and clause.params.get("of") == "text"
        ):
            refused = "the form says it"
        else:
            taken.add(what)
        yield refused


def _what(candidate: Candidate) -> tuple[str, ...]:
    """Return what a clause speaks of: of all that speak of the same, the first that is taken is needed."""
    clause = candidate.clause
    grade = (str(clause.params.get("of")),) if KINDS[clause.kind].grades else _words(clause)
    return (clause.kind, clause.path, *grade, candidate.sort)


def _is_sized(clause: Clause) -> bool:
    """Say whether a clause tells how long a text is, too."""
    if clause.kind == "form":
        return clause.params["reading"] in FIXED_WIDTH
    return clause.kind == "time"


def _reads_all(clause: Clause) -> bool:
    return clause.kind == "json" and clause.params["texts"] == "all"


def _is_of_text(clause: Clause, kind: Kind, read: Collection[str]) -> bool:
    """Say whether a clause speaks of a text as it stands that is read as JSON."""
    field = clause.params.get("field")
    if isinstance(field, str) and field[:1] == "." and kind.name != "when":
        return place_of(clause.path, field) in read
    return kind.of_the_answer and clause.path in read


_OF_TEXTS = frozenset({"alphabet", "edges", "foreign", "form"})
"""Kinds that have, like the length of a text, nothing to add where its values are listed."""
_OF_CHARACTERS = frozenset({"alphabet", "edges", "foreign"})
"""Kinds that have nothing to add where a text's form is known."""
_TELL_ALL = frozenset({"domain", "form", "json", "time"})
"""Kinds that make others needless."""


def _supplied(candidates: Iterable[Candidate]) -> set[str]:
    """Return the paths that repeat an argument: their values are the caller's, and say nothing of the tool."""
    supplied: set[str] = set()
    for candidate in candidates:
        clause = candidate.clause
        if clause.kind == "argument" and clause.params["agree"] in ("equal", "same"):
            place = place_of(clause.path, clause.params["field"])
            # With a list, all its items.
            supplied.update((place, each_item(place)) if clause.params["field"][0] == "=" else (place,))
    return supplied


def _refusal(
    tool: str, candidate: Candidate, record: "_Record", given_up: Collection["_Sort"], alone: float
) -> str:
    name = _name(tool, candidate)
    if record.fired(name, candidate):
        return "raised false alarms on tasks that were left out"
    clause = candidate.clause
    if _trusted(candidate):
        widened = clause.kind == "type" and clause.path
        given = not widened and _worse_given_up(tool, candidate, given_up)
        return "would raise more false alarms than the budget allows" if given else ""
    if sum(candidate.fired.values()) > max(alone, record.tolerates(name, candidate)):
        return "a single task would have broken it, had it been left out"
    if not record.tried(name):
        return "too few tasks to try it on"
    # In the trials, a part of the tasks was left out.
    sort = _sort(tool, candidate, (PARTS - 1) / PARTS)
    return "would raise more false alarms than the budget allows" if sort in given_up else ""


def _trusted(candidate: Candidate) -> bool:
    return KINDS[candidate.clause.kind].trusted if candidate.trusted is None else candidate.trusted


def _suggested(
    evidence: Mapping[str, Evidence], kinds: Sequence[Kind], tools: Collection[str] | None = None
) -> Suggested:
    """Return what each tool's own evidence suggests, then what all objects of the same shapes do; for all tools or for some."""
    asked = set(evidence) if tools is None else set(evidence).intersection(tools)
    suggested = {
        tool: [candidate for kind in kinds for candidate in kind.suggest(evidence[tool])]
        for tool in sorted(asked)
    }
    pooling = [kind for kind in kinds if kind.pools]
    for family in families(evidence, asked):
        shared = [candidate for kind in pooling for candidate in kind.suggest(family.evidence)]
        for member in family.members:
            if member.tool not in asked:
                continue
            for candidate in shared:
                clause = candidate.clause
                path = member.place(clause.path)
                if path is not None and (clause.path or KINDS[clause.kind].about == "record"):
                    suggested[member.tool].append(candidate.pooled_at(path))
    return suggested


def _trials(parts: Sequence[Mapping[str, Evidence]], kinds: Sequence[Kind]) -> Iterator[_Trial]:
    for index, part in enumerate(parts):
        others = together(other for number, other in enumerate(parts) if number != index)
        for tool, candidates in _suggested(others, kinds, part).items():
            evidence = part[tool]
            for candidate in candidates:
                if not candidate.refused:
                    place = evidence.places.get(candidate.clause.path)
                    fired = KINDS[candidate.clause.kind].fires(candidate.clause, evidence)
                    checked = place.calls if place else 0
                    yield _Trial(tool, candidate, checked, fired, index, _name(tool, candidate))


class _Record:
    """How each clause did in its trials."""

    def __init__(self, trials: Iterable[_Trial]) -> None:
        self._fired: dict[_Name, list[int]] = {}
        self._tried: Counter[_Name] = Counter()
        self._checked: Counter[_Name] = Counter()
        for trial in trials:
            self._tried[trial.name] += trial.checked > 0
            self._checked[trial.name] += trial.checked
            self._fired.setdefault(trial.name, [0] * PARTS)[trial.part] += sum(trial.fired.values())

    def tolerates(self, name: "_Name", candidate: Candidate) -> float:
        """Return how many calls may break a clause and be taken for dirt."""
        return _tolerated(candidate, self._checked[name])

    def forgives(self, name: "_Name", candidate: Candidate) -> bool:
        """Say whether all that broke a clause is taken for dirt."""
        exact = _exact(candidate) and self.tolerates(name, candidate) > 0
        return exact and not self.fired(name, candidate)

    def tried(self, name: "_Name") -> bool:
        """Say whether a clause was tried on most parts that were left out of its mining."""
        return self._tried[name] >= PARTS // 2

    def fired(self, name: "_Name", candidate: Candidate, without: int | None = None) -> bool:
        """Say whether a clause fired in the trials, or in those of the other parts than one."""
        fired = sum(calls for part, calls in enumerate(self._fired.get(name, ())) if part != without)
        return fired > 0 and fired > _tolerated(candidate, self._checked[name])


def _tolerated(candidate: Candidate, calls: int) -> float:
    """Return how many of so many calls may break a clause and be taken for dirt."""
    return (
        (DIRT if _exact(candidate) else ALONE) * calls
        if _tells_dirt(candidate.clause.tasks, candidate)
        else 0
    )


def _exact(candidate: Candidate) -> bool:
    """Say whether what breaks a clause is wrong rather than rare: by its kind, or since many tasks stand behind each value."""
    kind = KINDS[candidate.clause.kind]
    each = candidate.clause.tasks // max(candidate.values, 1)
    return kind.exact or (kind.exact_where_common and _tells_dirt(each, candidate))


def _tells_dirt(tasks: int, candidate: Candidate) -> bool:
    enough = tasks if candidate.entities is None else min(tasks, candidate.entities)
    return enough >= TELLS_DIRT_FROM


_Sort = tuple[str, int, int, bool, bool]


def _sort(tool: str, candidate: Candidate, share: float = 1.0) -> _Sort:
    """Return the sort of a clause: what it is like in all that tells how likely it is to fire.

    That is its kind, how many tasks stand behind it, in all and behind each value, whether one alone could break it, and whether
    the tool only reads: what a write answers is new each time. `share` is the share of the tasks that counts.
    """
    tasks = candidate.clause.tasks
    if candidate.entities is not None:
        tasks = min(tasks, candidate.entities)
    tasks = max(int(tasks * share), 1)
    grade = KINDS[candidate.clause.kind].grades
    kind = candidate.clause.kind + (f" {candidate.clause.params[grade]}" if grade else "")
    if kind == "type" and not candidate.clause.path:
        # A field changes its type less often than a result its form.
        kind = "type of the result"
    kind += f" {candidate.trusted} {candidate.sort}"
    # What holds of the first or the last row holds by the order of rows, which fewer tools promise.
    kind += " of ends" * any(word[:1] in ("<", ">") for word in _words(candidate.clause))
    each = tasks // max(candidate.values, 1)
    return (
        kind + (" pooled" if candidate.pooled else ""),
        tasks.bit_length(),
        each.bit_length(),
        bool(candidate.fired),
        reads(tool),
    )


def _worse_given_up(tool: str, candidate: Candidate, given_up: Collection[_Sort]) -> bool:
    """Say whether the sort of a clause that few tasks show is given up, or the same with more tasks behind it."""
    if not _hardly_shown(candidate):
        return False
    # In the trials, a part of the tasks was left out.
    kind, tasks, *_ = _sort(tool, candidate, (PARTS - 1) / PARTS)
    return any(kind == worse[0] and tasks <= worse[1] for worse in given_up)


def _or_null(tool: str, candidate: Candidate, given_up: Collection[_Sort]) -> Candidate:
    """Let a field be null, rather than of any type, where few tasks show its types and that is not enough."""
    clause = candidate.clause
    if clause.kind != "type" or not clause.path or not _worse_given_up(tool, candidate, given_up):
        return candidate
    return replace(
        candidate, clause=replace(clause, params={"kinds": sorted({*clause.params["kinds"], "null"})})
    )


_Name = tuple[str, str, str, tuple[str, ...], bool, str]


def _name(tool: str, candidate: Candidate) -> _Name:
    """Return what makes a clause the same one in two minings: all but the values it has learned."""
    clause = candidate.clause
    return tool, clause.kind, clause.path, _words(clause), candidate.pooled, candidate.sort


def _words(clause: Clause) -> tuple[str, ...]:
    params = clause.params
    return tuple([value for name in sorted(params) if isinstance(value := params[name], str)])


class _Group(NamedTuple):
    """The trials of one tool on one part, as far as they tell what is flagged falsely there."""

    trials: list[tuple[_Trial, _Sort]]
    counting: list[bool]
    """Which of them are held against their sort: they fired, and not for dirt."""
    supplied: set[str]


_Which = Callable[[Candidate], bool]


def _doubtful(candidate: Candidate) -> bool:
    return not _trusted(candidate)


def _hardly_shown(candidate: Candidate) -> bool:
    """Say whether a clause of a trusted kind has so few tasks behind it that others may well break it."""
    return _trusted(candidate) and candidate.clause.tasks < TELLS_DIRT_FROM


def _groups(trials: Iterable[_Trial], record: _Record) -> list[_Group]:
    """Return the trials of each part and tool."""
    by_tool: dict[tuple[int, str], list[_Trial]] = {}
    for trial in trials:
        # What fired on another part is dropped, here as in the end: so this part says what comes through all the same.
        if not record.fired(trial.name, trial.candidate, trial.part):
            by_tool.setdefault((trial.part, trial.tool), []).append(trial)
    return [group for found in by_tool.values() if (group := _group(found, record)).trials]


def _group(trials: Sequence[_Trial], record: _Record) -> _Group:
    """Keep the trials that count, and those that may make one of them needless: mostly, few of many."""
    counting = [bool(t.fired) and not record.forgives(t.name, t.candidate) for t in trials]
    spoken_of = {_what(trial.candidate) for trial, counts in zip(trials, counting, strict=True) if counts}
    kept = [
        (trial, counts)
        for trial, counts in zip(trials, counting, strict=True)
        if spoken_of and (trial.candidate.clause.kind in _TELL_ALL or _what(trial.candidate) in spoken_of)
    ]
    return _Group(
        [(trial, _sort(trial.tool, trial.candidate)) for trial, _ in kept],
        [counts for _, counts in kept],
        _supplied(trial.candidate for trial in trials),
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
        needed = _needed(judged, supplied)
        for (trial, sort), counts, refused in zip(trials, counting, needed, strict=True):
            # What cannot be given up is not held against the others.
            if refused or not counts or not which(trial.candidate):
                continue
            worth = KINDS[trial.candidate.clause.kind].worth
            blame[sort] = blame.get(sort, 0.0) + sum(trial.fired.values()) / worth
            for task, calls in trial.fired.items():
                # A task that fires twice counts once, with the more calls.
                fired[task] = max(calls, fired.get(task, 0))
        flagged += sum(fired.values())
    return flagged, blame
