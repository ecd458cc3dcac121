"""What calling a tool does beside answering: nothing, something once, or something each time.

The one place that answers it. Who says so counts: an annotation before the HTTP method, that before what someone declares, that
before what traces show, that before the description, that before the name. Where nobody does, a tool counts as one that writes:
a receipt does not offer it again, and asks to verify first.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from outcome_monitors.features.tool_names import described_as_read, may_write, named_action
from outcome_monitors.model import Call

if TYPE_CHECKING:
    # A mining of relations has them; a monitor does not.
    from .tools import Tool

READ_METHODS = frozenset(("GET", "HEAD", "OPTIONS"))
REPEATABLE_METHODS = frozenset(("PUT", "DELETE"))
ENOUGH = 2
"""Times that a read must have changed across a call before the call is taken for a write."""
SOURCES = ("annotation", "http method", "declared", "traces", "description", "name", "unknown")
"""Who says what a tool does, the one that counts most first. An OpenAPI document says it by its methods."""
FOUND_OUT = frozenset(SOURCES) - {"declared"}
"""What the next build finds out again by itself."""
_METHOD = re.compile(r"(GET|HEAD|OPTIONS|POST|PUT|PATCH|DELETE) /")


@dataclass(frozen=True, slots=True)
class Effect:
    """What calling a tool does beside answering."""

    writes: bool
    idempotent: bool | None
    """Whether calling it again does nothing more; None where nobody says."""
    source: str
    """Who says so, one of `SOURCES`; any other word is that of a person, and counts as `declared`."""

    @property
    def repeatable(self) -> bool:
        """Whether the same call may be made again: it reads, or someone says that a second time does nothing more."""
        return not self.writes or self.idempotent is True


UNKNOWN = Effect(writes=True, idempotent=None, source="unknown")
"""What a tool does of which nobody says anything."""


def strongest(*said: Effect | None) -> Effect | None:
    """Return what counts of all that is said of a tool: the first of those whose source counts most."""
    return min((effect for effect in said if effect is not None), key=_rank, default=None)


def _rank(effect: Effect) -> int:
    return SOURCES.index(effect.source if effect.source in SOURCES else "declared")


def effect(tool: "Tool", declared: Effect | None = None, traced: Collection[str] = ()) -> Effect | None:
    """Return what is known of calling a tool, and who says so; None where nobody does."""
    again = tool.hints.get("idempotentHint")
    seen = Effect(writes=True, idempotent=again, source="traces") if tool.name in traced else None
    by_name = named_effect(tool.name, tool.about)
    if by_name.writes and by_name.source == "name":
        by_name = Effect(writes=True, idempotent=again, source="name")
    said = strongest(_annotated(tool), _by_method(tool.method), declared, seen, by_name)
    return None if said is UNKNOWN else said


def _annotated(tool: "Tool") -> Effect | None:
    hint, again = tool.hints.get("readOnlyHint"), tool.hints.get("idempotentHint")
    destroys = tool.hints.get("destructiveHint") is True
    # A tool cannot only read and destroy: of two that contradict each other, the worse one counts.
    if hint is True and not destroys:
        return Effect(writes=False, idempotent=True, source="annotation")
    if hint is not None or destroys:
        return Effect(writes=True, idempotent=None if hint else again, source="annotation")
    return None


def _by_method(method: str) -> Effect | None:
    if not method:
        return None
    reads = method in READ_METHODS
    return Effect(writes=not reads, idempotent=reads or method in REPEATABLE_METHODS, source="http method")


@lru_cache(maxsize=16384)
def named_effect(name: str, about: str = "") -> Effect:
    """Return what the name of a tool, and the first sentence of its description, tell of calling it."""
    method = _METHOD.match(name)
    by_method = _by_method(method[1]) if method is not None else None
    if by_method is not None:
        return by_method
    if not may_write(name):
        return _READS
    if described_as_read(name, about):
        return _DESCRIBED
    guesses = {named_action(name, about), named_action(name)}
    return _WRITES if guesses - {None, "read"} else UNKNOWN


_READS = Effect(writes=False, idempotent=True, source="name")
_DESCRIBED = Effect(writes=False, idempotent=True, source="description")
_WRITES = Effect(writes=True, idempotent=None, source="name")


def effects(
    tools: "Iterable[Tool]", declared: Mapping[str, Effect] | None = None, traced: Collection[str] = ()
) -> dict[str, Effect]:
    """Return what is known of each tool, and of those that are only declared."""
    known = dict({} if declared is None else declared)
    found = {tool.name: effect(tool, known.get(tool.name), traced) for tool in tools}
    return {**known, **{name: told for name, told in found.items() if told is not None}}


def action(tool: "Tool") -> str | None:
    """Return what a tool does to what it is about: `read`, `create`, `update`, `delete`, `send` or `run`."""
    if tool.hints.get("readOnlyHint") is True or tool.method in READ_METHODS:
        return "read"
    found = named_action(tool.name, tool.about)
    said_to_write = tool.hints.get("readOnlyHint") is False or bool(tool.method)
    return None if found == "read" and said_to_write else found


def writes_in_traces(sessions: Iterable[list[Call]], reads: Mapping[str, bool]) -> set[str]:
    """Return the tools across which what a read says has changed, where nothing else could have changed it.

    `reads` says of a tool whether it is thought to read. One that is, and across which another changes each time and never
    otherwise, does not. A read that changes by itself, as the weather does, shows nothing.
    """
    asked = list(_repeated(sessions, reads))
    restless = {read for read, between, same in asked if not same and not between}
    steady = Counter(read for read, _, same in asked if same)
    changed: Counter[str] = Counter()
    kept: set[str] = set()
    for read, between, same in asked:
        writing = {tool for tool in between if not reads.get(tool)}
        suspects = writing or (between if steady[read] >= ENOUGH else set())
        if len(suspects) == 1 and read not in restless:
            changed.update(() if same else suspects)
            kept |= {tool for tool in suspects if same and reads.get(tool)}
    return {tool for tool, times in changed.items() if times >= ENOUGH and tool not in kept}


def _repeated(
    sessions: Iterable[Sequence[Call]], reads: Mapping[str, bool]
) -> Iterator[tuple[str, set[str], bool]]:
    """Yield each read that was asked the same before, what was called in between, and whether it says the same."""
    for calls in sessions:
        asked: dict[str, list[int]] = {}
        for place, call in enumerate(calls):
            if reads.get(call.tool) and not call.error:
                asked.setdefault(f"{call.tool} {call.arguments!r}", []).append(place)
        for before, after in (pair for places in asked.values() for pair in pairwise(places)):
            between = {call.tool for call in calls[before + 1 : after]} - {calls[after].tool}
            yield calls[after].tool, between, calls[before].result == calls[after].result
