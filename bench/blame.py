"""Blame: whether the first violation of a receipt names the field that is wrong, where one field of a result is made wrong."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from outcome_monitors import Call, Monitor, Outcome, Violation, mine
from outcome_monitors.alerting.alert_policy import default_policies
from outcome_monitors.checking.replay import Replay
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.jsonvalue.paths import Each, Step, parse
from outcome_monitors.jsonvalue.text import stable_hash
from outcome_monitors.traces.reader import read_traces

from ._damage import DAMAGES, Damaged, Known, damages
from ._lists import shared
from ._report import Table

__all__ = ["Blame", "blamed", "tables"]

SETS = {
    "bfcl_open": "seen",
    "github_rest": "seen",
    "tau_airline": "seen",
    "tau_retail": "seen",
    "agentdojo": "seen",
    "contentful_before": "unseen",
    "linode_before": "unseen",
    "tau2_airline": "unseen",
}
"""Each set of traces, and whether the order of violations was designed with it in sight."""
SEED = 14
MOST_CALLS = 600
"""Calls of a set that are damaged; the sessions before them are replayed in full."""
MOST_DAMAGES = 4
"""Of each call."""
_NOTE = (
    "Contracts of one half of the tasks, one field at a time made wrong in results of the other half, in their sessions. Counted"
    " are results that break something; where the agent is alerted, the first violation is that of the receipt. `names it`: the path of"
    " the first violation is the field's (of two that changed places, either's); `or among`: or is that of the record, and"
    " `expected` names the field among the members that do not agree. `alerted`: the same as `or among` where the agent is alerted."
    " The order was designed with the sets marked `seen`."
)


@dataclass(slots=True)
class Blame:
    """How often the first violation named the field."""

    damaged: int = 0
    flagged: int = 0
    alone: int = 0
    """The path is the field's."""
    among: int = 0
    """Or the field is among the members that are named."""
    alerted: int = 0
    alerted_right: int = 0

    def add(self, damaged: Damaged, outcome: Outcome) -> None:
        """Count what became of a damaged result."""
        self.damaged += 1
        if not outcome.broken:
            return
        _, first = outcome.proven[0] if outcome.told else outcome.broken[0]
        alone, among = blamed(first, damaged)
        self.flagged += 1
        self.alone += alone
        self.among += among
        self.alerted += outcome.told
        self.alerted_right += outcome.told and among

    def plus(self, other: "Blame") -> "Blame":
        """Count another in."""
        for name in ("damaged", "flagged", "alone", "among", "alerted", "alerted_right"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self

    def row(self, name: str) -> tuple[str, ...]:
        """Return the figures as a row."""
        return (
            name,
            f"{self.damaged:,}",
            f"{self.flagged:,}",
            _share(self.alone, self.flagged),
            _share(self.among, self.flagged),
            _share(self.alerted_right, self.alerted),
        )


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"


def blamed(first: Violation, damaged: Damaged) -> tuple[bool, bool]:
    """Say whether a violation's path is that of a damaged field, and whether that, or its members, name one."""
    path = parse(first.path)
    alone = any(_matches(path, steps) for steps in damaged.fields)
    return alone, alone or any(_is_member(first, path, steps) for steps in damaged.fields)


def _matches(path: Sequence[Step], steps: Sequence[Step]) -> bool:
    """Say whether a path leads to a place; where it speaks of all rows, to any."""
    return len(path) == len(steps) and all(
        mine == theirs or isinstance(mine, Each) for mine, theirs in zip(path, steps, strict=True)
    )


def _is_member(first: Violation, path: Sequence[Step], steps: Sequence[Step]) -> bool:
    """Say whether a violation of the record that holds a field names it in what it expects."""
    inside = len(path) < len(steps) and _matches(path, steps[: len(path)])
    return inside and str(steps[-1]) in str(first.expected)


def measure(calls: Sequence[Call]) -> dict[str, Blame]:
    """Learn from one half of the tasks, damage results of the other, and count by the kind of damage."""
    clean = [call for call in calls if not call.error]
    learned = [call for call in clean if stable_hash(str(call.task)) % 2]
    later = [call for call in calls if not stable_hash(str(call.task)) % 2]
    return damaged_half(Monitor(mine(learned, "full")), Known(learned), later)


def damaged_half(monitor: Monitor, known: Known, later: Sequence[Call]) -> dict[str, Blame]:
    """Hear the later half in its sessions; hold damaged results beside the clean one, which alone is remembered."""
    draw, found = random.Random(SEED), {kind: Blame() for kind in DAMAGES}
    policies, replay = default_policies(monitor.profile), Replay(monitor)
    covered = [index for index, call in enumerate(later) if not call.error and monitor.covers(call.tool)]
    chosen = {*draw.sample(covered, min(MOST_CALLS, len(covered)))}
    for index, call in enumerate(later):
        session = replay.session(call)
        ask = (call.tool, call.arguments)
        if index in chosen and not session.judge(*ask, call.result, call.tools, remember=False).broken:
            for damaged in damages(call, known, draw, MOST_DAMAGES):
                outcome = session.judge(*ask, damaged.result, call.tools, remember=False, policies=policies)
                found[damaged.kind].add(damaged, outcome)
        replay.judge(call, policies)
    return found


def tables() -> Iterator[Table]:
    """Measure, and yield the tables; a set that is not here is said not to have been run."""
    rows: list[tuple[str, ...]] = []
    parts = {part: {kind: Blame() for kind in DAMAGES} for part in ("seen", "unseen")}
    for name, part in SETS.items():
        try:
            path = shared(f"traces/{name}.jsonl.gz")
        except OutcomeMonitorsError:
            rows.append((f"{name} ({part})", "not run", "", "", "", ""))
            continue
        found = measure(_calls(path))
        rows.append(_total(found).row(f"{name} ({part})"))
        for kind, blame in found.items():
            parts[part][kind].plus(blame)
    rows += [_total(kinds).row(f"all {part}") for part, kinds in parts.items()]
    yield Table(
        "Which field the first violation names",
        ("set", ">damaged", ">flagged", ">names it", ">or among", ">alerted"),
        tuple(rows),
        (_NOTE,),
    )


def _calls(path: Path) -> list[Call]:
    return list(read_traces([str(path)]))


def _total(kinds: dict[str, Blame]) -> Blame:
    total = Blame()
    for blame in kinds.values():
        total.plus(blame)
    return total
