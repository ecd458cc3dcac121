"""What people decided about clauses, kept by the clause's identity (`identity`), so that it outlives the next mining.

The file is JSON, versioned, canonical, a line a clause. It is data, and is refused where it cannot be used.

    accept    reviewed and found right: `lint` skips it
    mute      it does not fire, however often it is mined again; for good, or until a time
    pin       it stays as it was when it was pinned, although new traces would change or drop it

A note can stand beside any of them, or by itself. What was said of single results stands beside them (`feedback`): a clause that was
called wrong in two tasks is suppressed.
"""

import json
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from outcome_monitors.exceptions import ContractError
from outcome_monitors.files import read_text, write_atomically
from outcome_monitors.jsonvalue.display import clip, clip_text
from outcome_monitors.jsonvalue.paths import parse
from outcome_monitors.jsonvalue.text import stable_hash
from outcome_monitors.jsonvalue.times import seconds_of
from outcome_monitors.model import Clause, Contract, Json
from outcome_monitors.rules import KINDS, RETIRED, current_name, explain

from .feedback import TASKS_CALLED_WRONG, Feedback, called_wrong
from .identity import OF_ALL_CONTRACTS, about, address_of, name_of, names_of, short_address
from .registry import (
    FORMAT as CONTRACTS,
    Registry,
    check_fields,
    clause_json,
    from_document,
    in_order,
    parse_document,
    require,
    require_version,
)
from .shapes import Shape, fields_of, most_like, shape_name

FORMAT = "outcome-monitors/overrides"
VERSION = 2
"""A file in which no mute ends, nothing new is accepted and nothing is said of results is of version 1, as before."""
LARGEST_FILE = 64 * 2**20
LONGEST_NOTE = 2000
DECISIONS = ("accept", "mute", "pin")


@dataclass(frozen=True, slots=True)
class Override:
    """What was decided about one clause."""

    tool: str
    """The tool, or the name of the shape (`shapes`)."""
    kind: str
    path: str
    about: Mapping[str, Json]
    """The parameters that say what the clause is about; what it learned may be private, and is not kept."""
    decision: str = ""
    """One of `DECISIONS`, or nothing where there is a note alone."""
    note: str = ""
    pinned: Clause | None = None
    """The whole clause, where it is pinned."""
    until: str = ""
    """When a mute ends, as ISO 8601; empty where it does not."""
    accepted: tuple[str, ...] = ()
    """Hashes of what is new in results and was accepted; the new thing itself may be private."""
    rejected: tuple[str, ...] = ()
    """The same of what is new and was called a fault."""

    @classmethod
    def of(cls, tool: str, clause: Clause, decision: str = "", note: str = "") -> "Override":
        """Decide on a clause as it stands."""
        pinned = clause if decision == "pin" else None
        return cls(tool, clause.kind, clause.path, about(clause), decision, note, pinned)

    @property
    def id(self) -> str:
        """The name of the clause."""
        return name_of(self.tool, self.kind, self.path, self.about)

    @property
    def address(self) -> str:
        """Where the clause is (`identity.address`)."""
        return address_of(self.tool, self.path, self.kind, self.id)

    def mutes(self, now: float) -> bool:
        """Say whether the clause is muted at a time, in seconds since 1970."""
        return self.decision == "mute" and (not self.until or now < seconds_of(self.until))


