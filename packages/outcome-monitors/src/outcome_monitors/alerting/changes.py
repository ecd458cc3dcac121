"""Change detection: which drift signatures are lasting changes rather than faults.

A signature is a clause, a place and a novel value there. Each has a sequential test (`change_test`), and so have fields of one name
over several tools, which are seldom called one by one. The more severe the violation, the surer the test must be. What cannot be used
is never a change, however long it lasts.
"""

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from outcome_monitors.contracts.identity import address
from outcome_monitors.jsonvalue.display import clip_text
from outcome_monitors.jsonvalue.paths import Each, parse, render
from outcome_monitors.jsonvalue.text import stable_hash
from outcome_monitors.model import Clause, Violation
from outcome_monitors.rules import KINDS, own_place
from outcome_monitors.rules.base.severity import Severity

from .change_test import ChangeTest
from .config import CONFIG
from .severity import GradedViolation

__all__ = ["Changes", "DriftSignature", "ObservedDrift", "novel_value"]

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

    def sentence(self) -> str:
        """Say it to people."""
        place = clip_text(self.path) or "the result"
        where = f"{place} of {self.tool}" if self.tool else f"{place}, in several tools,"
        since = f" since {self.first}" if self.first else ""
        passed = f", with {self.test.passed} results as before" if self.test.passed else ""
        counted = f"in {self.test.violated} {'tasks' if self.tool else 'tools'}{passed}"
        # A file may name a kind of another release.
        kind = KINDS.get(self.kind)
        broken = f"breaks `{self.kind}`" if kind is None else kind.changed(clip_text(self.novel_value))
        return f"{where} {broken}, {counted}{since}; accept?"

    @property
    def address(self) -> str:
        """The address of the clause; empty for fields of one name."""
        return self.clause.removesuffix(f" {self.path}")

    def addressed(self) -> str:
        """Say it to people, with the clause that they may accept or mute."""
        return f"{self.sentence()} [{self.address}]" if self.clause else self.sentence()


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
        """Return the changes that people have not been told of; from now on they have."""
        new = [drift for drift in self.changes() if not drift.reported]
        for drift in new:
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
    if severity is Severity.CRITICAL or clause.kind not in KINDS:
        return
    place = _normalized_path(graded)
    yield tool, f"{address(tool, clause)} {place}", novel_value(clause, violation)
    steps = [step for step in parse(place) if isinstance(step, str)]
    if severity < Severity.HIGH and steps:
        yield "", f"{clause.kind} {severity.name} {steps[-1]}", ""


def _normalized_path(graded: GradedViolation) -> str:
    """Return where a clause is violated, whatever the row, and whichever of its members is most suspicious today."""
    place = own_place(graded.clause, graded.violation)
    return render([Each.ITEM if isinstance(step, int) else step for step in parse(place)])
