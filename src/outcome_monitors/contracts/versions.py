"""Contracts as versions: what each was made of and by whom, how far it has come, and the way back.

A version waits, is tried in shadow or on a share of conversations, is for all, and retires. One is for all, and at most one is a
candidate beside it. Every function here is part of one step (`VersionHome.changing`), so that none is left half done.
"""

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

from outcome_monitors.dataclass import dataclass
from outcome_monitors.exceptions import ContractError
from outcome_monitors.values.folders import CANDIDATE, CONTRACTS

from .candidate import SHADOW, SHARE, candidate_text, digest_of
from .registry import Registry
from .version_homes import VersionTable

__all__ = [
    "ALL",
    "PROMOTIONS",
    "VERSION_STAGES",
    "ContractVersion",
    "body_of",
    "promote",
    "publish",
    "roll_back",
    "version_of",
    "versions",
]

WAITING, ALL, RETIRED = "waiting", "all", "retired"
VERSION_STAGES: Mapping[str, str] = {
    WAITING: "kept, and checked nowhere",
    SHADOW: "checked beside the version for all; nobody is told",
    SHARE: "judges a share of the conversations",
    ALL: "judges all conversations, but a share that another is tried on",
    RETIRED: "was for all, or is outdated",
}
PROMOTIONS = ("auto", "shadow", "none")
"""What becomes of a new version: it is for all at once, or tried in shadow, or waits."""
MOST_KEPT = 100
"""Versions; of more, the oldest that have retired or wait are deleted."""
_COLUMNS = (
    "number, parent, made, by, stage, share, changes, evidence, accepted, accepted_by, reason, withdrawn"
)

Changed = Callable[[str | None], Mapping[str, Any]]
"""Says what changed against the text of the parent's contracts, where there is a parent."""


@dataclass(frozen=True, slots=True)
class ContractVersion:
    """What is known of a version beside its contracts."""

    number: int
    parent: int | None
    """The version that was for all when it was made."""
    made: float
    by: str
    stage: str
    """One of `VERSION_STAGES`."""
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


def versions(table: VersionTable) -> list[ContractVersion]:
    """Return all versions, the newest first."""
    return [_version(row) for row in table.rows(f"SELECT {_COLUMNS} FROM versions ORDER BY number DESC")]  # noqa: S608 - names of our own


def version_of(table: VersionTable, number: int) -> ContractVersion:
    """Return a version; refuse a number that there is none of."""
    for one in versions(table):
        if one.number == number:
            return one
    raise ContractError(
        f"there is no version {number}; `outcome-monitors contracts list` names those that are kept"
    )


def body_of(table: VersionTable, number: int) -> str:
    """Return the contracts of a version, as the text of a contract file."""
    version_of(table, number)
    return str(table.rows("SELECT body FROM versions WHERE number = ?", (number,))[0][0])


def publish(
    table: VersionTable,
    body: str,
    *,
    by: str,
    evidence: Mapping[str, Any],
    changed: Changed,
    promotion: str = "auto",
) -> tuple[ContractVersion, bool]:
    """Keep contracts that were mined as a version, and place it; return it, and whether it is new."""
    _adopt(table)
    known = versions(table)
    current, tried = _at(known, ALL), _at(known, SHADOW, SHARE)
    for one in (*known[:1], *([current] if current is not None else [])):
        if body_of(table, one.number) == body:
            if one.stage == ALL and table.document(CONTRACTS) is None:
                _tell(table, by)
            return one, False
    parent = None if current is None else current.number
    changes = changed(None if parent is None else body_of(table, parent))
    number = _insert(table, parent, by, body, changes, evidence)
    stage = _first_stage(promotion, current, tried, known)
    if stage != WAITING:
        promote(table, number, stage, by=by)
    _forget_the_oldest(table)
    return version_of(table, number), True


def promote(table: VersionTable, number: int, stage: str = ALL, share: float = 1.0, *, by: str) -> None:
    """Bring a version to a stage: there is one for all, and one candidate."""
    one = version_of(table, number)
    Registry.loads(body_of(table, number), f"version {number}")
    if one.stage == ALL and stage != ALL:
        raise ContractError(
            f"version {number} is for all already; `contracts rollback` puts a former one back in its place"
        )
    known = versions(table)
    if stage == ALL:
        _move(table, _at(known, ALL), RETIRED)
        outdated = _at(known, SHADOW, SHARE)
        if outdated is not None and outdated.number < number:
            _move(table, outdated, RETIRED)
    else:
        _move(table, _at(known, SHADOW, SHARE), WAITING)
    accepted, whose = (time.time(), by) if stage == ALL else (one.accepted, one.accepted_by)
    table.rows(
        "UPDATE versions SET stage = ?, share = ?, accepted = ?, accepted_by = ?, withdrawn = 0, reason = '' WHERE number = ?",
        (stage, share if stage == SHARE else float(stage == ALL), accepted, whose, number),
    )
    _tell(table, by)