@dataclass(frozen=True, slots=True)
class Overrides:
    """All decisions, by the name of the clause."""

    entries: Mapping[str, Override] = field(default_factory=dict)
    feedback: tuple[Feedback, ...] = ()

    @classmethod
    def load(cls, path: str | Path) -> "Overrides":
        """Read an overrides file; raise ContractError, naming the field, where it cannot be used."""
        return loads(read_text(Path(path), LARGEST_FILE, "overrides file"), str(path))

    def save(self, path: str | Path) -> None:
        """Write the file, whole or not at all."""
        write_atomically(path, dumps(self))

    def in_order(self) -> list[Override]:
        """Return the decisions by tool, kind and path."""
        return sorted(self.entries.values(), key=lambda entry: (entry.tool, entry.kind, entry.path, entry.id))

    def decision(self, name: str) -> str:
        """Return what was decided about a clause; nothing where nothing was."""
        entry = self.entries.get(name)
        return entry.decision if entry is not None else ""

    def named(self, *decisions: str) -> frozenset[str]:
        """Return the clauses about which one of these was decided."""
        return frozenset(name for name, entry in self.entries.items() if entry.decision in decisions)

    def muted(self) -> frozenset[str]:
        """Return the clauses that are muted now."""
        now = time.time()
        return frozenset(name for name, entry in self.entries.items() if entry.mutes(now))

    def decided(self, override: Override) -> "Overrides":
        """Return the same decisions with one more, or with another one about the same clause."""
        return replace(self, entries={**self.entries, override.id: override})

    def undone(self, name: str) -> "Overrides":
        """Return the same decisions without that on a clause."""
        return replace(self, entries={key: entry for key, entry in self.entries.items() if key != name})

    def with_feedback(self, said: Feedback) -> "Overrides":
        """Return the same with what was said of a result; the last word on one counts."""
        others = (one for one in self.feedback if one.result != said.result)
        return replace(self, feedback=(*others, said))

    def suppression(self, name: str, now: float) -> str:
        """Say why alerts of a clause are suppressed: it is `muted`, or was `called wrong` too often; nothing where they are not."""
        entry = self.entries.get(name)
        if entry is not None and entry.mutes(now):
            return "muted"
        trusted = entry is not None and entry.decision in ("accept", "pin")
        return "called wrong" if not trusted and self.tasks_called_wrong(name) >= TASKS_CALLED_WRONG else ""

    def tasks_called_wrong(self, name: str) -> int:
        """Return in how many tasks a clause was called wrong."""
        return len(called_wrong(self.feedback).get(name, ()))

    def knows(self, address: str, novel_value: str) -> bool:
        """Say whether what is new at a clause was decided on: it was accepted, or the clause is muted."""
        entry = next((entry for entry in self.entries.values() if entry.address == address), None)
        return entry is not None and (
            entry.decision == "mute" or novelty_hash(novel_value) in (*entry.accepted, *entry.rejected)
        )

    def suppressed(self, tool: str, now: float) -> list[dict[str, Json]]:
        """Return the clauses of a tool whose alerts are suppressed, and why, by address."""
        named = {
            name.rpartition("#")[2]: name for one in self.feedback if one.tool == tool for name in one.clauses
        }
        named |= {name: entry.address for name, entry in self.entries.items() if entry.tool == tool}
        found: list[dict[str, Json]] = []
        for name, address in named.items():
            why, entry = self.suppression(name, now), self.entries.get(name)
            if why:
                more = {"until": entry.until, "reason": entry.note} if entry is not None else {}
                found.append({"clause": short_address(address), "why": why, **more})
        return sorted(found, key=lambda one: str(one["clause"]))

    def on(self, registry: Registry) -> "Overrides":
        """Return the same decisions, those on shapes about the shapes that they have become in these contracts."""
        moved = [(entry, _moved(entry, registry)) for entry in self.in_order()]
        # Where two shapes have become one, what was decided on that very one counts.
        moved.sort(key=lambda pair: pair[0] is pair[1])
        return replace(self, entries={now.id: now for _, now in moved})

    def pinned(self, registry: Registry) -> Registry:
        """Return contracts with what is pinned; what is muted stays, for who heeds it while results come."""
        remaining = {name: entry for name, entry in self.entries.items() if entry.pinned is not None}
        return replace(self, entries=remaining).apply(registry) if remaining else registry

    def apply(self, registry: Registry) -> Registry:
        """Return contracts without what is muted and with what is pinned; applied twice it is as applied once."""
        decided = self.on(registry)
        muted = decided.muted()
        pins: dict[str, list[Clause]] = {}
        for entry in decided.in_order():
            if entry.pinned is not None:
                pins.setdefault(entry.tool, []).append(entry.pinned)

        def remaining(owner: str, mined: Collection[Clause]) -> tuple[Clause, ...]:
            return in_order(_remaining(owner, mined, muted, pins.get(owner, [])))

        mined = {tool: contract.clauses for tool, contract in registry.contracts.items()}
        pinned = {owner: fields for owner in pins if (fields := fields_of(owner)) is not None}
        tools = sorted({*mined, *pins} - {*pinned})
        there = {shape.fields for shape in registry.shapes}
        shapes = [
            *registry.shapes,
            # A pinned clause stays also where its shape is in no tool any more.
            *(Shape(fields, 0, ()) for _, fields in sorted(pinned.items()) if fields not in there),
        ]
        return Registry(
            {tool: Contract(tool, remaining(tool, mined.get(tool, ()))) for tool in tools},
            registry.profile,
            [replace(shape, clauses=remaining(shape_name(shape.fields), shape.clauses)) for shape in shapes],
        )


def _moved(entry: Override, registry: Registry) -> Override:
    fields = fields_of(entry.tool)
    become = most_like(fields, registry.shapes) if fields is not None else None
    return entry if become is None or become == fields else replace(entry, tool=shape_name(become))


def _remaining(
    tool: str, mined: Collection[Clause], muted: Collection[str], pinned: Collection[Clause]
) -> list[Clause]:
    """Return what is not muted; a pinned clause takes the place of the same one from the same source."""
    replaced = {(name, clause.source) for clause in pinned for name in names_of(tool, clause)[:1]}
    remaining = [
        clause
        for clause in mined
        if not any(name in muted or (name, clause.source) in replaced for name in names_of(tool, clause))
    ]
    return [*remaining, *pinned]


def novelty_hash(novel_value: str) -> str:
    """Return what is kept of something new that was accepted."""
    return f"{stable_hash(novel_value):016x}"


_FIELDS: Mapping[str, type] = {
    "tool": str,
    "kind": str,
    "path": str,
    "about": dict,
    "decision": str,
    "note": str,
}
_OPTIONAL: Mapping[str, Json] = {"until": "", "accepted": [], "rejected": []}
_DERIVED = ("id", "words", "pinned")


