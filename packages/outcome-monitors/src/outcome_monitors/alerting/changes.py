"""Change detection: which drift signatures are lasting changes rather than faults.

A signature is a clause, a place and a novel value there. Each has a sequential test, and so have fields of one name over several tools,
which are seldom called one by one. The more severe the violation, the surer the test must be. What cannot be used is never a change,
however long it lasts.

The test holds two hypotheses against each other. *Faults*: at most a share `fault_rate` of results violates the clause in this way. *A
change*: from some result on, one of the `drift_rates` does. For each rate the likelihood ratio is carried along and taken up anew from
1 wherever it falls below (Page, 1954), so the beginning need not be known. Their mean is an e-detector (Shin, Ramdas and Rinaldo,
"E-detectors", 2023): under the first hypothesis it takes on average at least as many results as the threshold is high to pass it. A
task counts once, however often it calls. That a change is over is found in the same way, with the hypotheses exchanged.
"""

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import exp, log
from typing import NamedTuple

from outcome_monitors.contracts.identity import address
from outcome_monitors.jsonvalue.display import clip_text
from outcome_monitors.jsonvalue.paths import folded, parse
from outcome_monitors.jsonvalue.text import stable_hash
from outcome_monitors.model import Clause, Violation
from outcome_monitors.rules import KINDS, own_place
from outcome_monitors.rules.base.severity import Severity

from .config import CONFIG
from .severity import GradedViolation

__all__ = [
    "ChangeQuestion",
    "ChangeTest",
    "Changes",
    "DriftSignature",
    "ObservedDrift",
    "novel_value",
    "questions",
]

MOST_WAYS = 5
"""In which a tool has changed, that are named."""


@dataclass(slots=True)
class ChangeTest:
    """The test of one drift signature."""

    faults: float = field(default_factory=lambda: CONFIG.fault_rate)
    logs: list[float] = field(default_factory=lambda: [0.0] * len(CONFIG.drift_rates))
    """By rate, the logarithm of the likelihood ratio of a change."""
    tasks: list[int] = field(default_factory=list)
    """Hashes of the tasks that have shown it."""
    violated: int = 0
    passed: int = 0
    """Results since the first violation that have none."""
    waiting: int = 0
    """Those of them since the last violation, not yet counted in."""
    changed: bool = False
    least: float = 0.0
    """The share of results that violates it while a change lasts, at the least: half of what it was when it last did."""
    bar: float = 1.0
    """The likelihood ratio from which a change is believed: the highest that was asked for."""
    over: float = 0.0
    """Of a change: the logarithm of how much likelier it is that it is over."""

    def observe_violation(self, task: int, bar: float) -> None:
        """Count a result that violates it; `bar` is how much likelier a change must be to be believed."""
        if task in self.tasks:
            return
        self.tasks = [*self.tasks[1 - CONFIG.max_tasks :], task]
        self._catch_up()
        self.violated += 1
        self.least = max(2 * self.faults, 0.5 * self.violated / (self.violated + self.passed))
        if self.changed:
            self.over = max(0.0, self.over + log(self.faults / self.least))
        for place, rate in enumerate(CONFIG.drift_rates):
            self.logs[place] += log(rate / self.faults)
        self.bar = max(self.bar, bar)
        self.believe()

    def believe(self) -> None:
        """Call it a change where the evidence suffices."""
        enough = len(self.tasks) >= CONFIG.least_tasks and self.evidence >= log(self.bar)
        self.changed = self.changed or enough

    def observe_passes(self, results: int) -> None:
        """Count results that do not violate it."""
        self.waiting += results

    def is_over(self) -> bool:
        """Say whether a change is over, and if so begin anew."""
        self._catch_up()
        if not self.changed or self.over < CONFIG.reverted:
            return False
        self.changed, self.over, self.violated, self.passed = False, 0.0, 0, 0
        self.logs = [0.0] * len(CONFIG.drift_rates)
        self.tasks = []
        return True

    @property
    def in_nearly_all(self) -> bool:
        """Whether the highest of the rates fits clearly best."""
        *others, highest = self.logs
        return highest - max(others) >= log(CONFIG.clearly)

    @property
    def evidence(self) -> float:
        """The logarithm of the likelihood ratio of a change, all rates taken together."""
        most = max(self.logs)
        return most + log(sum(exp(value - most) for value in self.logs) / len(self.logs))

    def _catch_up(self) -> None:
        results, self.waiting = self.waiting, 0
        if not results:
            return
        self.passed += results
        if self.changed:
            self.over += results * log((1 - self.faults) / (1 - self.least))
        for place, rate in enumerate(CONFIG.drift_rates):
            self.logs[place] = max(0.0, self.logs[place] + results * log((1 - rate) / (1 - self.faults)))


DriftSignature = tuple[str, str, str]
"""The tool, the address of the clause with its place, the novel value; for fields of one name, the tool is empty."""


