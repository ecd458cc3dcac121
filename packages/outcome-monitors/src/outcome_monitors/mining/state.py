"""What mining keeps, as plain JSON and back: the state from which `mine --update` goes on.

It holds what clauses are made of and validated on: counts, samples of values and of records, hashes of tasks; no call as a whole,
no session, and nothing private (`traces.private`). The same observations give the same state, whatever their order and split.

As a file it stands beside the contracts, packed. A digest of the content shows damage.
"""

import gzip
import json
import zlib
from collections.abc import Callable, Iterable
from operator import attrgetter
from pathlib import Path
from typing import Any

from outcome_monitors.exceptions import ContractError
from outcome_monitors.features.feature import Feature, Features
from outcome_monitors.files import FilePath, write_atomically
from outcome_monitors.jsonvalue.text import stable_hash
from outcome_monitors.model import Json
from outcome_monitors.rules import KINDS, current_name
from outcome_monitors.rules.base.support import Presence
from outcome_monitors.rules.evidence.evidence import Evidence, Place
from outcome_monitors.rules.evidence.samples import NO_TASK, Sample
from outcome_monitors.rules.evidence.tasks import kept

from .observations import Observations
from .paper import Observed

__all__ = ["FORMAT", "VERSION", "from_state", "load_state", "save_state", "state_beside", "to_state"]

FORMAT = "outcome-monitors/state"
VERSION = 1

_COUNTS = ("calls", "count", "with_objects", "complete", "broken_json")
"""The counts of a `Place`."""
_SAMPLES = ("kinds", "texts", "numbers", "lengths", "sizes")
"""The samples of a `Place`."""


def to_state(observations: Observations) -> dict[str, Json]:
    """Return all that was observed as JSON."""
    table = _Numbering(_tasks_of(observations))
    write: Callable[[Any, _Numbering], Json] = (
        _write_observed if observations.profile == "paper" else _write_evidence
    )
    state: dict[str, Json] = {
        "format": FORMAT,
        "version": VERSION,
        "profile": observations.profile,
        "budget": observations.budget,
        "private": list(observations.private),
        "calls": observations.calls,
        "tasks": table.tasks,
        "parts": [{tool: write(part[tool], table) for tool in sorted(part)} for part in observations.parts],
    }
    return {**state, "digest": _digest(state)}


def from_state(state: Json, name: str = "state") -> Observations:
    """Return the observations that a state holds; raise ContractError where it is none."""
    if not isinstance(state, dict) or state.get("format") != FORMAT:
        raise ContractError(f"{name} is no state of mining; name the file that mine --state wrote")
    if state.get("version") != VERSION:
        raise ContractError(
            f"{name} is a state of version {state.get('version')!r}, and this release reads {VERSION}; mine all traces again"
        )
    if state.get("digest") != _digest(state):
        raise ContractError(f"{name} is damaged: its digest is another; mine all traces again")
    observations = Observations(state["profile"], state["budget"], state["private"])
    observations.calls = state["calls"]
    read: Callable[[Any, list[int]], Any] = (
        _read_observed if observations.profile == "paper" else _read_evidence
    )
    for part, stored in zip(observations.parts, state["parts"], strict=True):
        part.update({tool: read(found, state["tasks"]) for tool, found in stored.items()})
    kinds = {kind.name for kind in KINDS.values() if "paper" in kind.mining.profiles}
    if any(
        {*tool.states} != kinds
        for part in observations.parts
        for tool in part.values()
        if isinstance(tool, Observed)
    ):
        raise ContractError(f"{name} is of a release with other rule kinds; mine all traces again")
    return observations


def _digest(state: dict[str, Json]) -> str:
    content = {name: value for name, value in state.items() if name != "digest"}
    return f"{stable_hash(json.dumps(content, sort_keys=True)):016x}"


class _Numbering:
    """Each task hash stands once in a state, and by its place in that list everywhere else."""

    def __init__(self, tasks: Iterable[int]) -> None:
        self.tasks = sorted(tasks)
        self._place = {task: place for place, task in enumerate(self.tasks)} | {NO_TASK: NO_TASK}

    def of(self, tasks: Iterable[int]) -> list[int]:
        return [self._place[task] for task in tasks]


