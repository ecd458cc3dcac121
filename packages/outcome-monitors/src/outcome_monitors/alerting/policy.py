"""Decide: policies say which violations reach the agent. A policy is a function of a detection and its context; several are a list."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from outcome_monitors.model import Clause, Json, Unchecked, Untold, Violation


class BrokenClause(NamedTuple):
    """A violated clause, with the violation that is reported and those at all places, of many the first."""

    clause: Clause
    violation: Violation
    places: Sequence[Violation] = ()


class Detection(NamedTuple):
    """What a result violates."""

    tool: str
    broken: tuple[BrokenClause, ...] = ()
    arguments: Mapping[str, Json] = {}
    """Arguments and result in the format that the contract was mined from."""
    result: Json = None
    given: Json = None
    """The result as it was handed over."""
    why: Unchecked = ""
    """Why it was not checked, or not in full."""
    failures: tuple[str, ...] = ()


class AlertDecision(NamedTuple):
    """What a policy decides."""

    broken: tuple[BrokenClause, ...]
    """The violated clauses that the agent may be alerted of."""
    suppressed: Untold = ""
    """Why it is not; empty where it is."""
    suspended: tuple[str, ...] = ()
    """The addresses of clauses that are suppressed because what violates them has become normal."""
    odds: float | None = None
    """The odds that the result is wrong, where they were computed."""
    since: str = ""
    """Of a tool in an outage: since when."""
    faults: frozenset[str] = frozenset()
    """The addresses of clauses that are given, or of which people have said that what violates them is a fault, however long it lasts."""


class AlertContext(NamedTuple):
    """The task of a result, and what the policies before this one have decided."""

    task: str = ""
    """What it belongs to."""
    witness: str = ""
    """What it counts as a witness for: the task, or what of several tasks cannot be told to be independent."""
    client: str = ""
    """Who asked, as far as that can be known without taking its word for it: a host, or an address. Empty where all are one."""
    when: str = ""
    """When it came, where that is known."""
    repeated: bool = False
    """It was seen before: it is no second witness."""
    decision: AlertDecision = AlertDecision(())


NO_CONTEXT = AlertContext()

Policy = Callable[[Detection, AlertContext], AlertDecision]
"""Decides on a result that violates something. One that has a method `observe_pass(tool, context)` also learns of those that violate nothing."""
Policies = Sequence[Policy]
"""Policies in order: each sees what those before it have left, until one suppresses the alert."""


def this_host() -> str:
    """Return what the operating system calls this machine: all that asks from here is one client."""
    return os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "this host")


def is_declared(clause: Clause) -> bool:
    """Say whether a clause is what a schema or a database says: what violates it is no news, however often it is seen."""
    return clause.source not in ("traces", "built-in")


def decide(policies: Policies, detection: Detection, context: AlertContext = NO_CONTEXT) -> AlertDecision:
    """Return what the policies decide, one after the other, on a result that violates something."""
    decision = AlertDecision(detection.broken)
    for policy in policies:
        made = policy(detection._replace(broken=decision.broken), context._replace(decision=decision))
        decision = AlertDecision(
            made.broken,
            made.suppressed,
            decision.suspended + made.suspended,
            decision.odds if made.odds is None else made.odds,
            decision.since or made.since,
            decision.faults | made.faults,
        )
        if decision.suppressed:
            break
    return decision


alert_always: Policies = ()
"""Alerts the agent of all violations."""
alert_never: Policies = (lambda detection, _context: AlertDecision(detection.broken, "nobody asked"),)
"""Checks, and alerts nobody."""
