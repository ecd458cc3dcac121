"""What running proxies know of versions: the number of the one for all, and at most one candidate beside it.

The document `candidate.json` says so. In `shadow` the candidate checks every result, and nobody is alerted; in `share` it judges the
conversations whose names fall into the share: the same on every host.
"""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from outcome_monitors.exceptions import ContractError, NewerContract

from .registry import Registry

__all__ = ["SHADOW", "SHARE", "TriedVersion", "VersionsInForce", "candidate_text", "digest_of", "in_share"]

SHADOW, SHARE = "shadow", "share"
FORMAT = "outcome-monitors/candidate"
VERSION = 1
_WHOLE = 2**64


@dataclass(frozen=True, slots=True)
class TriedVersion:
    """A candidate version beside the one for all."""

    number: int
    stage: str
    """`shadow` or `share`."""
    share: float
    registry: Registry

    def judges(self, name: str | None) -> bool:
        """Say whether a conversation is under it; one without a name never is."""
        return self.stage == SHARE and name is not None and in_share(name, self.share)


@dataclass(frozen=True, slots=True)
class VersionsInForce:
    """The number of the version for all with the digest of its contracts, and the candidate."""

    number: int | None = None
    digest: str = ""
    candidate: TriedVersion | None = None

    @classmethod
    def loads(cls, text: str, name: str) -> "VersionsInForce":
        """Read the document; one that cannot be used is refused with the reason."""
        try:
            body = json.loads(text)
        except (ValueError, RecursionError):
            raise ContractError(f"{name} is not JSON") from None
        if not isinstance(body, dict) or body.get("format") != FORMAT:
            raise ContractError(f'{name} does not say which versions are in force: no "format": "{FORMAT}"')
        if body.get("version") != VERSION:
            raise NewerContract(
                f"{name} is of version {body.get('version')!r}, and this release reads {VERSION}: pip install -U outcome-monitors"
            )
        try:
            everyone, tried = body["all"], body["candidate"]
            return cls(everyone["number"], everyone["sha256"], tried and _candidate(tried, name))
        except (KeyError, TypeError):
            raise ContractError(
                f"{name} is damaged; `outcome-monitors contracts promote` writes it anew"
            ) from None

    def number_of(self, contracts: bytes) -> int | None:
        """Return the number of a contract file, if it is the version for all; whoever replaced it by hand has given it none."""
        return self.number if self.number is not None and digest_of(contracts) == self.digest else None


def in_share(name: str, share: float) -> bool:
    """Say whether a conversation falls into a share, by a hash of its name."""
    found = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(found[:8]) < share * _WHOLE


def digest_of(contracts: bytes) -> str:
    """Return what a contract file is known by."""
    return hashlib.sha256(contracts).hexdigest()


def candidate_text(number: int | None, digest: str, tried: tuple[int, str, float, str] | None) -> str:
    """Return the document: the version for all, and of the candidate its number, stage, share and contract file."""
    body: dict[str, Any] = {"format": FORMAT, "version": VERSION, "all": {"number": number, "sha256": digest}}
    if tried is None:
        return json.dumps({**body, "candidate": None}) + "\n"
    said = dict(zip(("number", "stage", "share"), tried[:3], strict=True))
    # The contracts stand as their file has them, one clause a line.
    return f'{json.dumps(body)[:-1]}, "candidate": {json.dumps(said)[:-1]}, "contracts": {tried[3].rstrip()}}}}}\n'


def _candidate(body: dict[str, Any], name: str) -> TriedVersion:
    # Once more as text: a registry is read by one way alone.
    registry = Registry.loads(json.dumps(body["contracts"]), f"version {body['number']} in {name}")
    stage, share = body["stage"], float(body["share"])
    if stage not in (SHADOW, SHARE) or type(body["number"]) is not int:
        raise TypeError
    return TriedVersion(body["number"], stage, share, registry)