@dataclass(slots=True)
class ObservedDrift:
    """What was observed of one drift signature."""

    tool: str
    clause: str
    """Its address and the place; empty for fields of one name."""
    path: str
    kind: str
    novel_value: str
    """What is novel there."""
    test: ChangeTest = field(default_factory=ChangeTest)
    first: str = ""
    """When it was first seen, where that is known."""
    reported: bool = False
    """People were told that it is a change."""
    seen_at: int = 0
    """How many results there had been, of the tool or of all, when it was last seen."""

    @property
    def place(self) -> str:
        """Where it is in a result, as people read it."""
        return clip_text(self.path) or "the result"

    @property
    def what(self) -> str:
        """What has become of the place."""
        # A file may name a kind of another release.
        kind = KINDS.get(self.kind)
        return f"breaks `{self.kind}`" if kind is None else kind.changed(clip_text(self.novel_value))

    def sentence(self) -> str:
        """Say it to people."""
        where = f"{self.place} of {self.tool}" if self.tool else f"{self.place}, in several tools,"
        since = f" since {self.first}" if self.first else ""
        passed = f", with {self.test.passed} results as before" if self.test.passed else ""
        counted = f"in {self.test.violated} {'tasks' if self.tool else 'tools'}{passed}"
        return f"{where} {self.what}, {counted}{since}; accept?"

    @property
    def address(self) -> str:
        """The address of the clause; empty for fields of one name."""
        return self.clause.removesuffix(f" {self.path}")

    @property
    def reminds(self) -> bool:
        """Whether it may be a fault as well, so that agents are still alerted of it once a session."""
        if self.kind not in KINDS:
            return False
        traits, high = KINDS[self.kind].traits, self.test.bar >= CONFIG.likelihood_ratios[Severity.HIGH]
        return (traits.of_the_data and high) or (traits.ambiguous_change and self.test.in_nearly_all)


class ChangeQuestion(NamedTuple):
    """What people are asked of a tool: a release that changes fifteen of its fields is one question."""

    changes: tuple[ObservedDrift, ...]

    @property
    def name(self) -> str:
        """What `accept` and `reject` take: the clause, or, where several have changed, the tool."""
        [first, *others] = self.changes
        return first.tool if others else first.address

    def sentence(self) -> str:
        """Ask it."""
        [first, *others] = self.changes
        if not others:
            return first.sentence()
        began = min((one.first for one in self.changes if one.first), default="")
        since = f" since {began}" if began else ""
        tasks = max(one.test.violated for one in self.changes)
        ways = [f"{one.place} {one.what}" for one in self.changes[:MOST_WAYS]]
        more = [f"{len(self.changes) - MOST_WAYS} more"] if len(self.changes) > MOST_WAYS else []
        return (
            f"{first.tool} has changed in {len(self.changes)} ways, in {tasks} tasks{since}:"
            f" {', '.join([*ways, *more])}; accept?"
        )

    def addressed(self) -> str:
        """Ask it, with the name that decisions take."""
        return f"{self.sentence()} [{self.name}]" if self.name else self.sentence()

    def news(self) -> str:
        """Say what has changed, that agents are alerted of it no more, and which commands decide on it."""
        reminded = [one.place for one in self.changes if one.reminds]
        if len(reminded) == len(self.changes):
            so = "Agents are told of it once a session until it is accepted"
        elif reminded:
            so = f"Agents are no longer told of it, but of {', '.join(reminded[:MOST_WAYS])} once a session"
        else:
            so = "Agents are no longer told of it"
        if not self.name:
            return f"{self.sentence()} {so}"
        return (
            f"{self.sentence()} {so}: `outcome-monitors accept {self.name} --in FOLDER` if it is right,"
            " `reject` if it is a fault"
        )


def questions(changes: Iterable[ObservedDrift]) -> list[ChangeQuestion]:
    """Return what people are asked, in the order of tools; what has changed in several tools is a question by itself."""
    by_tool: dict[tuple[str, ...], list[ObservedDrift]] = {}
    for one in sorted(changes, key=lambda one: (one.tool, one.path, one.kind, one.novel_value)):
        by_tool.setdefault((one.tool,) if one.tool else (one.tool, one.path, one.kind), []).append(one)
    return [ChangeQuestion(tuple(together)) for together in by_tool.values()]


