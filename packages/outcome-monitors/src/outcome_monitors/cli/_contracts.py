"""What the commands on the life of a contract take: one contract file, with or without what people decided."""

import json
import re
from collections.abc import Mapping
from typing import Any

from outcome_monitors.contracts.folds import FoldIndex, load_contracts
from outcome_monitors.contracts.overrides import Overrides
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.exceptions import ContractError
from outcome_monitors.state.address import shown
from outcome_monitors.state.opening import file_in
from outcome_monitors.values.folders import CONTRACTS

__all__ = ["lines_of", "load_overrides", "registry_of"]


# What opens a shape in a contract file; its name (`contracts.shapes`) is written as its fields are there.
_SHAPE = re.compile(r'\{"fields": (\[.*?\]), "tools": \d+, "clauses": \[')


def registry_of(name: str) -> Registry:
    """Read a contract file; an index of several is refused, with the next step."""
    found = load_contracts(name)
    if isinstance(found, FoldIndex):
        raise ContractError(
            f"{shown(name)} is an index of {len(found.registries)} registries; name one of them: {found.file(0)}"
        )
    return found


def load_overrides(name: str | None) -> Overrides:
    """Read an overrides file; without one there are no decisions."""
    return Overrides.load(name) if name is not None else Overrides()


def lines_of(name: str) -> Mapping[tuple[str, str, str], int]:
    """Return the line of each clause of a contract file, by tool or shape, kind and path; none where it is not written a clause a line."""
    found: dict[tuple[str, str, str], int] = {}
    tool = ""
    decoder = json.JSONDecoder()
    text = file_in(name, CONTRACTS).read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        body = _decoded(decoder, line.lstrip())
        if isinstance(body, str):
            tool = body
        elif shape := _SHAPE.match(line):
            tool = f"shape {shape[1]}"
        elif isinstance(body, dict) and isinstance(body.get("kind"), str):
            found.setdefault((tool, body["kind"], str(body.get("path"))), number)
    return found


def _decoded(decoder: json.JSONDecoder, line: str) -> Any:
    try:
        return decoder.raw_decode(line)[0]
    except (ValueError, RecursionError):
        return None
