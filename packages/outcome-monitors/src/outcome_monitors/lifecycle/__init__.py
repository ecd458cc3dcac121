"""The life of a contract after it was mined: what changed, what still holds, what people decided, what to give up.

docs/guides/drift.md tells the whole of it; each command of the same name is a thin shell over one function here.
"""

from outcome_monitors.contracts.identity import identify
from outcome_monitors.contracts.overrides import Override, Overrides

from .diff import Change, diff
from .drift import ClauseDrift, ToolDrift, drift
from .lint import Remark, lint
from .prune import Spare, prune, without

__all__ = [
    "Change",
    "ClauseDrift",
    "Override",
    "Overrides",
    "Remark",
    "Spare",
    "ToolDrift",
    "diff",
    "drift",
    "identify",
    "lint",
    "prune",
    "without",
]