class Changes:
    """The drift signatures observed, and which of them are changes."""

    def __init__(self) -> None:
        self.signatures: OrderedDict[DriftSignature, ObservedDrift] = OrderedDict()
        self._results: dict[str, int] = {}
        """Results by tool, and under the empty name of all."""
        self._by_tool: dict[str, set[DriftSignature]] = {}
        """The changes of each tool, and under the empty name of all, which may be over one day."""

    def observe_pass(self, tool: str) -> None:
        """Observe a result that violates nothing."""
        for name in (tool, ""):
            self._results[name] = self._results.get(name, 0) + 1
            if name in self._by_tool and self._results[name] % CONFIG.revert_check_interval == 0:
                self._end_reverted(name)

    def is_drift(self, tool: str, graded: GradedViolation) -> bool:
        """Say whether a violation has become normal."""
        known = map(self.signatures.get, _signatures(tool, graded))
        return any(drift is not None and drift.test.changed for drift in known)

    def reminds(self, tool: str, graded: GradedViolation) -> bool:
        """Say whether what has become normal may be a fault as well."""
        if graded.severity is Severity.HIGH and KINDS[graded.clause.kind].traits.of_the_data:
            return True
        known = map(self.signatures.get, _signatures(tool, graded))
        return any(drift is not None and drift.tool == tool and drift.reminds for drift in known)

    def observe_violation(
        self, tool: str, task: int, when: str, violations: Iterable[GradedViolation]
    ) -> None:
        """Observe all violations of one result, which is counted once."""
        self.observe_pass(tool)
        found = {signature: graded for graded in violations for signature in _signatures(tool, graded)}
        for signature, graded in found.items():
            drift, results = self._known(signature, graded, when), self._results[signature[0]]
            before = drift.test.changed
            drift.test.observe_passes(max(0, results - drift.seen_at - 1))
            drift.seen_at = results
            if signature[0]:
                drift.test.observe_violation(task, CONFIG.likelihood_ratios[graded.severity])
            else:
                # Of fields of one name, each tool is one witness.
                drift.test.observe_violation(stable_hash(tool), CONFIG.likelihood_ratio_by_name)
            if drift.test.changed and not before:
                self._by_tool.setdefault(signature[0], set()).add(signature)

    def put(self, signature: DriftSignature, drift: ObservedDrift) -> None:
        """Take over what was observed elsewhere."""
        drift.seen_at = self._results.get(signature[0], 0)
        self.signatures[signature] = drift
        if drift.test.changed:
            self._by_tool.setdefault(signature[0], set()).add(signature)

    def report(self) -> list[ObservedDrift]:
        """Return the changes that people have not been told of; from now on they have.

        What was observed in the same tasks is of the same release: it is the same question, also where it is a change only later.
        """
        new = [drift for drift in self.changes() if not drift.reported]
        for drift in new:
            drift.reported = True
        tasks: dict[str, set[int]] = {}
        for drift in new:
            tasks.setdefault(drift.tool, set()).update(drift.test.tasks)
        for drift in self.signatures.values() if new else ():
            if drift.tool and not tasks.get(drift.tool, set()).isdisjoint(drift.test.tasks):
                drift.reported = True
        return new

    def changes(self) -> list[ObservedDrift]:
        """Return what is a change now, in the order in which it was last seen."""
        return [drift for drift in self.signatures.values() if drift.test.changed]

    def _known(self, signature: DriftSignature, graded: GradedViolation, when: str) -> ObservedDrift:
        drift = self.signatures.get(signature)
        if drift is None:
            tool, clause, value = signature
            test = ChangeTest() if tool else ChangeTest(CONFIG.fault_rate_by_name)
            place, kind = _normalized_path(graded), graded.clause.kind
            drift = ObservedDrift(tool, clause if tool else "", place, kind, value, test, when)
            drift.seen_at = self._results[tool] - 1
            self.signatures[signature] = drift
            if len(self.signatures) > CONFIG.max_signatures:
                # The oldest that is no change.
                unchanged = (one for one, known in self.signatures.items() if not known.test.changed)
                del self.signatures[next(unchanged, None) or next(iter(self.signatures))]
        self.signatures.move_to_end(signature)
        return drift

    def _end_reverted(self, tool: str) -> None:
        """Alert again on what has returned to how it was."""
        for signature in tuple(self._by_tool[tool]):
            drift = self.signatures.get(signature)
            if drift is not None:
                # This very result is still to be counted.
                drift.test.observe_passes(max(0, self._results[tool] - 1 - drift.seen_at))
                drift.seen_at = max(drift.seen_at, self._results[tool] - 1)
            if drift is None or drift.test.is_over():
                self._by_tool[tool].discard(signature)
        if not self._by_tool[tool]:
            del self._by_tool[tool]


def novel_value(clause: Clause, violation: Violation) -> str:
    """Return what is new about a violation: the same in many tasks is a change."""
    return KINDS[clause.kind].novel_value(violation)[: CONFIG.max_novel_value] if clause.kind in KINDS else ""


def _signatures(tool: str, graded: GradedViolation) -> Iterator[DriftSignature]:
    """Yield the signatures that a violation counts for; what cannot be used counts for none."""
    clause, violation, severity = graded
    if severity is Severity.CRITICAL or clause.kind not in KINDS or KINDS[clause.kind].traits.never_normal:
        return
    place = _normalized_path(graded)
    yield tool, f"{address(tool, clause)} {place}", novel_value(clause, violation)
    steps = [step for step in parse(place) if isinstance(step, str)]
    if severity < Severity.HIGH and steps:
        yield "", f"{clause.kind} {severity.name} {steps[-1]}", ""


def _normalized_path(graded: GradedViolation) -> str:
    """Return where a clause is violated, whatever the row, and whichever of its members is most suspicious today."""
    place = own_place(graded.clause, graded.violation)
    return folded(place)
