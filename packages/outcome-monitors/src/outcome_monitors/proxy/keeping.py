"""Where a proxy or an adapter keeps what it sees and learns: files and folders of its host, or the state of a fleet."""

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from outcome_monitors.events import Sink, default_store, open_sinks
from outcome_monitors.state.address import StateAddress, is_address
from outcome_monitors.state.labels import Labels
from outcome_monitors.state.shared import shared_backend
from outcome_monitors.values.files import FilePath
from outcome_monitors.values.folders import CHANGES, EVENTS, OVERRIDES, TRACES

from .recorder import Recorder
from .status import Places

if TYPE_CHECKING:
    from outcome_monitors.alerting.change_store import SignatureTable

    from .learner import Learner
    from .learner_home import FleetMember, LearnerHome

__all__ = ["Keeping"]


class Keeping:
    """What was said of where to learn (`learn`) and where to keep what has become usual (`state`), each a folder or an address.

    Where it is an address the fleet is followed from the first.
    """

    def __init__(
        self, learn: FilePath | None = None, state: FilePath | None = None, *, server: str = ""
    ) -> None:
        self._learn, self._state = learn, state
        self._fleets: dict[StateAddress, FleetMember] = {}
        self._labels = Labels.of(os.environ, server)
        self._fleet = None if learn is None else self._fleet_at(learn)
        self._calm_fleet = None if state is None else self._fleet_at(state)

    @property
    def home(self) -> "Path | LearnerHome | None":
        """Where is learned; None where nothing is."""
        return self._fleet or self.folder

    @property
    def folder(self) -> Path | None:
        """The folder that is learned in, or the copy of a fleet's state."""
        if self._learn is None:
            return None
        return Path(self._learn) if self._fleet is None else self._fleet.folder

    @property
    def named(self) -> str:
        """What people name it by on a command line; an address they know, and it is shown to nobody else."""
        return shlex.quote(str(self.folder)) if self._fleet is None else "postgresql://…"

    @property
    def overrides(self) -> Path | None:
        """What people have decided there."""
        return None if self.folder is None else self.folder / OVERRIDES

    def usual(self) -> "Path | SignatureTable | None":
        """Return where the policy keeps what has become usual."""
        fleet = self._calm_fleet if self._state is not None else self._fleet
        if fleet is not None:
            table: SignatureTable = fleet.changes().table
            return table
        return self.folder if self._state is None else Path(self._state)

    def sink(self, named: Sequence[str] = ()) -> Sink | None:
        """Return where events go: where someone says so, else where is learned."""
        if not named and self._fleet is not None:
            return self._fleet.events()
        return open_sinks(named or (str(self.store()),))

    def store(self) -> Path:
        """Return the store of this host."""
        return default_store() if self.folder is None else self.folder / EVENTS

    def recorder(self, learner: "Learner", private: Sequence[str]) -> "Recorder":
        """Return what records for a learner."""
        fleet = self._fleet
        if fleet is None:
            target = learner.folder / TRACES
            return Recorder(
                target, learner.wanted, written=learner.written, clock=learner.clock, private=private
            )
        return Recorder(
            fleet.traces(), learner.wanted, written=fleet.recorded, clock=learner.clock, private=private
        )

    def learns(self, learner: "Learner") -> None:
        """Have a learner hear of what is new in the fleet, where there is one."""
        if self._fleet is not None:
            self._fleet.learns(learner)

    def close(self) -> None:
        """Bring them what was counted last."""
        for fleet in self._fleets.values():
            fleet.close()

    def places(self) -> "Places":
        """Return the files, and the fleet's store of events, that a status is read off."""
        return (
            Places()
            if self.folder is None
            else Places.in_folder(self.folder)
            if self._fleet is None
            else self._fleet.places()
        )

    def changes(self) -> Path | None:
        """Return the file of what has become usual, where it is not in the folder that is learned in."""
        if self._state is None:
            return None
        return (Path(self._state) if self._calm_fleet is None else self._calm_fleet.folder) / CHANGES

    def _fleet_at(self, where: FilePath) -> "FleetMember | None":
        if not is_address(where):
            return None
        address = StateAddress.read(where)
        if address not in self._fleets:
            self._fleets[address] = shared_backend().follow(address, self._labels)
        return self._fleets[address]
