"""Tool definitions: every result fits its schema, and the forms that others read hold what they should."""

import json
import re
from typing import Any

import pytest

from outcome_monitors.recovery import toolmaze
from outcome_monitors_study.world import (
    TOOLS,
    World,
    declared_substitutes,
    definitions,
    nominal_traces,
)
from tests.places import DOCS

PAGE = DOCS / "internals" / "world.md"


@pytest.fixture(scope="module")
def schemas():
    return pytest.importorskip("jsonschema_rs", reason="validates results: pip install --group test")


def test_every_call_and_result_of_200_workflows_fits_its_schemas(schemas):
    outputs = {
        name: schemas.Draft202012Validator(tool.output, validate_formats=True) for name, tool in TOOLS.items()
    }
    inputs = {name: schemas.Draft202012Validator(tool.inputs) for name, tool in TOOLS.items()}
    seen = set()
    for call in nominal_traces(200, 11):
        seen.add(call.tool)
        outputs[call.tool].validate(call.result)
        inputs[call.tool].validate(dict(call.arguments))
    assert seen == set(TOOLS)


def test_toolmaze_definition_files_are_read_back_as_the_declared_substitutes(tmp_path):
    pytest.importorskip("yaml", reason="pip install 'outcome-monitors[yaml]'")
    for name, content in definitions().items():
        (tmp_path / name).write_text(json.dumps(content))
    relations: Any = toolmaze.read_relations(tmp_path)
    read = {tool: {relation.tool for relation in found} for tool, found in relations.items()}
    assert read == {tool: set(others) for tool, others in declared_substitutes().items()}
    assert len(toolmaze.read_tools(tmp_path)) == len(TOOLS)


def test_the_documented_calls_give_what_the_page_says():
    world, text = World(seed=0), PAGE.read_text(encoding="utf-8")
    lines = re.findall(r"```json\n(.*?)```", text, re.DOTALL)[0]
    calls = [json.loads(line) for line in lines.splitlines()]
    assert len(calls) == 2
    assert [world.call(call["tool"], call["arguments"]) for call in calls] == [
        call["result"] for call in calls
    ]
    assert f"with {len(TOOLS)} tools" in text
