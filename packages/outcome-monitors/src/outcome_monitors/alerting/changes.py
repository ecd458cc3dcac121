"""Change detection: which drift signatures are lasting changes rather than faults.

A signature is a clause, a place and a novel value there. Each has a sequential test, and so have fields of one name over several tools,
which are seldom called one by one. The more severe the violation, the surer the test must be. What cannot be used is never a change,
however long it lasts.

The test holds two hypotheses against each other. *Faults*: at most a share `fault_rate` of results violates the clause in this way. *A
change*: from some result on, one of the `drift_rates` does. For each rate the likelihood ratio is carried along and taken up anew from
1 wherever it falls below (Page, 1954), so the beginning need not be known. Their mean is an e-detector (Shin, Ramdas and Rinaldo,
"E-detectors", 2023): under the first hypothesis it takes on average at least as many results as the threshold is high to pass it. A
task counts once, however often it calls. That a change is over is found in the same way, with the hypotheses exchanged.

Nobody's results end another's alerts: each client has tests of its own, whose witnesses are its tasks. What holds for all is found by a
test whose witnesses are the clients, each once.
"""

from collections import OrderedDict, deque
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
from .policy import is_declared
from .severity import GradedViolation

_Counted = tuple[str, str]
"""A tool and a client whose results are counted."""
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
    least_witnesses: int = field(default_factory=lambda: CONFIG.least_tasks)

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
        enough = len(self.tasks) >= self.least_witnesses and self.evidence >= log(self.bar)
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


ALL = "*"
"""Stands for the client in the tests whose witnesses are clients."""

DriftSignature = tuple[str, str, str, str]
"""The tool, the address of the clause with its place, the novel value, the client; for fields of one name, the tool is empty."""


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
    client: str = ""
    """Whose results show it."""

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

    def suppression(self) -> str:
        """Say who has seen it, and whose agents are alerted of it no more, or less."""
        whose = f" of {clip_text(self.client)}" if self.client not in ("", ALL) else ""
        ends = "told of it once a session" if self.reminds else "no longer told of it"
        named = f" [{self.address}]" if self.address else ""
        return f"{self.sentence().removesuffix('; accept?')}: agents{whose} are {ends}{named}"

    def sentence(self) -> str:
        """Say it to people."""
        where = f"{self.place} of {self.tool}" if self.tool else f"{self.place}, in several tools,"
        since = f" since {self.first}" if self.first else ""
        passed = f", with {self.test.passed} results as before" if self.test.passed else ""
        counted = f"in {self.test.violated} {self._witnesses}{passed}"
        return f"{where} {self.what}, {counted}{since}; accept?"

    @property
    def _witnesses(self) -> str:
        if not self.tool:
            return "tools"
        return (
            "clients"
            if self.client == ALL
            else f"tasks of {clip_text(self.client)}"
            if self.client
            else "tasks"
        )

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
        clients = sorted({one.client for one in self.changes} - {""})
        whose = f" of {clip_text(', '.join(clients))}" if clients and ALL not in clients else ""
        if len(reminded) == len(self.changes):
            so = f"Agents{whose} are told of it once a session until it is accepted"
        elif reminded:
            so = f"Agents{whose} are no longer told of it, but of {', '.join(reminded[:MOST_WAYS])} once a session"
        else:
            so = f"Agents{whose} are no longer told of it"
        if not self.name:
            return f"{self.sentence()} {so}"
        return (
            f"{self.sentence()} {so}: `outcome-monitors accept {self.name} --in FOLDER` if it is right,"
            " `reject` if it is a fault"
        )


def merged(changes: Iterable[ObservedDrift]) -> list[ObservedDrift]:
    """Return changes in order, each once: as all clients have seen it, or else as the one that has seen it most."""
    most: dict[tuple[str, ...], ObservedDrift] = {}
    for one in sorted(changes, key=lambda one: (one.client != ALL, -one.test.violated, one.client)):
        most.setdefault((one.tool, one.path, one.kind, one.novel_value, one.clause), one)
    return [one for _, one in sorted(most.items())]


