"""What calling a tool does beside answering: nothing, something once, or something each time.

The one place that answers it. Who says so counts: an annotation before the HTTP method, that before what someone declares, that
before what traces show, that before the name. Where nobody does, nothing is known: it may write, and a receipt asks to verify
before calling again.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from outcome_monitors.model import Call
from outcome_monitors.values.verbs import described_as_read, may_write, named_action

from .tools import Tool

__all__ = ["Effect", "action", "effect", "effects", "named_effect", "strongest", "writes_in_traces"]

READ_METHODS = frozenset(("GET", "HEAD", "OPTIONS"))
REPEATABLE_METHODS = frozenset(("PUT", "DELETE"))
ENOUGH = 2
"""Times that a read must have changed across a call before the call is taken for a write."""
SOURCES = ("annotation", "http method", "declared", "traces", "name")
"""Who says what a tool does, the one that counts most first."""
FOUND_OUT = frozenset(SOURCES) - {"declared"}
"""What the next build finds out again by itself."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What calling a tool does beside answering."""

    writes: bool
    idempotent: bool | None
    """Whether calling it again does nothing more; None where nobody says."""
    source: str
    """Who says so, one of `SOURCES`; any other word is that of a person, and counts as `declared`."""


def strongest(*said: Effect | None) -> Effect | None:
    """Return what counts of all that is said of a tool: the first of those whose source counts most."""
    return min((effect for effect in said if effect is not None), key=_rank, default=None)


def _rank(effect: Effect) -> int:
    return SOURCES.index(effect.source if effect.source in SOURCES else "declared")


def effect(tool: Tool, declared: Effect | None = None, traced: Collection[str] = ()) -> Effect | None:
    """Return what is known of calling a tool, and who says so."""
    again = tool.hints.get("idempotentHint")
    seen = Effect(writes=True, idempotent=again, source="traces") if tool.name in traced else None
    by_name = named_effect(tool.name, tool.about)
    if by_name is not None and by_name.writes:
        by_name = Effect(writes=True, idempotent=again, source="name")
    return strongest(_annotated(tool), _by_method(tool), declared, seen, by_name)


def _annotated(tool: Tool) -> Effect | None:
    hint, again = tool.hints.get("readOnlyHint"), tool.hints.get("idempotentHint")
    if hint is not None:
        return Effect(writes=not hint, idempotent=True if hint else again, source="annotation")
    if tool.hints.get("destructiveHint") is True:
        return Effect(writes=True, idempotent=again, source="annotation")
    return None


def _by_method(tool: Tool) -> Effect | None:
    if not tool.method:
        return None
    reads = tool.method in READ_METHODS
    return Effect(
        writes=not reads, idempotent=reads or tool.method in REPEATABLE_METHODS, source="http method"
    )


@lru_cache(maxsize=16384)
def named_effect(name: str, about: str = "") -> Effect | None:
    """Return what the name of a tool, and the first word of its description, tell of calling it."""
    if not may_write(name) or described_as_read(name, about):
        return _READS
    guesses = {named_action(name, about), named_action(name)}
    return _WRITES if guesses - {None, "read"} else None


_READS = Effect(writes=False, idempotent=True, source="name")
_WRITES = Effect(writes=True, idempotent=None, source="name")


def effects(
    tools: Iterable[Tool], declared: Mapping[str, Effect] | None = None, traced: Collection[str] = ()
) -> dict[str, Effect]:
    """Return what is known of each tool, and of those that are only declared."""
    known = dict(declared or {})
    found = {tool.name: effect(tool, known.get(tool.name), traced) for tool in tools}
    return {**known, **{name: told for name, told in found.items() if told is not None}}


def action(tool: Tool) -> str | None:
    """Return what a tool does to what it is about: `read`, `create`, `update`, `delete`, `send` or `run`."""
    if tool.hints.get("readOnlyHint") is True or tool.method in READ_METHODS:
        return "read"
    found = named_action(tool.name, tool.about)
    said_to_write = tool.hints.get("readOnlyHint") is False or bool(tool.method)
    return None if found == "read" and said_to_write else found


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
