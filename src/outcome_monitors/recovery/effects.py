"""What calling a tool does beside answering: nothing, something once, or something each time.

Who says so counts: an annotation before the HTTP method, that before what traces show, that before the name. Where nobody does,
nothing is known, and a receipt asks to verify before calling again.
"""

from collections.abc import Iterable, Mapping

from outcome_monitors.model import Call
from outcome_monitors.values.verbs import named_action

from .relations import Effect
from .tools import Tool

__all__ = ["action", "effect", "effects", "writes_in_traces"]

READ_METHODS = frozenset(("GET", "HEAD", "OPTIONS"))
REPEATABLE_METHODS = frozenset(("PUT", "DELETE"))
ENOUGH = 2
"""Times that a read must have changed across a call before the call is taken for a write."""


def action(tool: Tool) -> str | None:
    """Return what a tool does to what it is about: `read`, `create`, `update`, `delete`, `send` or `run`."""
    if tool.hints.get("readOnlyHint") is True or tool.method in READ_METHODS:
        return "read"
    found = named_action(tool.name, tool.about)
    said_to_write = tool.hints.get("readOnlyHint") is False or bool(tool.method)
    return None if found == "read" and said_to_write else found


def effect(tool: Tool, traced: Iterable[str] = ()) -> Effect | None:
    """Return what is known of calling a tool, and who says so."""
    hint, again = tool.hints.get("readOnlyHint"), tool.hints.get("idempotentHint")
    if hint is not None:
        return Effect(writes=not hint, idempotent=True if hint else again, source="annotation")
    if tool.hints.get("destructiveHint") is True:
        return Effect(writes=True, idempotent=again, source="annotation")
    if tool.method:
        reads = tool.method in READ_METHODS
        return Effect(
            writes=not reads, idempotent=reads or tool.method in REPEATABLE_METHODS, source="http method"
        )
    if tool.name in traced:
        return Effect(writes=True, idempotent=again, source="traces")
    done = named_action(tool.name, tool.about)
    if done is None:
        return None
    return Effect(writes=done != "read", idempotent=True if done == "read" else again, source="name")


def effects(tools: Iterable[Tool], traced: Iterable[str] = ()) -> dict[str, Effect]:
    """Return what is known of each tool."""
    seen = frozenset(traced)
    return {tool.name: found for tool in tools if (found := effect(tool, seen)) is not None}


def writes_in_traces(sessions: Iterable[list[Call]], reads: Mapping[str, bool]) -> set[str]:
    """Return the tools across which what a read says has changed, where nothing else could have changed it.

    `reads` says of a tool whether it is known to read.
    """
    changed: dict[str, int] = {}
    for calls in sessions:
        last: dict[str, tuple[int, object]] = {}
        for place, call in enumerate(calls):
            if not reads.get(call.tool) or call.error:
                continue
            key = f"{call.tool} {call.arguments!r}"
            if key in last and last[key][1] != call.result:
                between = {
                    other.tool for other in calls[last[key][0] + 1 : place] if not reads.get(other.tool)
                }
                if len(between) == 1:
                    [only] = between
                    changed[only] = changed.get(only, 0) + 1
            last[key] = (place, call.result)
    return {tool for tool, times in changed.items() if times >= ENOUGH}
