"""Where what is learned from live traffic is kept: a folder of this host, or, at an address, the state of a fleet."""

import json
import logging
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.events import Sink, default_store, open_sinks
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.files import FilePath, private_folder, write_atomically
from outcome_monitors.model import Call
from outcome_monitors.storage.address import StateAddress, is_address
from outcome_monitors.storage.labels import Labels
from outcome_monitors.storage.layout import (
    CHANGES,
    EVENTS,
    GIVEN,
    OVERRIDES,
    PRIVATE,
    STAGES,
    TOOLS,
    TRACES,
    recorded,
)
from outcome_monitors.storage.opening import storage_backend
from outcome_monitors.storage.tables import Tables
from outcome_monitors.traces.private import private_paths
from outcome_monitors.traces.reader import read_traces

from .recorder import TraceTarget
from .rollout_store import RolloutStore
from .status import Places

if TYPE_CHECKING:
    from .learner import Learner

__all__ = ["LearningFolder", "LearningStorage", "StorageConfig", "miners", "private_in", "tools_text"]

log = logging.getLogger("outcome_monitors.mcp")

MINE = "from outcome_monitors.learning.miner import main; main()"
"""What Python is told to run; the folder follows."""
miners: list["subprocess.Popen[bytes]"] = []
"""The miner started last; it may outlive the learner."""


class LearningStorage(Protocol):
    """Where a learner keeps what it learns; `outcome-monitors-server` has that of a fleet."""

    folder: Path
    """Where contracts, tools and decisions are read: the folder itself, or a copy of a fleet's state."""
    named: str
    """What people name it by on a command line."""

    def clock(self) -> float:
        """Return the time."""

    def open(self, private: tuple[str, ...], given: Registry) -> None:
        """Make room, and keep which paths are private and which contracts were given."""

    def rollout(self) -> RolloutStore:
        """Return where the rollout is."""

    def on_line(self, line: Labels) -> None:
        """Have the rollout be that of the line that the contracts are of."""

    def keep_tools(self, tools: Mapping[str, Any]) -> None:
        """Keep the tools that were listed."""

    def written(self, catch_up: Callable[[], None]) -> None:
        """Hear, on the recorder's thread, that calls were recorded: it is time to `catch_up`, here or on another thread."""

    def mine(self, due: Callable[[], bool]) -> None:
        """See to it that contracts are mined where that is `due`."""

    def save(self, counts: Callable[[], object]) -> None:
        """Have what was counted last be written."""

    def history(self) -> Iterator[Call]:
        """Yield calls that were recorded before, not all of them; for relations."""

    def usual(self) -> Path | Tables:
        """Return where the policy keeps what has become usual."""

    def events(self) -> Sink | None:
        """Return where events go."""

    def traces(self) -> Path | TraceTarget:
        """Return where recorded calls go."""

    def attach(self, learner: "Learner") -> None:
        """Have a learner look for what is new."""

    def places(self) -> Places:
        """Return what a status is read off."""

    def close(self) -> None:
        """Bring what was counted last."""


