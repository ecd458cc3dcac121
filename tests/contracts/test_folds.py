"""The fold index: written and read, and never a way out of its folder."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from outcome_monitors import Registry
from outcome_monitors.contracts.folds import FoldIndex, load_contracts
from outcome_monitors.exceptions import ContractError, NewerContract

GOOD: dict[str, Any] = {
    "format": "outcome-monitors/folds",
    "version": 1,
    "folds": 2,
    "registries": ["c.fold0.json", "c.fold1.json"],
    "tasks": {"retail/17": 1},
}


def saved(folder: Path, document: Any) -> Path:
    path = folder / "index.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


@given(st.dictionaries(st.text(st.characters(), max_size=8), st.integers(0, 1), max_size=5))
def test_what_is_saved_is_loaded_and_the_order_of_tasks_leaves_no_trace(
    tmp_path_factory: pytest.TempPathFactory, tasks: dict[str, int]
) -> None:
    path = tmp_path_factory.mktemp("folds") / "index.json"
    index = FoldIndex(("a.json", "b.json"), tasks)
    index.save(path)
    loaded = FoldIndex.load(path)
    assert (loaded.registries, loaded.tasks) == (index.registries, tasks)
    assert FoldIndex(index.registries, dict(reversed(tasks.items()))).dumps() == index.dumps()


def test_a_file_is_contracts_or_an_index_by_what_it_says(tmp_path: Path) -> None:
    Registry().save(tmp_path / "c.json")
    assert isinstance(load_contracts(tmp_path / "c.json"), Registry)
    assert isinstance(load_contracts(saved(tmp_path, GOOD)), FoldIndex)
    with pytest.raises(ContractError, match="is not a fold index"):
        FoldIndex.load(tmp_path / "c.json")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"version": 2}, "is of version 2"),
        ({"folds": 3}, "folds must be the number of registries"),
        ({"folds": 1, "registries": ["a.json"]}, "at least 2"),
        ({"tasks": {"a": 2}}, "task 'a': there is no fold 2"),
    ],
)
def test_an_index_that_cannot_be_used_names_the_field(
    tmp_path: Path, change: dict[str, Any], told: str
) -> None:
    path = saved(tmp_path, {**GOOD, **change})
    with pytest.raises(ContractError, match="index.json") as error:
        FoldIndex.load(path)
    assert told in str(error.value)
    assert isinstance(error.value, NewerContract) == (change == {"version": 2})


@pytest.mark.parametrize(
    "name", ["../c.json", "/etc/passwd", "sub/../../c.json", "link.json", "a\0b", "\ud800", "loop"]
)
def test_no_registry_is_outside_the_folder(tmp_path: Path, name: str) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    Registry().save(tmp_path / "c.json")
    (inside / "link.json").symlink_to(tmp_path / "c.json")
    (inside / "loop").symlink_to("loop")
    index = FoldIndex.load(saved(inside, {**GOOD, "registries": [name, name]}))
    with pytest.raises(ContractError):
        index.load_registries()
