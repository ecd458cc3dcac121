"""What people decided about clauses, kept by the clause's identity (`identity`), so that it outlives the next mining.

    accept    looked at and found right: `lint` and `prune` leave it alone
    mute      it does not fire, however often it is mined again; for good, or until a time
    pin       it stays as it was when it was pinned, although new traces would change or drop it

A note can stand beside any of them, or by itself. What was said of single results stands beside them (`feedback`): a clause that was
called wrong in two tasks is not told of. `overrides_file` reads and writes all of it.
"""

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from outcome_monitors.model import Clause, Contract, Json

from .feedback import Feedback
from .identity import about, identify
from .names import address_of, name_of
from .owners import fields_of, most_like, shape_name
from .registry import Registry, in_order
from .shapes import Shape
from .silence import ClauseDecision, Silence, news_hash, seconds_of

__all__ = ["DECISIONS", "Override", "Overrides", "news_hash", "seconds_of"]

DECISIONS = ("accept", "mute", "pin")


@dataclass(frozen=True, slots=True)
class Override:
    """What was decided about one clause."""

    tool: str
    """The tool, or the name of the shape (`owners`)."""
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

    @property
    def plain(self) -> ClauseDecision:
        """The decision without what the clause is about."""
        return ClauseDecision(self.tool, self.address, self.decision, self.until, self.note, self.accepted)

    def mutes(self, now: float) -> bool:
        """Say whether the clause is muted at a time, in seconds since 1970."""
        return self.plain.mutes(now)


@dataclass(frozen=True, slots=True)
class Overrides:
    """All decisions, by the name of the clause."""

    entries: Mapping[str, Override] = field(default_factory=dict)
    feedback: tuple[Feedback, ...] = ()

    @classmethod
    def load(cls, path: str | Path) -> "Overrides":
        """Read an overrides file; raise ContractError, naming the field, where it cannot be used."""
        from .overrides_file import load  # noqa: PLC0415 - it reads into this class

        return load(path)

    def save(self, path: str | Path) -> None:
        """Write the file, whole or not at all."""
        from .overrides_file import save  # noqa: PLC0415 - as above

        save(self, path)

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

    def decided(self, override: Override) -> "Overrides":
        """Return the same decisions with one more, or with another one about the same clause."""
        return replace(self, entries={**self.entries, override.id: override})

    def undone(self, name: str) -> "Overrides":
        """Return the same decisions without that on a clause."""
        return replace(self, entries={key: entry for key, entry in self.entries.items() if key != name})

    def told(self, said: Feedback) -> "Overrides":
        """Return the same with what was said of a result; the last word on one counts."""
        others = (one for one in self.feedback if one.result != said.result)
        return replace(self, feedback=(*others, said))

    @property
    def silence(self) -> Silence:
        """What of it says that agents are not told."""
        return Silence({name: entry.plain for name, entry in self.entries.items()}, self.feedback)

    def silences(self, name: str, now: float) -> str:
        """Say why agents are not told of a clause: it is `muted`, or was `called wrong` too often; nothing where they are."""
        return self.silence.silences(name, now)

    def doubts(self, name: str) -> int:
        """Return in how many tasks a clause was called wrong."""
        return self.silence.doubts(name)

    def on(self, registry: Registry) -> "Overrides":
        """Return the same decisions, those on shapes about the shapes that they have become in these contracts."""
        moved = [(entry, _moved(entry, registry)) for entry in self.in_order()]
        # Where two shapes have become one, what was decided on that very one counts.
        moved.sort(key=lambda pair: pair[0] is pair[1])
        return replace(self, entries={now.id: now for _, now in moved})

    def pinned(self, registry: Registry) -> Registry:
        """Return contracts with what is pinned; what is muted stays, for who heeds it while results come."""
        kept = {name: entry for name, entry in self.entries.items() if entry.pinned is not None}
        return replace(self, entries=kept).apply(registry) if kept else registry

    def apply(self, registry: Registry) -> Registry:
        """Return contracts without what is muted and with what is pinned; applied twice it is as applied once."""
        decided = self.on(registry)
        now = time.time()
        muted = frozenset(name for name, entry in decided.entries.items() if entry.mutes(now))
        pins: dict[str, list[Clause]] = {}
        for entry in decided.in_order():
            if entry.pinned is not None:
                pins.setdefault(entry.tool, []).append(entry.pinned)

        def kept(owner: str, mined: Collection[Clause]) -> tuple[Clause, ...]:
            return in_order(_kept(owner, mined, muted, pins.get(owner, [])))

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
            {tool: Contract(tool, kept(tool, mined.get(tool, ()))) for tool in tools},
            registry.profile,
            [replace(shape, clauses=kept(shape_name(shape.fields), shape.clauses)) for shape in shapes],
        )


def _moved(entry: Override, registry: Registry) -> Override:
    fields = fields_of(entry.tool)
    become = most_like(fields, registry.shapes) if fields is not None else None
    return entry if become is None or become == fields else replace(entry, tool=shape_name(become))


def _kept(
    tool: str, mined: Collection[Clause], muted: Collection[str], pinned: Collection[Clause]
) -> list[Clause]:
    """Return what is not muted; a pinned clause takes the place of the same one from the same source."""
    replaced = {(identify(tool, clause), clause.source) for clause in pinned}
    names = ((identify(tool, clause), clause) for clause in mined)
    kept = [clause for name, clause in names if name not in muted and (name, clause.source) not in replaced]
    return [*kept, *pinned]
