"""What a proxy that learns holds back: what breaks no version in force, and all that was learned of a tool that is not advising.

It stands before the policy that weighs findings, which goes on hearing of a tool that has gone back to its shadow: so the tool's
share of results that would be told is known, and it can return.
"""

import logging
from collections.abc import Callable, Mapping

from outcome_monitors.checking.policy import Found, Policy, Telling
from outcome_monitors.contracts.identity import identify
from outcome_monitors.model import Broken, Clause, Violation
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.session import SessionKind

__all__ = ["Restraint"]

log = logging.getLogger("outcome_monitors.proxy")

Sure = Callable[[str, Clause], bool]
InForce = Callable[[str], Mapping[str, Clause]]
Advises = Callable[[str], bool]


class Restraint:
    """A policy around another."""

    def __init__(self, weighs: Policy, *, sure: Sure, in_force: InForce, advises: Advises) -> None:
        self._weighs, self._sure, self._in_force, self._advises = weighs, sure, in_force, advises

    def kept(self, tool: str) -> None:
        """Hear of a result that breaks nothing."""
        self._weighs.kept(tool)

    def report(self) -> list[str]:
        """Return what people are to be told."""
        return self._weighs.report()

    def save(self) -> None:
        """Write what is to outlive the process."""
        self._weighs.save()

    def __call__(self, found: Found) -> Telling:
        """Decide on a result that breaks something."""
        known = self._in_force(found.tool)
        left = tuple(pair for pair in found.broken if self._stands(found, pair, known))
        if not left:
            return Telling((), "not proven")
        telling = self._weighs(found._replace(broken=left))
        # A tool that gives no answer at all is not what a contract is to be doubted for.
        if telling.untold or telling.since or self._advises(found.tool):
            return telling
        sure: Broken = tuple(pair for pair in telling.proven if self._sure(found.tool, pair[0]))
        return telling._replace(proven=sure) if sure else telling._replace(untold="in shadow")

    def _stands(self, found: Found, pair: tuple[Clause, Violation], known: Mapping[str, Clause]) -> bool:
        """Say whether a broken clause may be told of: it is sure, or the version of it that is in force is broken, too."""
        clause = pair[0]
        if clause.kind not in KINDS or self._sure(found.tool, clause):
            return True
        held = known.get(identify(found.tool, clause))
        if held is None:
            return False
        kind = KINDS[held.kind]
        if held.params == clause.params or isinstance(kind, SessionKind):
            return True
        try:
            return next(iter(kind.check(held, found.arguments, found.result)), None) is not None
        except Exception:
            log.exception("a clause of %r in force could not be checked", found.tool)
            return False
