"""Documents of a fleet together with what one process has to add: other processes, and other servers, have added to them too."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.learning.storage import tools_text
from outcome_monitors.traces.private import private_paths

__all__ = ["with_contracts", "with_paths", "with_tools"]


def with_tools(before: str | None, tools: Mapping[str, Any], service: str = "") -> str:
    """Return the tools that are known, with those of one server as it lists them now; those of a service are also kept by its name."""
    known, services = ({}, {}) if before is None else _tools(before)
    both = {**known, **tools}
    theirs = {**services, service: {**services.get(service, {}), **tools}} if service else services
    if before is not None and (both, theirs) == (known, services):
        return before
    text = tools_text(both)
    if not theirs:
        return text
    listed = {name: list(found.values()) for name, found in sorted(theirs.items())}
    return json.dumps({**json.loads(text), "services": listed})


def with_paths(before: str | None, paths: tuple[str, ...]) -> str:
    """Return the private paths; one that was noted stays so. What cannot be read is for people to mend, and is not written over."""
    try:
        known = () if before is None else private_paths(json.loads(before))
    except (ValueError, TypeError) as error:
        raise OutcomeMonitorsError(f"the private paths of the fleet cannot be read: {error}") from None
    return json.dumps(sorted({*known, *paths})) + "\n"


def with_contracts(before: str | None, given: Registry) -> str:
    """Return the contracts that were given, those of one process in the place of what it had of the same tools."""
    known = Registry() if before is None else Registry.loads(before, "given.json of the fleet")
    shapes = (*known.shapes, *(shape for shape in given.shapes if shape not in known.shapes))
    return Registry({**known.contracts, **given.contracts}, given.profile or known.profile, shapes).dumps()


def _tools(text: str) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    try:
        body = json.loads(text)
        services = {name: _by_name(tools) for name, tools in body.get("services", {}).items()}
        return _by_name(body["tools"]), services
    except (ValueError, TypeError, KeyError, AttributeError):
        # As in a folder: what cannot be used is written anew.
        return {}, {}


def _by_name(tools: Iterable[Any]) -> dict[str, Any]:
    return {tool["name"]: tool for tool in tools}