def questions(changes: Iterable[ObservedDrift]) -> list[ChangeQuestion]:
    """Return what people are asked, in the order of tools; what has changed in several tools is a question by itself."""
    by_tool: dict[tuple[str, ...], list[ObservedDrift]] = {}
    for one in merged(changes):
        by_tool.setdefault((one.tool,) if one.tool else (one.tool, one.path, one.kind), []).append(one)
    return [ChangeQuestion(tuple(together)) for together in by_tool.values()]


class Changes:
    """The drift signatures observed, and which of them are changes."""

    def __init__(self) -> None:
        self.signatures: OrderedDict[DriftSignature, ObservedDrift] = OrderedDict()
        self._results: OrderedDict[_Counted, int] = OrderedDict()
        """Results by tool and client; under the empty name those of all tools, under `ALL` those of all clients."""
        self._changed: dict[_Counted, set[DriftSignature]] = {}
        """The changes, by what is counted for them; each may be over one day."""
        self._new: deque[ObservedDrift] = deque(maxlen=CONFIG.max_signatures)
        """Changes that were found since someone last asked."""

    def observe_pass(self, tool: str, client: str = "") -> None:
        """Observe a result that violates nothing."""
        for counted in {(tool, client), (tool, ALL), ("", client)}:
            results = self._results[counted] = self._results.pop(counted, 0) + 1
            if counted in self._changed and results % CONFIG.revert_check_interval == 0:
                self._end_reverted(counted)
        while len(self._results) > 3 * CONFIG.max_signatures:
            self._results.popitem(last=False)

    def is_drift(self, tool: str, graded: GradedViolation, client: str = "") -> bool:
        """Say whether a violation has become normal, for a client or for all."""
        return any(drift.test.changed for drift in self._drifts(tool, graded, client))

    def reminds(self, tool: str, graded: GradedViolation, client: str = "") -> bool:
        """Say whether what has become normal may be a fault as well."""
        if graded.severity is Severity.HIGH and KINDS[graded.clause.kind].traits.of_the_data:
            return True
        return any(drift.tool == tool and drift.reminds for drift in self._drifts(tool, graded, client))

    def observe_violation(
        self, tool: str, task: int, when: str, violations: Iterable[GradedViolation], client: str = ""
    ) -> None:
        """Observe all violations of one result, which is counted once."""
        self.observe_pass(tool, client)
        found = {one: graded for graded in violations for one in _signatures(tool, graded, client)}
        for signature, graded in found.items():
            drift, results = self._known(signature, graded, when), self._results[_counted_for(signature)]
            before = drift.test.changed
            drift.test.observe_passes(max(0, results - drift.seen_at - 1))
            drift.seen_at = results
            if signature[0]:
                witness = task if drift.client != ALL else stable_hash(client)
                drift.test.observe_violation(witness, CONFIG.likelihood_ratios[graded.severity])
            else:
                # Of fields of one name, each tool is one witness.
                drift.test.observe_violation(stable_hash(tool), CONFIG.likelihood_ratio_by_name)
            if drift.test.changed and not before:
                self._note_changed(signature)
                self._new.append(drift)

    def put(self, signature: DriftSignature, drift: ObservedDrift) -> None:
        """Take over what was observed elsewhere."""
        before = self.signatures.get(signature)
        drift.seen_at = self._results.get(_counted_for(signature), 0)
        self.signatures[signature] = drift
        if drift.test.changed:
            self._note_changed(signature)
            if not drift.reported and (before is None or not before.test.changed):
                self._new.append(drift)

    def report(self) -> list[ObservedDrift]:
        """Return the changes that people have not been told of; from now on they have.

        What was observed in the same tasks is of the same release: it is the same question, also where it is a change only later.
        """
        new = [drift for drift in self._new if drift.test.changed and not drift.reported]
        for drift in new:
            drift.reported = True
        tasks: dict[str, set[int]] = {}
        for drift in new:
            tasks.setdefault(drift.tool, set()).update(drift.test.tasks)
        for drift in self.signatures.values() if new else ():
            if drift.tool and not tasks.get(drift.tool, set()).isdisjoint(drift.test.tasks):
                drift.reported = True
        return new

    def begun(self) -> list[ObservedDrift]:
        """Return the changes that were found since this was last asked: alerts of them end from then on."""
        new = [*self._new]
        self._new.clear()
        return new

    def changes(self) -> list[ObservedDrift]:
        """Return what is a change now, in the order in which it was last seen."""
        return [drift for drift in self.signatures.values() if drift.test.changed]

    def _drifts(self, tool: str, graded: GradedViolation, client: str) -> Iterator[ObservedDrift]:
        """Yield what is known of a violation: by the client's results, and, where they are several, by all clients'."""
        for *signature, _ in _signatures(tool, graded, client):
            # What was found where clients were not told apart holds for all of them.
            for whose in {client, ALL, ""}:
                drift = self.signatures.get((*signature, whose))  # type: ignore[arg-type]  # three and one
                if drift is not None:
                    yield drift

    def _note_changed(self, signature: DriftSignature) -> None:
        self._changed.setdefault(_counted_for(signature), set()).add(signature)

    def _known(self, signature: DriftSignature, graded: GradedViolation, when: str) -> ObservedDrift:
        drift = self.signatures.get(signature)
        if drift is None:
            tool, clause, value, client = signature
            test = test_of(signature)
            place, kind = _normalized_path(graded), graded.clause.kind
            drift = ObservedDrift(tool, clause if tool else "", place, kind, value, test, when, client=client)
            drift.seen_at = self._results[_counted_for(signature)] - 1
            self.signatures[signature] = drift
            if len(self.signatures) > CONFIG.max_signatures:
                self._forget_oldest()
        self.signatures.move_to_end(signature)
        return drift

    def _forget_oldest(self) -> None:
        """Forget the signature that was not seen for longest; changes stay, unless they are many."""
        for _ in range(CONFIG.max_changes_kept):
            oldest, drift = self.signatures.popitem(last=False)
            if not drift.test.changed:
                return
            self.signatures[oldest] = drift
        self.signatures.popitem(last=False)

    def _end_reverted(self, counted: "_Counted") -> None:
        """Alert again on what has returned to how it was."""
        for signature in tuple(self._changed[counted]):
            drift = self.signatures.get(signature)
            if drift is not None:
                # This very result is still to be counted.
                drift.test.observe_passes(max(0, self._results[counted] - 1 - drift.seen_at))
                drift.seen_at = max(drift.seen_at, self._results[counted] - 1)
            if drift is None or drift.test.is_over():
                self._changed[counted].discard(signature)
        if not self._changed[counted]:
            del self._changed[counted]


