"""Receipts: what the agent is told of a result that breaks its contract.

The forms and texts are those printed in the paper's section "Prompts and Receipt Texts", key for key. They state what
was found and order nothing; the raw result always stands beside them, unaltered.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ._model import Json, Violation
from ._paths import ROOT
from ._values import clip, clip_text

__all__ = ["ENCODERS", "Encoder", "Finding", "envelope", "text_block"]

MOST_VIOLATIONS = 20
MOST_EXPECTED = 12
LONGEST_NAME = 200  # tool names, paths and details: the values inside them are already clipped

CAUTION = "This result may be unreliable; verify it before relying on it."


@dataclass(frozen=True, slots=True)
class Finding:
    """What an encoder is given: a call's violations, at least one, and what can be done about them."""

    tool: str
    violations: Sequence[Violation]
    recovery: Sequence[str]
    """Tools the agent can call, the flagged one first (`_recovery.recovery_actions`)."""
    source: str | None = None
    """Where the first violated clause comes from, as in `Clause.source`."""


Encoder = Callable[[Finding], Json]


def envelope(result: Json, receipt: Json) -> dict[str, Json]:
    """Put a receipt beside the raw result, which stays the very same object."""
    return {"tool_result": result, "outcome_contract": receipt}


def text_block(raw_text: str, receipt_text: str) -> str:
    """Append a receipt to a result that is text, as a paragraph of its own."""
    return f"{raw_text}\n\n{receipt_text}" if raw_text else receipt_text


def _v1(finding: Finding) -> Json:
    return {
        "status": "inconsistent",
        "violations": [
            {"code": _name(violation.code), "detail": _name(violation.detail)}
            for violation in finding.violations[:MOST_VIOLATIONS]
        ],
        "admissible_recovery_tools": _recovery(finding),
    }


def _v2(finding: Finding) -> Json:
    first = finding.violations[0]
    return {
        "status": "inconsistent",
        "violation": {
            "tool": _name(finding.tool),
            "property": _name(first.code),
            "path": _name(first.path),
            "expected": _expected(first.expected),
            "observed": clip(first.observed),
        },
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
    place = _name(first.path) if first.path != ROOT else "the result itself"
    return (
        "[OUTCOME CONTRACT ADVISORY]\n"
        f"The observed result from `{_name(finding.tool)}` is inconsistent with {invariant}.\n"
        f"Violation: {_name(first.code)} at `{place}`;"
        f" expected {_written(_expected(first.expected))}, observed {_written(clip(first.observed))}.\n"
        "This advisory is nonbinding. Treat the result as unreliable and verify or recover using the available"
        f" documented {recourse} and task context before relying on it. All actions remain available."
    )


ENCODERS: dict[str, Encoder] = {
    "v1": _v1,
    "v2": _v2,
    "generic": _generic,
    "stripped": _stripped,
    "text": _text,
}


def _name(text: str) -> str:
    return clip_text(text, LONGEST_NAME)


def _recovery(finding: Finding) -> list[str]:
    return [_name(tool) for tool in finding.recovery]


def _expected(value: Any) -> Json:
    """Return an expected value to be shown; a list of them says how many it leaves out."""
    if not isinstance(value, (list, tuple)):
        return clip(value)
    if len(value) <= MOST_EXPECTED:
        return [clip(item) for item in value]
    kept = value[: MOST_EXPECTED - 1]
    return [*(clip(item) for item in kept), f"and {len(value) - len(kept)} more"]


def _written(value: Json) -> str:
    # Quoted as in JSON, so that the words of a result cannot pass for words of the receipt.
    return json.dumps(value, ensure_ascii=False)


def _origin(source: str | None) -> tuple[str, str]:
    """Return what the result is inconsistent with, and what the public interface documents."""
    kind, _, file = (source or "").partition(":")
    if kind == "schema":
        return "its public response contract", "APIs"
    if kind == "database":
        return f"a known invariant of the {_database_name(file)} database", "tools"
    return "a known invariant of its clean results", "tools"


def _database_name(file: str) -> str:
    name = file.replace("\\", "/").rpartition("/")[2].partition(".")[0]
    return clip_text(name) or "public"
