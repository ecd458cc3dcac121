"""A sequel as canonical JSON: the same sequel always gives the same bytes."""

import json
from collections.abc import Sequence

from outcome_monitors.audit.audit import Settings
from outcome_monitors.audit.document import interval_document, rounded, share_document
from outcome_monitors.audit.reliability import ReliabilityBin
from outcome_monitors.model import Json

from .advice import advice
from .figures import FaultFigures, RightFigures, Sequel
from .runs import FAULTS_IN

__all__ = ["FORMAT", "VERSION", "as_json"]

FORMAT = "outcome-monitors/audit-then"
VERSION = 1


def as_json(found: Sequel, settings: Settings, traces: Sequence[str], then: Sequence[str]) -> str:
    """Return all figures; `traces` names the files that were learned from, `then` those that were looked at."""
    document = {
        "format": FORMAT,
        "version": VERSION,
        "traces": list(traces),
        "then": list(then),
        "settings": _settings(found, settings),
        "clauses": found.clauses,
        "coverage": share_document(found.covered, "covered", "calls"),
        "right": _right(found.right),
        "right_beside_faults": _right(found.beside, again=True),
        "wrong": _wrong(found.wrong),
        "suites": {suite.name: _wrong(suite) for suite in found.suites},
        "faults": [{"fault": kind.name, "suite": kind.suite, **_wrong(kind)} for kind in found.kinds],
        "reliability": [_bin(one) for one in found.reliability],
        "unbroken": share_document(found.unbroken, "wrong", "results"),
        "changes": list(found.changes),
        "tools": {
            name: {
                "results": tool.results,
                "flagged": tool.flagged,
                "told": tool.told,
                "codes": dict(tool.codes),
            }
            for name, tool in found.tools.items()
        },
        "failed_checks": found.failed,
        "advice": advice(found, settings.budget),
    }
    return json.dumps(document, indent=2) + "\n"


def _settings(found: Sequel, settings: Settings) -> Json:
    return {
        "faults": list(settings.suites),
        "faults_in": FAULTS_IN,
        "draws": found.draws,
        "profile": settings.profile,
        "budget": settings.budget,
        "limit": settings.limit,
        "dirt": settings.dirt,
    }


def _right(right: RightFigures, *, again: bool = False) -> Json:
    """Return what became of right results; where each is looked at again and again, there is no interval."""
    shares = {
        "flagged": share_document(right.flagged, "flagged", "results"),
        "told": share_document(right.told, "told", "results"),
        "told_late": share_document(right.late, "told", "results"),
    }
    if again:
        for share in shares.values():
            del share["interval"]
    return {**shares, "untold": dict(right.untold)}


def _wrong(wrong: FaultFigures) -> dict[str, Json]:
    return {
        "n": wrong.told.whole,
        "flagged": wrong.flagged.part,
        "flagged_rate": rounded(wrong.flagged.value),
        "told": wrong.told.part,
        "told_rate": rounded(wrong.told.value),
        "interval": interval_document(wrong.told),
    }


def _bin(one: ReliabilityBin) -> Json:
    return {
        "from": one.low,
        "to": one.high,
        "said": rounded(one.said),
        **share_document(one.wrong, "wrong", "results"),
    }
