"""The organic study: what contracts flag in recorded traffic, where nobody injected anything.

For each tool with enough responses some are mined and others, never seen, are checked; this is repeated with other draws. It
measures how often and on what a detector fires. Nobody says which of these results were wrong.
"""

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.mining.observations import mine
from outcome_monitors.model import Call, Json, Profile
from outcome_monitors.reports import Share

__all__ = ["Organic", "organic"]


@dataclass(frozen=True, slots=True)
class Organic:
    """What fired."""

    tools: int
    """Tools with enough responses."""
    too_few: int
    """Tools without."""
    checked: Share
    """Held-out responses flagged, all draws together."""
    by_code: Counter[str]
    """By the first violation of each."""
    by_tool: Counter[str]
    """Tools that had a flagged response."""
    by_seed: tuple[Share, ...]
    firings: Counter[str]
    """Every violation of every flagged response: the paper's count."""


def organic(
    calls: Iterable[Call],
    *,
    profile: Profile = "paper",
    learn: int = 45,
    hold: int = 20,
    seeds: Sequence[int] = range(5),
) -> Organic:
    """Mine on `learn` responses a tool, hold out `hold`, once for each seed."""
    by_tool: dict[str, list[Call]] = {}
    for call in calls:
        if not call.error:
            by_tool.setdefault(call.tool, []).append(call)
    enough = {tool: found for tool, found in sorted(by_tool.items()) if len(found) >= learn + hold}
    if not enough:
        raise OutcomeMonitorsError(
            f"no tool has {learn + hold} responses that did not fail; give more traces, or lower --learn and --hold"
        )
    codes, tools, firings = Counter[str](), Counter[str](), Counter[str]()
    shares = []
    for seed in seeds:
        rng = random.Random(seed)  # noqa: S311 - a sample, not a secret
        drawn = {tool: rng.sample(found, learn + hold) for tool, found in enough.items()}
        monitor = Monitor(mine((call for found in drawn.values() for call in found[:learn]), profile))
        held_out = [call for found in drawn.values() for call in found[learn:]]
        checked = [(call.tool, monitor.check(call.tool, call.arguments, call.result)) for call in held_out]
        flagged = [(tool, violations) for tool, violations in checked if violations]
        codes.update(violations[0].code for _, violations in flagged)
        firings.update(violation.code for _, violations in flagged for violation in violations)
        tools.update(tool for tool, _ in flagged)
        shares.append(Share(len(flagged), len(held_out)))
    whole = Share(sum(share.part for share in shares), sum(share.whole for share in shares))
    return Organic(len(enough), len(by_tool) - len(enough), whole, codes, tools, tuple(shares), firings)


def as_json(found: Organic) -> dict[str, Json]:
    """Return the figures as JSON."""
    return {
        "tools": found.tools,
        "tools with too few responses": found.too_few,
        "flagged": found.checked.part,
        "checked": found.checked.whole,
        "share": found.checked.value,
        "by_code": dict(found.by_code.most_common()),
        "firings": dict(found.firings.most_common()),
        "by_tool": dict(found.by_tool.most_common()),
        "by_seed": [{"flagged": share.part, "checked": share.whole} for share in found.by_seed],
    }