def _named(places: Iterable[int], tasks: list[int]) -> list[int]:
    """Return the tasks at these places of the list of all."""
    return [NO_TASK if place == NO_TASK else tasks[place] for place in places]


def _tasks_of(observations: Observations) -> set[int]:
    """Return every task hash that a state names."""
    found: set[int] = set()
    for part in observations.parts:
        for tool in part.values():
            if isinstance(tool, Observed):
                for tasks in tool.presence.tasks.values():
                    found.update(kept(tasks))
                continue
            for sample in _samples(tool):
                found.update(task for _, witness in sample.items() for task in witness[1:])
            for place in tool.places.values():
                found.update(kept(place.tasks))
            for _, tasks in tool.violated.values():
                found.update(kept(tasks))
            found.update(kept(tool.heard))
    return found - {NO_TASK}


def _samples(evidence: Evidence) -> Iterable[Sample[Any]]:
    for place in evidence.places.values():
        yield from attrgetter(*_SAMPLES)(place)
    yield from evidence.records.values()
    yield from evidence.recalled.values()


def _write_evidence(evidence: Evidence, table: _Numbering) -> Json:
    return {
        "calls": evidence.calls,
        "places": {path: _write_place(place, table) for path, place in sorted(evidence.places.items())},
        "records": {path: _write_records(found, table) for path, found in sorted(evidence.records.items())},
        "recalled": [
            [*what, _write_sample(found, table)] for what, found in sorted(evidence.recalled.items())
        ],
        "violated": {
            kind: [results, table.of(kept(tasks))]
            for kind, (results, tasks) in sorted(evidence.violated.items())
        },
        "heard": table.of(kept(evidence.heard)),
        "asked": list[Json](kept(evidence.asked)),
        "answered": list[Json](kept(evidence.answered)),
    }


def _read_evidence(stored: Any, tasks: list[int]) -> Evidence:
    return Evidence(
        stored["calls"],
        {path: _read_place(place, tasks) for path, place in stored["places"].items()},
        {path: _read_records(found, tasks) for path, found in stored["records"].items()},
        {(path, key, field): _read_sample(found, tasks) for path, key, field, found in stored["recalled"]},
        {
            kind: (results, set(_named(places, tasks)))
            for kind, (results, places) in stored.get("violated", {}).items()
        },
        set(_named(stored.get("heard", ()), tasks)),
        set(stored.get("asked", ())),
        set(stored.get("answered", ())),
    )


def _write_place(place: Place, table: _Numbering) -> Json:
    counts = {name: getattr(place, name) for name in _COUNTS}
    samples = {name: getattr(place, name) for name in _SAMPLES}
    found = {name: _write_sample(sample, table) for name, sample in samples.items() if len(sample)}
    return {**counts, "tasks": table.of(kept(place.tasks)), **found}


def _read_place(stored: Any, tasks: list[int]) -> Place:
    place = Place(tasks=set(_named(stored["tasks"], tasks)))
    for name in _COUNTS:
        setattr(place, name, stored[name])
    for name in _SAMPLES:
        if name in stored:
            setattr(place, name, _read_sample(stored[name], tasks))
    return place


def _write_sample(sample: Sample[Any], table: _Numbering, items: list[Json] | None = None) -> dict[str, Json]:
    """Write a sample as columns, which pack better than rows."""
    found = sample.items()
    witnesses = [witness for _, witness in found]
    return {
        "size": sample.size,
        "whole": sample.whole,
        "items": [item for item, _ in found] if items is None else items,
        "calls": [witness.calls for witness in witnesses],
        "first": table.of(witness.first for witness in witnesses),
        "second": table.of(witness.second for witness in witnesses),
    }


