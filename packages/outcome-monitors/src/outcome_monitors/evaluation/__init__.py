"""How well contracts do on one's own traces: the silent faults they would catch, and the clean results they would flag.

Cross-validation: the calls of each fold are judged by contracts that were learned from the tasks of all other folds, once unchanged,
where every alarm is a false one, and once with each silent fault that can be injected into the result. A backtest replays later traces.
docs/guides/audit.md says how to read the figures. Nothing at run time imports this package.
"""

from .audit import audit
from .backtest import backtest
from .cases import Settings
from .figures import Figures
from .labels import LabelReport, labels_as_json, read_labels, score_labels
from .report import Section, audit_report, backtest_report

__all__ = [
    "Figures",
    "LabelReport",
    "Section",
    "Settings",
    "audit",
    "audit_report",
    "backtest",
    "backtest_report",
    "labels_as_json",
    "read_labels",
    "score_labels",
]
