"""Receipts: what the agent is told of a result that breaks its contract.

The forms and texts are those printed in the paper's section "Prompts and Receipt Texts", key for key; `v3` is our own. They
state what was found and order nothing; the raw result always stands beside them, unaltered.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from outcome_monitors.model import Json, Violation
from outcome_monitors.recovery.actions import AGAIN, FEWER
from outcome_monitors.recovery.arguments import arguments_for
from outcome_monitors.recovery.relations import Effect, Relation
from outcome_monitors.values.display import clip, clip_text
from outcome_monitors.values.paths import ROOT

__all__ = ["ENCODERS", "Encoder", "Finding", "envelope", "text_block"]

MOST_VIOLATIONS = 20
MOST_EXPECTED = 12
LONGEST_NAME = 200  # tool names, paths and details: the values inside them are already clipped

_PLAIN = frozenset((str, int, float, bool))

CAUTION = "This result may be unreliable; verify it before relying on it."


@dataclass(frozen=True, slots=True)
class Finding:
    """What an encoder is given: a call's violations, at least one, and what can be done about them."""

    tool: str
    violations: Sequence[Violation]
    recovery: Sequence[str]
    """Tools the agent can call, the flagged one first where it is listed (`recovery.actions`)."""
    source: str | None = None
    """Where the first violated clause comes from, as in `Clause.source`."""
    actions: Sequence[Relation] = ()
    """The tools of `recovery`, each with the reason it is listed and how it is called."""
    effect: Effect | None = None
    """What calling the tool does beside answering, where that is known."""
    arguments: Mapping[str, Json] = field(default_factory=dict)
    """What the tool was called with."""
    result: Json = None


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
    return {
        "status": "inconsistent",
        "violation": _first(finding),
        "admissible_recovery_tools": _recovery(finding),
    }


def _v3(finding: Finding) -> Json:
    return {
        "status": "inconsistent",
        "violation": _first(finding),
        "retry": _retry(finding.effect),
        "admissible_recovery_actions": [
            {
                "tool": _name(action.tool),
                "arguments": _arguments(action, finding),
                "why": _name(action.why),
            }
            for action in finding.actions
        ],
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
    "v3": _v3,
    "generic": _generic,
    "stripped": _stripped,
    "text": _text,
}


def _first(finding: Finding) -> dict[str, Json]:
    first = finding.violations[0]
    return {
        "tool": _name(finding.tool),
        "property": _name(first.code),
        "path": _name(first.path),
        "expected": _expected(first.expected),
        "observed": clip(first.observed),
    }


def _name(text: str) -> str:
    return clip_text(text, LONGEST_NAME)


def _recovery(finding: Finding) -> list[str]:
    return [_name(tool) for tool in finding.recovery]


def _retry(effect: Effect | None) -> str:
    """Say whether calling the tool again is safe."""
    if effect is None or effect.source == "unknown":
        return "verify before retry: it is not known what calling it twice does"
    if not effect.writes:
        return "safe: it only reads"
    if effect.idempotent:
        return "verify before retry: it writes, though calling it again changes nothing more"
    return "do not call it again: it writes; see first whether it took effect"


def _arguments(action: Relation, finding: Finding) -> Json:
    """Return the arguments of an action; null where they are not known, or cannot be shown exactly as they are."""
    if action.source == AGAIN:
        made: Json = dict(finding.arguments)
    elif action.source == FEWER:
        made = {name: value for name, value in finding.arguments.items() if name in action.arguments}
    else:
        made = arguments_for(action.arguments, finding.arguments, finding.result)
    return made if made is not None and _shows(made, 0) else None


def _shows(value: Any, depth: int) -> bool:
    """Say whether a value is small and plain enough to stand in a receipt whole: a part of it would be another call."""
    if isinstance(value, dict):
        few = depth < 3 and len(value) <= MOST_EXPECTED
        return few and all(
            type(key) is str and clip(key) == key and _shows(item, depth + 1) for key, item in value.items()
        )
    if isinstance(value, list):
        return depth < 3 and len(value) <= MOST_EXPECTED and all(_shows(item, depth + 1) for item in value)
    return value is None or (type(value) in _PLAIN and clip(value) == value)


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