def _read_sample(stored: Any, tasks: list[int], items: Iterable[Any] | None = None) -> Sample[Any]:
    first, second = _named(stored["first"], tasks), _named(stored["second"], tasks)
    witnesses = map(list, zip(stored["calls"], first, second, strict=True))
    pairs = zip(stored["items"] if items is None else items, witnesses, strict=True)
    return Sample.restored(stored["size"], pairs, whole=stored["whole"])


def _write_records(sample: Sample[Features], table: _Numbering) -> Json:
    """Write records; those of one sort name their features once."""
    sorts = sorted({(features.names, features.codes) for features, _ in sample.items()})
    place = {sort: number for number, sort in enumerate(sorts)}
    items: list[Json] = [
        [place[features.names, features.codes], *features.values] for features, _ in sample.items()
    ]
    return {"sorts": [[list(names), codes] for names, codes in sorts], **_write_sample(sample, table, items)}


def _read_records(stored: Any, tasks: list[int]) -> Sample[Features]:
    sorts = [(tuple(map(Feature.parse, names)), codes) for names, codes in stored["sorts"]]
    items = []
    for sort, *values in stored["items"]:
        names, codes = sorts[sort]
        kept_values = tuple(tuple(value) if isinstance(value, list) else value for value in values)
        items.append(Features(names, codes, kept_values))
    return _read_sample(stored, tasks, items)


def _write_observed(observed: Observed, table: _Numbering) -> Json:
    presence = observed.presence
    return {
        "calls": presence.calls,
        "values": dict(sorted(presence.values.items())),
        "objects": dict(sorted(presence.objects.items())),
        "tasks": {path: table.of(kept(tasks)) for path, tasks in sorted(presence.tasks.items())},
        "states": {kind: _write_state(state) for kind, state in sorted(observed.states.items())},
    }


def _read_observed(stored: Any, tasks: list[int]) -> Observed:
    found = {path: set(_named(places, tasks)) for path, places in stored["tasks"].items()}
    states = {current_name(kind): _read_state(state) for kind, state in stored["states"].items()}
    return Observed(Presence(stored["calls"], stored["values"], stored["objects"], found), states)


def _write_state(value: Any) -> Json:
    """Write the state of a rule kind: lists as they are, and what JSON has not under its name."""
    if isinstance(value, dict):
        return {"dict": [[_write_state(key), _write_state(value[key])] for key in sorted(value)]}
    if isinstance(value, (set, tuple)):
        items = sorted(value) if isinstance(value, set) else value
        return {type(value).__name__: [_write_state(item) for item in items]}
    return [_write_state(item) for item in value] if isinstance(value, list) else value


def _read_state(value: Any) -> Any:
    if isinstance(value, list):
        return [_read_state(item) for item in value]
    if not isinstance(value, dict):
        return value
    ((name, items),) = value.items()
    return _CONTAINERS[name](map(_read_state, items))


_CONTAINERS: dict[str, Callable[[Iterable[Any]], Any]] = {"dict": dict, "set": set, "tuple": tuple}


def state_beside(contracts: FilePath) -> Path:
    """Return where the state of a contract file is looked for: `contracts.state.json.gz` beside `contracts.json`."""
    path = Path(contracts)
    return path.with_name(f"{path.name.removesuffix('.json')}.state.json.gz")


def save_state(path: FilePath, observations: Observations) -> None:
    """Write a state; the same observations give the same bytes. It holds values of the traces, and its owner alone can read it."""
    text = json.dumps(to_state(observations), sort_keys=True, separators=(",", ":"))
    # No time inside.
    write_atomically(path, gzip.compress(text.encode(), 6, mtime=0), private=True)


def load_state(path: FilePath) -> Observations:
    """Read a state; raise ContractError, with the next step, where there is none."""
    try:
        packed = Path(path).read_bytes()
    except OSError as error:
        raise ContractError(
            f"cannot read {path}: {error.strerror or error}; mine with --state {path} first, or name the state with --state"
        ) from error
    try:
        state = json.loads(gzip.decompress(packed))
    except (OSError, EOFError, zlib.error, ValueError, RecursionError):
        raise ContractError(f"{path} is no state of mining, or is cut short; mine all traces again") from None
    return from_state(state, str(path))
