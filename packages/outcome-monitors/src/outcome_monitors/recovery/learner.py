"""Relations where nobody has built any: from the tools in sight and from traffic, made anew as more of both is seen.

Nothing of it happens on the way of a result: what takes time is done on a thread of its own, one at a time.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import islice
from typing import Any

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Call, Json

from .effects import effects
from .relations import Relations
from .tools import Tool, from_tools_list, needed, paging

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
LONGEST, LARGEST, DEEPEST = 200, 20, 6
"""What is kept of a result: characters of a text, items of a list or an object, levels."""
MOST_VALUES = 2000
"""Values that are kept of a result: a check must not wait for the copy of a tree of lists."""

History = Callable[[], Iterable[Call]]
"""Calls from before this process."""


class RelationLearner:
    """What is known of the tools in sight, and how it grows."""

    def __init__(
        self, given: Relations, publish: Callable[[Relations], None], history: History | None = None
    ) -> None:
        self._given, self._publish, self._history = given, publish, history
        self._known = given
        self._tools: dict[str, Tool] = {}
        self._calls: deque[Call] = deque(maxlen=MOST_CALLS)
        self._came, self._due = 0, FIRST
        """How many calls have come, and at how many relations are made next."""
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
            said = Relations(
                effects=effects(found.values()), needed=needed(found.values()), paging=paging(found.values())
            )
            # What a tool says of itself now counts before what it said.
            self._known = said.merge(self._known)
            self._publish(self._known)
            self._new = True
            if at_once:
                self._begin()

    def in_sight(self, names: Collection[str]) -> None:
        """Take the names of the tools that an agent can call."""
        try:
            new = [name for name in names if name not in self._tools]
            self._tools.update({name: Tool(name) for name in new})
            self._new = self._new or bool(new)
            if self._new:
                self._begin()
        except Exception:
            log.exception("the tools in sight could not be read; receipts offer what was known")

    def observe(self, tool: str, arguments: Mapping[str, Json], result: Json, run: str) -> None:
        """Take a call with a result that violates nothing."""
        try:
            left = [MOST_VALUES]
            self._calls.append(Call(tool, _excerpt(arguments, left), _excerpt(result, left), session=run))
            self._came += 1
            if self._came >= self._due or self._new:
                self._begin()
        except Exception:
            log.exception("nothing could be learned from a result of %r; it was checked", tool)

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
            from .mining import Sources, build  # noqa: PLC0415 - the run time imports no mining

            if self._history is not None:
                before, self._history = list(islice(self._history(), MOST_CALLS - len(self._calls))), None
                self._calls.extendleft(reversed(before))
            for _ in range(MOST_TIMES):
                self._new, tools = False, list(self._tools.values())
                if len(tools) > MOST_TOOLS:
                    built = Relations(effects=effects(tools), paging=paging(tools))
                else:
                    built = build(Sources(tools=tools, calls=[*self._calls], edits=self._given.edits))
                self._known = _over(self._given, built)
                self._publish(self._known)
                if not self._new:
                    break
        except Exception:
            log.exception("relations could not be made from what was seen; receipts offer what was known")


def _read(entry: Any) -> list[Tool]:
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
            paging=built.paging,
        )
    )


def _excerpt(value: Any, left: list[int], depth: int = 0) -> Any:
    """Return a small copy of a value so deep in the result; what is no JSON is left out, and of what is too much the end."""
    left[0] -= 1
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return value[:LONGEST]
    whole = depth < DEEPEST and left[0] > 0
    if isinstance(value, Mapping):
        some = islice(value.items(), LARGEST if depth else 4 * LARGEST) if whole else ()
        return {str(key): _excerpt(item, left, depth + 1) for key, item in some}
    if isinstance(value, list | tuple):
        return [_excerpt(item, left, depth + 1) for item in value[:LARGEST]] if whole else []
    return None
