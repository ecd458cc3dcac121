"""All thresholds of alerting, each with where it comes from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import log

from outcome_monitors.rules.base.severity import Severity


@dataclass(frozen=True, slots=True)
class AlertingConfig:
    """The thresholds of the alert policy.

    "Measured" means: on recorded traffic that had changed since contracts were mined, with faults drawn into 3 of 100 results.
    `outcome-monitors audit --then` measures it again and shows how well the odds hold.
    """

    # Odds of a fault.
    odds: Mapping[Severity, Sequence[float]] = field(
        default_factory=lambda: {
            Severity.INFO: (0.06, 0.06, 0.06, 0.06),
            Severity.LOW: (0.12, 0.12, 0.2, 0.5),
            Severity.MEDIUM: (0.4, 1.6, 2.3, 10.0),
            Severity.HIGH: (3.5, 9.0, 20.0, 20.0),
            Severity.CRITICAL: (10.0, 20.0, 20.0, 20.0),
        }
    )
    """By the highest severity, with 1, 2, 3 and more kinds of clause violated. Measured; 20 is as high as the counts allow."""
    least_odds: float = 0.25
    """Alert from here on, under the default budget of false positives; half the budget asks for twice the odds. Measured."""
    high_severity_odds: float = 3.0
    """From these odds on, something of high severity is violated: below the lowest odds of that row."""

    # The recent share of flagged results.
    rate_window: int = 100
    """Results over which the share is averaged: some days of a tool that is seldom called."""
    baseline_flag_rate: float = 0.08
    """Up to this share of results flagged with low or medium severity, each counts in full. Measured."""
    least_flag_rate: float = 0.01
    """A lower share raises the odds no further: over the window it is a single result."""

    # The sequential change test.
    fault_rate: float = 0.05
    """The largest share of results that faults violate in one and the same way. Above the 3 % that studies of agents report."""
    fault_rate_by_name: float = 0.02
    """The same for fields of one name over all tools: faults of one form are rarer among all results."""
    drift_rates: Sequence[float] = (0.15, 0.3, 0.6, 0.95)
    """The shares at which a change may violate a clause: a grid from three times the fault rate to nearly all. Stored evidence is by rate."""
    likelihood_ratios: Mapping[Severity, float] = field(
        default_factory=lambda: {
            Severity.INFO: 100.0,
            Severity.LOW: 100.0,
            Severity.MEDIUM: 1000.0,
            Severity.HIGH: 10000.0,
        }
    )
    """How much likelier a change must be than faults: one error in a hundred, times the prior odds by severity. At `CRITICAL` there is none."""
    likelihood_ratio_by_name: float = 300.0
    """The same for fields of one name over all tools."""
    clearly: float = 10.0
    """How much likelier the highest of the rates must be than the others for nearly all results to have changed."""
    reverted: float = log(1000)
    """The logarithm of how much likelier it must be that a change is over."""
    least_tasks: int = 2
    """Tasks of one client that must have shown a change before it is believed for that client: one may call in a loop."""
    least_clients: int = 3
    """Clients that must have shown it before it is believed for all: of two, one may be at fault and the other mistaken."""
    max_tasks: int = 64
    """Tasks remembered by signature; later ones count as new."""
    revert_check_interval: int = 8
    """Results between two checks whether a change is over."""
    max_signatures: int = 4096
    """Drift signatures remembered; the least recently seen are forgotten first, changes last."""
    max_changes_kept: int = 64
    """Changes that are passed over, the oldest first, where something else is to be forgotten."""
    max_clients: int = 1000
    """Clients whose recent share of flagged results is remembered."""
    max_reminded: int = 4096
    """Sessions in which a violation that may be a change was alerted of, remembered so that it is not alerted of twice."""
    max_novel_value: int = 80
    """Characters of a novel value that are remembered."""


CONFIG = AlertingConfig()
