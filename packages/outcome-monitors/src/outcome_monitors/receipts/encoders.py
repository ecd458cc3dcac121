"""Receipts: what the agent reads of a result that violates its contract.

The formats and texts here are those printed in the paper's section "Prompts and Receipt Texts", key for key; `note` is our own: one
sentence behind the raw result, which models heed more than any object beside it, and the same as data. The sentence names the doubtful
field and lists the calls that can be made, the tool itself behind the others: of the wordings that were tried on a model, that one was
acted on most, and the wrong value used least (docs/internals/evidence.md). It is heeded on correct results just as well, so an unlikely
finding comes as data alone.

Receipts state what was found and order nothing; values are cut to size, and quoted where they could pass for words of the receipt.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from outcome_monitors.contracts.identity import address
from outcome_monitors.jsonvalue.display import clip, clip_text
from outcome_monitors.jsonvalue.paths import ROOT
from outcome_monitors.model import Clause, Json, Violation
from outcome_monitors.recovery.arguments import arguments_for, complete
from outcome_monitors.recovery.effects import Effect
from outcome_monitors.recovery.relations import AGAIN, CHANGED, FEWER, Relation

KEY = "outcome_contract"
"""The key of a receipt beside a result."""
NOTE = "note"
"""The key of the sentence of a note; whatever carries a receipt as text gives this alone."""

MOST_VIOLATIONS = 20
MOST_EXPECTED = 12
LONGEST_NAME = 200  # tool names and details: the values inside them are already clipped
LONGEST_PLACE = 80
LONGEST_CALLS = 200
"""Characters of the calls that a sentence lists; the tool alone stands where its arguments are longer."""
LEAST_ODDS = 1.0
"""Below these odds that a result is wrong there is no sentence."""
CAUTION = "This result may be unreliable; verify it before relying on it."
_WORD = r"[\w.\[\]*@$:/#+-]+"
_PLACE = re.compile(rf"(?=.{{1,{LONGEST_PLACE}}}\Z){_WORD}(?: {_WORD}){{0,2}}\Z")
"""A place that cannot be taken for prose, which has more words; any other is quoted."""
_PLAIN = frozenset((str, int, float, bool))


@dataclass(frozen=True, slots=True)
class Finding:
    """What an encoder is given: a call's violations, at least one, and what can be done about them."""

    tool: str
    violations: Sequence[Violation]
    recovery: Sequence[str]
    """Tools the agent can call, the flagged one first where it is listed (`recovery.relations`)."""
    clause: Clause | None = None
    """The first violated clause."""
    actions: Sequence[Relation] = ()
    """The tools of `recovery`, each with the reason it is listed and how it is called."""
    effect: Effect | None = None
    """What calling the tool does beside answering, where that is known."""
    arguments: Mapping[str, Json] = field(default_factory=dict)
    """What the tool was called with."""
    result: Json = None
    odds: float | None = None
    """That the result is wrong, where that was weighed."""
    needed: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """The arguments that each tool needs, with their types, where they are known."""
    known: Mapping[str, Json] = field(default_factory=dict)
    """What the session has named (`recovery.arguments`)."""


def envelope(result: Json, receipt: Json) -> dict[str, Json]:
    """Put a receipt beside the raw result, which stays the very same object."""
    return {"tool_result": result, KEY: receipt}


Encoder = Callable[[Finding], Json]


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
        "violation": _first_violation(finding),
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
    invariant, recourse = _origin(finding.clause)
    where = _place(first.path) if first.path != ROOT else "the result itself"
    return (
        "[OUTCOME CONTRACT ADVISORY]\n"
        f"The observed result from `{_name(finding.tool)}` is inconsistent with {invariant}.\n"
        f"Violation: {_name(first.code)} at `{where}`;"
        f" expected {_quoted(_expected(first.expected))}, observed {_quoted(clip(first.observed))}.\n"
        "This advisory is nonbinding. Treat the result as unreliable and verify or recover using the available"
        f" documented {recourse} and task context before relying on it. All actions remain available."
    )


def _note(finding: Finding) -> Json:
    """Return the sentence with the data; the data alone where the odds are low."""
    actions = [
        {"tool": _name(action.tool), "arguments": _arguments(action, finding), "why": _name(action.why)}
        for action in finding.actions
    ]
    clause = finding.clause
    named = {} if clause is None else {"clause": _name(address(finding.tool, clause))}
    data = {
        "status": "inconsistent",
        "violation": _first_violation(finding) | named,
        "retry": _retry(finding.effect),
        "admissible_recovery_actions": actions,
    }
    sure = finding.odds is None or finding.odds >= LEAST_ODDS
    return {NOTE: _sentence(finding, actions), **data} if sure else data


