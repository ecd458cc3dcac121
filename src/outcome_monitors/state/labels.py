"""Labels of what is written: which service, in which environment, before which server, for which agent."""

from collections.abc import Mapping
from typing import NamedTuple

from outcome_monitors.values.database_files import storable

__all__ = ["Labels"]

LONGEST = 200


class Labels(NamedTuple):
    """What stands beside every event and trace of a process; each may be empty."""

    service: str = ""
    environment: str = ""
    server: str = ""
    agent: str = ""

    @classmethod
    def of(cls, environment: Mapping[str, str], server: str = "") -> "Labels":
        """Read them off the environment (`OUTCOME_MONITORS_SERVICE`, `…_ENVIRONMENT`, `…_SERVER`, `…_AGENT`)."""
        named = {name: environment.get(f"OUTCOME_MONITORS_{name.upper()}", "") for name in cls._fields}
        named["server"] = named["server"] or server
        return cls(**{name: storable(value)[:LONGEST].replace("\x00", "") for name, value in named.items()})
