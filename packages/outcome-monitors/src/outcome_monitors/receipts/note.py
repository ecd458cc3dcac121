"""`note`: one sentence behind the raw result, which models heed more than any object beside it; and the same as data.

The sentence names the doubtful field and lists the calls that can be made, the tool itself behind the others: of the forms that were
tried on a model, that one was acted on most, and the wrong value used least (docs/internals/evidence.md). It is heeded on right results just as
well, so a finding that is none too likely comes as data alone.
"""

from typing import Any

from outcome_monitors.model import Json
from outcome_monitors.recovery.actions import AGAIN, FEWER
from outcome_monitors.recovery.arguments import arguments_for
from outcome_monitors.recovery.relations import Effect, Relation
from outcome_monitors.values.display import clip

from .carriers import NOTE
from .finding import LONGEST_PLACE, MOST_EXPECTED, Finding, expected, first_violation, name, place, quoted

__all__ = ["LEAST_ODDS", "NOTE", "note"]

LEAST_ODDS = 1.0
"""Below these odds that a result is wrong there is no sentence."""

_PLAIN = frozenset((str, int, float, bool))


def note(finding: Finding) -> Json:
    """Return the sentence with the data; the data alone where the odds are low."""
    actions = [
        {"tool": name(action.tool), "arguments": _arguments(action, finding), "why": name(action.why)}
        for action in finding.actions
    ]
    data = {
        "status": "inconsistent",
        "violation": first_violation(finding) | ({"clause": name(finding.clause)} if finding.clause else {}),
        "retry": _retry(finding.effect),
        "admissible_recovery_actions": actions,
    }
    sure = finding.odds is None or finding.odds >= LEAST_ODDS
    return {NOTE: _sentence(finding, actions), **data} if sure else data


def _sentence(finding: Finding, actions: list[dict[str, Json]]) -> str:
    """Say what is doubtful, and what can be called."""
    first = finding.violations[0]
    where = place(first.path) or "the result itself"
    should, is_ = quoted(expected(first.expected)), quoted(clip(first.observed))
    told = f"This result is inconsistent ({where}: expected {should}, observed {is_})."
    pairs = sorted(zip(finding.actions, actions, strict=True), key=lambda pair: pair[0].tool == finding.tool)
    calls = dict.fromkeys(_call(action, shown, finding) for action, shown in pairs)
    return f"{told} Calls that can be made now: {', '.join(calls)}." if calls else told


def _call(action: Relation, shown: dict[str, Json], finding: Finding) -> str:
    """Write a call: with its arguments where they are known, else with the names of those that it needs."""
    if shown["arguments"] is not None:
        given = [f"{_argument(key)}={quoted(value)}" for key, value in shown["arguments"].items()]
    else:
        given = [_argument(key) for key in finding.needed.get(action.tool, ())]
    return f"{shown['tool']}({', '.join(given)})" if given else str(shown["tool"])


def _argument(key: str) -> str:
    """Return the name of an argument; one that could be read as prose stands in quotes."""
    return key if key.isidentifier() and len(key) <= LONGEST_PLACE else quoted(clip(key))


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
        made = {key: value for key, value in finding.arguments.items() if key in action.arguments}
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
