"""The demo: what it prints is on its page, and what it writes can be used."""

from pathlib import Path

import pytest

from bench.demo_traffic import traffic
from outcome_monitors import Registry, read_traces
from outcome_monitors.cli.demo import TRAFFIC
from tests.page_examples import holds
from tests.places import DOCS


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("demo")
    holds(DOCS / "start" / "demo.md", place)
    return place / "demo-out"


def test_it_writes_contracts_traffic_and_receipts(folder: Path) -> None:
    calls = list(read_traces([folder / "traces.jsonl.gz"], strict=True))
    assert {path.name for path in folder.iterdir()} == {
        "contracts.json",
        "receipts.jsonl",
        "traces.jsonl.gz",
    }
    assert Registry.load(folder / "contracts.json").contracts.keys() <= {call.tool for call in calls}


def test_the_traffic_is_what_its_generator_makes() -> None:
    assert list(read_traces([TRAFFIC], strict=True)) == list(traffic())
