"""Receipts: what the agent is told of a result that breaks its contract.

The forms and texts here are those printed in the paper's section "Prompts and Receipt Texts", key for key; `note` is our own. They
state what was found and order nothing; the raw result always stands beside them, unaltered.
"""

from collections.abc import Callable

from outcome_monitors.model import Json
from outcome_monitors.values.display import clip, clip_text
from outcome_monitors.values.paths import ROOT

from .carriers import envelope, text_block
from .finding import Finding, expected, first_violation, name, place, quoted
from .note import note

__all__ = ["ENCODERS", "Encoder", "encoded", "envelope", "text_block"]

MOST_VIOLATIONS = 20

CAUTION = "This result may be unreliable; verify it before relying on it."

Encoder = Callable[[Finding], Json]


def _v1(finding: Finding) -> Json:
    return {
        "status": "inconsistent",
        "violations": [
            {"code": name(violation.code), "detail": name(violation.detail)}
            for violation in finding.violations[:MOST_VIOLATIONS]
        ],
        "admissible_recovery_tools": _recovery(finding),
    }


def _v2(finding: Finding) -> Json:
    return {
        "status": "inconsistent",
        "violation": first_violation(finding),
        "admissible_recovery_tools": _recovery(finding),
    }


def _generic(finding: Finding) -> Json:
    return {**_stripped(finding), "admissible_recovery_tools": _recovery(finding)}


def _stripped(_: Finding) -> Json:
    return {
        "status": "inconsistent",
        "violation": {"property": "generic_caution", "message": CAUTION},
    }


def _text(finding: Finding) -> Json:
    first = finding.violations[0]
    invariant, recourse = _origin(finding.source)
    where = place(first.path) if first.path != ROOT else "the result itself"
    return (
        "[OUTCOME CONTRACT ADVISORY]\n"
        f"The observed result from `{name(finding.tool)}` is inconsistent with {invariant}.\n"
        f"Violation: {name(first.code)} at `{where}`;"
        f" expected {quoted(expected(first.expected))}, observed {quoted(clip(first.observed))}.\n"
        "This advisory is nonbinding. Treat the result as unreliable and verify or recover using the available"
        f" documented {recourse} and task context before relying on it. All actions remain available."
    )


ENCODERS: dict[str, Encoder] = {
    "note": note,
    "v1": _v1,
    "v2": _v2,
    "generic": _generic,
    "stripped": _stripped,
    "text": _text,
}


def encoded(encoder: str, finding: Finding) -> Json:
    """Return the receipt of a finding in one of the forms."""
    return ENCODERS[encoder](finding)


def _recovery(finding: Finding) -> list[str]:
    return [name(tool) for tool in finding.recovery]


def _origin(source: str | None) -> tuple[str, str]:
    """Return what the result is inconsistent with, and what the public interface documents."""
    kind, _, file = (source or "").partition(":")
    if kind == "schema":
        return "its public response contract", "APIs"
    if kind == "database":
        return f"a known invariant of the {_database_name(file)} database", "tools"
    return "a known invariant of its clean results", "tools"


def _database_name(file: str) -> str:
    found = file.replace("\\", "/").rpartition("/")[2].partition(".")[0]
    return clip_text(found) or "public"
