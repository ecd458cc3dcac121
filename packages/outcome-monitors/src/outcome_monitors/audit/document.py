"""An audit as canonical JSON: the same audit always gives the same bytes."""

import json
from collections.abc import Sequence

from outcome_monitors.model import Json
from outcome_monitors.reports import Share

from .advice import advice
from .audit import Settings
from .figures import Alarms, Audit, KindFigures

__all__ = ["FORMAT", "VERSION", "as_json", "interval_document", "rounded", "share_document"]

FORMAT = "outcome-monitors/audit"
VERSION = 1
DIGITS = 6


def as_json(audit: Audit, settings: Settings, traces: Sequence[str], failed_openly: int = 0) -> str:
    """Return all figures; `traces` names the files, `failed_openly` counts the calls that were left out."""
    document = {
        "format": FORMAT,
        "version": VERSION,
        "traces": list(traces),
        "settings": _settings(settings),
        "calls": {
            "clean": audit.clean.whole,
            "in_session": audit.in_session.part,
            "failed_openly": failed_openly,
        },
        "folds": [
            {"tasks": fold.tasks, "calls": fold.calls, "clauses": fold.clauses} for fold in audit.folds
        ],
        "clean": {
            **share_document(audit.clean, "flagged", "calls"),
            "tasks": share_document(audit.tasks, "flagged", "tasks"),
        },
        "coverage": share_document(audit.covered, "covered", "calls"),
        "suites": {suite: _suite(audit, suite) for suite in settings.suites},
        "faults": [_kind(kind) for kind in audit.kinds],
        "codes": {code: _alarms(alarms) for code, alarms in audit.codes.items()},
        "kinds": {kind: _alarms(alarms) for kind, alarms in audit.clause_kinds.items()},
        "tools": {
            name: {
                "calls": tool.calls,
                "covered": tool.covered,
                "flagged": tool.flagged,
                "codes": dict(tool.codes),
                "faulted": share_document(tool.caught, "caught", "results"),
            }
            for name, tool in audit.tools.items()
        },
        "failed_checks": audit.failed,
        "curve": [
            {
                "budget": point.budget,
                "clean": share_document(point.clean, "flagged", "calls"),
                "recall": {suite: rounded(mean) for suite, mean in point.recall.items()},
            }
            for point in audit.curve
        ],
        "advice": advice(audit, settings),
    }
    return json.dumps(document, indent=2) + "\n"


def _settings(settings: Settings) -> Json:
    return {
        "folds": settings.folds,
        "faults": list(settings.suites),
        "profile": settings.profile,
        "budget": settings.budget,
        "limit": settings.limit,
        "dirt": settings.dirt,
    }


def _suite(audit: Audit, suite: str) -> Json:
    return {
        "kinds_in_mean": sum(kind.in_mean for kind in audit.of(suite)),
        "recall": rounded(audit.recall(suite)),
        "net_recall": rounded(audit.net_recall(suite)),
    }


def _kind(kind: KindFigures) -> Json:
    return {
        "fault": kind.fault.name,
        "suite": kind.fault.suite,
        "pattern": kind.fault.pattern,
        "needs": kind.fault.needs,
        "variant": kind.variant,
        "in_mean": kind.in_mean,
        "n": kind.caught.whole,
        "caught": kind.caught.part,
        "recall": rounded(kind.caught.value),
        "interval": interval_document(kind.caught),
        "net_caught": kind.net.part,
        "net_recall": rounded(kind.net.value),
    }


def _alarms(alarms: Alarms) -> Json:
    return {
        "clean": alarms.clean,
        "clean_alone": alarms.clean_alone,
        "faulted": alarms.faulted,
        "faulted_alone": alarms.faulted_alone,
    }


def share_document(share: Share, part: str, whole: str) -> dict[str, Json]:
    """Return a share with its uncertainty; `part` and `whole` name what is counted."""
    return {
        part: share.part,
        whole: share.whole,
        "rate": rounded(share.value),
        "interval": interval_document(share),
    }


def interval_document(share: Share) -> Json:
    """Return where a share lies; None of nothing."""
    return [round(end, DIGITS) for end in share.interval] if share.interval else None


def rounded(value: float | None) -> float | None:
    """Return a value with as many digits as the file has."""
    return None if value is None else round(value, DIGITS)
