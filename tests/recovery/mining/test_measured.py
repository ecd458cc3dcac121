"""The figures of docs/guides/relations.md, measured again: they decide whether the method is good enough."""

import json

import pytest

from bench._agreement import mined_from_world, of_groups, of_labels, of_world
from bench._recovering import receipts
from bench.relations import RUNS, WORKFLOWS
from outcome_monitors.recovery.mining import Sources, build, read_tools
from tests.places import DOCS
from tests.shared import shared


@pytest.fixture(scope="module")
def mined():
    return mined_from_world()


def test_the_worlds_relations_are_mined_without_its_declarations(mined):
    found = of_world(mined)
    assert found.precision >= 0.9
    assert found.recall >= 0.8
    assert f"| {' | '.join(found.row('the tool world'))} |" in (DOCS / "guides" / "relations.md").read_text(
        encoding="utf-8"
    )


def test_the_relations_of_real_servers_are_mined_from_their_interfaces():
    page = (DOCS / "guides" / "relations.md").read_text(encoding="utf-8")
    found = of_labels()
    for part, measure in found.items():
        assert f"| {' | '.join(measure.row(f'MCP servers, {part}'))} |" in page
    assert found["all"].precision >= 0.9
    assert found["all"].recall >= 0.8
    assert found["held out"].precision >= 0.9
    assert found["all"].near <= 2


def test_the_labels_of_seventy_servers_are_met():
    labels = json.loads(shared("data/mcp/labels.json").read_text(encoding="utf-8"))
    found = of_groups()
    page = (DOCS / "guides" / "relations.md").read_text(encoding="utf-8")
    for name, measure in found.items():
        assert f"| {' | '.join(measure.row(f'70 servers, {name}'))} |" in page
    assert found["later labels"].precision >= 0.7
    assert found["later labels"].recall >= 0.45
    relations = build(Sources(tools=read_tools(shared("data/mcp/tools.json"))))
    never = [(one, other) for pair in labels["never"] for one in pair for other in pair if one != other]
    assert sum(other in {entry.tool for entry in relations.get(one, ())} for one, other in never) <= 1


def test_receipts_offer_a_choice_and_what_they_offer_works(mined):
    found = list(receipts(mined, count=WORKFLOWS, runs=RUNS, everything=True))
    two = sum(receipt.actions >= 2 for receipt in found) / len(found)
    could = [receipt for receipt in found if receipt.exists]
    clean = sum(receipt.clean > 0 for receipt in could) / len(could)
    assert two >= 0.95
    assert clean >= 0.9
