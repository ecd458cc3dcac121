"""Contracts as versions: what each was made of and by whom, how far it has come, and the way back.

A version waits, is tried in shadow or on a share of conversations, is for all, and retires. One is for all, and at most one is a
canary beside it. Every function here is part of one step (`Storage.versions`), so that none is left half done.
"""

import json
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from outcome_monitors.contracts.candidate import SHADOW, SHARE, candidate_text, digest_of
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.exceptions import ContractError
from outcome_monitors.lifecycle.diff import diff
from outcome_monitors.storage.layout import CANDIDATE, CONTRACTS
from outcome_monitors.storage.storage import DocumentStep
from outcome_monitors.storage.tables import Row, columns_of

__all__ = [
    "ALL",
    "PROMOTIONS",
    "ContractVersion",
    "body_of",
    "promote",
    "publish",
    "roll_back",
    "version_of",
    "versions",
]

WAITING, ALL, RETIRED = "waiting", "all", "retired"
"""Stages beside those of a candidate: a version is kept and checked nowhere, is for all, or was so."""
NO_VERSION = "there is no version {}; `outcome-monitors contracts list` names those that are kept"


PROMOTIONS = ("auto", "shadow", "none")
"""What becomes of a new version: it is for all at once, or tried in shadow, or waits."""
MOST_KEPT = 100
"""Of more versions, the oldest that have retired or wait are deleted."""


@dataclass(frozen=True, slots=True)
class ContractVersion:
    """What is known of a version beside its contracts."""

    number: int
    parent: int | None
    """The version that was for all when it was made."""
    made: float
    by: str
    stage: str
    """`waiting`, `shadow`, `share`, `all` or `retired`."""
    share: float
    changes: dict[str, Any]
    """How many clauses were added, dropped and changed against the parent; empty where nobody has counted."""
    evidence: dict[str, Any]
    """The lines that it was mined from: how many, the first, the last, and their digest."""
    accepted: float | None
    """When it came to be for all, the last time."""
    accepted_by: str
    reason: str
    withdrawn: bool
    """Whether it was for all, and a former one was put back in its place."""


def publish(
    table: DocumentStep,
    body: str,
    *,
    by: str,
    evidence: Mapping[str, Any],
    promotion: str = "auto",
) -> tuple[ContractVersion, bool]:
    """Keep contracts that were mined as a version, and place it; return it, and whether it is new."""
    _adopt(table)
    known = versions(table)
    current, tried = _at_stage(known, ALL), _at_stage(known, SHADOW, SHARE)
    for one in (*known[:1], *([current] if current is not None else [])):
        if body_of(table, one.number) == body:
            if one.stage == ALL and table.document(CONTRACTS) is None:
                _write_in_force(table, by)
            return one, False
    number = _insert(table, _number_of(current), by, body, evidence)
    stage = _first_stage(promotion, current, tried, known)
    if stage != WAITING:
        promote(table, number, stage, by=by)
    _forget_the_oldest(table)
    return version_of(table, number), True


def promote(table: DocumentStep, number: int, stage: str = ALL, share: float = 1.0, *, by: str) -> None:
    """Bring a version to a stage: there is one for all, and one candidate."""
    one = version_of(table, number)
    Registry.loads(body_of(table, number), f"version {number}")
    if one.stage == ALL and stage != ALL:
        raise ContractError(
            f"version {number} is for all already; `contracts rollback` puts a former one back in its place"
        )
    known = versions(table)
    if stage == ALL:
        _move(table, _at_stage(known, ALL), RETIRED)
        outdated = _at_stage(known, SHADOW, SHARE)
        if outdated is not None and outdated.number < number:
            _move(table, outdated, RETIRED)
    else:
        _move(table, _at_stage(known, SHADOW, SHARE), WAITING)
    accepted, whose = (time.time(), by) if stage == ALL else (one.accepted, one.accepted_by)
    placed = {
        "stage": stage,
        "share": share if stage == SHARE else float(stage == ALL),
        "accepted": accepted,
        "accepted_by": whose,
        "withdrawn": 0,
        "reason": "",
    }
    table.rows.update("versions", placed, number=number)
    _write_in_force(table, by)


