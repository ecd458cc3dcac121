"""How well contracts do on one's own traces: what they would have caught, and what they would have flagged in vain.

Tasks are dealt into folds. Each fold's calls are judged by contracts that were learned from the tasks of all other folds:
once as they are, where every alarm is a false one, and once with each silent fault that can be put into the result.
docs/guides/audit.md says how to read the figures. Nothing at run time imports this package.
"""

from .advice import advice
from .audit import Settings, audit
from .document import as_json
from .figures import LEAST, Alarms, Audit, FoldFigures, KindFigures, Point, ToolFigures
from .page import as_html
from .progress import Ticker

__all__ = [
    "LEAST",
    "Alarms",
    "Audit",
    "FoldFigures",
    "KindFigures",
    "Point",
    "Settings",
    "Ticker",
    "ToolFigures",
    "advice",
    "as_html",
    "as_json",
    "audit",
]