def roll_back(table: VersionTable, number: int | None, *, by: str, reason: str) -> ContractVersion:
    """Put a former version back for all; what is tried meanwhile waits. Return the version that is for all now."""
    known = versions(table)
    current = _at(known, ALL)
    if current is None:
        raise ContractError(
            "no version is for all: there is nothing to go back from; `outcome-monitors learn` makes one"
        )
    if number is None:
        former = [one for one in known if one.number < current.number and one.accepted and not one.withdrawn]
        if not former:
            raise ContractError(
                f"there is no version before {current.number} that was for all; `contracts list` shows them"
            )
        number = former[0].number
    if version_of(table, number).number >= current.number:
        raise ContractError(
            f"version {number} is no former one, since {current.number} is for all; `contracts promote {number}` puts it there"
        )
    _move(table, _at(known, SHADOW, SHARE), WAITING)
    promote(table, number, by=by)
    table.rows("UPDATE versions SET withdrawn = 1, reason = ? WHERE number = ?", (reason, current.number))
    return version_of(table, number)


def _first_stage(
    promotion: str,
    current: ContractVersion | None,
    tried: ContractVersion | None,
    known: list[ContractVersion],
) -> str:
    """Return where a new version begins; what people try, or have taken back, is not passed over."""
    withdrawn = current is not None and any(one.withdrawn and one.number > current.number for one in known)
    if promotion == "auto" and not withdrawn:
        return ALL if tried is None else WAITING
    if promotion == "none" or (tried is not None and tried.stage == SHARE):
        return WAITING
    return SHADOW


def _adopt(table: VersionTable) -> None:
    """Make a version of contracts that came to be in force by another way: before there were versions, or by hand."""
    body = table.document(CONTRACTS)
    current = _at(versions(table), ALL)
    if body is None or (current is not None and body_of(table, current.number) == body):
        return
    try:
        Registry.loads(body)
    except ContractError:
        return
    number = _insert(table, None if current is None else current.number, "found in force", body, {}, {})
    promote(table, number, by="found in force")


def _insert(
    table: VersionTable,
    parent: int | None,
    by: str,
    body: str,
    changes: Mapping[str, Any],
    evidence: Mapping[str, Any],
) -> int:
    [[number]] = table.rows(
        "INSERT INTO versions (parent, made, by, stage, share, body, changes, evidence) VALUES (?, ?, ?, ?, 0, ?, ?, ?) RETURNING number",
        (parent, time.time(), by, WAITING, body, json.dumps(changes), json.dumps(evidence)),
    )
    return int(number)


def _tell(table: VersionTable, by: str) -> None:
    """Write what running proxies read."""
    known = versions(table)
    current, tried = _at(known, ALL), _at(known, SHADOW, SHARE)
    body = "" if current is None else body_of(table, current.number)
    if current is not None and table.document(CONTRACTS) != body:
        table.put(CONTRACTS, body, by)
    text = candidate_text(
        None if current is None else current.number,
        digest_of(body.encode()),
        None if tried is None else (tried.number, tried.stage, tried.share, body_of(table, tried.number)),
    )
    table.put(CANDIDATE, text, by)


def _forget_the_oldest(table: VersionTable) -> None:
    for one in versions(table)[MOST_KEPT:]:
        if one.stage in (RETIRED, WAITING):
            table.rows("DELETE FROM versions WHERE number = ?", (one.number,))


def _move(table: VersionTable, one: ContractVersion | None, stage: str) -> None:
    if one is not None:
        table.rows("UPDATE versions SET stage = ?, share = 0 WHERE number = ?", (stage, one.number))


def _at(known: list[ContractVersion], *stages: str) -> ContractVersion | None:
    return next((one for one in known if one.stage in stages), None)


def _version(row: tuple[Any, ...]) -> ContractVersion:
    found = dict(zip(_COLUMNS.split(", "), row, strict=True))
    texts = {name: json.loads(found[name]) for name in ("changes", "evidence")}
    return ContractVersion(**{**found, **texts, "withdrawn": bool(found["withdrawn"])})
