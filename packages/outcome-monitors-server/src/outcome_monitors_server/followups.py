"""What agents did after an alert, read off events in the order in which they were recorded."""

from collections import Counter, OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from outcome_monitors.events import FLAGGED
from outcome_monitors.model import Json

AGAIN, LISTED, OTHER, NOTHING, UNKNOWN = "again", "listed", "other", "nothing", "unknown"
DEEDS: Mapping[str, str] = {
    AGAIN: "called the same tool again",
    LISTED: "called another tool that the receipt lists",
    OTHER: "called a tool that the receipt does not list",
    NOTHING: "made no further call in the session",
    UNKNOWN: "not known: the call belongs to no session",
}
"""What can follow an alert. An alert is followed by exactly one of them."""
MOST_OPEN = 65_536
"""Sessions whose last result was flagged that are remembered; of one not heard of for longest nothing more is expected."""


@dataclass(slots=True)
class Next:
    """What followed an alert: what the agent did, with which tool, and what became of that result."""

    deed: str = NOTHING
    tool: str = ""
    outcome: str = ""


@dataclass(slots=True)
class Followups:
    """Counts what agents did after a flagged result: those who were alerted, and those who saw the result alone."""

    counts: dict[bool, Counter[str]] = field(default_factory=lambda: {True: Counter(), False: Counter()})
    """By whether the agent was alerted: how many results each deed followed."""
    outcomes: Counter[tuple[bool, str, str]] = field(default_factory=Counter)
    """The same by deed and outcome of the next result."""
    _open: OrderedDict[str, tuple[str, bool, list[str], Next]] = field(default_factory=OrderedDict)
    """Of each session whose last result was flagged: the tool, whether the agent was alerted, and what the receipt lists."""

    def add(self, event: Mapping[str, Any]) -> Next | None:
        """Take the next event; for a flagged result return what will be known of what follows it."""
        session, tool, outcome = event["session"], event["tool"], event["outcome"]
        if session in self._open:
            flagged, told, listed, coming = self._open.pop(session)
            coming.deed = AGAIN if tool == flagged else LISTED if tool in listed else OTHER
            coming.tool, coming.outcome = tool, outcome
            self.counts[told][NOTHING] -= 1
            self.counts[told][coming.deed] += 1
            self.outcomes[told, coming.deed, outcome] += 1
        if outcome != FLAGGED:
            return None
        coming, told = Next(UNKNOWN if session is None else NOTHING), bool(event.get("told"))
        self.counts[told][coming.deed] += 1
        if session is not None:
            self._open[session] = tool, told, _listed(event.get("receipt")), coming
            if len(self._open) > MOST_OPEN:
                self._open.popitem(last=False)
        return coming


def _listed(receipt: Json) -> list[str]:
    """Return the tools that a receipt lists, whatever its form."""
    if not isinstance(receipt, dict):
        return []
    tools, actions = (
        receipt.get(name) for name in ("admissible_recovery_tools", "admissible_recovery_actions")
    )
    named = tools if isinstance(tools, list) else actions if isinstance(actions, list) else []
    found = (one.get("tool") if isinstance(one, dict) else one for one in named)
    return [one for one in found if isinstance(one, str)]