def _sentence(finding: Finding, actions: list[dict[str, Json]]) -> str:
    """Say what is doubtful, and what can be called."""
    first = finding.violations[0]
    where = _place(first.path) or "the result itself"
    should, is_ = _quoted(_expected(first.expected)), _quoted(clip(first.observed))
    # What is said of an earlier result names tools alone: values of results stand in quotes.
    doubt = "This result is inconsistent" if first.about is None else "An earlier result is contradicted"
    found = where if first.about is None else _name(first.detail)
    sentence = f"{doubt} ({found}: expected {should}, observed {is_})."
    pairs = sorted(zip(finding.actions, actions, strict=True), key=lambda pair: pair[0].tool == finding.tool)
    listed = ""
    for action, shown in pairs:
        calls = (_call(action, shown, finding), str(shown["tool"]))
        longer = (f"{listed}, {call}" if listed else call for call in calls)
        listed = next((text for text in longer if len(text) <= LONGEST_CALLS), listed)
    return f"{sentence} Calls that can be made now: {listed}." if listed else sentence


def information(finding: Finding, *, as_text: bool) -> Json:
    """Return what the agent reads of a clean result that is cut: what shows it, and the call that gets the rest."""
    cut, action = finding.violations[0], finding.actions[0]
    arguments = _arguments(action, finding)
    call = _call(action, {"tool": _name(action.tool), "arguments": arguments}, finding)
    sentence = (
        f"This result is not the whole: {_place(cut.path) or 'it'} {_name(cut.detail)}. The rest: {call}."
    )
    if as_text:
        return sentence
    return {
        NOTE: sentence,
        "status": "incomplete",
        "path": _place(cut.path),
        "rest": {"tool": _name(action.tool), "arguments": arguments, "why": _name(action.why)},
    }


def _call(action: Relation, shown: dict[str, Json], finding: Finding) -> str:
    """Write a call: with its arguments where they are known, else with the names of those that it needs."""
    if shown["arguments"] is not None:
        given = [f"{_argument(key)}={_quoted(value)}" for key, value in shown["arguments"].items()]
    else:
        given = [_argument(key) for key in finding.needed.get(action.tool, ())]
    call = f"{shown['tool']}({', '.join(given)})" if given else str(shown["tool"])
    changed = next(iter(action.arguments), "") if action.source in (AGAIN, CHANGED) else ""
    if not changed:
        return call
    return (
        f"{call}, or with another {_argument(changed)}"
        if action.source == AGAIN
        else (f"{shown['tool']} with another {_argument(changed)}")
    )


def _argument(key: str) -> str:
    """Return the name of an argument; one that could be read as prose stands in quotes."""
    return key if key.isidentifier() and len(key) <= LONGEST_PLACE else _quoted(clip(key))


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
    if action.source == CHANGED:
        return None
    if action.source == AGAIN:
        made: Json = dict(finding.arguments)
    elif action.source == FEWER:
        made = {key: value for key, value in finding.arguments.items() if key in action.arguments}
    else:
        made = arguments_for(action.arguments, finding.arguments, finding.result)
        needed = finding.needed.get(action.tool)
        if needed is not None:
            made = complete(action.tool, made, needed, finding.arguments, finding.known)
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


ENCODERS: dict[str, Encoder] = {
    "note": _note,
    "v1": _v1,
    "v2": _v2,
    "generic": _generic,
    "stripped": _stripped,
    "text": _text,
}


def _recovery(finding: Finding) -> list[str]:
    return [_name(tool) for tool in finding.recovery]


def _origin(clause: Clause | None) -> tuple[str, str]:
    """Return what the result is inconsistent with, and what the public interface documents."""
    kind, _, file = ("" if clause is None else clause.source).partition(":")
    if kind == "schema":
        return "its public response contract", "APIs"
    if kind == "database":
        return f"a known invariant of the {_database_name(file)} database", "tools"
    return "a known invariant of its clean results", "tools"


def _database_name(file: str) -> str:
    name = file.replace("\\", "/").rpartition("/")[2].partition(".")[0]
    return clip_text(name) or "public"


def _first_violation(finding: Finding) -> dict[str, Json]:
    """Return the violation that explains most, as data."""
    first = finding.violations[0]
    violation: dict[str, Json] = {
        "tool": _name(finding.tool),
        "property": _name(first.code),
        "path": _place(first.path),
        "expected": _expected(first.expected),
        "observed": clip(first.observed),
    }
    return violation if first.about is None else {**violation, "about": first.about}


def _name(text: str) -> str:
    """Return a name, cut to size."""
    return clip_text(text, LONGEST_NAME)


def _place(path: str) -> str:
    """Return a path; one that could be read as prose, or is long, is cut and stands in quotes."""
    if path == ROOT or _PLACE.match(path):
        return path
    return _quoted(clip_text(path, LONGEST_PLACE))


def _expected(value: Any) -> Json:
    """Return an expected value to be shown; a list of them says how many it leaves out."""
    if not isinstance(value, (list, tuple)):
        return clip(value)
    if len(value) <= MOST_EXPECTED:
        return [clip(item) for item in value]
    kept = value[: MOST_EXPECTED - 1]
    return [*(clip(item) for item in kept), f"and {len(value) - len(kept)} more"]


def _quoted(value: Json) -> str:
    """Write a value as JSON does, so that the words of a result cannot pass for words of the receipt."""
    return json.dumps(value, ensure_ascii=False)
