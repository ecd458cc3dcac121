"""The rules of the rollout: how far each tool and each of its clauses has come, and what decides that it moves on, or back.

A tool is first observed, then checked in shadow, then advising. A clause is validated as it was first mined, however often contracts
are mined meanwhile, so that a validation can end. Where one is in force and mining says something else, that is validated beside it.
What an agent is alerted of breaks both the version in force and the one mined last (`RolloutGate`), so that neither an old version
nor an unvalidated one raises an alert alone. No files and no clock here.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from math import ceil
from typing import NamedTuple

from outcome_monitors.contracts.identity import identify
from outcome_monitors.jsonvalue.times import seconds_of, when
from outcome_monitors.model import Clause, Contract, Json
from outcome_monitors.rules import KINDS, Kind, current_name

OBSERVING, SHADOW, ADVISING = "observing", "shadow", "advising"
STAGES: Mapping[str, str] = {
    OBSERVING: "its results are recorded; only the server's own schema is held against them",
    SHADOW: "its results are held against what was learned, and nobody is told",
    ADVISING: "the agent is told of what is proven",
}
"""The stages that a tool goes through, in order; from the last it may go back to the one before."""
LEAST_RECENT = 18.0
"""Of fewer recent results, some twenty, no share is taken."""
LOUD = 3
"""Of a client's hour, the first results that count for how much a tool alerts: no client in one hour has it fall silent for others."""


class Thresholds(NamedTuple):
    """When evidence suffices."""

    tasks: int = 20
    """Distinct tasks behind a contract before its clauses are validated."""
    results: int = 100
    """Results that a clause is then validated on before anyone is alerted."""
    flagged: float = 0.01
    """The share of these that it may flag."""
    calls: int = 20
    """Recorded calls after which contracts are mined, at first; later a fifth more of all."""
    disputed: int = 100
    """Flagged results after which they are mined sooner; later a fiftieth of all calls."""
    early: int = 25
    """Results that suffice for a clause of a kind that is trusted."""
    hours: int = 3
    """Distinct hours in which these results come."""
    days: int = 2
    """Distinct days; for a kind that is trusted one is enough. Of a client that is alone, one more is asked."""
    many_days: int = 3
    """The same for facts, memory and closed lists."""
    witness: float = 0.25
    """The share of the results needed that one client's hour may stand for."""
    told: float = 0.2
    """The share of recent results beyond which a tool alerts too much and goes back; below half of it, it returns."""

    def needed(self, kind: Kind) -> tuple[int, int]:
        """Return the results and the days that it takes for a clause of a kind."""
        if kind.traits.of_the_day:
            return self.results, self.many_days
        return (self.early, 1) if kind.mining.trusted else (self.results, self.days)


class ClientHour(NamedTuple):
    """One client in one hour, and how many results it has had. However many, they count for no more than a share of what is needed.

    Hours and days are labels and nothing else: a clock that jumps makes one more of them, and no order is read off it.
    """

    client: str
    hour: int
    """Since 1970."""
    results: int = 1


class EvidenceCoverage(NamedTuple):
    """How many clients, hours and days evidence comes from, so that none of these can carry a contract alone."""

    results: int = 0
    """Those that count."""
    clients: int = 0
    hours: int = 0
    days: int = 0

    def suffices(self, results: int, hours: int, days: int) -> bool:
        """Say whether so much is enough; of a client that is alone another day is asked."""
        return self.results >= results and self.hours >= hours and self.days >= days + (self.clients < 2)


