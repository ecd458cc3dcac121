"""The state of mining as a file beside the contracts: packed, canonical, written whole or not at all."""

import gzip
import json
import zlib
from pathlib import Path

from outcome_monitors.exceptions import ContractError
from outcome_monitors.values.files import FilePath, write_atomically

from .observations import Observations
from .state import from_state, to_state

__all__ = ["load_state", "save_state", "state_beside"]


def state_beside(contracts: FilePath) -> Path:
    """Return where the state of a contract file is looked for: `contracts.state.json.gz` beside `contracts.json`."""
    path = Path(contracts)
    return path.with_name(f"{path.name.removesuffix('.json')}.state.json.gz")


def save_state(path: FilePath, observations: Observations) -> None:
    """Write a state; the same observations give the same bytes."""
    text = json.dumps(to_state(observations), sort_keys=True, separators=(",", ":"))
    # No time inside.
    write_atomically(path, gzip.compress(text.encode(), 6, mtime=0))


def load_state(path: FilePath) -> Observations:
    """Read a state; raise ContractError, with the next step, where there is none."""
    try:
        packed = Path(path).read_bytes()
    except OSError as error:
        raise ContractError(
            f"cannot read {path}: {error.strerror or error}; mine with --state {path} first, or name the state with --state"
        ) from error
    try:
        state = json.loads(gzip.decompress(packed))
    except (OSError, EOFError, zlib.error, ValueError, RecursionError):
        raise ContractError(f"{path} is no state of mining, or is cut short; mine all traces again") from None
    return from_state(state, str(path))
