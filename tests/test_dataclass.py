"""Data classes made at every start are those that `dataclasses` would make: each law is held against a twin of the standard library's."""

import copy
import dataclasses
import inspect
import pickle
import subprocess
import sys
from typing import Any

import pytest

from outcome_monitors import Call, Clause, Violation, dataclass as light
from outcome_monitors.contracts.shapes import Shape
from outcome_monitors.proxy.settings import ProxySettings


def pair(**options: bool) -> tuple[Any, Any]:
    """Return the same class made by both."""

    def body() -> Any:
        class Point:
            """A place."""

            x: int
            y: int = 0
            names: Any = None

            def far(self) -> int:
                """Return how far it is."""
                return self.x + self.y

        return Point

    made = body()
    made.names = light.field(default_factory=list)
    usual = body()
    usual.names = dataclasses.field(default_factory=list)
    return light.dataclass(**options)(made), dataclasses.dataclass(**options)(usual)


OPTIONS = [
    {},
    {"slots": True},
    {"frozen": True},
    {"frozen": True, "slots": True},
    {"frozen": True, "slots": True, "kw_only": True},
]


@pytest.fixture(params=OPTIONS, ids=str)
def both(request) -> tuple[Any, Any]:
    return pair(**request.param)


def test_they_say_and_do_the_same(both):
    ours, theirs = both
    assert repr(ours(x=1)) == repr(theirs(x=1))
    assert ours(x=1, y=2).far() == 3
    assert ours(x=1) == ours(x=1) != ours(x=2)
    assert ours(x=1) != theirs(x=1)
    assert ours(x=1).names is not ours(x=1).names
    assert ours.__match_args__ == theirs.__match_args__
    assert ours.__doc__ == theirs.__doc__
    assert ours.__qualname__ == theirs.__qualname__
    assert str(inspect.signature(ours.__init__)) == str(inspect.signature(theirs.__init__)).replace(
        "<factory>", str(inspect.signature(ours.__init__).parameters["names"].default)
    )
    assert hasattr(ours(x=1), "__dict__") == hasattr(theirs(x=1), "__dict__")


def test_the_standard_library_takes_them_for_its_own(both):
    ours, theirs = both
    assert dataclasses.is_dataclass(both[0])
    assert [field.name for field in dataclasses.fields(ours)] == ["x", "y", "names"]
    assert dataclasses.asdict(ours(x=1)) == dataclasses.asdict(theirs(x=1))
    assert dataclasses.replace(ours(x=1), y=5) == ours(x=1, y=5) == light.replace(ours(x=1), y=5)
    assert light.replace(theirs(x=1), y=5) == theirs(x=1, y=5)
    assert ours.__dataclass_params__.frozen == theirs.__dataclass_params__.frozen
    with pytest.raises(TypeError):
        light.replace(ours(x=1), z=5)


@pytest.mark.parametrize("of", [0, 1], ids=["ours", "theirs"])
def test_what_is_wrong_of_one_is_wrong_of_the_other(both, of):
    with pytest.raises(TypeError):
        both[of]()
    with pytest.raises(TypeError):
        both[of](x=1, z=2)


@pytest.mark.parametrize("made", pair(frozen=True, slots=True), ids=["ours", "theirs"])
def test_frozen_means_frozen_and_hashable(made):
    one = made(1, 2, ())
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'x'"):
        one.x = 2
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'x'"):
        del one.x
    assert len({one, made(1, 2, ())}) == 1


@pytest.mark.parametrize("made", pair(), ids=["ours", "theirs"])
def test_what_can_change_has_no_hash(made):
    with pytest.raises(TypeError):
        hash(made(1))


def test_a_subclass_of_frozen_data_may_have_more():
    class More(Shape):
        """One with something of its own."""

    more: Any = More((), 1, ())
    more.other = 3
    assert more.other == 3
    with pytest.raises(dataclasses.FrozenInstanceError):
        more.tools = 2


NOUNS = [
    Call("get_order", {"id": 1}, {"id": 1}, task="t"),
    Clause("type", "id", {"kinds": ["integer"]}, 9, 9, "traces"),
    Violation("type_mismatch", "id", "integer", "x", "id is no number"),
    ProxySettings(contracts="contracts.json"),
    Shape(("id",), 2, ()),
]


@pytest.mark.parametrize("noun", NOUNS, ids=lambda noun: type(noun).__name__)
def test_they_can_be_copied_and_sent(noun):
    assert pickle.loads(pickle.dumps(noun)) == noun
    assert copy.copy(noun) == copy.deepcopy(noun) == noun
    assert dataclasses.replace(noun) == noun


def test_what_a_class_says_itself_stands():
    @light.dataclass(slots=True)
    class Named:
        name: str

        def __repr__(self) -> str:
            return self.name

    assert repr(Named("it")) == "it"


def test_a_field_can_be_refused_when_it_is_set():
    @light.dataclass(frozen=True, slots=True)
    class Some:
        number: int

        def __post_init__(self) -> None:
            if self.number < 1:
                raise ValueError("none")

    assert Some(1).number == 1
    with pytest.raises(ValueError, match="none"):
        Some(0)


def test_the_standard_library_is_loaded_when_it_is_asked_alone():
    program = (
        "import sys; from outcome_monitors import Call; from outcome_monitors.dataclass import replace\n"
        "call = replace(Call('a', {}, 1), result=2); assert call == Call('a', {}, 2), call\n"
        "assert 'dataclasses' not in sys.modules\n"
        "assert Call.__dataclass_fields__['tool'].name == 'tool'"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
