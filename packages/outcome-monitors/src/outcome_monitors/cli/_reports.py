"""What build tools read: SARIF 2.1.0 (docs.oasis-open.org/sarif/sarif/v2.1.0) and JUnit XML, of `check` and of commands on contract files."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote
from xml.etree import ElementTree as ET

from outcome_monitors.contracts.identity import identify
from outcome_monitors.contracts.registry import Registry, owned
from outcome_monitors.model import Json
from outcome_monitors.storage.address import shown
from outcome_monitors.storage.layout import CONTRACTS
from outcome_monitors.storage.opening import file_in

from ._output import printable

__all__ = ["MACHINE", "FileFinding", "Findings", "Result", "as_junit", "as_sarif", "note"]

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
PACKAGE = "outcome-monitors"
MOST_FAILURES = 50
"""Failures of one tool that JUnit lists: build servers show them all."""

_DECODER = json.JSONDecoder()
# What opens a shape in a contract file; its name (`contracts.shapes`) is written as its fields are there.
_SHAPE = re.compile(r'\{"fields": (\[.*?\]), "tools": \d+, "clauses": \[')

MACHINE = ("json", "sarif", "junit")
"""Formats of `Findings`."""


class Result(NamedTuple):
    """One thing found, on a line of a file."""

    rule: str
    message: str
    file: str
    line: int
    properties: Mapping[str, Json]


def as_sarif(
    rules: Mapping[str, str],
    results: Iterable[Result],
    notes: Sequence[Json] | None = None,
    *,
    successful: bool = True,
) -> str:
    """Return one SARIF log; `rules` has a sentence for each rule, `notes` say what was not checked."""
    ids = list(rules)
    invocation: dict[str, Json] = {"executionSuccessful": successful}
    if notes is not None:
        invocation["toolExecutionNotifications"] = list(notes)
    described = [{"id": rule, "shortDescription": {"text": text}} for rule, text in rules.items()]
    run = {
        "tool": {"driver": {"name": PACKAGE, "version": version(PACKAGE), "rules": described}},
        "invocations": [invocation],
        "results": [
            {
                "ruleId": result.rule,
                "ruleIndex": ids.index(result.rule),
                "level": "warning",
                "message": {"text": printable(result.message)},
                "locations": [_location(result.file, result.line)],
                "properties": dict(result.properties),
            }
            for result in results
        ],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def note(level: str, text: str, file: str, line: int) -> Json:
    """Return a notification on a line of a file."""
    return {"level": level, "message": {"text": printable(text)}, "locations": [_location(file, line)]}


def _location(file: str, line: int) -> Json:
    path = Path(file)
    uri = path.as_uri() if path.is_absolute() else quote(path.as_posix(), errors="surrogateescape")
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": line}}}


def as_junit(name: str, tools: Mapping[str, Sequence[tuple[str, str]]], skipped: Mapping[str, str]) -> str:
    """Return one suite: a test for each tool with its failures (a rule and a message); `skipped` says why a tool was not tested."""
    root = ET.Element("testsuites")
    suite = ET.SubElement(
        root,
        "testsuite",
        name=f"outcome-monitors {name}",
        tests=str(len(tools) + len(skipped)),
        failures=str(sum(map(bool, tools.values()))),
        errors="0",
        skipped=str(len(skipped)),
    )
    for tool in (*tools, *skipped):
        case = ET.SubElement(suite, "testcase", classname=name, name=printable(tool))
        if failures := tools.get(tool):
            rule, message = failures[0]
            more = f" (and {len(failures) - 1} more)" if len(failures) > 1 else ""
            failure = ET.SubElement(case, "failure", type=rule, message=printable(message) + more)
            failure.text = "\n".join(f"{kind}: {printable(text)}" for kind, text in failures[:MOST_FAILURES])
        elif tool in skipped:
            ET.SubElement(case, "skipped", message=skipped[tool])
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


class FileFinding(NamedTuple):
    """One thing found in a contract file."""

    rule: str
    tool: str
    id: str
    """The clause; empty where it is about the tool."""
    message: str
    properties: Mapping[str, Json] = {}


@dataclass(frozen=True, slots=True)
class Findings:
    """All that `lint`, `drift` or `prune` found."""

    command: str
    file: str
    """The contract file."""
    registry: Registry
    rules: Mapping[str, str]
    """Each rule, in a sentence."""
    tools: Sequence[str]
    """All tools that were looked at."""
    found: Sequence[FileFinding]
    document: Json
    """All that JSON has to say."""
    lines: Sequence[str]
    """All that people read."""
    skipped: Mapping[str, str] = field(default_factory=dict)
    """Tools that could not be looked at, and why."""

    def written(self, form: str) -> str:
        """Return them as text, or in one of the formats of `MACHINE`."""
        if form == "text":
            return "".join(f"{printable(line)}\n" for line in self.lines)
        if form == "json":
            return json.dumps(self.document, indent=2) + "\n"
        if form == "sarif":
            lines = _clause_lines(self.file, self.registry)
            return as_sarif(self.rules, (self._result(found, lines) for found in self.found))
        failures: dict[str, list[tuple[str, str]]] = {tool: [] for tool in self.tools}
        for found in self.found:
            named = f"{found.message} [{found.id}]" if found.id else found.message
            failures.setdefault(found.tool, []).append((found.rule, named))
        return as_junit(self.command, failures, self.skipped)

    def _result(self, found: FileFinding, lines: Mapping[str, int]) -> Result:
        properties = {"tool": found.tool, "clause": found.id, **found.properties}
        message = f"{found.tool}: {found.message}"
        return Result(found.rule, message, shown(self.file), lines.get(found.id, 1), properties)


def _clause_lines(name: str, registry: Registry) -> Mapping[str, int]:
    """Return the line of each clause by its id; none where the file doesn't have a clause a line."""
    lines: dict[tuple[str, str, str], int] = {}
    owner = ""
    text = file_in(name, CONTRACTS).read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        body = _decoded(line.lstrip())
        if isinstance(body, str):
            owner = body
        elif shape := _SHAPE.match(line):
            owner = f"shape {shape[1]}"
        elif isinstance(body, dict) and isinstance(body.get("kind"), str):
            lines.setdefault((owner, body["kind"], str(body.get("path"))), number)
    return {
        identify(tool, clause): lines.get((tool, clause.kind, clause.path), 1)
        for tool, clauses in owned(registry).items()
        for clause in clauses
    }


def _decoded(line: str) -> Any:
    try:
        return _DECODER.raw_decode(line)[0]
    except (ValueError, RecursionError):
        return None
