"""SARIF 2.1.0, the form that code scanners read (docs.oasis-open.org/sarif/sarif/v2.1.0)."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import quote

from outcome_monitors.model import Json, Violation
from outcome_monitors.rules import KINDS
from outcome_monitors.traces.reader import Skipped

from ._check_traces import Checked, CheckTally
from ._evidence_words import bracketed, closest, held
from ._output import printable

__all__ = ["PACKAGE", "SCHEMA", "as_sarif", "location"]

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
PACKAGE = "outcome-monitors"


def as_sarif(results: Iterable[Checked], tally: CheckTally) -> Iterator[str]:
    """Write one log: a rule for each violation code, a result for each violation, a notification for what was not checked."""
    from importlib.metadata import version  # noqa: PLC0415 - slow to import, and no other format needs it

    rules: dict[str, int] = {}
    found: list[Json] = []
    notes: list[Json] = []
    for checked in results:
        found.extend(
            _result(checked, violation, rules.setdefault(violation.code, len(rules)))
            for violation in checked.outcome.violations
        )
        if checked.failure:
            message = f"{checked.located.call.tool}: could not be checked: {checked.failure}"
            notes.append(_note("error", message, checked.located.file, checked.located.line))
    notes.extend(_skipped(line) for line in tally.skipped)
    run = {
        "tool": {
            "driver": {"name": PACKAGE, "version": version(PACKAGE), "rules": [_rule(code) for code in rules]}
        },
        "invocations": [
            {"executionSuccessful": not tally.could_not, "toolExecutionNotifications": notes},
        ],
        "results": found,
    }
    yield json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(code: str) -> Json:
    demand = next(
        (kind.__doc__ for kind in KINDS.values() if code in {kind.code, kind.traits.schema_code}), None
    )
    return {"id": code, "shortDescription": {"text": demand or code}}


def _result(checked: Checked, violation: Violation, rule: int) -> Json:
    file, line, call = checked.located
    behind = bracketed(held(violation), closest(violation))
    return {
        "ruleId": violation.code,
        "ruleIndex": rule,
        "level": "warning",
        "message": {"text": f"{printable(call.tool)}: {printable(violation.detail)}{behind}"},
        "locations": [location(file, line)],
        "properties": {
            "index": checked.position,
            "tool": call.tool,
            "task": call.task,
            "path": violation.path,
            "expected": violation.expected,
            "observed": violation.observed,
            "tasks": violation.tasks,
            "closest": violation.closest,
            "recovery": list(checked.outcome.recovery),
        },
    }


def _skipped(line: Skipped) -> Json:
    return _note("warning", f"line skipped: {line.why}", line.file, line.line)


def _note(level: str, text: str, file: str, line: int) -> Json:
    return {"level": level, "message": {"text": printable(text)}, "locations": [location(file, line)]}


def location(file: str, line: int) -> Json:
    """Return a line of a file as a log names it."""
    path = Path(file)
    uri = path.as_uri() if path.is_absolute() else quote(path.as_posix(), errors="surrogateescape")
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": line}}}
