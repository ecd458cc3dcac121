"""Where a learner keeps what it learns: a folder, which several processes of a host may share; `fleet` has the other home."""

import json
import logging
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.events import Sink
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Call
from outcome_monitors.state.labels import Labels
from outcome_monitors.traces.reader import read_traces
from outcome_monitors.values.files import private_folder, write_atomically
from outcome_monitors.values.folders import GIVEN, STAGES, TOOLS, TRACES

from .miner import PROGRAM, keep_private
from .stage_store import Stages

__all__ = ["FleetMember", "LearnerHome", "LearningFolder", "miners", "tools_text"]

log = logging.getLogger("outcome_monitors.proxy")

miners: list["subprocess.Popen[bytes]"] = []
"""The miner started last; it may outlive the learner."""


class LearnerHome(Protocol):
    """What a learner asks of the place where its knowledge is."""

    folder: Path
    """Where contracts, tools and decisions are read."""

    def clock(self) -> float:
        """Return the time."""

    def open(self, private: tuple[str, ...], given: Registry) -> None:
        """Make room, and keep which paths are private and which contracts were given."""

    def stages(self) -> Stages:
        """Return where trials are."""

    def on_line(self, line: Labels) -> None:
        """Have the trials be those of the line that the contracts are of."""

    def keep_tools(self, tools: Mapping[str, Any]) -> None:
        """Keep the tools that were listed."""

    def mine(self, due: Callable[[], bool]) -> None:
        """See to it that contracts are mined where that is `due`."""

    def save(self, counts: Callable[[], object]) -> None:
        """Have what was counted last be written."""

    def history(self) -> Iterator[Call]:
        """Yield calls that were recorded before, not all of them; for relations."""


class FleetMember(LearnerHome, Protocol):
    """A process's part in a fleet, which `outcome-monitors-server` gives."""

    def changes(self) -> Any:
        """Return what has become usual in the fleet, as `table`."""

    def events(self) -> Sink:
        """Return where events go."""

    def traces(self) -> Any:
        """Return a target for a recorder."""

    def recorded(self, lines: int) -> None:
        """Hear that calls were recorded."""

    def learns(self, learner: Any) -> None:
        """Have a learner look for what is new."""

    def places(self) -> Any:
        """Return what a status is read off."""

    def close(self) -> None:
        """Bring what was counted last."""


class LearningFolder:
    """A folder: recorded traffic, tools, contracts and stages, each in a file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def clock(self) -> float:
        """Return the time of this host."""
        return time.time()

    def open(self, private: tuple[str, ...], given: Registry) -> None:
        """Make the folder."""
        try:
            private_folder(self.folder)
            _make_room(self.folder / TRACES)
        except OSError as error:
            raise OutcomeMonitorsError(f"cannot learn in {self.folder}: {error}") from None
        keep_private(self.folder, private)
        self._keep_given(given)

    def stages(self) -> Stages:
        """Return those of the folder."""
        return Stages(self.folder / STAGES)

    def on_line(self, line: Labels) -> None:
        """Leave it: a folder has one."""

    def keep_tools(self, tools: Mapping[str, Any]) -> None:
        """Write them."""
        write_atomically(self.folder / TOOLS, tools_text(tools), private=True)

    def mine(self, due: Callable[[], bool]) -> None:
        """Start a process that mines, unless one is at work."""
        if (not miners or miners[-1].poll() is not None) and due():
            miners[:] = [
                subprocess.Popen(  # noqa: S603 - this very program
                    [sys.executable, *PROGRAM, str(self.folder)],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    start_new_session=True,
                )
            ]

    def save(self, counts: Callable[[], object]) -> None:
        """Write it now."""
        counts()

    def history(self) -> Iterator[Call]:
        """Yield those of the newest file."""
        files = sorted((self.folder / TRACES).glob("*.jsonl"))
        return (call for call in read_traces(files[-1:]) if not call.error and not call.extra.get("flagged"))

    def _keep_given(self, given: Registry) -> None:
        """Write the contracts that were given to where people look for what an alarm names."""
        file, text = self.folder / GIVEN, given.dumps()
        try:
            if given.contracts and not (file.exists() and file.read_text(encoding="utf-8") == text):
                write_atomically(file, text, private=True)
        except (OSError, ValueError, OutcomeMonitorsError) as error:
            log.warning("%s could not be written, and its clauses can be named by nobody: %s", file, error)


def tools_text(tools: Mapping[str, Any]) -> str:
    """Return tools as they are kept."""
    return json.dumps({"tools": list(tools.values())})


def _make_room(traces: Path) -> None:
    """Make the folder of traces; what is none and stands in its place is put aside: the proxy starts."""
    try:
        private_folder(traces)
    except FileExistsError:
        aside = traces.with_name(f"{traces.name}.torn")
        traces.replace(aside)
        log.warning("%s is no folder: it is now %s, and another is begun", traces, aside)
        private_folder(traces)