class LearningFolder:
    """A folder: recorded traffic, tools, contracts and the rollout, each in a file; several processes of a host may share it."""

    clock = staticmethod(time.time)

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.named = shlex.quote(str(folder))

    def open(self, private: tuple[str, ...], given: Registry) -> None:
        """Make the folder."""
        try:
            private_folder(self.folder)
            _make_room(self.folder / TRACES)
        except OSError as error:
            raise OutcomeMonitorsError(f"cannot learn in {self.folder}: {error}") from None
        if private and not {*private} <= {*(known := private_in(self.folder))}:
            # One that was noted stays so, since what was recorded has no values of it.
            text = json.dumps(sorted({*private, *known})) + "\n"
            write_atomically(self.folder / PRIVATE, text, private=True)
        self._keep_given(given)

    def rollout(self) -> RolloutStore:
        """Return that of the folder."""
        return RolloutStore(self.folder / STAGES)

    def on_line(self, line: Labels) -> None:
        """Leave it: a folder has one."""

    def keep_tools(self, tools: Mapping[str, Any]) -> None:
        """Write them."""
        write_atomically(self.folder / TOOLS, tools_text(tools), private=True)

    def written(self, catch_up: Callable[[], None]) -> None:
        """Do it now."""
        catch_up()

    def mine(self, due: Callable[[], bool]) -> None:
        """Start a process that mines, unless one is at work."""
        if (not miners or miners[-1].poll() is not None) and due():
            miners[:] = [
                subprocess.Popen(  # noqa: S603 - this very program
                    [sys.executable, "-c", MINE, str(self.folder)],
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
        files = recorded(self.folder)
        return (call for call in read_traces(files[-1:]) if not call.error and not call.extra.get("flagged"))

    def usual(self) -> Path:
        """Return the folder, which has a file for it."""
        return self.folder

    def events(self) -> Sink | None:
        """Return the store of the folder."""
        return open_sinks((str(self.folder / EVENTS),))

    def traces(self) -> Path:
        """Return the folder of traces."""
        return self.folder / TRACES

    def attach(self, learner: "Learner") -> None:
        """Leave it: the recorder's thread looks."""

    def places(self) -> Places:
        """Return the files of the folder."""
        return Places.in_folder(self.folder)

    def close(self) -> None:
        """Nothing waits here."""

    def _keep_given(self, given: Registry) -> None:
        """Write the contracts that were given to where people look for what an alert names."""
        file, text = self.folder / GIVEN, given.dumps()
        try:
            if given.contracts and not (file.exists() and file.read_text(encoding="utf-8") == text):
                write_atomically(file, text, private=True)
        except (OSError, ValueError, OutcomeMonitorsError) as error:
            log.warning("%s could not be written, and its clauses can be named by nobody: %s", file, error)


class StorageConfig:
    """What was said of where to learn (`learn`) and where to keep what has become usual (`state`), each a folder or an address.

    Where it is an address the fleet is followed from the first.
    """

    def __init__(
        self, learn: FilePath | None = None, state: FilePath | None = None, *, server: str = ""
    ) -> None:
        labels = Labels.of(os.environ, server)
        self.learning = None if learn is None else _storage_at(learn, labels)
        """None where nothing is learned."""
        self.state = (
            self.learning
            if state is None or (learn is not None and os.fspath(state) == os.fspath(learn))
            else _storage_at(state, labels)
        )
        self._apart = state is not None

    @property
    def overrides(self) -> Path | None:
        """The file of what people have decided there."""
        return None if self.learning is None else self.learning.folder / OVERRIDES

    def usual(self) -> Path | Tables | None:
        """Return where the policy keeps what has become usual."""
        return None if self.state is None else self.state.usual()

    def sink(self, named: Sequence[str] = ()) -> Sink | None:
        """Return where events go: where someone says so, else where is learned."""
        if named or self.learning is None:
            return open_sinks(named or (str(default_store()),))
        return self.learning.events()

    def places(self) -> Places:
        """Return what a status is read off."""
        return Places(events=default_store()) if self.learning is None else self.learning.places()

    def changes(self) -> Path | None:
        """Return the file of what has become usual, where it is not in the folder that is learned in."""
        return self.state.folder / CHANGES if self._apart and self.state is not None else None

    def close(self) -> None:
        """Bring what was counted last."""
        for each in {id(one): one for one in (self.learning, self.state) if one is not None}.values():
            each.close()


def private_in(folder: Path) -> tuple[str, ...]:
    """Return the paths that are private in a folder, whichever proxy named them."""
    file = folder / PRIVATE
    try:
        return private_paths(json.loads(file.read_bytes())) if file.exists() else ()
    except (OSError, ValueError, TypeError, OutcomeMonitorsError) as error:
        raise OutcomeMonitorsError(
            f"{file} cannot be used, and nothing is mined without it: {error}"
        ) from None


def tools_text(tools: Mapping[str, Any]) -> str:
    """Return tools as they are kept."""
    return json.dumps({"tools": list(tools.values())})


def _storage_at(where: FilePath, labels: Labels) -> LearningStorage:
    if not is_address(where):
        return LearningFolder(Path(where))
    fleet: LearningStorage = storage_backend().follow(StateAddress.read(where), labels)
    return fleet


def _make_room(traces: Path) -> None:
    """Make the folder of traces; what is none and stands in its place is put aside: the proxy starts."""
    try:
        private_folder(traces)
    except FileExistsError:
        aside = traces.with_name(f"{traces.name}.torn")
        traces.replace(aside)
        log.warning("%s is no folder: it is now %s, and another is begun", traces, aside)
        private_folder(traces)
