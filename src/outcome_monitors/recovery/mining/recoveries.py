"""What runs did after a call failed or was flagged, and went on: another tool, asked with the same values."""

from collections import defaultdict
from collections.abc import Callable, Iterable

from outcome_monitors.model import Call

from .steps import CallStep

__all__ = ["failed", "recoveries"]

SOON = 3
"""Calls within which the other tool must follow."""


def failed(call: Call) -> bool:
    """Say whether a call failed openly, or came back with a receipt."""
    return call.error or (
        isinstance(call.result, dict) and {"tool_result", "outcome_contract"} <= call.result.keys()
    )


def recoveries(
    sessions: Iterable[list[Call]], flagged: Callable[[Call], bool]
) -> dict[tuple[str, str], list[tuple[CallStep, CallStep]]]:
    """Return, for each tool and the one called after it failed, the pairs of calls, one a run at most."""
    found: defaultdict[tuple[str, str], list[tuple[CallStep, CallStep]]] = defaultdict(list)
    for calls in sessions:
        seen: set[tuple[str, str]] = set()
        for place, call in enumerate(calls):
            if not (failed(call) or flagged(call)):
                continue
            for later in range(place + 1, min(place + 1 + SOON, len(calls) - 1)):
                other = calls[later]
                key = (call.tool, other.tool)
                if other.tool == call.tool or key in seen or failed(other) or flagged(other):
                    continue
                one, step = (CallStep((each.tool,), each.arguments, None) for each in (call, other))
                if one.keys and step.keys and (one.keys <= step.about or step.keys <= one.about):
                    found[key].append((one, step))
                    seen.add(key)
    return dict(found)
