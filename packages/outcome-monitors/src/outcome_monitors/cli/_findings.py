"""What `lint`, `drift` and `prune` write for programs: JSON, SARIF for code scanners, JUnit for build servers."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from outcome_monitors.model import Json

from ._junit import as_suite
from ._output import printable
from ._sarif import PACKAGE, SCHEMA, location

__all__ = ["MACHINE", "FileFinding", "Findings"]


@dataclass(frozen=True, slots=True)
class FileFinding:
    """One thing found."""

    rule: str
    tool: str
    id: str
    """The clause; empty where it is about the tool."""
    message: str
    line: int = 1
    """Where the clause stands in the contract file."""
    more: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Findings:
    """All that a command found."""

    command: str
    file: str
    """The contract file."""
    rules: Mapping[str, str]
    """Each rule, in a sentence."""
    tools: tuple[str, ...]
    """All tools that were looked at."""
    found: tuple[FileFinding, ...]
    document: Json
    """All that JSON has to say."""
    skipped: Mapping[str, str] = field(default_factory=dict)
    """Tools that could not be looked at, and why."""


def _as_json(findings: Findings) -> str:
    return json.dumps(findings.document, indent=2) + "\n"


def _as_sarif(findings: Findings) -> str:
    from importlib.metadata import version  # noqa: PLC0415 - slow to import, and no other format needs it

    ids = list(findings.rules)
    rules = [{"id": rule, "shortDescription": {"text": text}} for rule, text in findings.rules.items()]
    run = {
        "tool": {"driver": {"name": PACKAGE, "version": version(PACKAGE), "rules": rules}},
        "invocations": [{"executionSuccessful": True}],
        "results": [
            {
                "ruleId": found.rule,
                "ruleIndex": ids.index(found.rule),
                "level": "warning",
                "message": {"text": printable(f"{found.tool}: {found.message}")},
                "locations": [location(findings.file, found.line)],
                "properties": {"tool": found.tool, "clause": found.id, **found.more},
            }
            for found in findings.found
        ],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _as_junit(findings: Findings) -> str:
    return as_suite(findings.command, _by_tool(findings.tools, findings.found), findings.skipped)


def _by_tool(tools: Iterable[str], found: Iterable[FileFinding]) -> dict[str, list[tuple[str, str]]]:
    failures: dict[str, list[tuple[str, str]]] = {tool: [] for tool in tools}
    for finding in found:
        named = f"{finding.message} [{finding.id}]" if finding.id else finding.message
        failures.setdefault(finding.tool, []).append((finding.rule, named))
    return failures


MACHINE: Mapping[str, Callable[[Findings], str]] = {
    "json": _as_json,
    "sarif": _as_sarif,
    "junit": _as_junit,
}
