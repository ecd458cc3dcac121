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
from typing import TYPE_CHECKING, Any

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.events import Sink, default_store, open_sinks
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.files import FilePath, private_folder, refuse_special, write_atomically
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
from .status import StatusSource

if TYPE_CHECKING:
    from .learner import Learner

log = logging.getLogger("outcome_monitors.mcp")

MINE = "from outcome_monitors.learning.miner import main; main()"
"""What Python is told to run; the folder follows."""
miners: list["subprocess.Popen[bytes]"] = []
"""The miner started last; it may outlive the learner."""


Joined = Callable[[str | None], str]
"""Returns what a document becomes together with something new."""


class LearningFolder:
    """A folder: recorded traffic, tools, contracts and the rollout, each in a file; several processes of a host may share it.

    `outcome-monitors-server` has a subclass that keeps these in a fleet's state.
    """

    def __init__(self, folder: Path, named: str = "") -> None:
        self.folder = folder
        """Where contracts, tools and decisions are read: the folder itself, or a copy of a fleet's state."""
        self.named = named or shlex.quote(str(folder))
        """What people name it by on a command line."""
        self.rollout = RolloutStore(folder / STAGES)
        self.clock: Callable[[], float] = time.time

    def open(self, private: tuple[str, ...], given: Registry) -> None:
        """Make room, and note which paths are private and which contracts were given."""
        try:
            private_folder(self.folder)
            private_folder(self.folder / TRACES)
        except OSError as error:
            raise OutcomeMonitorsError(f"cannot learn in {self.folder}: {error}") from None
        if private:
            self.change(PRIVATE, lambda before: with_paths(before, private))
        try:
            if given.contracts:
                self.change(GIVEN, lambda _before: given.dumps())
        except (OSError, ValueError, OutcomeMonitorsError) as error:
            log.warning("%s: the clauses that were given can be named by nobody: %s", self.folder, error)

    def write_tools(self, tools: Mapping[str, Any]) -> None:
        """Write the tools that were listed."""
        listed = dict(tools)
        self.change(TOOLS, lambda before: with_tools(before, listed))

    def change(self, name: str, joined: Joined) -> None:
        """Put what a document becomes together with something new in its place."""
        file = self.folder / name
        refuse_special(file)
        before = file.read_text(encoding="utf-8", errors="replace") if file.exists() else None
        if (after := joined(before)) != before:
            write_atomically(file, after, private=True)

    def written(self, catch_up: Callable[[], None]) -> None:
        """Calls were recorded: `catch_up`, here on the recorder's thread or on another."""
        catch_up()

    def mine(self, due: Callable[[], bool]) -> None:
        """Where that is `due`, start a process that mines, unless one is at work."""
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
        """Have what was counted last be written."""
        counts()

    def history(self) -> Iterator[Call]:
        """Yield calls that were recorded before, for relations: those of the newest file."""
        files = recorded(self.folder)
        return (call for call in read_traces(files[-1:]) if not call.error and not call.extra.get("flagged"))

    def usual(self) -> Path | Tables:
        """Return where the policy keeps what has become usual."""
        return self.folder

    def events(self) -> Sink | None:
        """Return where events go."""
        return open_sinks((str(self.folder / EVENTS),))

    def traces(self) -> Path | TraceTarget:
        """Return where recorded calls go."""
        return self.folder / TRACES

    def attach(self, learner: "Learner") -> None:
        """Have a learner look for what is new: here the recorder's thread does."""

    def status_source(self) -> StatusSource:
        """Return what a status is read off."""
        return StatusSource(folder=self.folder, events=self.folder / EVENTS)

    def close(self) -> None:
        """Write what was counted last."""


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

    def status_source(self) -> StatusSource:
        """Return what a status is read off."""
        return (
            StatusSource(events=default_store()) if self.learning is None else self.learning.status_source()
        )

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


def with_paths(before: str | None, paths: tuple[str, ...]) -> str:
    """Return the private paths; one that was noted stays so. What cannot be read is for people to mend, and is not written over."""
    try:
        known = () if before is None else private_paths(json.loads(before))
    except (ValueError, TypeError) as error:
        raise OutcomeMonitorsError(f"{PRIVATE} cannot be read: {error}") from None
    return json.dumps(sorted({*known, *paths})) + "\n"


def with_tools(before: str | None, tools: Mapping[str, Any]) -> str:
    """Return the tools that are known, with those of one server as it lists them now."""
    known = {} if before is None else _tools(before)
    both = {**known, **tools}
    return before if before is not None and both == known else json.dumps({"tools": [*both.values()]})


def _tools(text: str) -> dict[str, Any]:
    try:
        return {tool["name"]: tool for tool in json.loads(text)["tools"]}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        # What cannot be used is written anew.
        return {}


def _storage_at(where: FilePath, labels: Labels) -> LearningFolder:
    if not is_address(where):
        return LearningFolder(Path(where))
    fleet: LearningFolder = storage_backend().follow(StateAddress.read(where), labels)
    return fleet
