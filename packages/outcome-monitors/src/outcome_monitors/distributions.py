"""The distributions that go with this one: the server for a team, the studies for research. Each is loaded when it is asked for."""

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from outcome_monitors.exceptions import MissingDistribution

SERVER = "outcome_monitors_server"
STUDY = "outcome_monitors_study"


def part_of(distribution: str, module: str, job: str) -> ModuleType:
    """Import a module of another distribution; where that is not installed, say what the job needs."""
    if find_spec(distribution) is None:
        raise MissingDistribution(job, distribution.replace("_", "-"))
    return import_module(f"{distribution}.{module}" if module else distribution)
