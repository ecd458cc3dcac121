"""Rows of the table of versions, as they are asked for and written in either home."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from outcome_monitors.contracts.candidate import SHADOW, SHARE
from outcome_monitors.exceptions import ContractError
from outcome_monitors.state.labels import Labels
from outcome_monitors_server.storage.contract_lines import in_force

from .version_homes import VersionTable

__all__ = [
    "ALL",
    "RETIRED",
    "VERSION_STAGES",
    "WAITING",
    "ContractVersion",
    "at_stage",
    "beneath",
    "body_of",
    "insert",
    "line_versions",
    "move",
    "number_of",
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
_COLUMNS = (
    "number, parent, made, by, stage, share, changes, evidence, accepted, accepted_by, reason, withdrawn"
)
NO_VERSION = "there is no version {}; `outcome-monitors contracts list` names those that are kept"


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

    @property
    def labels(self) -> Labels:
        """For whom it is: what it was learned from bears them; without any it is for the whole fleet."""
        found = self.evidence.get("labels", {})
        return Labels.named((name, str(value)) for name, value in found.items())


def versions(table: VersionTable) -> list[ContractVersion]:
    """Return all versions, the newest first."""
    return [_version(row) for row in table.rows(f"SELECT {_COLUMNS} FROM versions ORDER BY number DESC")]  # noqa: S608 - names of our own


def line_versions(table: VersionTable, line: Labels) -> list[ContractVersion]:
    """Return the versions of one line, the newest first."""
    return [one for one in versions(table) if one.labels == line]


def version_of(table: VersionTable, number: int) -> ContractVersion:
    """Return a version; refuse a number that there is none of, or that is not for those whose labels are named."""
    for one in versions(table):
        if one.number == number:
            if not table.labels.hold_for(one.labels):
                raise ContractError(
                    f"version {number} is for {one.labels.words or 'the whole fleet'}, and the address names {table.labels.words}"
                )
            return one
    raise ContractError(NO_VERSION.format(number))


def body_of(table: VersionTable, number: int) -> str:
    """Return the contracts of a version, as the text of a contract file."""
    found = table.rows("SELECT body FROM versions WHERE number = ?", (number,))
    if not found:
        raise ContractError(NO_VERSION.format(number))
    return str(found[0][0])


def insert(
    table: VersionTable,
    parent: int | None,
    by: str,
    body: str,
    changes: Mapping[str, Any],
    evidence: Mapping[str, Any],
) -> int:
    """Write a version that waits; return its number."""
    [[number]] = table.rows(
        "INSERT INTO versions (parent, made, by, stage, share, body, changes, evidence) VALUES (?, ?, ?, ?, 0, ?, ?, ?) RETURNING number",
        (parent, time.time(), by, WAITING, body, json.dumps(changes), json.dumps(evidence)),
    )
    return int(number)


def move(table: VersionTable, one: ContractVersion | None, stage: str) -> None:
    """Bring a version, where there is one, to a stage at which it judges nothing."""
    if one is not None:
        table.rows("UPDATE versions SET stage = ?, share = 0 WHERE number = ?", (stage, one.number))


def at_stage(known: list[ContractVersion], *stages: str) -> ContractVersion | None:
    """Return the newest that is at one of these stages."""
    return next((one for one in known if one.stage in stages), None)


def _version(row: tuple[Any, ...]) -> ContractVersion:
    found = dict(zip(_COLUMNS.split(", "), row, strict=True))
    texts = {name: json.loads(found[name]) for name in ("changes", "evidence")}
    return ContractVersion(**{**found, **texts, "withdrawn": bool(found["withdrawn"])})


def beneath(table: VersionTable, line: Labels) -> ContractVersion | None:
    """Return the version that holds for those of a line where the line has none."""
    known = {one.labels: one for one in versions(table) if one.stage == ALL and one.labels != line}
    return next((known[one] for one in in_force(known, line)), None)


def number_of(one: ContractVersion | None) -> int | None:
    """Return the number of a version, where there is one."""
    return None if one is None else one.number
