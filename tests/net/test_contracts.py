"""What is learned: contract files as bytes, and what is in them by tool and kind."""

import json
import random

import pytest

from outcome_monitors import Registry, mine, read_traces
from tests.net import support
from tests.net.support import ALL, DATA, same_contracts, shared

SETS = (
    "agentdojo",
    "bfcl_open",
    "contentful_after",
    "contentful_before",
    "easypost_after",
    "easypost_before",
    "github_rest",
    "linode_after",
    "linode_before",
    "tau2_airline",
    "tau_airline",
    "tau_retail",
)
QUICK = {"bfcl_open", "tau2_airline"}
"""What profile full learns from in a second or so; the others only with OUTCOME_MONITORS_NET=all."""


@pytest.mark.parametrize("profile", ["paper", "full"])
@pytest.mark.parametrize("name", SETS)
def test_contracts_of_a_shared_set(name, profile, tmp_path):
    path = shared(f"data/traces/{name}.jsonl.gz")
    if profile == "full" and name not in QUICK and not ALL:
        pytest.skip("slow: OUTCOME_MONITORS_NET=all runs it")
    support.run("mine", path, "-o", "contracts.json", "--profile", profile, cwd=tmp_path)
    same_contracts(f"{name}.{profile}", (tmp_path / "contracts.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("profile", ["paper", "full"])
def test_contracts_of_the_shop(shop, profile):
    same_contracts(f"shop.{profile}", (shop / f"{profile}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("profile", ["paper", "full"])
def test_the_library_learns_what_the_command_does_in_any_order(shop, profile, tmp_path):
    """Calls of one session keep their order; sessions come in any."""
    text = (shop / f"{profile}.json").read_text(encoding="utf-8")
    calls = list(read_traces([DATA / "shop.jsonl"]))
    for seed in range(2):
        draw = random.Random(seed)
        ranks = {call.session: draw.random() for call in calls}
        assert mine(sorted(calls, key=lambda call: ranks[call.session]), profile).dumps() == text
    registry = Registry.load(shop / f"{profile}.json")
    assert registry.dumps() == text
    registry.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text(encoding="utf-8") == text


def test_a_packed_file_and_several_files_are_the_same_traces(shop, tmp_path):
    rows = (shop / "shop.jsonl").read_bytes().splitlines(keepends=True)
    middle = next(number for number, row in enumerate(rows) if json.loads(row)["task"] == "shop/30")
    (tmp_path / "one.jsonl").write_bytes(b"".join(rows[:middle]))
    (tmp_path / "two.jsonl").write_bytes(b"".join(rows[middle:]))
    support.run("mine", "two.jsonl", "one.jsonl", "-o", "c.json", cwd=tmp_path)
    assert (tmp_path / "c.json").read_bytes() == (shop / "full.json").read_bytes()
