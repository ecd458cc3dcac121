"""Contracts of a shop, held to clean calls and faults in the forms that frameworks give results in."""

import json
from datetime import date
from decimal import Decimal
from types import SimpleNamespace

import pytest

from outcome_monitors.adapters.functions import run, watched
from tests.adapters.traffic import CLEAN, FAULTS, flagged, learned


def parts_of(result):
    """Return a result of Python's own types: what JSON has as numbers and texts are decimals and days."""
    if isinstance(result, dict):
        return {
            key: date.fromisoformat(value) if key == "placed" and value[:2] == "20" else parts_of(value)
            for key, value in result.items()
        }
    if isinstance(result, list):
        return tuple(parts_of(item) for item in result)
    return Decimal(str(result)) if type(result) is float else result


class ToolMessage(SimpleNamespace):
    """LangChain's message, known by its name and its fields."""


FORMS = {
    "object": lambda result: result,
    "text": json.dumps,
    "python types": parts_of,
    "blocks": lambda result: [{"type": "text", "text": json.dumps(result)}],
    "message": lambda result: ToolMessage(content=json.dumps(result), tool_call_id="c1", artifact=None),
    "mcp": lambda result: {"content": [{"type": "text", "text": json.dumps(result)}], "isError": False},
}


def giving(result):
    """Return a tool that gives a result."""
    return lambda **_: result


def through_functions(watch, calls, form):
    for call in calls:
        tool = watched(watch, name=call.tool, tell=lambda *_: None)(giving(form(call.result)))
        with run(call.session):
            tool(**call.arguments)


@pytest.mark.parametrize("form", FORMS)
def test_contracts_hold_a_function_whatever_it_gives_its_result_as(form):
    registry, caught = learned()
    assert caught >= 16
    assert flagged(registry, CLEAN, through_functions, FORMS[form]) <= 2
    assert flagged(registry, FAULTS, through_functions, FORMS[form]) >= caught
