"""What becomes of a tool, and of each of its clauses, given what is known of them: no files, no clock.

A clause is on trial as it was first mined, however often contracts are mined meanwhile: so a trial can come to its end. Where one
is in force and mining says something else, that is tried beside it. What an agent is told breaks both the version in force and
the one mined last (`restraint`), so that neither what is old nor what nobody has tried can raise an alarm alone.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

from outcome_monitors.contracts.identity import identify
from outcome_monitors.model import Clause, Contract
from outcome_monitors.rules import KINDS

from .stages import ADVISING, SHADOW, ClauseTrial, StageTrial, Thresholds
from .tallies import ClauseRow, Moves, Snapshot

__all__ = ["MinedTool", "clause_of", "moves_of", "text_of"]


def text_of(clause: Clause) -> str:
    """Return what a clause demands, as JSON; not how often that was seen to hold."""
    return json.dumps([clause.kind, clause.path, clause.params], sort_keys=True)


def clause_of(text: str) -> Clause:
    """Return the clause that demands this."""
    kind, path, params = json.loads(text)
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

    def begins(self, name: str, checked: int, *, proven: bool = False) -> ClauseRow:
        """Return the beginning of a clause's trial; one that is proven needs none."""
        clause = self.clauses[name]
        text = text_of(clause)
        return ClauseRow(self.contract.tool, name, clause.kind, checked, text, text if proven else None)


def moves_of(now: Snapshot, mined: MinedTool, on_trial: Mapping[str, str], thresholds: Thresholds) -> Moves:
    """Return what becomes of a tool; `on_trial` has what its clauses said when their trials began, where it was mined anew."""
    trial = now.trial
    if trial is None:
        if mined.tasks < thresholds.tasks:
            return Moves()
        return Moves(StageTrial(SHADOW, mined.key), [mined.begins(name, 0) for name in mined.clauses])
    moves = Moves(begin=list(_begin(now, trial, mined, on_trial, thresholds)))
    begun = {row.clause for row in moves.begin}
    for name, one in now.clauses.items():
        if name not in mined.clauses:
            moves.drop += [] if one.proven else [name]
        elif name not in begun and _passes(one, now, trial, thresholds):
            moves.prove.append((name, one.begun))
    if trial.stage == ADVISING and trial.too_loud(thresholds):
        moves.doubt = list(_loudest(now, trial, thresholds))
    after = trial._replace(contract=mined.key).moved(thresholds, proven=_some_proven(now, moves))
    moves.trial = after if after != trial else None
    return moves


def _some_proven(now: Snapshot, moves: Moves) -> bool:
    """Say whether some clause is in force after these moves."""
    before = {name for name, one in now.clauses.items() if one.proven}
    begun = {row.clause for row in moves.begin if row.proven is not None}
    return bool(before.union(begun, (name for name, _ in moves.prove)).difference(moves.doubt))


def _loudest(now: Snapshot, trial: StageTrial, thresholds: Thresholds) -> Iterator[str]:
    """Yield the clauses for which a tool is told of too often: the one that most is for, and all that alone would take much."""
    noise = {name: one.noise for name, one in now.clauses.items() if one.proven and one.noise > 0}
    much = min(max(noise.values(), default=0.0), thresholds.told / 4 * trial.recent)
    return (name for name, often in noise.items() if often >= much)


def _begin(
    now: Snapshot, trial: StageTrial, mined: MinedTool, on_trial: Mapping[str, str], thresholds: Thresholds
) -> Iterator[ClauseRow]:
    """Yield the trials that begin: of clauses that are new, that say something new, or that have flagged too much for long."""
    # A state from before clauses had trials: what the agent was told of stays told.
    inherits = trial.stage == ADVISING and not now.clauses
    for name, clause in mined.clauses.items():
        one = now.clauses.get(name)
        if (
            one is None
            or (not one.pending and name in on_trial and on_trial[name] != text_of(clause))
            or (one.pending and one.fails(thresholds.needed(KINDS[clause.kind]), trial.checked, thresholds))
        ):
            yield mined.begins(name, trial.checked, proven=inherits)


def _passes(one: ClauseTrial, now: Snapshot, trial: StageTrial, thresholds: Thresholds) -> bool:
    if not one.pending or one.kind not in KINDS:
        return False
    needed = thresholds.needed(KINDS[one.kind])
    return one.passes(needed, now.since(one.begun), trial.checked, thresholds)
