"""The rollout of each tool, as this process knows it: counts that wait to be written, and what others have written.

Whatever is wrong with the file, results are passed on: counts wait, a warning says so, and what was in force stays in force.
"""

import logging
import sqlite3
import threading
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Clause
from outcome_monitors.storage.sqlite import is_torn

from .rollout import (
    OBSERVING,
    MinedTool,
    ResultCounts,
    Thresholds,
    ToolRollout,
    Transition,
    clause_of,
    transition,
)
from .rollout_store import RolloutStore

log = logging.getLogger("outcome_monitors.mcp")

BETWEEN_WARNINGS = 60.0
MOST_WAITING = 1000
"""Clients and hours of a tool that are counted while nothing can be written."""
LONGEST_TOOL = 400
"""Characters of a name that an index of any database takes."""
_NOTHING: Mapping[str, Clause] = {}


class RolloutProgress:
    """The stages of tools and the clauses in force."""

    def __init__(self, store: RolloutStore, folder: Path, thresholds: Thresholds) -> None:
        self.tools: dict[str, ToolRollout] = {}
        self._store, self._folder, self._thresholds = store, folder, thresholds
        self._in_force: dict[str, dict[str, Clause]] = {}
        self._turn = -1
        self._waiting: dict[str, ResultCounts] = {}
        self._lines = 0
        self._lock = threading.Lock()
        self._warned = -BETWEEN_WARNINGS
        try:
            self._read()
        except Exception as error:  # noqa: BLE001 - whatever the file holds, the proxy starts
            self.trouble(error)

    def stage(self, tool: str) -> str:
        """Return the stage of a tool."""
        known = self.tools.get(tool)
        return known.stage if known is not None else OBSERVING

    def in_force(self, tool: str) -> Mapping[str, Clause]:
        """Return the clauses of a tool that were validated, by name, as they were then."""
        return self._in_force.get(tool, _NOTHING)

    def count(
        self, tool: str, client: str, hour: int, broken: Collection[str], alerted: Collection[str]
    ) -> None:
        """Count a result: whose it is, which clauses it breaks, and of which the agent was alerted, or would have been."""
        with self._lock:
            counts = self._waiting.setdefault(tool, ResultCounts())
            if len(counts.seen) >= MOST_WAITING and (client, hour) not in counts.seen:
                return
            counts.seen[client, hour] += 1
            counts.broken += bool(broken)
            counts.flagged.update(broken)
            counts.told[client, hour] += bool(alerted)
            counts.noise.update(alerted)

    def recorded(self, lines: int) -> None:
        """Count recorded calls."""
        with self._lock:
            self._lines += lines

    def update(self, mined: Mapping[str, MinedTool]) -> bool:
        """Write what was counted, and move what has enough evidence; say whether stages or clauses have changed."""
        new = {tool for tool in mined if self._is_new(tool, mined[tool])}
        if not (new or self._lines or self._waiting):
            return self._read()
        with self._writing() as counted:
            tools = {*counted, *new} & mined.keys()
            changes = {tool: change for tool in tools if (change := self._change(tool, mined[tool]))}
            if changes:
                self._store.apply(changes)
            return self._read()

    def save(self) -> None:
        """Write the counts that wait."""
        with self._writing():
            pass

    def due(self) -> bool:
        """Say whether it is time to mine, and note that it is being done."""
        return self._store.due(self._thresholds)

    def trouble(self, error: Exception) -> None:
        """Say that the state cannot be used just now; set it aside where it is torn."""
        if is_torn(error):
            try:
                aside = self._store.set_aside()
            except (OSError, sqlite3.Error) as worse:
                error = worse
            else:
                self._turn = -1
                if aside is not None:
                    log.warning(
                        "%s is torn (%r): it is now %s, and tools are tried anew", self._store, error, aside
                    )
                    return
        now = time.monotonic()
        if now - self._warned >= BETWEEN_WARNINGS:
            self._warned = now
            log.warning("nothing can be learned in %s just now: %s", self._folder, error)

    @contextmanager
    def _writing(self) -> Iterator[Collection[str]]:
        """Write the counts that wait, and what is done in a block, as one; give the tools that were counted.

        Where that cannot be done, the counts go on waiting, as far as there is room.
        """
        with self._lock:
            counts, self._waiting = self._waiting, {}
            lines, self._lines = self._lines, 0
        try:
            with self._store.together():
                self._store.recorded(lines)
                self._store.add(counts)
                yield counts.keys()
        except BaseException:
            with self._lock:
                self._lines += lines
                for tool, each in counts.items():
                    waiting = self._waiting.setdefault(tool, ResultCounts())
                    if len(waiting.seen) + len(each.seen) <= MOST_WAITING:
                        waiting.add(each)
            raise

    def _is_new(self, tool: str, mined: MinedTool) -> bool:
        """Say whether a tool's contract is another than that from which its clauses were last taken."""
        known = self.tools.get(tool)
        new = mined.tasks >= self._thresholds.tasks if known is None else known.contract != mined.key
        return new and _can_be_written(tool)

    def _change(self, tool: str, mined: MinedTool) -> Transition:
        texts = self._store.texts(tool) if self._is_new(tool, mined) else {}
        return transition(self._store.snapshot(tool), mined, texts, self._thresholds)

    def _read(self) -> bool:
        """Read what has changed, here or by another process; say whether something has."""
        turn = self._store.turn()
        if turn == self._turn:
            return False
        tools, in_force = self._store.read(), self._store.in_force()
        for tool, known in tools.items():
            if known.stage != self.stage(tool):
                log.info("%s: %s", tool, known.stage)
        self._in_force = _by_tool(in_force)
        self.tools, self._turn = tools, turn
        return True


def _can_be_written(tool: str) -> bool:
    """Say whether a name can be written: half a surrogate pair, say, cannot, and such a tool is observed for ever."""
    try:
        tool.encode()
    except UnicodeEncodeError:
        return False
    return "\x00" not in tool and len(tool) <= LONGEST_TOOL


def _by_tool(texts: Mapping[tuple[str, str], str]) -> dict[str, dict[str, Clause]]:
    found: dict[str, dict[str, Clause]] = {}
    for (tool, name), text in texts.items():
        try:
            found.setdefault(tool, {})[name] = clause_of(text)
        except (ValueError, KeyError, TypeError, OutcomeMonitorsError) as error:
            log.warning("a clause of %s in force cannot be read, and is not: %r", tool, error)
    return found
