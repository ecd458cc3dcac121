"""What a clause is called, made of what it is about: a hash that it keeps, and the address that says where it is."""

import json
from collections.abc import Mapping

from outcome_monitors.model import Json
from outcome_monitors.values.hashing import stable_hash

__all__ = ["DIGITS", "address_of", "name_of", "short_address"]

DIGITS = 6
"""Of the name, that stand in an address."""


def name_of(tool: str, kind: str, path: str, parameters: Mapping[str, Json]) -> str:
    """Return the name of the clause that is about this."""
    named = json.dumps([tool, kind, path, dict(parameters)], sort_keys=True)
    return f"{stable_hash(named) >> 24:010x}"


def address_of(tool: str, path: str, kind: str, name: str) -> str:
    """Return where a clause of this name is, as people read it and commands take it."""
    return f"{tool}.{path}/{kind}#{name[:DIGITS]}"


def short_address(address: str) -> str:
    """Return an address with as many digits as most have."""
    place, _, digits = address.rpartition("#")
    return f"{place}#{digits[:DIGITS]}"
