"""Contracts by what a command names: a contract file, or a folder that something is learned in."""

from pathlib import Path

from outcome_monitors.exceptions import ContractError
from outcome_monitors.storage.address import shown
from outcome_monitors.storage.layout import CONTRACTS
from outcome_monitors.storage.opening import file_in, is_state

from .registry import Registry


def load_contracts(path: str | Path) -> Registry:
    """Read a contract file; of a folder that something is learned in, its contracts."""
    file = file_in(path, CONTRACTS)
    if is_state(path) and not file.exists():
        name = shown(path)
        raise ContractError(f"nothing was learned in {name} yet: it has no {CONTRACTS}; see `status {name}`")
    return Registry.load(file)
