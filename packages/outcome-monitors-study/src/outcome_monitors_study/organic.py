"""The organic study: what contracts flag in recorded traffic, where nobody injected anything.

For each tool with enough responses some are mined and others, never seen, are checked; this is repeated with other draws. It
measures how often and on what a detector fires. Nobody says which of these results were wrong.
"""

import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.jsonvalue.canonical import read_text
from outcome_monitors.mining.observations import mine
from outcome_monitors.model import Call, Json, Profile
from outcome_monitors.reports import Share

CACHE = "tool_response_cache"


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


def read_cache(folder: Path, skip: Callable[[str], object] = lambda _: None) -> Iterator[Call]:
    """Yield the successful responses of a cache, or of the folder that holds one; files of another form are named to `skip`.

    It is a folder `tool_response_cache` with a file `CATEGORY/TOOL/API.json` for each API: an object from the arguments, written as
    Python writes them, to `{"error": "", "response": ...}` (https://github.com/THUNLP-MT/StableToolBench, `server/main.py`). As in
    the paper, a response is taken where its error is empty and its payload is an object, also one written out as a text.
    """
    root = folder / CACHE if (folder / CACHE).is_dir() else folder
    files = sorted(root.glob("*/*/*.json"))
    if not files:
        raise OutcomeMonitorsError(
            f"{folder} holds no {CACHE}/CATEGORY/TOOL/API.json; give StableToolBench's cache"
        )
    for file in files:
        responses = _responses(file)
        if responses is None:
            skip(f"{file} is not of the cache's form")
            continue
        tool = f"{file.parent.name}/{file.stem}"
        for number, (asked, answer) in enumerate(responses.items()):
            payload = _payload(answer)
            if payload is not None:
                yield Call(tool, _arguments(asked), payload, task=f"{tool}#{number}")


def _responses(file: Path) -> dict[str, Json] | None:
    try:
        found = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _payload(answer: Json) -> dict[str, Json] | None:
    if not isinstance(answer, dict) or answer.get("error") != "":
        return None
    payload = answer.get("response")
    payload = read_text(payload) if isinstance(payload, str) else payload
    return payload if isinstance(payload, dict) else None


def _arguments(asked: str) -> dict[str, Json]:
    found = read_text(asked)
    return found if isinstance(found, dict) and all(isinstance(name, str) for name in found) else {}
