"""Relations where nobody has built any: from the tools in sight and from traffic, made anew as more of both is seen.

Nothing of it happens on the way of a result: what takes time is done on a thread of its own, one at a time.
"""

import logging
import marshal
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import islice
from typing import Any, NamedTuple

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Call, Json
from outcome_monitors.recovery.effects import effects
from outcome_monitors.recovery.relations import Relations
from outcome_monitors.recovery.tools import Tool, from_tools_list, needed

__all__ = ["Renewal"]

log = logging.getLogger("outcome_monitors")

MOST_CALLS = 1500
"""The newest calls, of which relations are made."""
MOST_TOOLS = 1000
"""Tools among which substitutes and checks are looked for; of more, it is only known what calling them does."""
FIRST = 20
"""Calls after which relations are made for the first time; then each time as many have come as there had been."""
SELDOM = 20_000
"""So many calls are enough to make them anew, however many there had been."""
MOST_TIMES = 5
"""How often relations are made anew where tools come while they are made."""
EVERY_RUN, ONE_IN = 100, 8
"""Runs of which every call is kept, and how many of the later ones are."""
EVERY_CALL, STRETCH = 250, 50
"""Calls of a run that are kept; of a longer one, every eighth stretch of so many: calls next to each other are related."""
LONGEST, LARGEST, DEEPEST = 200, 20, 6
"""What is kept of a result: characters of a text, items of a list or an object, levels."""
MOST_VALUES = 2000
"""Values that are kept of a result: a check must not wait for the copy of a tree of lists."""
MOST_BYTES = 8192
"""Bytes of a call that are kept as they were written."""
_WHOLE = frozenset((bool, int, float, type(None)))

History = Callable[[], Iterable[Call]]
"""Calls from before this process."""


class _Kept(NamedTuple):
    """A call as it is kept: written down, which takes half as long as to copy it, or, where that is too long or cannot be done, a small copy."""

    tool: str
    run: str | None
    said: bytes | tuple[Json, Json]

    @property
    def call(self) -> Call:
        """The call, of which so much is read as a copy would have had."""
        said = self.said
        arguments, result = map(_cut, marshal.loads(said)) if isinstance(said, bytes) else said  # noqa: S302 - written by us
        return Call(self.tool, arguments, result, session=self.run)


class Renewal:
    """What is known of the tools in sight, and how it grows. No method raises."""

    def __init__(
        self, given: Relations, told: Callable[[Relations], None], history: History | None = None
    ) -> None:
        self._given, self._told, self._history = given, told, history
        self._known = given
        self._tools: dict[str, Tool] = {}
        self._calls: deque[_Kept] = deque(maxlen=MOST_CALLS)
        self._came, self._due = 0, FIRST
        """How many calls have come, and at how many relations are made next."""
        self._runs = 0
        self._new = False
        """There are tools that no relations were made of yet."""
        self._lock = threading.Lock()
        self.thread: threading.Thread | None = None
        """The thread that makes relations now, or did so last."""

    def listed(self, tools: Iterable[Any], *, at_once: bool) -> None:
        """Take tools as MCP's `tools/list` has them: what they say of themselves holds from now on.

        Relations are made `at_once`, or with the next result.
        """
        found = {tool.name: tool for entry in tools for tool in _read(entry)}
        if any(self._tools.get(name) != tool for name, tool in found.items()):
            self._tools.update(found)
            told = Relations(effects=effects(found.values()), needed=needed(found.values()))
            # What a tool says of itself now counts before what it said.
            self._known = told.merge(self._known)
            self._told(self._known)
            self._new = True
            if at_once:
                self._begin()

    def in_sight(self, names: Collection[str]) -> None:
        """Take the names of the tools that an agent can call."""
        new = [name for name in names if name not in self._tools]
        if new:
            self._tools.update({name: Tool(name) for name in new})
            self._new = True
        if self._new:
            self._begin()

    def run(self) -> bool:
        """Begin a run, and say whether its calls are wanted."""
        self._runs += 1
        return self._runs <= EVERY_RUN or self._runs % ONE_IN == 0

    def saw(self, tool: str, arguments: Mapping[str, Json], result: Json, run: str, number: int) -> None:
        """Take a call with a result that breaks nothing, the how manieth of its run; of a long run not every one is kept."""
        if number >= EVERY_CALL:
            stretch, place = divmod(number, ONE_IN * STRETCH)
            if place >= STRETCH:
                return
            run = f"{run} {stretch}"
        self._came += 1
        if self._due - self._came >= MOST_CALLS and not self._new:
            # So many come before relations are made again that nothing would be left of this one.
            return
        # What `_Kept` itself does takes thrice as long.
        self._calls.append(tuple.__new__(_Kept, (tool, run, _kept(arguments, result))))
        if self._came >= self._due or self._new:
            self._begin()

    def _begin(self) -> None:
        """Make relations, unless someone does so already."""
        with self._lock:
            if self.thread is not None and self.thread.is_alive():
                return
            self._due = self._came + min(max(self._came, FIRST), SELDOM)
            thread = threading.Thread(target=self._make, name="outcome-monitors relations", daemon=True)
            try:
                thread.start()
            except RuntimeError as error:
                log.warning("relations are not made anew: %s; receipts offer what was known", error)
                return
            self.thread = thread

    def _make(self) -> None:
        try:
            from outcome_monitors.recovery.mining import Sources, build  # noqa: PLC0415 - for those who never need it

            if self._history is not None:
                before, self._history = list(islice(self._history(), MOST_CALLS)), None
                kept = [
                    _Kept(call.tool, call.session, (call.arguments, call.result))
                    for call in before[: MOST_CALLS - len(self._calls)]
                ]
                self._calls.extendleft(reversed(kept))
            for _ in range(MOST_TIMES):
                self._new, tools = False, list(self._tools.values())
                if len(tools) > MOST_TOOLS:
                    built = Relations(effects=effects(tools))
                else:
                    calls = [kept.call for kept in [*self._calls]]
                    built = build(Sources(tools=tools, calls=calls, edits=self._given.edits))
                self._known = _over(self._given, built)
                self._told(self._known)
                if not self._new:
                    break
        except Exception:
            log.exception("relations could not be made from what was seen; receipts offer what was known")


