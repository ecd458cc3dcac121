"""What a proxy that learns holds back: what breaks no version in force, and all that was learned of a tool that is not advising.

It stands around the policy that weighs findings, which goes on hearing of a tool that has gone back to its shadow: so the tool's
share of results that would be told is known, and it can return.
"""

import logging
from collections.abc import Callable, Mapping

from outcome_monitors.alerting.policy import AlertContext, AlertDecision, Detection
from outcome_monitors.contracts.identity import identify
from outcome_monitors.model import Clause
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.session import SessionKind

__all__ = ["Restraint"]

log = logging.getLogger("outcome_monitors.proxy")

Sure = Callable[[str, Clause], bool]
InForce = Callable[[str], Mapping[str, Clause]]
Advises = Callable[[str], bool]


class Restraint:
    """Two policies: one before violations are weighed, and one after."""

    def __init__(self, *, sure: Sure, in_force: InForce, advises: Advises) -> None:
        self._sure, self._in_force, self._advises = sure, in_force, advises

    def proven(self, detection: Detection, _context: AlertContext) -> AlertDecision:
        """Leave what is sure, or breaks the version of its clause that is in force, too."""
        known = self._in_force(detection.tool)
        left = tuple([one for one in detection.broken if self._stands(detection, one.clause, known)])
        return AlertDecision(left, "" if left else "not proven")

    def advising(self, detection: Detection, context: AlertContext) -> AlertDecision:
        """Hold back what was learned of a tool that is not advising."""
        # A tool that gives no answer at all is not what a contract is to be doubted for.
        if context.decision.since or self._advises(detection.tool):
            return AlertDecision(detection.broken)
        sure = tuple([one for one in detection.broken if self._sure(detection.tool, one.clause)])
        return AlertDecision(sure) if sure else AlertDecision(detection.broken, "in shadow")

    def _stands(self, detection: Detection, clause: Clause, known: Mapping[str, Clause]) -> bool:
        if clause.kind not in KINDS or self._sure(detection.tool, clause):
            return True
        held = known.get(identify(detection.tool, clause))
        if held is None:
            return False
        kind = KINDS[held.kind]
        if held.params == clause.params or isinstance(kind, SessionKind):
            return True
        try:
            return next(iter(kind.check(held, detection.arguments, detection.result)), None) is not None
        except Exception:
            log.exception("a clause of %r in force could not be checked", detection.tool)
            return False
