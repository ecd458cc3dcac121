"""The keeping of state, in a folder or in a fleet's PostgreSQL: moved, bounded, exported, and rid of what is one person's."""

from outcome_monitors.state.address import StateAddress, is_address
from outcome_monitors.state.homes import storage_at
from outcome_monitors.state.storage import Storage
from outcome_monitors.values.files import FilePath

__all__ = ["state_at"]


def state_at(place: FilePath, *, make: bool = False) -> Storage:
    """Return the whole state at a folder or an address; with `make` a folder that is not there is made."""
    if is_address(place):
        StateAddress.read(place).whole()
    return storage_at(place, make=make)