def coverage(evidence: Iterable[ClientHour], most: int | None = None) -> EvidenceCoverage:
    """Return what evidence covers; of one client's hour at most so many results count."""
    known = list(evidence)
    return EvidenceCoverage(
        sum(one.results if most is None else min(one.results, most) for one in known),
        len({one.client for one in known}),
        len({one.hour for one in known}),
        len({one.hour // 24 for one in known}),
    )


def hour_on_record(text: Json) -> int:
    """Return the hour of a time as a trace line has it; those that have none are all of one hour."""
    time = when(text)
    if time is None:
        return -1
    return int(seconds_of(time) // 3600)


class ToolRollout(NamedTuple):
    """A tool's stage, and how what it alerts of has done."""

    stage: str
    contract: str
    """A hash of the contract that its clauses were last taken from."""
    checked: int = 0
    flagged: int = 0
    recent: float = 0.0
    """Recent results, the older the less they count,"""
    told: float = 0.0
    """and those of them that the agent was alerted of, or would have been."""

    def moved(self, thresholds: Thresholds, *, proven: bool) -> "ToolRollout":
        """Return it with the stage that it has now; `proven` says whether one of its clauses is."""
        if self.stage == ADVISING and (not proven or self.too_loud(thresholds)):
            return self._replace(stage=SHADOW)
        quiet = self.recent >= LEAST_RECENT and self.told <= thresholds.told / 2 * self.recent
        if self.stage == SHADOW and proven and quiet:
            return self._replace(stage=ADVISING)
        return self

    def too_loud(self, thresholds: Thresholds) -> bool:
        """Say whether the agent was alerted of more than the budget allows."""
        return self.told > thresholds.told * max(self.recent, LEAST_RECENT)


class ClauseRollout(NamedTuple):
    """How a clause does that is new, or says something new."""

    kind: str
    begun: int
    """How many results of the tool had been checked when its validation began."""
    flagged: int = 0
    proven: bool = False
    """Some version of it has been validated, and is in force."""
    pending: bool = True
    """The version being validated is another than that in force."""
    noise: float = 0.0
    """Recent results of which the agent was alerted for it, or would have been."""


@dataclass(slots=True)
class ResultCounts:
    """Counts of a tool's results that wait to be written."""

    seen: Counter[tuple[str, int]] = field(default_factory=Counter)
    """Results by client and hour."""
    broken: int = 0
    flagged: Counter[str] = field(default_factory=Counter)
    """By clause."""
    told: Counter[tuple[str, int]] = field(default_factory=Counter)
    """Results that the agent was alerted of, or would have been, by client and hour,"""
    noise: Counter[str] = field(default_factory=Counter)
    """and the clauses of which."""

    def add(self, other: "ResultCounts") -> None:
        """Count what is in another, too."""
        self.seen += other.seen
        self.broken += other.broken
        self.flagged += other.flagged
        self.told += other.told
        self.noise += other.noise


@dataclass(slots=True)
class ToolSnapshot:
    """How one tool stands."""

    rollout: ToolRollout | None
    clauses: Mapping[str, ClauseRollout]
    evidence: Mapping[ClientHour, int]
    """With how many results there had been when each client's hour was last heard of."""

    def since(self, begun: int) -> list[ClientHour]:
        """Return the evidence since then."""
        return [one for one, last in self.evidence.items() if last > begun]


class ClauseRow(NamedTuple):
    """What is written of a clause whose validation begins."""

    clause: str
    kind: str
    begun: int
    text: str
    """What it says, as JSON."""


@dataclass(slots=True)
class Transition:
    """What becomes of one tool."""

    rollout: ToolRollout | None = None
    begin: list[ClauseRow] = field(default_factory=list)
    """Validations that begin, or begin anew; where a version was in force, it is kept."""
    prove: list[tuple[str, int]] = field(default_factory=list)
    """Clauses whose validated version is in force from now on, with when that began: another may have begun since."""
    doubt: list[str] = field(default_factory=list)
    """Clauses that alerted too often: what is in force of them is validated once more."""
    drop: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.rollout or self.begin or self.prove or self.doubt or self.drop)


def text_of(clause: Clause) -> str:
    """Return what a clause demands, as JSON; not how often that was seen to hold."""
    return json.dumps([clause.kind, clause.path, clause.params], sort_keys=True)


def clause_of(text: str) -> Clause:
    """Return the clause that demands this."""
    kind, path, params = json.loads(text)
    kind = current_name(kind)
    KINDS[kind].validate(params, "a clause in force")
    return Clause(kind, path, params, 0, 0, "traces")


@dataclass(frozen=True)
class MinedTool:
    """A contract that was mined, with its clauses by name."""

    contract: Contract

    @cached_property
    def clauses(self) -> Mapping[str, Clause]:
        """Its clauses, each by the name that it keeps."""
        return {identify(self.contract.tool, clause): clause for clause in self.contract.clauses}

    @cached_property
    def key(self) -> str:
        """What it demands, in sixteen characters."""
        return sha256("\n".join(sorted(map(text_of, self.contract.clauses))).encode()).hexdigest()[:16]

    @property
    def tasks(self) -> int:
        """The tasks behind the clause that has most."""
        return max((clause.tasks for clause in self.contract.clauses), default=0)

    def begins(self, name: str, checked: int) -> ClauseRow:
        """Return the beginning of a clause's validation."""
        clause = self.clauses[name]
        return ClauseRow(name, clause.kind, checked, text_of(clause))


def transition(
    now: ToolSnapshot, mined: MinedTool, texts: Mapping[str, str], thresholds: Thresholds
) -> Transition:
    """Return what becomes of a tool; `texts` has what its clauses said when their validations began, where it was mined anew."""
    tool = now.rollout
    if tool is None:
        if mined.tasks < thresholds.tasks:
            return Transition()
        return Transition(ToolRollout(SHADOW, mined.key), [mined.begins(name, 0) for name in mined.clauses])
    found = Transition(begin=list(_begin(now, tool, mined, texts, thresholds)))
    begun = {row.clause for row in found.begin}
    for name, one in now.clauses.items():
        if name not in mined.clauses:
            found.drop += [] if one.proven else [name]
        elif name not in begun and _passes(one, now, tool, thresholds):
            found.prove.append((name, one.begun))
    if tool.stage == ADVISING and tool.too_loud(thresholds):
        found.doubt = _loudest(now, tool, thresholds)
    in_force = {name for name, one in now.clauses.items() if one.proven}
    in_force |= {name for name, _ in found.prove}
    after = tool._replace(contract=mined.key).moved(thresholds, proven=bool(in_force - {*found.doubt}))
    found.rollout = after if after != tool else None
    return found


def _loudest(now: ToolSnapshot, tool: ToolRollout, thresholds: Thresholds) -> list[str]:
    """Return the clauses for which a tool alerts too often: the one that most is for, and all that alone would take much."""
    noise = {name: one.noise for name, one in now.clauses.items() if one.proven and one.noise > 0}
    much = min(max(noise.values(), default=0.0), thresholds.told / 4 * tool.recent)
    return [name for name, often in noise.items() if often >= much]


def _begin(
    now: ToolSnapshot,
    tool: ToolRollout,
    mined: MinedTool,
    texts: Mapping[str, str],
    thresholds: Thresholds,
) -> Iterator[ClauseRow]:
    """Yield the validations that begin: of clauses that are new, that say something new, or that flag too much for long."""
    for name, clause in mined.clauses.items():
        one = now.clauses.get(name)
        says_new = one is not None and not one.pending and texts.get(name, text_of(clause)) != text_of(clause)
        if one is None or says_new or _fails(one, clause, tool, thresholds):
            yield mined.begins(name, tool.checked)


def _fails(one: ClauseRollout, clause: Clause, tool: ToolRollout, thresholds: Thresholds) -> bool:
    """Say whether a clause has flagged too much for so long (twice the results needed) that it is better begun anew."""
    checked = tool.checked - one.begun
    results, _ = thresholds.needed(KINDS[clause.kind])
    return one.pending and one.flagged > thresholds.flagged * checked and checked >= 2 * results


def _passes(one: ClauseRollout, now: ToolSnapshot, tool: ToolRollout, thresholds: Thresholds) -> bool:
    """Say whether a clause's evidence suffices: results since it began, of several clients, hours and days."""
    if not one.pending or one.kind not in KINDS:
        return False
    results, days = thresholds.needed(KINDS[one.kind])
    found = coverage(now.since(one.begun), ceil(thresholds.witness * results))
    return found.suffices(results, thresholds.hours, days) and one.flagged <= thresholds.flagged * (
        tool.checked - one.begun
    )