def roll_back(table: DocumentStep, number: int | None, *, by: str, reason: str) -> ContractVersion:
    """Put a former version back for all; what is tried meanwhile waits. Return the version that is for all now."""
    known = versions(table)
    current = _at_stage(known, ALL)
    if current is None:
        raise ContractError(
            "no version is for all: there is nothing to go back from; `outcome-monitors learn` makes one"
        )
    former = [one for one in known if one.number < current.number and one.accepted and not one.withdrawn]
    if number is None and not former:
        raise ContractError(
            f"there is no version before {current.number} that was for all; `contracts list` shows them"
        )
    number = former[0].number if number is None else number
    if number >= current.number:
        raise ContractError(
            f"version {number} is no former one, since {current.number} is for all; `contracts promote {number}` puts it there"
        )
    _move(table, _at_stage(known, SHADOW, SHARE), WAITING)
    promote(table, number, by=by)
    table.rows.update("versions", {"withdrawn": 1, "reason": reason}, number=current.number)
    return version_of(table, number)


def _first_stage(
    promotion: str,
    current: ContractVersion | None,
    tried: ContractVersion | None,
    known: list[ContractVersion],
) -> str:
    """Return where a new version begins; what people try, or have taken back, is not passed over."""
    since = 0 if current is None else current.number
    withdrawn = any(one.withdrawn and one.number > since for one in known)
    if promotion == "auto" and not withdrawn:
        return ALL if tried is None else WAITING
    if promotion == "none" or (tried is not None and tried.stage == SHARE):
        return WAITING
    return SHADOW


def _adopt(table: DocumentStep) -> None:
    """Make a version of contracts that came to be in force by another way: before there were versions, or by hand."""
    body = table.document(CONTRACTS)
    current = _at_stage(versions(table), ALL)
    if body is None or (current is not None and body_of(table, current.number) == body):
        return
    try:
        Registry.loads(body)
    except ContractError:
        return
    number = _insert(table, _number_of(current), "found in force", body, {})
    promote(table, number, by="found in force")


def _write_in_force(table: DocumentStep, by: str) -> None:
    """Write what running proxies read."""
    known = versions(table)
    current, tried = _at_stage(known, ALL), _at_stage(known, SHADOW, SHARE)
    body = "" if current is None else body_of(table, current.number)
    if current is not None and table.document(CONTRACTS) != body:
        table.put(CONTRACTS, body, by)
    text = candidate_text(
        _number_of(current),
        digest_of(body.encode()),
        None if tried is None else (tried.number, tried.stage, tried.share, body_of(table, tried.number)),
    )
    table.put(CANDIDATE, text, by)


def _forget_the_oldest(table: DocumentStep) -> None:
    for one in versions(table)[MOST_KEPT:]:
        if one.stage in (RETIRED, WAITING):
            table.rows.delete("versions", number=one.number)


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
        "share": 0.0,
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


def _move(table: DocumentStep, one: ContractVersion | None, stage: str) -> None:
    """Bring a version, where there is one, to a stage at which it judges nothing."""
    if one is not None:
        table.rows.update("versions", {"stage": stage, "share": 0.0}, number=one.number)


def _at_stage(known: list[ContractVersion], *stages: str) -> ContractVersion | None:
    """Return the newest that is at one of these stages."""
    return next((one for one in known if one.stage in stages), None)


def _version(row: Row) -> ContractVersion:
    texts = {name: json.loads(row[name]) for name in ("changes", "evidence")}
    return ContractVersion(**{**row, **texts, "withdrawn": bool(row["withdrawn"])})


def _number_of(one: ContractVersion | None) -> int | None:
    """Return the number of a version, where there is one."""
    return None if one is None else one.number
