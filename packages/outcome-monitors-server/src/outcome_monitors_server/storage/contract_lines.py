"""Lines of contracts: those of the whole fleet, and beside them those for whoever has certain labels.

A line has versions, a candidate, decisions and trials of its own. What is the line's of some labels bears them in its name: a document
is `contracts.json?service=orders`, and rows that are counted by tool have the line before the tool. What holds for a process is, of
the lines whose labels it has, that of the most labels; of as many, that which names the service, then the environment, the server, the
agent. Two lines that name the same labels differ in a value, so that only one of them holds: there is always one answer.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from outcome_monitors.exceptions import StateError
from outcome_monitors.storage.labels import NO_LABELS, Labels
from outcome_monitors.storage.layout import CANDIDATE, CONTRACTS, OVERRIDES, TOOLS
from outcome_monitors.storage.tables import END

__all__ = ["composed", "in_force", "named_for", "row_prefix", "split"]

LONGEST_NAME = 1000
"""Bytes of labels in the name of a document, of which there is an index."""
LONGEST_PREFIX = 64
_WHO = ("tool", "kind", "path", "about")
"""What a decision is about."""

Bodies = Mapping[tuple[str, Labels], str]
"""Documents by name and line."""


def named_for(name: str, labels: Labels) -> str:
    """Return what a document of a line is called."""
    text = labels.text
    if len(text) > LONGEST_NAME:
        raise StateError(
            f"the labels are too long to have contracts or decisions of their own: {len(text)} bytes as an address has them, and {LONGEST_NAME} are possible"
        )
    return f"{name}?{text}" if text else name


def split(name: str) -> tuple[str, Labels]:
    """Return the file and the line that a document is of."""
    file, _, text = name.partition("?")
    return file, Labels.read(text)


def in_force(lines: Iterable[Labels], labels: Labels) -> list[Labels]:
    """Return the lines that hold for whoever has these labels, the most specific first."""
    return sorted((one for one in lines if one.hold_for(labels)), key=lambda one: one.rank, reverse=True)


def row_prefix(line: Labels) -> str:
    """Return what stands before the tool in a row of a line; nothing in those of the whole fleet."""
    text = line.text
    if len(text) > LONGEST_PREFIX:
        text = f"#{hashlib.sha256(text.encode()).hexdigest()[:32]}"
    return f"{text}{END}" if text else ""


def composed(bodies: Bodies, labels: Labels) -> tuple[Labels, dict[str, str]]:
    """Return the line whose contracts hold for whoever has these labels, and each document as it is for them."""
    line = next((one for one in _lines(bodies, CONTRACTS, labels)), NO_LABELS)
    found = {name: body for (name, whose), body in bodies.items() if whose == NO_LABELS and body}
    if TOOLS in found and labels.service:
        found[TOOLS] = _tools(found[TOOLS], labels.service)
    if (CONTRACTS, line) in bodies:
        found[CONTRACTS] = bodies[CONTRACTS, line]
    candidate = _candidate(bodies, line, labels)
    if candidate is not None:
        found[CANDIDATE] = candidate
    decided = [bodies[OVERRIDES, one] for one in reversed(_lines(bodies, OVERRIDES, labels))]
    if decided:
        found[OVERRIDES] = decided[0] if len(decided) == 1 else _decided(decided)
    return line, found


def _lines(bodies: Bodies, name: str, labels: Labels) -> list[Labels]:
    # A text that is empty was one: the line has gone back to what holds for others.
    return in_force((whose for (one, whose), body in bodies.items() if one == name and body), labels)


def _candidate(bodies: Bodies, line: Labels, labels: Labels) -> str | None:
    """Return what is tried: that of the line, or of one more specific that has no contracts for all yet."""
    base = bodies.get((CANDIDATE, line))
    for one in _lines(bodies, CANDIDATE, labels):
        if one == line or one.rank < line.rank:
            break
        tried = _object(bodies[CANDIDATE, one])
        if tried.get("candidate"):
            everyone = _object(base).get("all", {"number": None, "sha256": ""})
            return json.dumps({**tried, "all": everyone}) + "\n"
    return base


def _tools(text: str, service: str) -> str:
    """Return the tools as a service knows them: what it has listed itself, and what no service has."""
    body = _object(text)
    services = body.get("services")
    if not isinstance(services, dict) or not services:
        return text
    try:
        others = {tool["name"] for tools in services.values() for tool in tools}
        shared = [tool for tool in body["tools"] if tool["name"] not in others]
        return json.dumps({"tools": [*shared, *services.get(service, [])]})
    except (KeyError, TypeError):
        return text


def _decided(texts: Sequence[str]) -> str:
    """Return decisions of several lines, the most specific last, as one text: what it says of a clause counts."""
    clauses: dict[str, Any] = {}
    feedback: list[Any] = []
    newest: dict[str, Any] = {"version": 0}
    for text in texts:
        document = _object(text)
        try:
            for one in document["clauses"]:
                clauses[json.dumps([one[field] for field in _WHO], sort_keys=True)] = one
            feedback += document.get("feedback", [])
            newest = max(document, newest, key=lambda one: int(one["version"]))
        except (KeyError, TypeError, ValueError):
            # It is shown as it is: who reads it says what is wrong with it.
            return text
    said = {"feedback": feedback} if feedback else {}
    return json.dumps({**newest, "clauses": [*clauses.values()], **said}) + "\n"


def _object(text: str | None) -> dict[str, Any]:
    try:
        found = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
