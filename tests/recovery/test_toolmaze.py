import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from outcome_monitors.exceptions import SourceError
from outcome_monitors.recovery.relations import Relations
from outcome_monitors.recovery.toolmaze import read_relations, read_tools
from tests.places import FIXTURES

DEFINITIONS = FIXTURES / "toolmaze" / "definitions"

Edit = Callable[[str, str], Path]


@pytest.fixture
def edited(tmp_path: Path) -> Edit:
    """Return a copy of the definitions with one file replaced."""

    def edit(name: str, content: str) -> Path:
        folder = tmp_path / "definitions"
        shutil.copytree(DEFINITIONS, folder, dirs_exist_ok=True)
        (folder / name).write_text(content)
        return folder

    return edit


def substitutes(relations: Relations) -> dict[str, list[str]]:
    return {tool: [relation.tool for relation in found] for tool, found in relations.items()}


def test_substitutes_and_entries_of_sibling_paths() -> None:
    assert substitutes(read_relations(DEFINITIONS)) == {
        "convert_price": ["get_rate"],
        "get_rate": ["convert_price"],
        "get_stock_north": ["get_stock_south"],
        "get_stock_south": ["get_stock_north"],
        "multiply": ["convert_price"],
        "post_message": ["print_letter"],
        "print_letter": ["send_mail"],
        "send_letter": ["send_mail"],
        "send_mail": ["post_message", "send_letter", "print_letter"],
    }


def test_the_function_specs_in_file_order() -> None:
    specs = read_tools(DEFINITIONS)
    assert [spec["name"] for spec in specs][:3] == ["get_stock_north", "get_stock_south", "convert_price"]
    assert len(specs) == 9
    assert specs[0]["parameters"]["required"] == ["symbol"]
    assert specs[1]["description"] == "Price of a share, from the other exchange."


SAME_GROUP = [
    "one_to_many: [{paths: [[p, q], [r]]}]",
    "one_to_many: {g: [{tools: [p, q]}, {tools: [r]}]}",
    "alternatives: {one_to_many: {g: [[p, q], [r]]}}",
]


@pytest.mark.parametrize("alternatives", SAME_GROUP)
def test_the_shapes_a_group_of_paths_may_have(edited: Edit, alternatives: str) -> None:
    found = substitutes(read_relations(edited("alternatives.yaml", alternatives)))
    assert {tool: found.get(tool) for tool in "pqr"} == {"p": ["r"], "q": ["r"], "r": ["p"]}


@pytest.mark.parametrize(
    ("file", "content", "why"),
    [
        ("source.yaml", "- {description: x}", "source.yaml: tool 0 has no `name`"),
        ("source.yaml", "- [", "source.yaml, line 1, column 4: not YAML ("),
        ("alternatives.yaml", "[]", "alternatives.yaml holds none of the groups one_to_one, one_to_many"),
        ("alternatives.yaml", "one_to_one: {g: [[a], []]}", "['g'], path 1 is not a tool name or a list"),
    ],
)
def test_a_wrong_file_is_named_with_its_entry(edited: Edit, file: str, content: str, why: str) -> None:
    with pytest.raises(SourceError) as error:
        read_relations(edited(file, content))
    assert why in str(error.value)
    assert "\n" not in str(error.value)
