"""Recovery relations: how good the mined ones are, what receipts then offer, and how fast it is."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from outcome_monitors import Call, Monitor, Relations, mine
from outcome_monitors.model import Encoder
from outcome_monitors.recovery.mining import Sources, Tool, build
from outcome_monitors.recovery.mining.reading import interfaces
from outcome_monitors.recovery.mining.signatures import signatures
from outcome_monitors.recovery.relations import safe

from ._agreement import labelled, left_out, mined_from_world, of_groups, of_labels, of_world
from ._effects import PARTS, confusion, labelled_names
from ._recovering import Receipt, receipts
from ._report import Table
from ._timing import fastest, once, timer

__all__ = ["many_tools", "tables"]

MANY, MOST = 1000, 10_000
WORKFLOWS = 120
RUNS = 10

_OF_QUALITY = (
    "The world's relations come from its interfaces and 400 clean workflows, without its declarations. Those of real servers"
    " come from their interfaces alone, all servers at once; the method was shaped on the servers marked `tuned`. The labels"
    " are in bench/data/mcp_servers.json. The later labels were written after the vocabulary; for the last row weights and limits"
    " were chosen on other servers."
)
_OF_EFFECTS = (
    "A write that is said to read would be dangerous. The verbs were shaped on the names marked `tuned`; the labels are in"
    " bench/data/tool_effects.json."
)
_OF_RECEIPTS = (
    "The agent sees the tools of its own workflow, which leave out most substitutes on purpose, or all tools. An action is"
    " clean where calling it as the receipt says gives a true result; no receipt offers a write that acts twice."
)


def tables() -> Iterator[Table]:
    """Measure, and yield the tables."""
    mined = mined_from_world()
    yield _quality(mined)
    yield _effects()
    yield _receipts(mined)
    yield _speed(mined)


def _quality(mined: Relations) -> Table:
    rows = [of_world(mined).row("the tool world")]
    rows += [measure.row(f"MCP servers, {part}") for part, measure in of_labels().items()]
    rows += [measure.row(f"70 servers, {name}") for name, measure in of_groups().items()]
    rows.append(left_out().row("70 servers, servers left out"))
    return Table(
        "Mined relations beside known ones",
        ("tools of", ">tools", ">precision at 3", ">recall", ">near-misses listed"),
        tuple(rows),
        (_OF_QUALITY,),
    )


def _effects() -> Table:
    rows: list[tuple[str, ...]] = []
    for part in PARTS:
        tools = [tool for tool in labelled_names() if tool.part == part]
        rows += confusion(tools, described=False).rows(f"{part}, by name")
        rows += confusion(tools, described=True).rows(f"{part}, and description")
    return Table(
        "What names say of 500 labelled tools",
        ("what they do", ">said to read", ">counted as a write"),
        tuple(rows),
        (_OF_EFFECTS,),
    )


def _receipts(mined: Relations) -> Table:
    rows = []
    for name, everything in (("its own", False), ("all", True)):
        found = list(receipts(mined, count=WORKFLOWS, runs=RUNS, everything=everything))
        rows.append((name, f"{len(found)}", *_shares(found)))
    return Table(
        "Receipts on the world's faults, nothing declared",
        ("tools seen", ">receipts", ">two actions", ">a clean one, where one exists"),
        tuple(rows),
        (_OF_RECEIPTS,),
    )


def _shares(found: list[Receipt]) -> tuple[str, str]:
    two = sum(receipt.actions >= 2 for receipt in found)
    could = [receipt for receipt in found if receipt.exists]
    clean = sum(receipt.clean > 0 for receipt in could)
    return f"{two / len(found):.1%}", f"{clean / len(could):.1%} ({clean} of {len(could)})"


def many_tools(count: int) -> list[Tool]:
    """Return so many tools: those of the real servers, over and over, each time with other first names."""
    tools, _, _ = labelled()
    return [
        replace(tools[number % len(tools)], name=f"s{number // len(tools)}_{tools[number % len(tools)].name}")
        for number in range(count)
    ]


def _speed(mined: Relations) -> Table:
    seconds, _ = once(lambda: build(Sources(tools=many_tools(MANY))))
    longest, _ = once(lambda: signatures(interfaces(many_tools(MOST))))
    clean = [
        Call("get_quote", {"symbol": f"S{n}"}, {"symbol": f"S{n}", "price_usd": n + 1.5}) for n in range(8)
    ]
    contracts, wrong = mine(clean, "paper"), {"symbol": "S1", "price_usd": -1.0}
    visible = frozenset(mined)
    encoders: tuple[Encoder, ...] = ("v2", "note")
    advise = {
        f"{encoder}, {name}": timer(
            Monitor(contracts, relations, encoder=encoder).advise,
            "get_quote",
            {"symbol": "S1"},
            wrong,
            visible,
        )
        for encoder in encoders
        for name, relations in (("none", Relations()), ("mined", mined))
    }
    times = fastest({**advise, "alone": timer(safe, "get_quote", mined, visible)})
    rows = (
        (f"build relations for {MANY:,} tools", f"{seconds:.2f} s"),
        (f"find the substitutes of {MOST:,} tools", f"{longest:.0f} s"),
        ("choose the actions of a receipt", f"{times['alone'] * 1e6:.1f} µs"),
        ("more for a v2 receipt than without relations", _more(times, "v2")),
        ("more for a note, with arguments", _more(times, "note")),
    )
    return Table("How fast relations are", ("what", ">time"), rows)


def _more(times: Mapping[str, float], encoder: str) -> str:
    return f"{(times[f'{encoder}, mined'] - times[f'{encoder}, none']) * 1e6:.1f} µs"
