"""What receipts were, and what agents did after them, counted from the ledger."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from outcome_monitors.model import Json

from ._json import leaves, written
from .prices import total

Record = dict[str, Json]

ACTIONS = ("substitute", "other", "retry", "none")
"""A listed substitute, another tool, the same tool again, no further call."""
SHORTEST = 4
"""Texts and numbers with fewer signs turn up anywhere by chance; a study may ask for more."""


@dataclass(frozen=True, slots=True)
class ReceiptOutcomes:
    """What the episodes of one arm show beside completion."""

    counts: Counter[str]
    """What `_counts` counts of each episode, and `episodes`."""
    first_actions: Counter[str]
    missed: Counter[str]
    """Why no fault was injected where one was to be, by episodes."""
    by_fault: Mapping[str, Counter[str]]
    """By kind of fault: results injected, flagged, and covered by a contract."""
    by_version: Mapping[str, Counter[str]]
    """By version of the schema: receipts, those that have a list of tools, and those beside the result as it was."""
    recovery_cost: float | None
    """ToolMaze's RC, the mean over episodes."""
    cost: float | None
    """None where a price is not known."""

    def __getitem__(self, name: str) -> int:
        """Return one of the counts."""
        return self.counts[name]


def look(
    records: Sequence[Record], is_clean: Callable[[str], bool], distinctive: int = SHORTEST
) -> ReceiptOutcomes:
    """Count; a wrong value of so many signs is looked for later on. A call that a reviewer sent back is none."""
    made = [{**record, "calls": executed(record)} for record in records]
    counts = Counter({"episodes": len(made)})
    for record, whole in zip(made, records, strict=True):
        counts.update(_counts(record, distinctive, clean=is_clean(record["stratum"])))
        counts["rejected"] += len(whole["calls"]) - len(record["calls"])
    by_version: dict[str, Counter[str]] = {}
    for call in (call for record in made for call in record["calls"] if "receipt" in call):
        shown = {"receipts": 1, "listing": bool(call["listed"]), "intact": call["intact"]}
        by_version.setdefault(call["receipt_schema_version"], Counter()).update(shown)
    return ReceiptOutcomes(
        counts=counts,
        first_actions=Counter(
            first_action(record["calls"], place) for record in made for place in _places(record["calls"])
        ),
        missed=Counter(filter(None, (record["score"].get("not_injected") for record in made))),
        by_fault=_by_fault(made),
        by_version=by_version,
        recovery_cost=_mean(record["score"].get("recovery_cost") for record in made),
        cost=total(record["usage"].get("cost") for record in made),
    )


def _counts(record: Record, distinctive: int, *, clean: bool) -> dict[str, int]:
    """Count one episode.

    `recovered` is ToolMaze's PRR; `coincidental` are receipts on results that nothing was wrong with, and `elsewhere` episodes in
    which the fault was missed and some other result had one; `suppressed` are results that were flagged and delivered without;
    `spread` are episodes in which a distinctive wrong value, if one was injected, shows up later.
    """
    calls, completed = record["calls"], record["completed"]
    given = [call for call in calls if "receipt" in call]
    met = any("injection" in call for call in calls)
    detected = any("injection" in call and "violations" in call for call in calls)
    spread = contaminated(calls, record.get("answer"), distinctive)
    return {
        "receipts": len(given),
        "with choice": sum(len(call["listed"]) > 1 for call in given),
        "injected": met,
        "recovered": met and completed,
        "detected": detected,
        "coincidental": sum("injection" not in call for call in given),
        "elsewhere": met and not detected and bool(given),
        "suppressed": sum("violations" in call and "receipt" not in call for call in calls),
        "trackable": spread is not None,
        "spread": bool(spread),
        "spread and completed": bool(spread) and completed,
        "clean": clean,
        "clean and completed": clean and completed,
        "clean receipts": clean * len(given),
        "clean and flagged": clean and bool(given),
        "calls": len(calls),
        "input tokens": record["usage"].get("input_tokens") or 0,
        "output tokens": record["usage"].get("output_tokens") or 0,
    }


def _by_fault(records: Sequence[Record]) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    for call in (call for record in records for call in record["calls"] if "injection" in call):
        counts = {"injected": 1, "flagged": "violations" in call, "covered": call["covered"] is not False}
        found.setdefault(call["fault"], Counter()).update(counts)
    return found


def executed(record: Record) -> list[Record]:
    """Return the calls that were made: a reviewer may have sent others back."""
    return [call for call in record["calls"] if call.get("executed", True)]


def has_receipt(record: Record) -> bool:
    """Say whether an episode has a receipt."""
    return any("receipt" in call for call in record["calls"])


def took_what_was_listed(record: Record) -> bool:
    """Say whether the agent called a tool for the first time after a receipt of another tool had listed it."""
    called, listed = set[str](), set[str]()
    for call in executed(record):
        if call["by"] == "agent" and call["tool"] in listed - called:
            return True
        called.add(call["tool"])
        listed |= {*call.get("listed", ())} - {call["tool"]}
    return False


def _places(calls: Sequence[Record]) -> list[int]:
    return [place for place, call in enumerate(calls) if "receipt" in call]


def first_action(calls: Sequence[Record], place: int) -> str:
    """Say what the agent called first after the receipt at a place."""
    receipt = calls[place]
    following = next((call["tool"] for call in calls[place + 1 :] if call["by"] == "agent"), None)
    if following is None:
        return "none"
    if following == receipt["tool"]:
        return "retry"
    return "substitute" if following in receipt["listed"] else "other"


def contaminated(calls: Sequence[Record], answer: Json = None, distinctive: int = SHORTEST) -> bool | None:
    """Say whether a distinctive value that was injected shows up in a later call's arguments, or in the answer.

    None where no such value was injected. It is a lower bound: a value that was put in other words is not found.
    """
    waiting: set[str] = set()
    tracked = False
    for call in calls:
        if call["by"] == "agent" and _held(waiting, call["arguments"]):
            return True
        marks = _distinctive(call, distinctive)
        tracked = tracked or bool(marks)
        # What the truth says as well is no mark of the fault.
        waiting = (waiting | marks) - _held(waiting | marks, call["raw"])
    return bool(_held(waiting, answer)) if tracked else None


def _held(marks: set[str], value: Json) -> set[str]:
    """Return the marks that a value holds: as one of its values, or within one of its texts."""
    found: set[str] = set()
    for leaf in leaves(value):
        found |= (
            {mark for mark in marks if mark in leaf} if isinstance(leaf, str) else marks & {written(leaf)}
        )
    return found


def _distinctive(call: Record, signs: int) -> set[str]:
    seen = (change["seen"] for change in call.get("injection", ()) if "seen" in change)
    found = {written(leaf) for value in seen for leaf in leaves(value) if not isinstance(leaf, bool | None)}
    return {text for text in found if len(text) >= signs}


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
