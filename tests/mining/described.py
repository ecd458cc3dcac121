"""What observations hold, as text: the same whatever the order of the calls and however they were split."""

from dataclasses import fields, is_dataclass
from typing import Any

from outcome_monitors.mining.observations import Observations
from outcome_monitors.rules.evidence.samples import Sample
from outcome_monitors.rules.evidence.tasks import kept

__all__ = ["described"]


def described(observations: Observations) -> str:
    """Return all that was observed."""
    return repr((observations.calls, [_plain(part) for part in observations.parts]))


def _plain(value: Any) -> Any:
    if isinstance(value, Sample):
        return value.size, value.whole, value.items()
    if is_dataclass(value):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, dict):
        return sorted(((repr(key), _plain(item)) for key, item in value.items()), key=lambda pair: pair[0])
    if isinstance(value, set):
        # Of many tasks some are kept, the same ones whatever the order.
        return kept(value) if all(type(item) is int for item in value) else sorted(map(repr, value))
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
