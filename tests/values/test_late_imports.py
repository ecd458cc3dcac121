"""What is imported late is there when it is called, and from then on as if it had been imported."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from outcome_monitors.values.late_imports import late

MODULE = """
loaded = []
def double(number, *, more=0): return 2 * number + more
class Box:
    def __init__(self, held): self.held = held
"""


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    (tmp_path / "late_things.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    room: dict[str, Any] = {"__package__": None}
    late(room, "late_things", "double", "Box")
    yield room
    sys.modules.pop("late_things", None)


def test_nothing_is_loaded_before_the_first_call(room):
    assert "late_things" not in sys.modules
    assert room["double"](3, more=1) == 7
    assert "late_things" in sys.modules


def test_the_first_call_puts_all_that_is_meant_in_its_place(room):
    stand_in = room["double"]
    assert room["Box"]("x").held == "x"
    assert room["double"] is sys.modules["late_things"].double
    assert isinstance(room["Box"]("y"), room["Box"])
    assert stand_in(1) == 2


def test_what_goes_wrong_goes_out(room):
    with pytest.raises(TypeError):
        room["double"]()
    late(room, "late_things", "missing")
    with pytest.raises(AttributeError):
        room["missing"]()
