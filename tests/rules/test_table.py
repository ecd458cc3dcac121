"""The table of kinds is one mapping, whatever of it is loaded."""

import subprocess
import sys

import pytest

from outcome_monitors.rules import KINDS, ROWS


def test_every_row_names_a_kind_by_its_own_name():
    assert [*KINDS] == [*ROWS] == [kind.name for kind in KINDS.values()]
    assert len(KINDS) == len(ROWS) == len({**KINDS}) == len(dict(KINDS))
    assert {type(kind).__name__ for kind in KINDS.values()} == {*ROWS.values()}


def test_a_kind_is_one_object():
    assert KINDS["type"] is KINDS["type"] is KINDS.get("type") is dict(KINDS)["type"]


def test_what_is_no_kind_is_none():
    assert "os" not in KINDS
    assert KINDS.get("os") is None
    with pytest.raises(KeyError):
        KINDS["os"]


def test_to_look_at_names_loads_nothing():
    program = (
        "import sys; from outcome_monitors.rules import KINDS\n"
        "assert 'fact' in KINDS and len(KINDS) == len([*KINDS]) and 'x' not in KINDS\n"
        "of_kinds = lambda: {name for name in KINDS if f'outcome_monitors.rules.{name}' in sys.modules}\n"
        "assert of_kinds() == set(), of_kinds()\n"
        "KINDS['echo']; assert of_kinds() == {'echo'}, of_kinds()"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
