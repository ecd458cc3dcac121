"""What people do not want told, as plain data: who only looks at decisions need not load a single rule.

`Overrides` asks here too, so that there is one answer to whether a clause is told of.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from outcome_monitors.model import Json
from outcome_monitors.values.hashing import stable_hash

from .feedback import TASKS_IN_DOUBT, Feedback, doubted
from .names import address_of, name_of, short_address

__all__ = ["ClauseDecision", "Silence", "news_hash", "read_silence", "seconds_of"]


class ClauseDecision(NamedTuple):
    """What was decided about one clause."""

    tool: str
    address: str
    decision: str = ""
    until: str = ""
    note: str = ""
    accepted: tuple[str, ...] = ()

    def mutes(self, now: float) -> bool:
        """Say whether the clause is muted at a time, in seconds since 1970."""
        return self.decision == "mute" and (not self.until or now < seconds_of(self.until))


@dataclass(frozen=True, slots=True)
class Silence:
    """The decisions by the clause's id, and what was said of results."""

    decisions: Mapping[str, ClauseDecision] = field(default_factory=dict)
    feedback: tuple[Feedback, ...] = ()

    def silences(self, name: str, now: float) -> str:
        """Say why agents are not told of a clause: it is `muted`, or was `called wrong` too often; nothing where they are."""
        entry = self.decisions.get(name)
        if entry is not None and entry.mutes(now):
            return "muted"
        trusted = entry is not None and entry.decision in ("accept", "pin")
        return "called wrong" if not trusted and self.doubts(name) >= TASKS_IN_DOUBT else ""

    def doubts(self, name: str) -> int:
        """Return in how many tasks a clause was called wrong."""
        return len(doubted(self.feedback).get(name, ()))

    def knows(self, address: str, news: str) -> bool:
        """Say whether what is new at a clause was decided on: it was accepted, or the clause is muted."""
        entry = next((entry for entry in self.decisions.values() if entry.address == address), None)
        return entry is not None and (entry.decision == "mute" or news_hash(news) in entry.accepted)

    def silent(self, tool: str, now: float) -> list[dict[str, Json]]:
        """Return the clauses of a tool that agents are not told of, and why, by address."""
        named = dict(_called_wrong(self.feedback, tool))
        named |= {name: entry.address for name, entry in self.decisions.items() if entry.tool == tool}
        found: list[dict[str, Json]] = []
        for name, address in named.items():
            why, entry = self.silences(name, now), self.decisions.get(name)
            if why:
                more = {"until": entry.until, "reason": entry.note} if entry is not None else {}
                found.append({"clause": short_address(address), "why": why, **more})
        return sorted(found, key=lambda one: str(one["clause"]))


def read_silence(file: Path) -> Silence:
    """Read an overrides file as far as it says what is silent; raise ValueError, KeyError or TypeError where it is none."""
    document = json.loads(file.read_bytes())
    decisions = {}
    for body in document["clauses"]:
        name = name_of(body["tool"], body["kind"], body["path"], body["about"])
        decisions[name] = ClauseDecision(
            body["tool"],
            address_of(body["tool"], body["path"], body["kind"], name),
            body["decision"],
            body.get("until", ""),
            body["note"],
            tuple(body.get("accepted", ())),
        )
    said = (Feedback.from_json(one, f"{file}: feedback") for one in document.get("feedback", ()))
    return Silence(decisions, tuple(said))


def seconds_of(moment: str) -> float:
    """Return a time as seconds since 1970; one without an offset is in UTC."""
    found = datetime.fromisoformat(moment)
    return (found if found.tzinfo is not None else found.replace(tzinfo=UTC)).timestamp()


def news_hash(news: str) -> str:
    """Return what is kept of something new that was accepted."""
    return f"{stable_hash(news):016x}"


def _called_wrong(feedback: Iterable[Feedback], tool: str) -> Iterable[tuple[str, str]]:
    return ((name.rpartition("#")[2], name) for one in feedback if one.tool == tool for name in one.clauses)
