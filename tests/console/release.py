"""A folder after a release that changed fifty fields, with six real faults among its alarms: what a person finds in the console on Monday."""

from pathlib import Path

from outcome_monitors import Call, Watch, mine

__all__ = ["FAULTS", "FIELDS", "TOOLS", "after_a_release"]

TOOLS = ("get_order", "get_parcel", "list_stock", "get_customer", "get_quote", "get_refund")
FIELDS = tuple(f"field_{letter}" for letter in "abcdefghi")
CALLS, SINCE = 40, 30


def answer(tool: str, number: int) -> dict[str, object]:
    fields = {name: ("low", "high", "none")[(number + place) % 3] for place, name in enumerate(FIELDS)}
    return {
        "id": f"{tool[4]}{number:05}",
        "total": 10.5 + number,
        "placed": f"2026-01-{1 + number % 28:02}T10:00:00Z",
        "count": 1 + number % 7,
        "rows": [{"sku": f"A{number}", "left": number}],
        **fields,
    }


def released(tool: str, number: int) -> dict[str, object]:
    """Return what a tool answers since the release: categories of other names."""
    return {**answer(tool, number), **{name: "New " + name for name in FIELDS[:8]}, "extra": number}


FAULTS: dict[str, dict[str, object]] = {
    "get_order": {"total": -66.5},
    "get_parcel": {"placed": "soon"},
    "list_stock": {"rows": None},
    "get_customer": {"id": "Error: upstream returned 503"},
    "get_quote": {"total": "12,50 EUR"},
    "get_refund": {"count": 5_000_000},
}
"""What is wrong with one result of each tool, and of no other."""


def after_a_release(folder: Path) -> None:
    """Have contracts be learned, a release come, and a fault of each tool in between."""
    calls = [
        Call(tool, {"id": f"{tool[4]}{number:05}"}, answer(tool, number), f"t{number}", f"t{number}")
        for tool in TOOLS
        for number in range(CALLS)
    ]
    folder.mkdir(exist_ok=True)
    mine(calls).save(folder / "contracts.json")
    events = str(folder / "events.sqlite")
    with Watch.open(folder / "contracts.json", events=events, state=folder) as watch:
        for number in range(SINCE):
            for place, tool in enumerate(TOOLS):
                conversation = watch.conversation(f"{tool}-{number}")
                result = released(tool, number)
                if number == SINCE - 2 - place:
                    result |= FAULTS[tool]
                conversation.look(tool, {"id": f"{tool[4]}{number:05}"}, result)
