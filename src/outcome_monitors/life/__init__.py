"""The life of a contract after it was mined: what changed, what still holds, what people decided, what to give up.

docs/guides/life.md tells the whole of it; each command of the same name is a thin shell over one function here.
"""

from ._chance import all_in_new, at_least, benjamini_hochberg
from ._diff import Change, diff
from ._drift import ClauseDrift, ToolDrift, drift
from ._identity import identify
from ._lint import Remark, lint
from ._overrides import Override, Overrides
from ._prune import Spare, prune, without

__all__ = [
    "Change",
    "ClauseDrift",
    "Override",
    "Overrides",
    "Remark",
    "Spare",
    "ToolDrift",
    "all_in_new",
    "at_least",
    "benjamini_hochberg",
    "diff",
    "drift",
    "identify",
    "lint",
    "prune",
    "without",
]
