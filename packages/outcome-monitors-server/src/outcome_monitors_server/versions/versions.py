"""Contracts as versions: what each was made of and by whom, how far it has come, and the way back.

A version waits, is tried in shadow or on a share of conversations, is for all, and retires. One is for all, and at most one is a
canary beside it. Every function here is part of one step (`Storage.versions`), so that none is left half done. In a fleet that is so
of each line: a version that was learned from what bears certain labels is for those who have them.
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
from outcome_monitors.storage.labels import Labels
from outcome_monitors.storage.layout import CANDIDATE, CONTRACTS
from outcome_monitors.storage.storage import DocumentStep
from outcome_monitors.storage.tables import Row, columns_of
from outcome_monitors_server.storage.contract_lines import in_force

__all__ = [
    "ALL",
    "PROMOTIONS",
    "ContractVersion",
    "body_of",
    "line_versions",
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
"""Versions of a line; of more, the oldest that have retired or wait are deleted."""


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

    @property
    def labels(self) -> Labels:
        """For whom it is: what it was learned from bears them; without any it is for the whole fleet."""
        found = self.evidence.get("labels", {})
        return Labels.named((name, str(value)) for name, value in found.items())


def publish(
    table: DocumentStep,
    body: str,
    *,
    by: str,
    evidence: Mapping[str, Any],
    promotion: str = "auto",
) -> tuple[ContractVersion, bool]:
    """Keep contracts that were mined as a version, and place it; return it, and whether it is new."""
    line = table.labels
    _adopt(table, line)
    known = line_versions(table, line)
    current, tried = _at_stage(known, ALL), _at_stage(known, SHADOW, SHARE)
    for one in (*known[:1], *([current] if current is not None else [])):
        if body_of(table, one.number) == body:
            if one.stage == ALL and table.document(CONTRACTS, line) is None:
                _write_in_force(table, by, line)
            return one, False
    parent = _number_of(current or _beneath(table, line))
    number = _insert(table, parent, by, body, evidence)
    stage = _first_stage(promotion, current, tried, known)
    if stage != WAITING:
        promote(table, number, stage, by=by)
    _forget_the_oldest(table, line)
    return version_of(table, number), True


def promote(table: DocumentStep, number: int, stage: str = ALL, share: float = 1.0, *, by: str) -> None:
    """Bring a version to a stage: there is one for all, and one candidate."""
    one = version_of(table, number)
    Registry.loads(body_of(table, number), f"version {number}")
    if one.stage == ALL and stage != ALL:
        raise ContractError(
            f"version {number} is for all already; `contracts rollback` puts a former one back in its place"
        )
    known = line_versions(table, one.labels)
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
    _write_in_force(table, by, one.labels)


def roll_back(table: DocumentStep, number: int | None, *, by: str, reason: str) -> ContractVersion:
    """Put a former version back for all; what is tried meanwhile waits. Return the version that is for all now.

    The first of a line gives way to what holds for others.
    """
    line = table.labels if number is None else version_of(table, number).labels
    known = line_versions(table, line)
    current = _at_stage(known, ALL)
    if current is None:
        raise ContractError(
            f"no version is for all{_whom(line)}: there is nothing to go back from; `outcome-monitors learn` makes one"
        )
    former = [one for one in known if one.number < current.number and one.accepted and not one.withdrawn]
    if number is None and not former:
        return _given_way(table, current, by, reason)
    number = former[0].number if number is None else number
    if number >= current.number:
        raise ContractError(
            f"version {number} is no former one, since {current.number} is for all; `contracts promote {number}` puts it there"
        )
    _move(table, _at_stage(known, SHADOW, SHARE), WAITING)
    promote(table, number, by=by)
    _take_back(table, current, reason)
    return version_of(table, number)


def _given_way(table: DocumentStep, current: ContractVersion, by: str, reason: str) -> ContractVersion:
    below = _beneath(table, current.labels)
    if below is None:
        raise ContractError(
            f"there is no version before {current.number} that was for all{_whom(current.labels)}; `contracts list` shows them"
        )
    _move(table, _at_stage(line_versions(table, current.labels), SHADOW, SHARE), WAITING)
    _move(table, current, RETIRED)
    _take_back(table, current, reason)
    _write_in_force(table, by, current.labels)
    return below


def _take_back(table: DocumentStep, one: ContractVersion, reason: str) -> None:
    table.rows.update("versions", {"withdrawn": 1, "reason": reason}, number=one.number)


def _whom(line: Labels) -> str:
    return f" with {line.words}" if line.words else ""


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


def _adopt(table: DocumentStep, line: Labels) -> None:
    """Make a version of contracts that came to be in force by another way: before there were versions, or by hand."""
    body = table.document(CONTRACTS, line)
    current = _at_stage(line_versions(table, line), ALL)
    if body is None or (current is not None and body_of(table, current.number) == body):
        return
    try:
        Registry.loads(body)
    except ContractError:
        return
    evidence = {"labels": dict(line.items())} if line.items() else {}
    number = _insert(table, _number_of(current), "found in force", body, evidence)
    promote(table, number, by="found in force")


def _write_in_force(table: DocumentStep, by: str, line: Labels) -> None:
    """Write what running proxies read."""
    known = line_versions(table, line)
    current, tried = _at_stage(known, ALL), _at_stage(known, SHADOW, SHARE)
    body = "" if current is None else body_of(table, current.number)
    before = table.document(CONTRACTS, line)
    # Where none is for all any more, an empty text says so.
    if (current is not None or (line.items() and before)) and before != body:
        table.put(CONTRACTS, body, by, line)
    text = candidate_text(
        _number_of(current),
        digest_of(body.encode()),
        None if tried is None else (tried.number, tried.stage, tried.share, body_of(table, tried.number)),
    )
    table.put(CANDIDATE, text, by, line)


def _forget_the_oldest(table: DocumentStep, line: Labels) -> None:
    for one in line_versions(table, line)[MOST_KEPT:]:
        if one.stage in (RETIRED, WAITING):
            table.rows.delete("versions", number=one.number)


def versions(table: DocumentStep) -> list[ContractVersion]:
    """Return all versions, the newest first."""
    names = [one for one in columns_of("versions") if one != "body"]
    return [_version(row) for row in table.rows.select("versions", *names, newest=True)]


def line_versions(table: DocumentStep, line: Labels) -> list[ContractVersion]:
    """Return the versions of one line, the newest first."""
    return [one for one in versions(table) if one.labels == line]


def version_of(table: DocumentStep, number: int) -> ContractVersion:
    """Return a version; refuse a number that there is none of, or that is not for those whose labels are named."""
    for one in versions(table):
        if one.number == number:
            if not table.labels.hold_for(one.labels):
                raise ContractError(
                    f"version {number} is for {one.labels.words or 'the whole fleet'}, and the address names {table.labels.words}"
                )
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


def _beneath(table: DocumentStep, line: Labels) -> ContractVersion | None:
    """Return the version that holds for those of a line where the line has none."""
    known = {one.labels: one for one in versions(table) if one.stage == ALL and one.labels != line}
    return next((known[one] for one in in_force(known, line)), None)


def _number_of(one: ContractVersion | None) -> int | None:
    """Return the number of a version, where there is one."""
    return None if one is None else one.number
