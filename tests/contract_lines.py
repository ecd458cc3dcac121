"""A fleet in which two services have a tool of one name and two meanings, and contracts of their own."""

import json
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote_plus

import pytest

from outcome_monitors.storage.address import StateAddress
from outcome_monitors_server.storage.postgres import Postgres
from outcome_monitors_server.versions.learn_job import LearnJob
from outcome_monitors_server.versions.versions import ContractVersion

__all__ = ["at", "bill", "book", "learn", "record", "services"]


def at(fleet: str, **labels: str) -> str:
    return fleet + "".join(f"&{name}={quote_plus(value)}" for name, value in labels.items())


def book(number: int) -> dict[str, Any]:
    """What `search` gives in the catalogue: stock below zero is what was promised to others."""
    return {"id": f"B{number}", "total": -1 - number % 5, "shelf": f"S{number % 3}"}


def bill(number: int) -> dict[str, Any]:
    """What `search` gives where orders are."""
    return {"id": f"B{number}", "total": 5.5 + number % 7, "state": ("open", "paid")[number % 2]}


def record(fleet: str, results: Iterable[dict[str, Any]], **labels: str) -> None:
    """Record calls of `search` as a proxy with these labels does."""
    state = Postgres(StateAddress.read(fleet))
    names = "".join(f", {name}" for name in labels)
    marks = ", ?" * len(labels)
    with state.writing() as shared:
        for number, result in enumerate(results):
            line = {
                "tool": "search",
                "arguments": {"id": result["id"]},
                "result": result,
                "task": f"t{number}",
            }
            shared.execute(
                f"INSERT INTO traces (time, tool, line{names}) VALUES (1.0, 'search', ?{marks})",
                (json.dumps(line), *labels.values()),
            )


def learn(place: str, **more: Any) -> ContractVersion:
    """Learn once; return the version that holds then."""
    report = LearnJob(place, **more).run(lambda lines, _: lines)
    assert report.version is not None
    return report.version


@pytest.fixture
def services(fleet: str) -> str:
    """A fleet with a version for all and one for each of two services."""
    record(fleet, map(book, range(40)), service="catalogue")
    record(fleet, map(bill, range(40)), service="orders")
    for place in (fleet, at(fleet, service="catalogue"), at(fleet, service="orders")):
        learn(place)
    return fleet
