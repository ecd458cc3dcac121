"""Versions of contracts, in a folder and in a fleet's database: the same steps, and the same documents for running proxies."""

import pytest

from outcome_monitors.contracts.candidate import VersionsInForce, in_share
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.exceptions import ContractError, NewerContract
from outcome_monitors.model import Clause, Contract
from outcome_monitors.storage.layout import CANDIDATE, CONTRACTS
from outcome_monitors.storage.opening import open_storage
from outcome_monitors_server.versions.versions import (
    promote,
    publish,
    roll_back,
    version_of,
    versions,
)


@pytest.fixture(params=["folder", "fleet"])
def home(request, tmp_path):
    """An empty home of each sort."""
    if request.param == "fleet":
        return open_storage(request.getfixturevalue("fleet"))
    folder = tmp_path / "shop"
    folder.mkdir()
    return open_storage(folder)


def contracts(samples: int) -> str:
    clause = Clause("positive", "total", {}, samples, samples, "traces")
    return Registry({"get_order": Contract("get_order", (clause,))}, "full").dumps()


def publish_one(home, samples: int, promotion: str = "auto"):
    evidence = {"lines": samples}
    with home.versions(change=True) as table:
        return publish(table, contracts(samples), by="learn on a", evidence=evidence, promotion=promotion)


def promote_each(table, *numbers: int) -> None:
    for number in numbers:
        promote(table, number, by="eve")


def stages(home) -> list[tuple[int, str, float]]:
    with home.versions() as table:
        return [(one.number, one.stage, one.share) for one in versions(table)]


def in_force(home) -> VersionsInForce:
    with home.versions() as table:
        return VersionsInForce.loads(table.document(CANDIDATE), CANDIDATE)


def test_a_version_goes_to_shadow_then_to_a_share_then_to_all(home):
    publish_one(home, 10)
    publish_one(home, 20, "shadow")
    assert stages(home) == [(2, "shadow", 0.0), (1, "all", 1.0)]
    with home.versions(change=True) as table:
        promote(table, 2, "share", 0.1, by="eve")
    found = in_force(home)
    assert found.candidate is not None
    assert (found.number, found.candidate.number, found.candidate.share) == (1, 2, 0.1)
    assert found.candidate.registry.dumps() == contracts(20)
    # While something is tried on people, what is learned waits.
    publish_one(home, 30)
    assert stages(home) == [(3, "waiting", 0.0), (2, "share", 0.1), (1, "all", 1.0)]
    with home.versions(change=True) as table:
        promote(table, 2, by="eve")
        assert version_of(table, 2).accepted_by == "eve"
    assert in_force(home).candidate is None
    assert stages(home) == [(3, "waiting", 0.0), (2, "all", 1.0), (1, "retired", 0.0)]


def test_what_was_taken_back_is_not_replaced_by_itself(home):
    publish_one(home, 10)
    publish_one(home, 20)
    with home.versions(change=True) as table:
        assert roll_back(table, None, by="eve", reason="too many alarms").number == 1
        assert table.document(CONTRACTS) == contracts(10)
    with home.versions() as table:
        assert table.document(CONTRACTS) == contracts(10)
        taken_back = version_of(table, 2)
        assert (taken_back.withdrawn, taken_back.reason) == (True, "too many alarms")
    assert publish_one(home, 20)[1] is False
    successor, _ = publish_one(home, 30)
    assert (successor.stage, successor.parent) == ("shadow", 1)
    with home.versions(change=True) as table:
        promote(table, 3, by="eve")
    assert publish_one(home, 40)[0].stage == "all"


def test_a_step_that_fails_changes_nothing(home):
    publish_one(home, 10)
    publish_one(home, 20, "shadow")
    with pytest.raises(ContractError, match="no version 7"), home.versions(change=True) as table:
        promote_each(table, 2, 7)
    assert stages(home) == [(2, "shadow", 0.0), (1, "all", 1.0)]
    with home.versions() as table:
        assert table.document(CONTRACTS) == contracts(10)


def test_a_body_of_a_newer_format_is_refused_and_nothing_moves(home):
    publish_one(home, 10)
    with home.versions(change=True) as table:
        newer = contracts(20).replace('"version": 1', '"version": 99')
        publish(table, newer, by="later", evidence={}, promotion="none")
    with (
        pytest.raises(NewerContract, match="version 2 is of version 99.*pip install"),
        home.versions(change=True) as table,
    ):
        promote(table, 2, by="eve")
    assert stages(home) == [(2, "waiting", 0.0), (1, "all", 1.0)]


def test_a_share_is_the_same_everywhere_and_about_as_large_as_it_says():
    names = [f"run-{number}" for number in range(4000)]
    tenth, half = ({name for name in names if in_share(name, share)} for share in (0.1, 0.5))
    assert 320 < len(tenth) < 480
    assert tenth < half
    # A hash of the name alone, so that hosts of any release agree.
    assert ("run-6" in half, "run-0" in half) == (in_share("run-6", 0.5), in_share("run-0", 0.5))
    assert not any(in_share(name, 0.0) for name in names)
    assert all(in_share(name, 1.0) for name in names)
