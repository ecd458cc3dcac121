import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from outcome_monitors.exceptions import RelationError
from outcome_monitors.recovery.relations import Relation, Relations, published
from tests.places import GOLDEN

QUOTE = {
    "tool": "quote",
    "confidence": 0.93,
    "source": "signature",
    "why": "same arguments, same result fields",
    "arguments": {"symbol": "ticker"},
}


def stored(tmp_path: Path, document: Any) -> Path:
    path = tmp_path / "relations.json"
    path.write_text(json.dumps(document))
    return path


def listed(tool: str, relations: Relations, visible: Collection[str] | None) -> tuple[str, ...]:
    return tuple(action.tool for action in published(tool, relations, visible))


def names(relations: Relations, tool: str) -> list[str]:
    return [relation.tool for relation in relations[tool]]


def test_a_saved_file_has_these_bytes(tmp_path: Path) -> None:
    relations = Relations(
        {
            "b": [Relation("quote", 1, "declared", "said so", {"z": "y", "a": "b"})],
            "a": [Relation("low", 0.1, "signature", ""), Relation("naïve", 0.5, "signature", "")],
            "none": [],
        }
    )
    path = tmp_path / "relations.json"
    relations.save(path)
    assert path.read_text() == (GOLDEN / "relations.json").read_text()
    assert Relations.load(path) == relations


WRONG: list[tuple[Any, str]] = [
    ([], "is not a relations file: it holds no object with `version` and `relations`"),
    ({"relations": {}}, "`version` is not a number from 1"),
    ({"version": "1", "relations": {}}, "`version` is not a number from 1"),
    ({"version": 2, "relations": []}, "version 2 was written by a later program, this one reads up to 1"),
    ({"version": 1, "relations": []}, "`relations` is not an object of tool names"),
    ({"version": 1, "relations": {"a": [QUOTE, "b"]}}, 'relations["a"][1] is not an object'),
]
WRONG_FIELDS: list[tuple[str, Any, str]] = [
    ("tool", None, "a string"),
    ("confidence", True, "a number from 0 to 1"),
    ("confidence", float("nan"), "a number from 0 to 1"),
    ("why", None, "a string"),
    ("arguments", {"symbol": 1}, "an object of argument names"),
]


@pytest.mark.parametrize(("document", "why"), WRONG, ids=map(str, range(len(WRONG))))
def test_a_wrong_file_is_refused_with_its_place(tmp_path: Path, document: Any, why: str) -> None:
    path = stored(tmp_path, document)
    with pytest.raises(RelationError) as error:
        Relations.load(path)
    assert str(error.value).startswith(str(path))
    assert why in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("field", "value", "wanted"), WRONG_FIELDS, ids=map(str, range(len(WRONG_FIELDS))))
def test_a_wrong_field_is_refused_by_name(tmp_path: Path, field: str, value: Any, wanted: str) -> None:
    path = stored(tmp_path, {"version": 1, "relations": {"a": [QUOTE, {**QUOTE, field: value}]}})
    with pytest.raises(RelationError) as error:
        Relations.load(path)
    assert str(error.value) == f'{path}: relations["a"][1]: `{field}` is not {wanted}'


@pytest.mark.parametrize("content", [b"{", b"\xff", b"[" * 100_000])
def test_a_file_that_is_not_json_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "relations.json"
    path.write_bytes(content)
    with pytest.raises(RelationError, match=r"relations\.json is not JSON: [^\n]*$"):
        Relations.load(path)


def test_merging_keeps_the_more_confident_entry_and_the_first_among_equals() -> None:
    ours = Relations({"a": [Relation("x", 0.5, "ours", ""), Relation("y", 0.5, "ours", "")]})
    theirs = Relations(
        {"a": [Relation("y", 0.9, "theirs", ""), Relation("x", 0.5, "theirs", "")], "b": ours["a"]}
    )
    merged = ours.merge(theirs)
    assert [(relation.tool, relation.source) for relation in merged["a"]] == [("y", "theirs"), ("x", "ours")]
    assert merged["b"] == ours["a"]


tools = st.sampled_from("abcdef")
some_relations = st.builds(
    Relations,
    st.dictionaries(
        tools,
        st.lists(
            st.builds(
                Relation,
                tool=tools,
                confidence=st.sampled_from([0.0, 0.25, 0.5, 1.0]),
                source=st.sampled_from(["p", "q"]),
                why=st.text(st.characters(), max_size=3),
                arguments=st.dictionaries(st.text(max_size=2), st.text(max_size=2), max_size=2),
            ),
            max_size=5,
        ),
        max_size=4,
    ),
)


@given(one=some_relations, two=some_relations, three=some_relations)
def test_merging_is_idempotent_and_associative(one: Relations, two: Relations, three: Relations) -> None:
    assert one.merge(one) == one
    assert one.merge(two).merge(two) == one.merge(two)
    assert one.merge(two).merge(three) == one.merge(two.merge(three))
    assert one.merge(Relations()) == one == Relations().merge(one)


@given(relations=some_relations)
def test_relations_survive_saving_and_loading(
    tmp_path_factory: pytest.TempPathFactory, relations: Relations
) -> None:
    first, second = (tmp_path_factory.getbasetemp() / name for name in ("first.json", "second.json"))
    relations.save(first)
    loaded = Relations.load(first)
    loaded.save(second)
    assert loaded == relations
    assert first.read_bytes() == second.read_bytes()


@given(relations=some_relations, tool=tools, visible=st.none() | st.lists(tools))
def test_recovery_is_the_tool_and_its_visible_substitutes(
    relations: Relations, tool: str, visible: list[str] | None
) -> None:
    actions = listed(tool, relations, visible)
    assert actions[0] == tool
    assert len(set(actions)) == len(actions)
    assert set(actions[1:]) == {relation.tool for relation in relations.get(tool, ())} & set(visible or ())
    order = [relation.tool for relation in relations.get(tool, ())]
    assert sorted(actions[1:], key=order.index) == list(actions[1:])
