"""Maintenance of contracts: what changed between two files, whether results still match, and what a file should not hold."""

from outcome_monitors.contracts.identity import identify
from outcome_monitors.contracts.overrides import Override, Overrides

from .diff import Change, diff
from .drift import ClauseDrift, ToolDrift, drift
from .lint import Remark, lint

__all__ = [
    "Change",
    "ClauseDrift",
    "Override",
    "Overrides",
    "Remark",
    "ToolDrift",
    "diff",
    "drift",
    "identify",
    "lint",
]
