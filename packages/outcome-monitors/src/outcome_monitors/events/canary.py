"""A version of the contracts that is tried beside the one for all: on a share of the conversations, or in shadow.

In shadow it looks at every result a second time, on a thread of its own and after the reply: what it would flag, and the version for
all does not, is an event that bears its number. Nobody is alerted of it. Where results come faster than that, some are passed over.
"""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from outcome_monitors.alerting.policy import alert_never
from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.checking.session import Session
from outcome_monitors.contracts.candidate import SHADOW, TriedVersion
from outcome_monitors.contracts.identity import name_clause
from outcome_monitors.model import Json, Outcome

from .event import FLAGGED, Event
from .sinks import MOST_WEIGHT, Background

if TYPE_CHECKING:
    from .watch import Conversation, Watch

__all__ = ["IN_SHADOW", "Canary"]

log = logging.getLogger("outcome_monitors")

IN_SHADOW = "a version in shadow"
"""Why nobody is alerted of what a version in shadow finds."""
WEIGHT = MOST_WEIGHT // 1000
"""At most 1,000 results wait to be looked at a second time: they are held whole."""
WITHIN = 0.5
"""Seconds that closing may take."""


class Canary:
    """A version that is tried, and the monitor of its contracts, which may be exchanged when other things become known."""

    def __init__(self, version: TriedVersion, monitor: Monitor, watch: "Watch") -> None:
        self.number = version.number
        self.monitor = monitor
        self.shadows = version.stage == SHADOW
        self._version, self._watch = version, watch
        self._sessions: WeakKeyDictionary[Conversation, Session] = WeakKeyDictionary()
        self._background = Background[Callable[[], None]](f"version {version.number} in shadow", self._run)

    def is_of(self, version: TriedVersion) -> bool:
        """Say whether it tries just that version, in the same way."""
        mine = self._version
        return (mine.number, mine.stage, mine.share) == (version.number, version.stage, version.share)

    def judges(self, name: str | None) -> bool:
        """Say whether it is this version that judges a conversation."""
        return self._version.judges(name)

    def look(
        self,
        conversation: "Conversation",
        tool: str,
        arguments: Mapping[str, Json],
        result: Json,
        tools: Collection[str] | None,
        when: float,
        first: Outcome,
    ) -> None:
        """Take a result to look at it later."""
        self._background.put(
            partial(self._look, conversation, tool, arguments, result, tools, when, first), WEIGHT
        )

    def skip(self, conversation: "Conversation", tool: str) -> None:
        """Take note of a call whose result is not checked: what was heard before it may no longer hold."""
        if self.shadows:
            self._background.put(lambda: self._session(conversation).skip(tool))

    def close(self) -> None:
        """End; what still waits is looked at as far as that is possible at once."""
        self._background.close(WITHIN)

    def _run(self, looks: Sequence[Callable[[], None]]) -> None:
        for look in looks:
            try:
                look()
            except Exception:
                log.exception("a result could not be looked at a second time")

    def _session(self, conversation: "Conversation") -> Session:
        session = self._sessions.get(conversation)
        if session is None:
            session = self._sessions[conversation] = self.monitor.session(conversation.name)
        session.monitor = self.monitor
        return session

    def _look(
        self,
        conversation: "Conversation",
        tool: str,
        arguments: Mapping[str, Json],
        result: Json,
        tools: Collection[str] | None,
        when: float,
        first: Outcome,
    ) -> None:
        outcome = self._session(conversation).judge(
            tool, arguments, result, tools, policies=alert_never, when=when
        )
        # What the first look has found as well is no news.
        known = {name_clause(tool, clause).id for clause, _ in first.broken}
        broken = [
            (name_clause(tool, clause), shown)
            for clause, shown in self._watch.payloads.redacted(outcome.broken)
        ]
        new = [(name, shown) for name, shown in broken if name.id not in known]
        if new:
            event = Event(
                when,
                conversation.name,
                tool,
                FLAGGED,
                tuple(one for _, one in new),
                duration=outcome.seconds,
                why=IN_SHADOW,
                clauses=tuple(name for name, _ in new),
                version=self.number,
            )
            self._watch.store(event)
