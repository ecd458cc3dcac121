"""Labels of what is written: which service, in which environment, before which server, for which agent."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from outcome_monitors.files import storable

LONGEST = 200
_VARIABLES = {
    "service": "OUTCOME_MONITORS_SERVICE",
    "environment": "OUTCOME_MONITORS_ENVIRONMENT",
    "server": "OUTCOME_MONITORS_SERVER",
    "agent": "OUTCOME_MONITORS_AGENT",
}


class Labels(NamedTuple):
    """What stands beside every event and trace of a process; each may be empty."""

    service: str = ""
    environment: str = ""
    server: str = ""
    agent: str = ""

    @classmethod
    def of(cls, environment: Mapping[str, str], server: str = "") -> "Labels":
        """Read them off the environment; the server is the one that is named unless it says otherwise."""
        named = {name: environment.get(variable, "") for name, variable in _VARIABLES.items()}
        return cls(**{name: _clean(value) for name, value in named.items()}).over(cls(server=_clean(server)))

    @classmethod
    def named(cls, pairs: Iterable[tuple[str, str]]) -> "Labels":
        """Take them from what an address names."""
        return cls(**{name: _clean(value) for name, value in pairs if name in cls._fields})

    def over(self, others: "Labels") -> "Labels":
        """Return these, and where one is empty the other's."""
        return Labels(*(mine or theirs for mine, theirs in zip(self, others, strict=True)))

    def items(self) -> list[tuple[str, str]]:
        """Return those that are not empty."""
        return [(name, value) for name, value in self._asdict().items() if value]


NO_LABELS = Labels()


def _clean(value: str) -> str:
    return storable(value)[:LONGEST].replace("\x00", "")
