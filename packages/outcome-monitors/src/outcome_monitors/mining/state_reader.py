"""A state of mining back from JSON. Someone may have changed the file: what it holds is of the types that mining itself writes, or it is refused.

What types cannot tell, such as a path whose parent was never seen, turns up when contracts are made (`Observations.restored`).
"""

import math
from collections.abc import Callable, Iterable
from typing import Any

from outcome_monitors.exceptions import ContractError, OutcomeMonitorsError
from outcome_monitors.features.feature import CODES, Feature, Features
from outcome_monitors.jsonvalue.paths import parse
from outcome_monitors.jsonvalue.types import HIDDEN, is_number
from outcome_monitors.model import Json
from outcome_monitors.rules import KINDS, current_name
from outcome_monitors.rules.base.support import Presence
from outcome_monitors.rules.evidence.evidence import Evidence, Place
from outcome_monitors.rules.evidence.samples import NO_TASK, Sample

from .observations import PROFILES, Observations
from .paper import Observed

__all__ = ["COUNTS", "FORMAT", "SAMPLES", "VERSION", "from_state"]

FORMAT = "outcome-monitors/state"
VERSION = 1

COUNTS = ("calls", "count", "with_objects", "complete", "broken_json")
"""The counts of a `Place`."""
_TROUBLE = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
    AssertionError,
)
Is = Callable[[Any], bool]


def from_state(state: Json, name: str = "state") -> Observations:
    """Return the observations that a state holds; raise ContractError where it is none."""
    if not isinstance(state, dict) or state.get("format") != FORMAT:
        raise ContractError(f"{name} is no state of mining; name the file that mine --state wrote")
    if state.get("version") != VERSION:
        raise ContractError(
            f"{name} is a state of version {state.get('version')!r}, and this release reads {VERSION}; mine all traces again"
        )
    try:
        observations = _observations(state)
    except (*_TROUBLE, OutcomeMonitorsError) as error:
        raise ContractError(
            f"{name} is damaged ({type(error).__name__}: {error}); mine all traces again"
        ) from error
    observations.restored = name
    return observations


def _observations(state: dict[str, Any]) -> Observations:
    if state["profile"] not in PROFILES:
        raise ValueError(f"no profile {state['profile']!r}")
    private = tuple(_each(_is_text, state["private"]))
    observations = Observations(state["profile"], float(state["budget"]), private)
    observations.calls = _count(state["calls"])
    tasks = _each(_is_count, state["tasks"])
    read: Callable[[Any, list[int]], Any] = (
        _read_observed if observations.profile == "paper" else _read_evidence
    )
    for part, stored in zip(observations.parts, state["parts"], strict=True):
        part.update({tool: read(found, tasks) for tool, found in stored.items()})
    if observations.profile == "paper":
        _try(observations)
    return observations


def _try(observations: Observations) -> None:
    """Merge what was read, and look for clauses, as is soon done in the published profile: what cannot be is damaged."""
    tried = observations.empty()
    tried.merge(observations)
    for _ in tried.candidates():
        pass


def _count(value: Any) -> int:
    count: int = _of(_is_count, value)
    return count


def _of(is_one: Is, value: Any) -> Any:
    if not is_one(value):
        raise TypeError(f"{value!r:.40} is none that mining writes there")
    return value


def _each(is_one: Is, values: Any) -> list[Any]:
    return [_of(is_one, value) for value in _of(lambda found: type(found) is list, values)]


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**64


def _is_text(value: Any) -> bool:
    return type(value) is str


def _is_number(value: Any) -> bool:
    return is_number(value) and not (type(value) is float and math.isnan(value))


SAMPLES: dict[str, Is] = {
    "kinds": lambda value: _is_text(value) and value in HIDDEN,
    "texts": _is_text,
    "numbers": _is_number,
    "lengths": _is_count,
    "sizes": _is_count,
}
"""The samples of a `Place`, and what is in each."""


def _path(text: Any) -> str:
    parse(_of(_is_text, text))
    found: str = text
    return found


def _named(places: Any, tasks: list[int]) -> list[int]:
    """Return the tasks that stand at places of the list of all."""
    found = _each(lambda place: place == NO_TASK or _is_count(place), places)
    return [NO_TASK if place == NO_TASK else tasks[place] for place in found]


