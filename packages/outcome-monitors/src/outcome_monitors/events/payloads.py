"""Payloads in events: off unless the host asks, and without what it names."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.jsonvalue.paths import Each, Step, parse, replaced
from outcome_monitors.model import Broken, Json

from .event import Payload

REDACTED = "[redacted]"
LARGEST = 64 * 1024
"""Characters of arguments, and of a result, that an event may hold."""
_SIDES = ("arguments", "result")

_Steps = tuple[Step, ...]


class Payloads:
    """Writes arguments and results into events, without what stands at the paths to redact.

    A path begins with the side it speaks of: `arguments.password`, `result.items[].email`. What a violation says of such a
    place is redacted too, whether payloads are kept or not.
    """

    def __init__(self, redact: Iterable[str] = (), *, keep: bool = True) -> None:
        self.keep = keep
        self._sides: dict[str, list[_Steps]] = {side: [] for side in _SIDES}
        for path in redact:
            steps = _steps(path)
            self._sides[str(steps[0])].append(steps[1:])

    def without(self, paths: Iterable[str]) -> "Payloads":
        """Return the same with more paths to redact."""
        more = Payloads(paths, keep=self.keep)
        for side, steps in self._sides.items():
            more._sides[side] = [*steps, *more._sides[side]]
        return more

    def of(self, arguments: Json, result: Json) -> Payload | None:
        """Return the payload of an event, or None where none is kept."""
        if not self.keep:
            return None
        return Payload(
            _text(_without(arguments, self._sides["arguments"])),
            _text(_without(result, self._sides["result"])),
        )

    def redacted(self, broken: Broken) -> Broken:
        """Return violated clauses with their violations, these without the values at redacted places."""
        hidden = self._sides["result"]
        return tuple(
            [
                (clause, replace(one, expected=REDACTED, observed=REDACTED, detail=REDACTED))
                if any(_covers(steps, parse(one.path)) for steps in hidden)
                else (clause, one)
                for clause, one in broken
            ]
        )


def _steps(path: str) -> _Steps:
    try:
        steps = parse(path)
    except ValueError as error:
        raise OutcomeMonitorsError(f"cannot redact: {error}") from None
    if not steps or steps[0] not in _SIDES:
        raise OutcomeMonitorsError(
            f"cannot redact {path!r}: a path begins with `arguments` or `result`, as in result.user.email"
        )
    return steps


def _covers(steps: _Steps, place: Sequence[Step]) -> bool:
    """Say whether a violation at `place` can show anything of what `steps` hide: the value, a part of it, or the whole."""
    return all(_same(step, other) for step, other in zip(steps, place, strict=False))


def _same(step: Step, other: Step) -> bool:
    if step is Each.ITEM:
        return other is Each.ITEM or isinstance(other, int)
    return step is Each.VALUE or other is Each.VALUE or step == other


def _without(value: Json, hidden: list[_Steps]) -> Json:
    for steps in hidden:
        value = replaced(value, steps, lambda _: REDACTED)
    return value


def _text(value: Json) -> str:
    try:
        text = json.dumps(value, default=repr)
    except (RecursionError, TypeError, ValueError) as error:
        return json.dumps(f"[not JSON: {error}]")
    return text if len(text) <= LARGEST else json.dumps(f"[{len(text)} characters left out]")