def novel_value(clause: Clause, violation: Violation) -> str:
    """Return what is new about a violation: the same in many tasks is a change."""
    return KINDS[clause.kind].novel_value(violation)[: CONFIG.max_novel_value] if clause.kind in KINDS else ""


def test_of(signature: DriftSignature) -> ChangeTest:
    """Return a test with no evidence for a signature."""
    tool, *_, client = signature
    return ChangeTest(
        CONFIG.fault_rate if tool else CONFIG.fault_rate_by_name,
        least_witnesses=CONFIG.least_clients if client == ALL else CONFIG.least_tasks,
    )


def _counted_for(signature: DriftSignature) -> "_Counted":
    tool, *_, client = signature
    return tool, client


def _signatures(tool: str, graded: GradedViolation, client: str) -> Iterator[DriftSignature]:
    """Yield the signatures that a violation counts for; what cannot be used, or is declared, counts for none."""
    clause, violation, severity = graded
    if severity is Severity.CRITICAL or clause.kind not in KINDS or KINDS[clause.kind].traits.never_normal:
        return
    if is_declared(clause):
        return
    place, new = _normalized_path(graded), novel_value(clause, violation)
    for whose in (client, ALL) if client else ("",):
        yield tool, f"{address(tool, clause)} {place}", new, whose
    steps = [step for step in parse(place) if isinstance(step, str)]
    if severity < Severity.HIGH and steps:
        yield "", f"{clause.kind} {severity.name} {steps[-1]}", "", client


def _normalized_path(graded: GradedViolation) -> str:
    """Return where a clause is violated, whatever the row, and whichever of its members is most suspicious today."""
    place = own_place(graded.clause, graded.violation)
    return folded(place)