def _read_evidence(stored: Any, tasks: list[int]) -> Evidence:
    empty = Evidence()
    empty.calls = _count(stored["calls"])
    empty.places = {_path(path): _read_place(place, tasks) for path, place in stored["places"].items()}
    empty.records = {_path(path): _read_records(found, tasks) for path, found in stored["records"].items()}
    empty.recalled = {
        (_path(path), _of(_is_text, key), _of(_is_text, field)): _read_sample(found, tasks, _is_bool)
        for path, key, field, found in stored["recalled"]
    }
    return empty


def _is_bool(value: Any) -> bool:
    return type(value) is bool


def _read_place(stored: Any, tasks: list[int]) -> Place:
    found = set(_named(stored["tasks"], tasks))
    place = Place(tasks=_of(lambda some: some and NO_TASK not in some, found))
    for name in COUNTS:
        setattr(place, name, _count(stored[name]))
    for name, is_one in SAMPLES.items():
        if name in stored:
            setattr(place, name, _read_sample(stored[name], tasks, is_one))
    return place


def _read_sample(
    stored: Any, tasks: list[int], is_one: Is, items: Iterable[Any] | None = None
) -> Sample[Any]:
    witnesses = zip(
        _each(_is_count, stored["calls"]),
        _named(stored["first"], tasks),
        _named(stored["second"], tasks),
        strict=True,
    )
    found = _each(is_one, stored["items"]) if items is None else items
    pairs = [
        (item, [calls, _of(_is_count, first), second])
        for item, (calls, first, second) in zip(found, witnesses, strict=True)
    ]
    size = _of(lambda value: _is_count(value) and value > 0, stored["size"])
    return Sample.restored(size, pairs, whole=_of(_is_bool, stored["whole"]))


def _read_records(stored: Any, tasks: list[int]) -> Sample[Features]:
    sorts = [
        (tuple(Feature.parse(_of(_is_text, name)) for name in names), _of(_is_text, codes))
        for names, codes in stored["sorts"]
    ]
    items = [
        _features(*sorts[_count(sort)], tuple(map(_kept_value, values))) for sort, *values in stored["items"]
    ]
    return _read_sample(stored, tasks, _is_bool, items)


def _features(names: tuple[Feature, ...], codes: str, values: tuple[Any, ...]) -> Features:
    """Return the features of a record: one value and one letter to a name."""
    if sorted({*names}) != [*names] or not len(names) == len(codes) == len(values):
        raise ValueError("a record does not have one value to a feature")
    for code, value in zip(codes, values, strict=True):
        if CODES.get(type(value), "o") not in (code, *_ELSE.get(code, ())):
            raise TypeError(f"{value!r:.40} is no {code}")
    return Features(names, codes, values)


_ELSE = {"n": ("s",), "o": ("z",)}
"""What else stands for what is no text: for a number that is none a word, and nothing for what no feature keeps."""


def _kept_value(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_each(lambda item: not isinstance(item, (list, dict)), value))
    return _of(lambda one: not isinstance(one, dict), value)


def _read_observed(stored: Any, tasks: list[int]) -> Observed:
    found = {_path(path): set(_named(places, tasks)) for path, places in stored["tasks"].items()}
    values, objects = (
        {_path(path): _count(count) for path, count in stored[name].items()} for name in ("values", "objects")
    )
    states = {current_name(kind): _restored(state) for kind, state in stored["states"].items()}
    wanted = {kind.name for kind in KINDS.values() if "paper" in kind.mining.profiles}
    if {*states} != wanted:
        raise ValueError("the kinds are not those of the profile")
    return Observed(Presence(_count(stored["calls"]), values, objects, found), states)


def _restored(value: Any) -> Any:
    if isinstance(value, list):
        return [_restored(item) for item in value]
    if not isinstance(value, dict):
        return value
    ((name, items),) = value.items()
    found = _CONTAINERS[name](map(_restored, items))
    if not isinstance(found, tuple):
        # What is written is sorted: a set that cannot be was not.
        sorted(found)
    return found


_CONTAINERS: dict[str, Callable[[Iterable[Any]], Any]] = {"dict": dict, "set": set, "tuple": tuple}
