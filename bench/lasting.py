"""`python -m bench.lasting`: of how many of 300 tasks the agent is told, where every result of a tool stays wrong in one way.

Contracts are learned from right sessions of a shop. Then each order is wrong in the same way in 300 tasks: ways that no honest change brings are
to be told throughout, and those that a release may bring only until they are usual. The ways are those of `bench.first_session`; they were at
hand when the rules of suppression were written.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from itertools import count, islice

import click

from outcome_monitors import Call, Monitor, mine
from outcome_monitors.alerting.alert_policy import default_policies
from outcome_monitors.checking.failures import quiet
from outcome_monitors.checking.replay import Replay
from outcome_monitors.model import Json
from outcome_monitors.reports import Share, percent
from outcome_monitors_study.world import World

from ._report import Table, show
from .demo_traffic import serve_customer
from .first_session import CHANGED, PAGE, TOOL, Order

LEARNED, TASKS = 200, 300
CUSTOMERS = 6
RIGHT_NOW: Mapping[str, Callable[[Order], Json]] = {
    "an error in a field": lambda _: {"error": "upstream returned 503"},
    "an error page": lambda _: PAGE.format("502 Bad Gateway", "nginx"),
    "another order": lambda order: {**order, "order_id": f"{order['order_id']}9"},
    "a total below zero": CHANGED["a total below zero"],
    "items gone while the total stays": lambda order: {**order, "items": []},
    "a sentence for a status": CHANGED["a sentence for a status"],
    "amounts times 100": CHANGED["amounts times 100"],
}
"""What no honest change brings, or hardly one."""
HONEST: Mapping[str, Callable[[Order], Json]] = {
    "a new field": lambda order: {**order, "channel": "web"},
    "a field that is gone": CHANGED["a field that is gone"],
    "a new category": lambda order: {**order, "status": "parked"},
    "a number as text": CHANGED["a number as text"],
}
"""What a release may bring."""


def tasks() -> Iterator[list[Call]]:
    """Yield tasks of a shop that ask for an order, and whose results are right."""
    for task in count():
        world, draw = World(task), random.Random(task)
        for _ in range(CUSTOMERS):
            try:
                serve_customer(world, draw)
            except (IndexError, KeyError):
                continue
        name = f"t{task}"
        calls = [Call(one.tool, one.arguments, one.result, name, name) for one in world.log if not one.failed]
        if any(map(_is_order, calls)):
            yield calls


def alerted_share(monitor: Monitor, later: list[list[Call]], wrong: Callable[[Order], Json]) -> Share:
    """Return in how many tasks the agent is told of an order that is wrong."""
    replay, policies, found = Replay(monitor), default_policies(monitor.profile), list[bool]()
    with quiet():
        for calls in later:
            outcomes = [(_is_order(call), replay.judge(_answered(call, wrong), policies)) for call in calls]
            found.append(any(outcome.told for is_order, outcome in outcomes if is_order))
    return Share(sum(found), len(found))


def _is_order(call: Call) -> bool:
    return call.tool == TOOL and isinstance(call.result, dict) and "totals" in call.result


def _answered(call: Call, wrong: Callable[[Order], Json]) -> Call:
    if not _is_order(call):
        return call
    return Call(call.tool, call.arguments, wrong(dict(call.result)), call.task, call.session)


@click.command(epilog="Example: python -m bench.lasting")
def main() -> None:
    """Count the tasks in which a fault that stays is told."""
    later = tasks()
    registry = mine([call for calls in islice(later, LEARNED) for call in calls], profile="full")
    held = list(islice(later, TASKS))
    for title, ways in (("No honest change", RIGHT_NOW), ("What a release may bring", HONEST)):
        shares = {way: alerted_share(Monitor(registry), held, wrong) for way, wrong in ways.items()}
        rows = [(way, f"{share}", percent(share.value)) for way, share in shares.items()]
        show(Table(title, ("every order has", ">tasks told", ">share"), tuple(rows)))


if __name__ == "__main__":
    main()
