"""How well contracts do on one's own traces: what they would have caught, and what they would have flagged in vain.

Cross-validation: the calls of each fold are judged by contracts that were learned from the tasks of all other folds, once as they are,
where every alarm is a false one, and once with each silent fault that can be put into the result. A backtest replays later traces.
docs/guides/audit.md says how to read the figures. Nothing at run time imports this package.
"""

from .audit import audit
from .backtest import backtest
from .backtest_figures import Backtest, backtest_advice, backtest_as_json
from .cases import Settings
from .figures import Alarms, Audit, FoldFigures, advice, as_json
from .labels import LabelReport, labels_as_json, read_labels, score_labels
from .report import Section, audit_report, backtest_report

__all__ = [
    "Alarms",
    "Audit",
    "Backtest",
    "FoldFigures",
    "LabelReport",
    "Section",
    "Settings",
    "advice",
    "as_json",
    "audit",
    "audit_report",
    "backtest",
    "backtest_advice",
    "backtest_as_json",
    "backtest_report",
    "labels_as_json",
    "read_labels",
    "score_labels",
]
