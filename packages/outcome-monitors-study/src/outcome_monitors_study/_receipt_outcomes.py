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

    episodes: int
    receipts: int
    with_choice: int
    """Receipts that list two or more actions."""
    first_actions: Counter[str]
    injected: int
    """Episodes in which a fault was met."""
    recovered: int
    """Those of them that were completed all the same: ToolMaze's PRR."""
    detected: int
    """Episodes in which a result that was injected was flagged."""
    coincidental: int
    """Receipts on results that nothing was wrong with."""
    coincidental_episodes: int
    """Episodes in which the fault was missed, and some other result had a receipt."""
    by_fault: Mapping[str, Counter[str]]
    """By kind of fault: results injected, flagged, and covered by a contract."""
    trackable: int
    """Episodes in which a distinctive value was injected."""
    contaminated: int
    """Those of them in which it shows up in a later call's arguments, or in the answer."""
    contaminated_but_completed: int
    recovery_cost: float | None
    """ToolMaze's RC, the mean over episodes."""
    clean: int
    """Episodes in which nothing is to be injected."""
    clean_completed: int
    clean_receipts: int
    clean_flagged: int
    """Clean episodes with a receipt."""
    missed: Counter[str]
    """Why no fault was injected where one was to be, by episodes."""
    suppressed: int
    """Results that were flagged and delivered without a receipt."""
    versions: Counter[str]
    """Receipts by the version of their schema."""
    with_list: Counter[str]
    """Those that have a list of tools."""
    intact: Counter[str]
    """Those that stand beside the result as it was."""
    rejected: int
    """Calls that a reviewer sent back."""
    calls: int
    cost: float | None
    """None where a price is not known."""
    input_tokens: int
    output_tokens: int


def look(
    records: Sequence[Record], is_clean: Callable[[str], bool], distinctive: int = SHORTEST
) -> ReceiptOutcomes:
    """Count; a wrong value of so many signs is looked for later on. A call that a reviewer sent back is none."""
    proposed = sum(len(record["calls"]) for record in records)
    records = [{**record, "calls": executed(record)} for record in records]
    clean = [record for record in records if is_clean(record["stratum"])]
    given = [call for record in records for call in record["calls"] if "receipt" in call]
    receipts = [(record["calls"], place) for record in records for place in _places(record["calls"])]
    tracked = [(r, contaminated(r["calls"], r.get("answer"), distinctive)) for r in records]
    return ReceiptOutcomes(
        episodes=len(records),
        receipts=len(receipts),
        with_choice=sum(len(calls[place]["listed"]) > 1 for calls, place in receipts),
        first_actions=Counter(first_action(calls, place) for calls, place in receipts),
        injected=sum(any("injection" in call for call in record["calls"]) for record in records),
        recovered=sum(
            record["completed"] and any("injection" in call for call in record["calls"]) for record in records
        ),
        detected=sum(map(_detected, records)),
        coincidental=sum("injection" not in calls[place] for calls, place in receipts),
        coincidental_episodes=sum(
            any("injection" in call for call in record["calls"])
            and not _detected(record)
            and bool(_places(record["calls"]))
            for record in records
        ),
        by_fault=_by_fault(records),
        trackable=sum(found is not None for _, found in tracked),
        contaminated=sum(bool(found) for _, found in tracked),
        contaminated_but_completed=sum(bool(found) and record["completed"] for record, found in tracked),
        clean=len(clean),
        clean_completed=sum(record["completed"] for record in clean),
        clean_receipts=sum(len(_places(record["calls"])) for record in clean),
        clean_flagged=sum(map(has_receipt, clean)),
        missed=Counter(filter(None, (record["score"].get("not_injected") for record in records))),
        suppressed=sum(
            "violations" in call and "receipt" not in call for record in records for call in record["calls"]
        ),
        versions=Counter(call["receipt_schema_version"] for call in given),
        with_list=Counter(call["receipt_schema_version"] for call in given if call["listed"]),
        intact=Counter(call["receipt_schema_version"] for call in given if call["intact"]),
        rejected=proposed - sum(len(record["calls"]) for record in records),
        recovery_cost=_mean(record["score"].get("recovery_cost") for record in records),
        calls=sum(len(record["calls"]) for record in records),
        cost=total(record["usage"].get("cost") for record in records),
        input_tokens=sum(record["usage"].get("input_tokens") or 0 for record in records),
        output_tokens=sum(record["usage"].get("output_tokens") or 0 for record in records),
    )


def _detected(record: Record) -> bool:
    return any("injection" in call and "violations" in call for call in record["calls"])


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
