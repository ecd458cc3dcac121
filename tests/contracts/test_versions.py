"""Versions of contracts, in a folder and in a fleet's database: the same steps, and the same documents for running proxies."""

import pytest

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.contracts.version import version_number
from outcome_monitors.exceptions import ContractError, NewerContract
from outcome_monitors.model import Clause, Contract
from outcome_monitors.storage.layout import CONTRACTS, VERSION
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


def stages(home) -> list[tuple[int, str]]:
    with home.versions() as table:
        return [(one.number, one.stage) for one in versions(table)]


def in_force(home) -> int | None:
    with home.versions() as table:
        return version_number(table.document(VERSION), table.document(CONTRACTS).encode())


def test_a_version_waits_until_it_is_promoted(home):
    publish_one(home, 10)
    publish_one(home, 20, "none")
    assert (stages(home), in_force(home)) == ([(2, "waiting"), (1, "active")], 1)
    with home.versions(change=True) as table:
        promote(table, 2, by="eve")
        assert version_of(table, 2).accepted_by == "eve"
        assert table.document(CONTRACTS) == contracts(20)
    assert (stages(home), in_force(home)) == ([(2, "active"), (1, "retired")], 2)


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
    assert (successor.stage, successor.parent) == ("waiting", 1)
    with home.versions(change=True) as table:
        promote(table, 3, by="eve")
    assert publish_one(home, 40)[0].stage == "active"


def test_a_step_that_fails_changes_nothing(home):
    publish_one(home, 10)
    publish_one(home, 20, "none")
    with pytest.raises(ContractError, match="no version 7"), home.versions(change=True) as table:
        promote_each(table, 2, 7)
    assert stages(home) == [(2, "waiting"), (1, "active")]
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
    assert stages(home) == [(2, "waiting"), (1, "active")]
