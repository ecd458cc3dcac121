"""How far each tool has come, as this process knows it: counts that wait to be written, and what others have written.

Whatever is wrong with the file, results are passed on: counts wait, a warning says so, and what was in force stays in force.
"""

import logging
import sqlite3
import threading
import time
from collections.abc import Collection, Hashable, Mapping
from pathlib import Path

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Clause
from outcome_monitors.values.database_files import is_torn, storable

from .stage_store import Stages
from .stages import OBSERVING, StageTrial, Thresholds
from .tallies import Batch, Moves
from .trials import MinedTool, clause_of, moves_of

__all__ = ["StageProgress"]

log = logging.getLogger("outcome_monitors.proxy")

BETWEEN_WARNINGS = 60.0
MOST_WAITING = 10_000
"""Clients and hours that are counted while nothing can be written; beyond that what waits is given up."""
LONGEST_CLIENT, LONGEST_TOOL = 200, 400
"""Characters of names that an index of any database takes; clients that begin alike are one witness then."""
_NOTHING: Mapping[str, Clause] = {}


class StageProgress:
    """The stages of tools and the clauses in force."""

    def __init__(self, stages: Stages, folder: Path, thresholds: Thresholds) -> None:
        self.trials: dict[str, StageTrial] = {}
        self._stages, self._folder, self._thresholds = stages, folder, thresholds
        self._in_force: dict[str, dict[str, Clause]] = {}
        self._turn: Hashable = -1
        self._waiting, self._lines = Batch(), 0
        self._saved = Batch(), 0
        """What was written last."""
        self._lock = threading.Lock()
        self._warned = -BETWEEN_WARNINGS
        try:
            self._read()
        except Exception as error:  # noqa: BLE001 - whatever the file holds, the proxy starts
            self.trouble(error)

    def stage(self, tool: str) -> str:
        """Return the stage of a tool."""
        trial = self.trials.get(tool)
        return trial.stage if trial is not None else OBSERVING

    def in_force(self, tool: str) -> Mapping[str, Clause]:
        """Return the clauses of a tool that have passed a trial, by name, as they were then."""
        return self._in_force.get(tool, _NOTHING)

    def saw(self, tool: str, client: str, hour: int, broken: Collection[str], told: Collection[str]) -> None:
        """Count a result: whose it is, which clauses it breaks, and of which the agent was told, or would have been."""
        client = storable(client)[:LONGEST_CLIENT]
        with self._lock:
            seen = self._waiting.seen
            if len(seen) >= MOST_WAITING and (tool, client, hour) not in seen:
                return
            seen[tool, client, hour] += 1
            self._waiting.broken[tool] += bool(broken)
            self._waiting.flagged.update((tool, name) for name in broken)
            self._waiting.told[tool] += bool(told)
            self._waiting.noise.update((tool, name) for name in told)

    def recorded(self, lines: int) -> None:
        """Count recorded calls."""
        with self._lock:
            self._lines += lines

    def moved(self, mined: Mapping[str, MinedTool]) -> bool:
        """Write what was counted, and move what has enough evidence; say whether stages or clauses have changed."""
        new = {tool for tool in mined if self._is_new(tool, mined[tool])}
        if not (new or self._lines or self._waiting.seen):
            return self._read()
        self._saved = Batch(), 0
        try:
            with self._stages.together():
                return self._move({*self.save(), *new}, mined)
        except BaseException:
            if self._stages.one:
                self._give_back(*self._saved)
            raise

    def _move(self, tools: Collection[str], mined: Mapping[str, MinedTool]) -> bool:
        moves = {tool: move for tool in tools if tool in mined and (move := self._moves(tool, mined[tool]))}
        if moves:
            self._stages.apply(moves)
        return self._read()

    def due(self, thresholds: Thresholds) -> bool:
        """Say whether it is time to mine, and note that it is being done."""
        recorded, mined = self._stages.recorded(0)
        many = recorded - mined >= max(thresholds.calls, mined // 5)
        if not many and self._stages.disputed() < max(thresholds.disputed, mined // 50):
            return False
        self._stages.mined(recorded)
        return True

    def save(self) -> Collection[str]:
        """Write the counts that wait; return the tools that they are of."""
        with self._lock:
            batch, self._waiting = self._waiting, Batch()
            lines, self._lines = self._lines, 0
        self._saved = batch, lines
        try:
            self._stages.recorded(lines)
            lines = 0
            if batch.seen:
                self._stages.add(batch)
        except BaseException:
            if not self._stages.one:
                self._give_back(batch, lines)
            raise
        return batch.results()

    def _give_back(self, batch: Batch, lines: int) -> None:
        """Have what could not be written wait, as far as there is room."""
        with self._lock:
            self._lines += lines
            if len(self._waiting.seen) + len(batch.seen) < MOST_WAITING:
                self._waiting.add(batch)

    def trouble(self, error: Exception) -> None:
        """Say that the state cannot be used just now; set it aside where it is torn."""
        if is_torn(error):
            try:
                aside = self._stages.set_aside()
            except (OSError, sqlite3.Error) as worse:
                error = worse
            else:
                self._turn = -1
                if aside is not None:
                    log.warning(
                        "%s is torn (%r): it is now %s, and tools are tried anew", self._stages, error, aside
                    )
                    return
        now = time.monotonic()
        if now - self._warned >= BETWEEN_WARNINGS:
            self._warned = now
            log.warning("nothing can be learned in %s just now: %s", self._folder, error)

    def _is_new(self, tool: str, mined: MinedTool) -> bool:
        """Say whether a tool's contract is another than that from which its clauses were last taken."""
        trial = self.trials.get(tool)
        enough = trial is not None or mined.tasks >= self._thresholds.tasks
        return enough and (trial is None or trial.contract != mined.key) and self._has_a_place(tool)

    def _has_a_place(self, tool: str) -> bool:
        return _has_a_form(tool) and self._stages.takes(tool)

    def _moves(self, tool: str, mined: MinedTool) -> Moves:
        on_trial = self._stages.on_trial(tool) if self._is_new(tool, mined) else {}
        return moves_of(self._stages.snapshot(tool), mined, on_trial, self._thresholds)

    def _read(self) -> bool:
        """Read what has changed, here or by another process; say whether something has."""
        turn = self._stages.turn()
        if turn == self._turn:
            return False
        trials, in_force = self._stages.read(), self._stages.in_force()
        for tool, trial in trials.items():
            if trial.stage != self.stage(tool):
                log.info("%s: %s", tool, trial.stage)
        self._in_force = _by_tool(in_force)
        self.trials, self._turn = trials, turn
        return True


def _has_a_form(tool: str) -> bool:
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
