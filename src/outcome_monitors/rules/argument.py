"""`argument`: a field agrees with an argument of the call, whatever their names: what was asked for is what is answered.

They may be equal, equal but for case and space and the way a number is written, one contained in the other, or the field one
of the items of a list argument. On a path of rows the field of every row agrees: a filter that was honoured.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .._evidence import Evidence
from .._features import ABSENT
from .._model import Clause, Json
from .._values import normalise
from ._kind import Candidate
from ._record import Get, RecordKind, is_feature, rows_of, said

__all__ = ["Argument"]

LEAST_TASKS = 3
LEAST_VALUES = 3
LEAST_LENGTH = 3
"""A shorter text is in any other by chance: it shows nothing, and nothing is said of it."""


def _text(value: Any) -> str | None:
    if type(value) is str:
        return normalise(value)
    return str(value) if type(value) in (int, float) else None


def _same(argument: Any, field: Any) -> bool:
    mine = _text(argument)
    return mine is not None and mine == _text(field)


def _contains(argument: Any, field: Any) -> bool:
    mine, theirs = _text(argument), _text(field)
    return mine is not None and theirs is not None and (len(mine) < LEAST_LENGTH or mine in theirs)


def _within(argument: Any, field: Any) -> bool:
    mine, theirs = _text(argument), _text(field)
    return mine is not None and theirs is not None and (len(theirs) < LEAST_LENGTH or theirs in mine)


def _among(argument: Any, field: Any) -> bool:
    return isinstance(argument, (list, tuple)) and field in argument


AGREEMENTS: dict[str, Callable[[Any, Any], bool]] = {
    "equal": lambda argument, field: bool(argument == field),
    "same": _same,
    "among": _among,
    "contains": _contains,
    "within": _within,
}
"""Each way to agree, strictest first."""


class Argument(RecordKind):
    """The field agrees with the argument."""

    name = "argument"
    code = "learned_echo_mismatch"
    profiles = frozenset({"full"})
    params = {"argument": is_feature, "field": is_feature, "agree": lambda v: v in AGREEMENTS}

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest the strictest agreement that holds in all records, where it is no accident."""
        for path, rows in rows_of(evidence):
            tasks = evidence.tasks(path)
            arguments = sorted(
                {
                    name
                    for found, _ in rows
                    for name in found
                    if name[0] == "@" and name != "@" and name[1] != "#"
                }
            )
            fields = sorted({name for found, _ in rows for name in found if name[0] in ".$"})
            for argument in arguments:
                for field in fields:
                    pairs = [
                        (found[argument], found[field], witness)
                        for found, witness in rows
                        if found.get(argument) is not None and found.get(field) is not None
                    ]
                    candidate = self._of(path, argument, field, pairs, tasks)
                    if candidate is not None:
                        yield candidate

    def _of(
        self, path: str, argument: str, field: str, pairs: list[tuple[Any, Any, Any]], tasks: int
    ) -> Candidate | None:
        if len(pairs) < LEAST_VALUES:
            return None
        for agree, holds in AGREEMENTS.items():
            broken = [(a, f, w) for a, f, w in pairs if not holds(a, f)]
            if len(broken) > 0.02 * len(pairs):
                continue
            values = {
                repr(f)
                for a, f, _ in pairs
                if holds(a, f)
                and (agree not in ("contains", "within") or min(len(str(a)), len(str(f))) >= LEAST_LENGTH)
            }
            behind = len({w.first for _, _, w in pairs} | {w.second for _, _, w in pairs})
            # That a constant agrees with a constant shows nothing.
            if len(values) < LEAST_VALUES or behind < LEAST_TASKS:
                return None
            fired = {w.first: w.calls for _, _, w in broken}
            params = {"argument": argument, "field": field, "agree": agree}
            samples = sum(w.calls for _, _, w in pairs)
            return Candidate(
                Clause(self.name, path, params, samples, tasks, "traces"), "", fired, entities=len(values)
            )
        return None

    def broken(self, params: Mapping[str, Json]) -> Callable[[Get], tuple[str, Json, Json] | None]:
        """Test that both are there and agree, or one is not."""
        argument, field, holds = params["argument"], params["field"], AGREEMENTS[params["agree"]]

        def broken(get: Get) -> tuple[str, Json, Json] | None:
            asked, found = get(argument), get(field)
            if asked is ABSENT or found is ABSENT or asked is None or found is None or holds(asked, found):
                return None
            return field, asked, found

        return broken

    def detail(self, params: Mapping[str, Json]) -> str:
        """Say what is wrong."""
        return f"field {said(params['field'])} does not agree with {said(params['argument'])} of the call"

    def explain(self, clause: Clause) -> str:
        """Say it in words."""
        how = {
            "equal": "equals",
            "same": "is, but for spelling,",
            "among": "is among",
            "contains": "contains",
            "within": "is part of",
        }
        return (
            f"{said(clause.params['field'])} {how[clause.params['agree']]} {said(clause.params['argument'])}"
        )