def _read(entry: Any) -> "list[Tool]":
    try:
        return from_tools_list({"tools": [entry]}, "tools/list")
    except (OutcomeMonitorsError, RecursionError):
        return []


def _over(given: Relations, built: Relations) -> Relations:
    """Return both together; what was given of a tool stands, whatever else could be said of it."""
    known = {*given, *given.checks}
    return given.merge(
        Relations(
            {tool: found for tool, found in built.items() if tool not in known},
            checks={tool: found for tool, found in built.checks.items() if tool not in known},
            effects=built.effects,
            needed=built.needed,
        )
    )


def _kept(arguments: Mapping[str, Json], result: Json) -> bytes | tuple[Json, Json]:
    """Return what is kept of a call: nothing of the host's is held on to."""
    call: Any = (arguments, result)
    try:
        said = marshal.dumps(call)
        if len(said) <= MOST_BYTES:
            return said
    except ValueError:  # of a type that is no plain JSON
        pass
    return _cut(arguments), _cut(result)


def _cut(value: Json) -> Json:
    """Return a small copy.

    Most results are records of a dozen texts and numbers: they are copied as a whole, and only what is too long is replaced.
    """
    if type(value) is dict and len(value) <= 4 * LARGEST:
        kept = value.copy()
        for key, item in value.items():
            kind = type(item)
            if kind is str and type(key) is str:
                if len(item) > LONGEST:
                    kept[key] = item[:LONGEST]
            elif kind not in _WHOLE or type(key) is not str:
                break
        else:
            return kept
    return _Excerpt().of(value, 0)


class _Excerpt:
    """Copies one value, within bounds."""

    __slots__ = ("_left",)

    def __init__(self) -> None:
        self._left = MOST_VALUES

    def of(self, value: Any, depth: int) -> Json:
        """Return a copy of a value so deep in the result; what is no JSON is left out."""
        self._left -= 1
        if type(value) in _WHOLE:
            return value
        if isinstance(value, str):
            return value[:LONGEST]
        deep = depth >= DEEPEST or self._left <= 0
        if isinstance(value, Mapping):
            some = islice(value.items(), LARGEST if depth else 4 * LARGEST)
            return {} if deep else {str(key): self.of(item, depth + 1) for key, item in some}
        if isinstance(value, list | tuple):
            return [] if deep else [self.of(item, depth + 1) for item in value[:LARGEST]]
        return value if isinstance(value, bool | int | float) else None