def dumps(overrides: Overrides) -> str:
    """Return the canonical text."""
    entries = overrides.in_order()
    lines = ",".join(f"\n {json.dumps(_to_json(entry))}" for entry in entries)
    newer = bool(overrides.feedback) or any(
        entry.until or entry.accepted or entry.rejected for entry in entries
    )
    said = ",".join(f"\n {json.dumps(one.to_json())}" for one in overrides.feedback)
    more = f', "feedback": [{said}]' if overrides.feedback else ""
    return f'{{"format": "{FORMAT}", "version": {VERSION if newer else 1}, "clauses": [{lines}]{more}}}\n'


def loads(text: str, name: str = "overrides") -> Overrides:
    """Read the text of an overrides file; `name` is what errors call it."""
    document = parse_document(text, name, "an overrides file")
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ContractError(f'{name} is not an overrides file: it has no "format": "{FORMAT}"')
    require_version(document, VERSION, name)
    document = {"feedback": [], **document}
    check_fields(document, {"clauses": list, "feedback": list}, name)
    entries: dict[str, Override] = {}
    for index, body in enumerate(document["clauses"]):
        if isinstance(body, dict) and body.get("kind") in RETIRED:
            continue
        where = f"{name}: clause {index}"
        entry = _entry(body, where)
        require(
            entry.id not in entries, f"{where} is decided on twice (id {entry.id}); keep one of the lines"
        )
        entries[entry.id] = entry
    said = enumerate(document["feedback"])
    return Overrides(
        entries, tuple(Feedback.from_json(body, f"{name}: feedback {index}") for index, body in said)
    )


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
    if entry.rejected:
        body["rejected"] = list(entry.rejected)
    return body


def _entry(body: Any, where: str) -> Override:
    check_fields(body, _FIELDS, where)
    for name in body:
        known = name in _FIELDS or name in _OPTIONAL or name in _DERIVED
        require(known, f"{where} has no field {clip_text(name)!r}")
    optional = {name: body.get(name, default) for name, default in _OPTIONAL.items()}
    check_fields(optional, {name: type(default) for name, default in _OPTIONAL.items()}, where)
    for name in ("accepted", "rejected"):
        require(
            all(isinstance(one, str) for one in optional[name]), f"{where}: {name} must be a list of hashes"
        )
    body = {**body, "kind": current_name(body["kind"])}
    _refuse_unknown(body, where)
    _refuse_no_time(optional["until"], where)
    entry = Override(
        **{field: body[field] for field in _FIELDS},
        pinned=_pinned(body, where),
        until=optional["until"],
        accepted=tuple(optional["accepted"]),
        rejected=tuple(optional["rejected"]),
    )
    require(
        body.get("id", entry.id) == entry.id,
        f"{where}: id {clip(body.get('id'))!r} is that of another clause; leave it out, and it is worked out",
    )
    return entry


def _refuse_unknown(body: Mapping[str, Any], where: str) -> None:
    kind, decision = body["kind"], body["decision"]
    require(
        kind in KINDS or kind in OF_ALL_CONTRACTS,
        f"{where}: there is no rule kind {clip(kind)!r}; is the file from a newer release?",
    )
    require(
        not decision or decision in DECISIONS,
        f"{where}: decision cannot be {clip(decision)!r}; one of {', '.join(DECISIONS)}",
    )
    require(len(body["note"]) <= LONGEST_NOTE, f"{where}: note is longer than {LONGEST_NOTE} characters")
    identity = KINDS[kind].identity if kind in KINDS else ()
    former = KINDS[kind].former_identity if kind in KINDS else None
    wanted = ", ".join(identity) or "nothing"
    require(
        set(body["about"]) in (set(identity), None if former is None else set(former)),
        f"{where}: about must name {wanted} for kind {kind!r}",
    )
    try:
        parse(body["path"])
    except ValueError as error:
        raise ContractError(f"{where}: path {clip(str(error))}") from None


def _refuse_no_time(until: str, where: str) -> None:
    try:
        seconds_of(until or "2000-01-01")
    except (ValueError, OverflowError):
        raise ContractError(
            f"{where}: until is no time as in 2026-03-01T10:00:00Z: {clip(until)!r}"
        ) from None


def _pinned(body: Mapping[str, Any], where: str) -> Clause | None:
    require(
        (body["decision"] == "pin") == ("pinned" in body),
        f"{where}: a clause that is pinned, and no other, stands in the file as `pinned`",
    )
    if "pinned" not in body:
        return None
    tool = body["tool"]
    document = {"format": CONTRACTS, "version": 1, "tools": {tool: {"clauses": [body["pinned"]]}}}
    [clause] = from_document(document, where).contracts[tool].clauses
    named = Override(**{field: body[field] for field in _FIELDS}).id
    require(named in names_of(tool, clause), f"{where}: pinned holds another clause than the one decided on")
    return clause
