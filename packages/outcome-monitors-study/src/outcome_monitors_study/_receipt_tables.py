"""Tables of what receipts were, what agents did after them, and what that cost."""

from collections.abc import Iterator

from outcome_monitors.reports import percent

from ._receipts_seen import ACTIONS
from ._words import Table, money, share
from .analysis import Analysis

__all__ = ["receipt_tables"]


def receipt_tables(found: Analysis) -> Iterator[Table]:
    """Yield the tables."""
    for made in (_behaviour, _detection, _spread, _faults, _usage):
        yield made(found)


def _behaviour(found: Analysis) -> Table:
    columns = ("arm", ">receipts", ">2+ listed", *(f">{action}" for action in ACTIONS))
    rows = [
        (
            arm,
            str(seen.receipts),
            percent(seen.with_choice / seen.receipts),
            *(str(seen.first_actions[action]) for action in ACTIONS),
        )
        for arm, seen in found.seen.items()
        if seen.receipts
    ]
    return "First action after a receipt", columns, rows


def _detection(found: Analysis) -> Table:
    columns = ("arm", ">met", ">PRR", ">RC", ">flagged", ">other", ">elsewhere")
    rows = [
        (
            arm,
            share(seen.injected, seen.episodes),
            percent(seen.recovered / seen.injected if seen.injected else None),
            "-" if seen.recovery_cost is None else f"{seen.recovery_cost:.2f}",
            share(seen.detected, seen.injected),
            str(seen.coincidental),
            str(seen.coincidental_episodes),
        )
        for arm, seen in found.seen.items()
    ]
    return "Episodes that met a fault, what became of them, and where receipts were", columns, rows


def _spread(found: Analysis) -> Table:
    columns = ("arm", ">trackable", ">spread", ">of which completed")
    rows = [
        (arm, str(seen.trackable), str(seen.contaminated), str(seen.contaminated_but_completed))
        for arm, seen in found.seen.items()
        if seen.trackable
    ]
    return (
        f"Episodes in which a wrong value of {found.distinctive} signs or more shows up later",
        columns,
        rows,
    )


def _faults(found: Analysis) -> Table:
    detecting = {arm: seen.by_fault for arm, seen in found.seen.items() if seen.detected and seen.by_fault}
    kinds = sorted({fault for by_fault in detecting.values() for fault in by_fault})
    rows = [
        (fault, *(share(*by_fault.get(fault, (0, 0))) for by_fault in detecting.values())) for fault in kinds
    ]
    return "Injected results flagged, by fault", ("fault", *(f">{arm}" for arm in detecting)), rows


def _usage(found: Analysis) -> Table:
    columns = ("arm", ">calls", ">tokens in", ">tokens out", ">cost", ">tries broken off")
    rows = [
        (
            arm,
            f"{seen.calls:,}",
            f"{seen.input_tokens:,}",
            f"{seen.output_tokens:,}",
            money(seen.cost),
            str(found.failures[arm]),
        )
        for arm, seen in found.seen.items()
    ]
    return "Calls, tokens, cost, and tries that an endpoint broke off", columns, rows
