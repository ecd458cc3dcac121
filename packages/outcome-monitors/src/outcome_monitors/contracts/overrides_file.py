"""The overrides file: JSON, versioned, canonical, a line a clause. It is data, and is refused where it cannot be used."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from outcome_monitors.exceptions import ContractError, NewerContract
from outcome_monitors.model import Clause, Json
from outcome_monitors.rules import KINDS, RETIRED, explain
from outcome_monitors.values.display import clip, clip_text
from outcome_monitors.values.files import read_text, write_atomically
from outcome_monitors.values.paths import parse

from .feedback import Feedback
from .identity import OF_ALL_CONTRACTS, identify
from .overrides import DECISIONS, Override, Overrides, seconds_of
from .registry import FORMAT as CONTRACTS, Registry, clause_json

__all__ = ["FORMAT", "VERSION", "dumps", "load", "loads", "save"]

FORMAT = "outcome-monitors/overrides"
VERSION = 2
"""A file in which no mute ends, nothing new is accepted and nothing is said of results is of version 1, as before."""
LARGEST_FILE = 64 * 2**20
LONGEST_NOTE = 2000

_FIELDS: Mapping[str, type] = {
    "tool": str,
    "kind": str,
    "path": str,
    "about": dict,
    "decision": str,
    "note": str,
}
_OPTIONAL = ("id", "words", "pinned", "until", "accepted")


def load(path: str | Path) -> Overrides:
    """Read an overrides file; raise ContractError, naming the field, where it cannot be used."""
    return loads(read_text(Path(path), LARGEST_FILE, "overrides file"), str(path))


def save(overrides: Overrides, path: str | Path) -> None:
    """Write the file, whole or not at all."""
    write_atomically(path, dumps(overrides))


def dumps(overrides: Overrides) -> str:
    """Return the canonical text."""
    entries = overrides.in_order()
    lines = ",".join(f"\n {json.dumps(_to_json(entry))}" for entry in entries)
    newer = bool(overrides.feedback) or any(entry.until or entry.accepted for entry in entries)
    said = ",".join(f"\n {json.dumps(one.to_json())}" for one in overrides.feedback)
    more = f', "feedback": [{said}]' if overrides.feedback else ""
    return f'{{"format": "{FORMAT}", "version": {VERSION if newer else 1}, "clauses": [{lines}]{more}}}\n'


def loads(text: str, name: str = "overrides") -> Overrides:
    """Read the text of an overrides file; `name` is what errors call it."""
    try:
        document = json.loads(text)
    except RecursionError:
        raise ContractError(f"{name} is nested too deeply to be an overrides file") from None
    except ValueError as error:
        raise ContractError(f"{name} is not JSON: {error}") from None
    entries: dict[str, Override] = {}
    for index, body in enumerate(_bodies(document, name)):
        if isinstance(body, dict) and body.get("kind") in RETIRED:
            continue
        where = f"{name}: clause {index}"
        entry = _entry(body, where)
        if entry.id in entries:
            raise ContractError(f"{where} is decided on twice (id {entry.id}); keep one of the lines")
        entries[entry.id] = entry
    return Overrides(entries, _feedback(document, name))


def _feedback(document: Mapping[str, Any], name: str) -> tuple[Feedback, ...]:
    said = document.get("feedback", [])
    if not isinstance(said, list):
        raise ContractError(f"{name}: feedback must be a list, not {clip(said)!r}")
    return tuple(Feedback.from_json(body, f"{name}: feedback {index}") for index, body in enumerate(said))


def _to_json(entry: Override) -> Json:
    body: dict[str, Json] = {
        "id": entry.id,
        **{field: getattr(entry, field) for field in _FIELDS},
        "about": dict(entry.about),
    }
    if entry.pinned is not None:
        body |= {"words": explain(entry.pinned), "pinned": clause_json(entry.pinned)}
    if entry.until:
        body["until"] = entry.until
    if entry.accepted:
        body["accepted"] = list(entry.accepted)
    return body


def _bodies(document: Any, name: str) -> list[Any]:
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ContractError(f'{name} is not an overrides file: it has no "format": "{FORMAT}"')
    version = document.get("version")
    if type(version) is not int or version < 1:
        raise ContractError(f"{name}: version cannot be {clip(version)!r}")
    if version > VERSION:
        raise NewerContract(
            f"{name} is of version {version}, and this release reads up to {VERSION}: pip install -U outcome-monitors"
        )
    bodies = document.get("clauses")
    if not isinstance(bodies, list):
        raise ContractError(f"{name}: clauses must be a list, not {clip(bodies)!r}")
    return bodies


def _entry(body: Any, where: str) -> Override:
    if not isinstance(body, dict):
        raise ContractError(f"{where} must be an object, not {clip(body)!r}")
    for field, python in _FIELDS.items():
        if type(body.get(field)) is not python:
            found = f"cannot be {clip(body[field])!r}" if field in body else "is missing"
            raise ContractError(f"{where}: {field} {found}")
    for field in body:
        if field not in _FIELDS and field not in _OPTIONAL:
            raise ContractError(f"{where} has no field {clip_text(field)!r}")
    _refuse_unknown(body, where)
    entry = Override(
        **{field: body[field] for field in _FIELDS},
        pinned=_pinned(body, where),
        until=_until(body, where),
        accepted=_accepted(body, where),
    )
    if body.get("id", entry.id) != entry.id:
        raise ContractError(
            f"{where}: id {clip(body['id'])!r} is that of another clause; leave it out, and it is worked out"
        )
    return entry


def _refuse_unknown(body: Mapping[str, Any], where: str) -> None:
    kind, decision = body["kind"], body["decision"]
    if kind not in KINDS and kind not in OF_ALL_CONTRACTS:
        raise ContractError(
            f"{where}: there is no rule kind {clip(kind)!r}; is the file from a newer release?"
        )
    if decision and decision not in DECISIONS:
        raise ContractError(f"{where}: decision cannot be {clip(decision)!r}; one of {', '.join(DECISIONS)}")
    if len(body["note"]) > LONGEST_NOTE:
        raise ContractError(f"{where}: note is longer than {LONGEST_NOTE} characters")
    identity = KINDS[kind].identity if kind in KINDS else ()
    if set(body["about"]) != set(identity):
        wanted = ", ".join(identity) or "nothing"
        raise ContractError(f"{where}: about must name {wanted} for kind {kind!r}")
    try:
        parse(body["path"])
    except ValueError as error:
        raise ContractError(f"{where}: path {clip(str(error))}") from None


def _until(body: Mapping[str, Any], where: str) -> str:
    until = body.get("until", "")
    if not isinstance(until, str):
        raise ContractError(f"{where}: until cannot be {clip(until)!r}")
    try:
        seconds_of(until or "2000-01-01")
    except (ValueError, OverflowError):
        raise ContractError(
            f"{where}: until is no time as in 2026-03-01T10:00:00Z: {clip(until)!r}"
        ) from None
    return until


def _accepted(body: Mapping[str, Any], where: str) -> tuple[str, ...]:
    accepted = body.get("accepted", [])
    if not isinstance(accepted, list) or not all(isinstance(one, str) for one in accepted):
        raise ContractError(f"{where}: accepted must be a list of hashes")
    return tuple(accepted)


def _pinned(body: Mapping[str, Any], where: str) -> Clause | None:
    if (body["decision"] == "pin") != ("pinned" in body):
        raise ContractError(f"{where}: a clause that is pinned, and no other, stands in the file as `pinned`")
    if "pinned" not in body:
        return None
    tool = body["tool"]
    document = {"format": CONTRACTS, "version": 1, "tools": {tool: {"clauses": [body["pinned"]]}}}
    [clause] = Registry.loads(json.dumps(document), where).contracts[tool].clauses
    named = Override(**{field: body[field] for field in _FIELDS}).id
    if identify(tool, clause) != named:
        raise ContractError(f"{where}: pinned holds another clause than the one decided on")
    return clause
