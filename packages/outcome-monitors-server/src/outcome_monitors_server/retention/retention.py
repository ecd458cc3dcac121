"""How long a state keeps what, and how much of it: by age and by size, events and recorded calls each."""

import json
import re
import time
from dataclasses import asdict, dataclass

from outcome_monitors.exceptions import StateError
from outcome_monitors.jsonvalue.times import seconds_in
from outcome_monitors.storage.layout import RETENTION
from outcome_monitors.storage.storage import Storage

__all__ = ["RETENTION", "Retention", "apply_retention", "read_retention", "saved_retention"]

_TEXTS = ("session", "tool", "why", "violations", "receipt", "arguments", "result")
_SIZES = {"MB": 10**6, "GB": 10**9, "TB": 10**12}


@dataclass(frozen=True, slots=True)
class Retention:
    """What is kept: for so many seconds, so many bytes; None is without end."""

    events: int | None = None
    events_size: int | None = None
    traces: int | None = None
    traces_size: int | None = None

    def dumps(self) -> str:
        """Return it as JSON."""
        return json.dumps({name: value for name, value in asdict(self).items() if value is not None}) + "\n"


def read_retention(
    events: str | None, events_size: str | None, traces: str | None, traces_size: str | None
) -> Retention:
    """Read what someone typed: `30d`, `2GB`."""
    return Retention(
        _age("--events", events),
        _size("--events-size", events_size),
        _age("--traces", traces),
        _size("--traces-size", traces_size),
    )


def saved_retention(home: Storage) -> Retention | None:
    """Return what was set for a state before; None where nothing was."""
    text = home.documents().get(RETENTION)
    if text is None:
        return None
    try:
        return Retention(**json.loads(text))
    except (ValueError, TypeError) as error:
        raise StateError(f"{RETENTION} of {home} cannot be read, and nothing is removed: {error}") from None


def apply_retention(
    home: Storage, retention: Retention, now: float | None = None, *, dry: bool = False
) -> dict[str, int]:
    """Remove what is too old or too much, the oldest first; return how many of each were removed."""
    moment = time.time() if now is None else now
    first, size = _since(moment, retention.events), retention.events_size
    with home.table("events", change=True) as rows:
        events = rows.bound("events", *_TEXTS, since=first, most=size, dry=dry)
    lines = home.bound_lines(_since(moment, retention.traces), retention.traces_size, dry=dry)
    removed = {"events": events, "recorded calls": lines}
    if any(removed.values()) and not dry:
        home.tidy()
    return removed


def _since(now: float, age: int | None) -> float | None:
    return None if age is None else now - age


def _age(option: str, text: str | None) -> int | None:
    age = None if text is None else seconds_in(text)
    if age is None and text is not None:
        raise StateError(f"{option} {text!r} is no age; 12h, 30d, 4w and 1y are examples")
    return age


def _size(option: str, text: str | None) -> int | None:
    found = None if text is None else re.fullmatch(rf"(\d{{1,6}})\s?({'|'.join(_SIZES)})", text)
    if found is None and text is not None:
        raise StateError(f"{option} {text!r} is no size; 500MB and 2GB are examples")
    return None if found is None else int(found[1]) * _SIZES[found[2]]
