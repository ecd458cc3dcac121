"""What a check costs with contracts as mining makes them, outside a session and in one.

They are those of an order that is seen again and again, and of the traces that are too large for the repository, where these are here.
"""

import json
import random
import timeit
from collections.abc import Iterator, Sequence

from outcome_monitors import Call, Monitor, Registry, mine, read_traces
from outcome_monitors.exceptions import OutcomeMonitorsError

from ._lists import shared
from ._peers import needed
from ._report import Table
from ._results import STATUSES, THINGS, WORDS
from ._timing import ROUNDS, fastest, timer

__all__ = ["orders", "tables"]

TRACES = ("bfcl_open", "tau2_airline")
SAMPLE = 300
"""Calls of a set of traces that are checked, one after the other."""
ORDERS, CALLS, IN_A_RUN = 40, 480, 3
TOWNS = (
    ("10115", "Berlin", "DE", "EUR"),
    ("20095", "Hamburg", "DE", "EUR"),
    ("75001", "Paris", "FR", "EUR"),
    ("69001", "Lyon", "FR", "EUR"),
    ("0150", "Oslo", "NO", "NOK"),
    ("5003", "Bergen", "NO", "NOK"),
    ("EC1A 1BB", "London", "GB", "GBP"),
)


def orders() -> Iterator[Call]:
    """Yield the calls of runs that look at some of 40 orders, at one of them twice."""
    rng = random.Random(1)
    for number in range(CALLS // IN_A_RUN):
        looked_at = [rng.randrange(ORDERS) for _ in range(IN_A_RUN - 1)]
        for order in (*looked_at, looked_at[0]):
            result = _order(order)
            name = f"run {number}"
            yield Call("get_order", {"order_id": result["order_id"]}, result, task=name, session=name)


def _order(number: int) -> dict[str, object]:
    rng = random.Random(number)
    code, city, country, currency = rng.choice(TOWNS)
    return {
        "order_id": f"W{1000003 + 7919 * number}",
        "customer": f"{rng.choice(WORDS)}_{rng.choice(THINGS)}_{rng.randrange(1000, 9999)}",
        "status": rng.choice(STATUSES),
        "currency": currency,
        "items": rng.randrange(1, 12),
        "total": rng.randrange(100, 90000) / 100,
        "zip": code,
        "city": city,
        "country": country,
        "gift": rng.random() < 0.3,
        "carrier": rng.choice(("dhl", "posten", "ups")),
        "created_at": f"2026-0{rng.randrange(1, 10)}-{rng.randrange(10, 29)}T10:{rng.randrange(10, 60)}:00Z",
    }


def tables(rounds: int = ROUNDS) -> Iterator[Table]:
    """Measure, and yield the table."""
    made, missing = [("an order of 40, 12 fields", [*orders()])], list[str]()
    for name in TRACES:
        try:
            made.append((name, [*read_traces([str(shared(f"traces/{name}.jsonl.gz"))])]))
        except OutcomeMonitorsError as error:
            missing.append(f"{name}: {error}.")
    yield Table(
        "Contracts as mining makes them",
        ("traces", ">clauses", ">facts", ">us", ">x orjson.loads", ">in a session", ">x"),
        tuple(_row(name, calls, rounds) for name, calls in made),
        (
            f"Profile `full`, mined from all calls; the last {SAMPLE} that nothing is said against are checked, in order and in their sessions.",
            "Microseconds are those of one call on average, and so is what `orjson.loads` takes for their bytes.",
            *missing,
        ),
    )


def _row(name: str, calls: Sequence[Call], rounds: int) -> tuple[str, ...]:
    registry = mine(calls, "full")
    clauses = [clause for contract in registry.contracts.values() for clause in contract.clauses]
    taken = _clean(registry, calls)
    data = [json.dumps(call.result, separators=(",", ":")).encode() for call in taken]
    seconds = fastest(_statements(Monitor(registry), taken, data), rounds, 0.1)
    base, alone, within = (seconds[what] / len(taken) for what in ("loads", "check", "session"))
    facts = sum(clause.kind == "functional_dependency" for clause in clauses)
    return (
        name,
        f"{len(clauses):,}",
        f"{facts:,}",
        f"{alone * 1e6:,.2f}",
        f"{alone / base:.2f}",
        f"{within * 1e6:,.2f}",
        f"{within / base:.2f}",
    )


def _clean(registry: Registry, calls: Sequence[Call]) -> list[Call]:
    """Return the last calls that a monitor says nothing of, in their sessions or alone."""
    monitor = Monitor(registry)
    sessions = {call.session: monitor.session() for call in calls}
    clean = [
        call for call in calls if not sessions[call.session].check(call.tool, call.arguments, call.result)
    ]
    return clean[-SAMPLE:]


def _statements(monitor: Monitor, calls: Sequence[Call], data: Sequence[bytes]) -> dict[str, timeit.Timer]:
    loads = needed("orjson").loads

    def read() -> None:
        for text in data:
            loads(text)

    def check() -> None:
        for call in calls:
            monitor.check(call.tool, call.arguments, call.result)

    runs = {call.session for call in calls}

    def session() -> None:
        sessions = {run: monitor.session() for run in runs}
        for call in calls:
            sessions[call.session].check(call.tool, call.arguments, call.result)

    return {"loads": timer(read), "check": timer(check), "session": timer(session)}
