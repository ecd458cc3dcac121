"""Contracts as versions: what each was made of and by whom, which is in force, and the way back.

Every function here is part of one step (`Storage.versions`), so that none is left half done.
"""

import json
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.contracts.version import version_text
from outcome_monitors.exceptions import ContractError
from outcome_monitors.lifecycle.diff import diff
from outcome_monitors.storage.layout import CONTRACTS, VERSION
from outcome_monitors.storage.storage import DocumentStep
from outcome_monitors.storage.tables import Row, columns_of

WAITING, ACTIVE, RETIRED = "waiting", "active", "retired"
"""A version is kept and not in force yet, is in force, or was."""
NO_VERSION = "there is no version {}; `outcome-monitors contracts list` names those that are kept"


PROMOTIONS = ("auto", "none")
"""What becomes of a new version: it is in force at once, or waits."""
MOST_KEPT = 100
"""Of more versions, the oldest that have retired or wait are deleted."""


@dataclass(frozen=True, slots=True)
class ContractVersion:
    """What is known of a version beside its contracts."""

    number: int
    parent: int | None
    """The version that was in force when it was made."""
    made: float
    by: str
    stage: str
    """`waiting`, `active` or `retired`."""
    changes: dict[str, Any]
    """How many clauses were added, dropped and changed against the parent; empty where nobody has counted."""
    evidence: dict[str, Any]
    """The lines that it was mined from: how many, the first, the last, and their digest."""
    accepted: float | None
    """When it came in force, the last time."""
    accepted_by: str
    reason: str
    withdrawn: bool
    """Whether it was in force, and a former one was put back in its place."""


def publish(
    table: DocumentStep, body: str, *, by: str, evidence: Mapping[str, Any], promotion: str = "auto"
) -> tuple[ContractVersion, bool]:
    """Keep contracts that were mined as a version; return it, and whether it is new.

    It is in force at once, unless people are to decide, or have taken back a version since.
    """
    _adopt(table)
    known = versions(table)
    current = _in_force(known)
    for one in (*known[:1], *([current] if current is not None else [])):
        if body_of(table, one.number) == body:
            if one.stage == ACTIVE and table.document(CONTRACTS) is None:
                _write_in_force(table, by)
            return one, False
    since = 0 if current is None else current.number
    number = _insert(table, since or None, by, body, evidence)
    if promotion == "auto" and not any(one.withdrawn and one.number > since for one in known):
        promote(table, number, by=by)
    for one in versions(table)[MOST_KEPT:]:
        if one.stage != ACTIVE:
            table.rows.delete("versions", number=one.number)
    return version_of(table, number), True


def promote(table: DocumentStep, number: int, *, by: str) -> None:
    """Put a version in force."""
    Registry.loads(body_of(table, number), f"version {number}")
    current = _in_force(versions(table))
    if current is not None:
        table.rows.update("versions", {"stage": RETIRED}, number=current.number)
    placed = {
        "stage": ACTIVE,
        "accepted": time.time(),
        "accepted_by": by,
        "withdrawn": 0,
        "reason": "",
    }
    table.rows.update("versions", placed, number=number)
    _write_in_force(table, by)


def roll_back(table: DocumentStep, number: int | None, *, by: str, reason: str) -> ContractVersion:
    """Put a former version back in force; return it."""
    known = versions(table)
    current = _in_force(known)
    if current is None:
        raise ContractError(
            "no version is in force: there is nothing to go back from; `outcome-monitors learn` makes one"
        )
    former = [one for one in known if one.number < current.number and one.accepted and not one.withdrawn]
    if number is None and not former:
        raise ContractError(
            f"there is no version before {current.number} that was in force; `contracts list` shows them"
        )
    number = former[0].number if number is None else number
    if number >= current.number:
        raise ContractError(
            f"version {number} is no former one, since {current.number} is in force; `contracts promote {number}` puts it there"
        )
    promote(table, number, by=by)
    table.rows.update("versions", {"withdrawn": 1, "reason": reason}, number=current.number)
    return version_of(table, number)


def _adopt(table: DocumentStep) -> None:
    """Make a version of contracts that came to be in force by another way: before there were versions, or by hand."""
    body, current = table.document(CONTRACTS), _in_force(versions(table))
    if body is None or (current is not None and body_of(table, current.number) == body):
        return
    try:
        Registry.loads(body)
    except ContractError:
        return
    number = _insert(table, None if current is None else current.number, "found in force", body, {})
    promote(table, number, by="found in force")


def _write_in_force(table: DocumentStep, by: str) -> None:
    """Write what running proxies read."""
    current = _in_force(versions(table))
    assert current is not None
    body = body_of(table, current.number)
    if table.document(CONTRACTS) != body:
        table.put(CONTRACTS, body, by)
    table.put(VERSION, version_text(current.number, body), by)


def versions(table: DocumentStep) -> list[ContractVersion]:
    """Return all versions, the newest first."""
    names = [one for one in columns_of("versions") if one != "body"]
    return [_version(row) for row in table.rows.select("versions", *names, newest=True)]


def version_of(table: DocumentStep, number: int) -> ContractVersion:
    """Return a version; refuse a number that there is none of."""
    for one in versions(table):
        if one.number == number:
            return one
    raise ContractError(NO_VERSION.format(number))


def body_of(table: DocumentStep, number: int) -> str:
    """Return the contracts of a version, as the text of a contract file."""
    for row in table.rows.select("versions", "body", number=number):
        return str(row["body"])
    raise ContractError(NO_VERSION.format(number))


def _insert(table: DocumentStep, parent: int | None, by: str, body: str, evidence: Mapping[str, Any]) -> int:
    """Write a version that waits; return its number."""
    changes = _change_counts(None if parent is None else body_of(table, parent), body)
    new = {
        "parent": parent,
        "made": time.time(),
        "by": by,
        "stage": WAITING,
        "body": body,
        "changes": json.dumps(changes),
        "evidence": json.dumps(evidence),
    }
    table.rows.put("versions", [new])
    return table.rows.last("versions")


def _change_counts(before: str | None, after: str) -> Counter[str]:
    """Return how many clauses and tools came, went and changed; nothing where one of the two cannot be read."""
    try:
        old = Registry() if before is None else Registry.loads(before, "the parent")
        return Counter(change.what for change in diff(old, Registry.loads(after)))
    except ContractError:
        return Counter()


def _in_force(known: list[ContractVersion]) -> ContractVersion | None:
    return next((one for one in known if one.stage == ACTIVE), None)


def _version(row: Row) -> ContractVersion:
    texts = {name: json.loads(row[name]) for name in ("changes", "evidence")}
    return ContractVersion(**{**row, **texts, "withdrawn": bool(row["withdrawn"])})
