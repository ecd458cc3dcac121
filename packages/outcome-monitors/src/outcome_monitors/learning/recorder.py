"""Recording traffic as trace files: what was called, with what, and what came back."""

import json
import logging
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import NamedTuple, Protocol

from outcome_monitors.alerting.policy import this_host
from outcome_monitors.events.sinks import GATHER, PATIENCE, Background
from outcome_monitors.files import FilePath, append, private_folder
from outcome_monitors.model import Call, Json, Outcome
from outcome_monitors.traces.private import blanked, hider, private_paths
from outcome_monitors.traces.reader import call_to_json

from .flagged_evidence import BREAKS_GIVEN, marks

log = logging.getLogger("outcome_monitors.mcp")

PAUSE = 120.0
"""Seconds of silence after which a conversation has turned to another task."""
LONGEST_TASK = 1800.0
"""Seconds after which it has also without silence: else one that never ends would be one task, and nothing learned from it."""
LARGEST_FILE = 16 * 2**20
LARGEST_RESULT = 256 * 1024
"""Characters of a line that is recorded; evidence for contracts does not come from results larger than this."""


class ToolResult(NamedTuple):
    """The result of a call, or why there is none to check."""

    value: Json = None
    why: str = ""
    failed: bool = False
    """The call failed openly."""


Admits = Callable[[Call, ToolResult, Outcome | None], bool]
"""Says whether a result may be learned from; what may not is recorded all the same, and marked."""
Clock = Callable[[], float]
"""The time, in seconds since 1970."""


class TraceLine(NamedTuple):
    """A call as it is recorded."""

    time: float
    tool: str
    session: str | None
    text: str
    """What stands in a trace file."""


class TraceTarget(Protocol):
    """Where recorded calls go; on a thread of their own."""

    gather: float
    """Seconds that calls gather for."""
    patience: float
    """Seconds for which what cannot be written is tried again."""

    @property
    def refused(self) -> int:
        """Calls that could not be written, however often it was tried."""

    def write(self, lines: Sequence[TraceLine]) -> None:
        """Write calls, in order; raise where that cannot be done now."""

    def close(self) -> None:
        """Let go."""


class TraceFile:
    """A trace file, or, given a folder, one a day in it; several processes may write the same."""

    gather, patience = GATHER, PATIENCE
    refused = 0

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path, self._clock = path, clock

    def __str__(self) -> str:
        return str(self._path)

    def write(self, lines: Sequence[TraceLine]) -> None:
        """Append."""
        path = self._path
        if path.is_dir():
            day = datetime.fromtimestamp(self._clock(), UTC).date()
            parts = (path / f"{day}-{part:04}.jsonl" for part in count())
            path = next(file for file in parts if not file.exists() or file.stat().st_size < LARGEST_FILE)
        private_folder(path.parent)
        append(path, "".join(f"{line.text}\n" for line in lines).encode())

    def close(self) -> None:
        """Nothing is kept open."""


class Recorder:
    """Hands calls on to a file, a folder, or another target."""

    def __init__(
        self,
        target: FilePath | TraceTarget,
        admits: Admits | None = None,
        *,
        written: Callable[[int], None] | None = None,
        clock: Clock = time.time,
        private: Iterable[str] = (),
    ) -> None:
        self.clock = clock
        self._target = TraceFile(Path(target), clock) if isinstance(target, str | os.PathLike) else target
        self.admits, self._written = admits, written
        paths = private_paths(private)
        self.hide = hider(paths) if paths else None
        self.queue = Background[TraceLine](
            f"traces to {self._target}",
            self._write,
            self._target.close,
            gather=self._target.gather,
            patience=self._target.patience,
        )

    def conversation(self, name: str | None, client: str = "") -> "Recording":
        """Begin a conversation of a client."""
        return Recording(self, name, client)

    @property
    def lost(self) -> int:
        """How many calls could not be written."""
        return self.queue.lost + self._target.refused

    def close(self) -> None:
        """Write what still waits."""
        self.queue.close()

    def _write(self, lines: Sequence[TraceLine]) -> None:
        self._target.write(lines)
        if self._written is not None:
            try:
                self._written(len(lines))
            except Exception:  # the lines are written; they must not be written again
                log.exception("learning from recorded traffic went wrong")


class Recording:
    """The calls of one conversation; those between two long pauses are one task, of half an hour at most."""

    def __init__(self, recorder: Recorder, name: str | None, client: str = "") -> None:
        self._recorder, self._name = recorder, name
        self._client = client or this_host()
        self._task = 0
        self._begun = self._last = time.monotonic()

    def record(
        self, tool: str, arguments: Mapping[str, Json], result: ToolResult, outcome: Outcome | None
    ) -> None:
        """Record a call: beside it when, whose, and what came of it."""
        if result.why and not result.failed:
            return
        recorder, now = self._recorder, time.monotonic()
        if now - self._last > PAUSE or now - self._begun > LONGEST_TASK:
            self._task, self._begun = self._task + 1, now
        self._last = now
        moment = datetime.fromtimestamp(recorder.clock(), UTC)
        extra: dict[str, Json] = {
            "time": moment.isoformat(timespec="milliseconds"),
            "client": self._client,
        }
        if outcome is not None and outcome.broken:
            extra |= marks(outcome)
        call = Call(
            tool,
            arguments,
            result.value,
            task=None if self._name is None else f"{self._name}/{self._task}",
            session=self._name,
            error=result.failed,
            extra=extra,
        )
        if recorder.admits is not None and not recorder.admits(call, result, outcome):
            extra[BREAKS_GIVEN] = True
        if recorder.hide is not None:
            call = blanked(call, recorder.hide)
        # Written at once: the text is what came over the wire, whatever becomes of the values.
        try:
            line = json.dumps(call_to_json(call))
        except (ValueError, TypeError, RecursionError) as error:
            recorder.queue.lose(f"a call of {tool!r} has no form: {error}")
            return
        if len(line) <= LARGEST_RESULT:
            recorder.queue.put(TraceLine(recorder.clock(), tool, call.session, line), len(line))
