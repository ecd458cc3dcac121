"""`fact`: what an identity is known to come with: a product its name, a city its country, the same arguments the same answer.

Mined where one feature decides another (a functional dependency), and kept as the pairs that more than one task showed. Of
identities that were never seen it says nothing.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .._evidence import NO_TASK, Evidence, Rows
from .._features import ABSENT
from .._model import Clause, Json
from ._kind import Candidate
from ._record import Get, RecordKind, is_feature, rows_of, said

__all__ = ["Fact"]

LEAST_KEYS = 3
"""Identities that more than one task showed."""
LEAST_SURPRISE = 5.0
"""So many pairs that would not have agreed by chance."""
MOST_PAIRS = 1000


class Fact(RecordKind):
    """The feature has the value that its key is known to come with."""

    name = "fact"
    code = "known_fact_contradicted"
    profiles = frozenset({"full"})
    pools = True
    params = {
        "key": is_feature,
        "field": is_feature,
        "facts": lambda v: (
            isinstance(v, dict)
            and all(isinstance(f, (str, int, float, bool, type(None))) for f in v.values())
        ),
    }

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest each pair of features of which one decides the other."""
        for path, rows in rows_of(evidence):
            tasks = evidence.tasks(path)
            columns = _columns(rows)
            for key in sorted(columns):
                if key[0] in "#+%=" or key.startswith("@#"):
                    continue
                groups = _groups(rows, columns[key], key)
                if len(groups) < LEAST_KEYS:
                    continue
                for field in sorted(columns):
                    if field == key or field[0] in "@$%" or (key == "@" and field[0] == "+"):
                        continue
                    if _decides(groups, columns[field]):
                        candidate = self._of(path, key, field, rows, groups, columns[field], tasks)
                        if candidate is not None:
                            yield candidate

    def _of(
        self,
        path: str,
        key: str,
        field: str,
        rows: Rows,
        groups: list[list[int]],
        column: "_Column",
        tasks: int,
    ) -> Candidate | None:
        facts: dict[str, Any] = {}
        fired: dict[int, int] = {}
        shown = repeats = 0
        overall: Counter[str] = Counter()
        for group in groups:
            present = [index for index in group if index in column]
            behind = {task for index in present for task in rows[index][1][1:] if task != NO_TASK}
            if len(behind) < 2:
                continue
            shown += 1
            repeats += len(behind) - 1
            values = Counter(column[index] for index in present)
            common = max(sorted(values), key=values.__getitem__)
            overall[common] += 1
            if len(values) == 1:
                found = rows[present[0]][0]
                facts[_written(found[key])] = found[field]
            for index in present:
                if column[index] != common:
                    witness = rows[index][1]
                    fired[witness.first] = fired.get(witness.first, 0) + witness.calls
        if shown < LEAST_KEYS or len(facts) < LEAST_KEYS or len(overall) < 2:
            return None
        alike = max(overall.values()) / shown
        if repeats * (1 - alike) < LEAST_SURPRISE:
            return None
        params = {"key": key, "field": field, "facts": dict(sorted(facts.items())[:MOST_PAIRS])}
        return Candidate(
            Clause(self.name, path, params, repeats + shown, tasks, "traces"), "", fired, entities=shown
        )

    def broken(self, params: Mapping[str, Json]) -> Callable[[Get], tuple[str, Json, Json] | None]:
        """Test that a known key comes with its known value."""
        key, field, facts = params["key"], params["field"], params["facts"]

        def broken(get: Get) -> tuple[str, Json, Json] | None:
            identity = get(key)
            known = facts.get(_written(identity), ABSENT)
            if known is ABSENT:
                return None
            found = _kept(get(field))
            if found is ABSENT or found == known:
                return None
            return field, _shown(known), _shown(found)

        return broken

    def detail(self, params: Mapping[str, Json]) -> str:
        """Say what is wrong."""
        return f"{said(params['field'])} is not what {said(params['key'])} is known to come with"

    def explain(self, clause: Clause) -> str:
        """Say it in words."""
        params = clause.params
        return f"{said(params['key'])} decides {said(params['field'])} ({len(params['facts'])} known)"


def _written(identity: Any) -> str:
    """Return a key as a contract file can hold it."""
    return identity if type(identity) is str else repr(identity)


def _kept(value: Any) -> Any:
    """Return a value as the evidence keeps it."""
    from .._features import _scalar  # noqa: PLC0415

    if value is ABSENT or isinstance(value, (dict, list)):
        return ABSENT
    return _scalar(value)[1]


def _shown(value: Any) -> Any:
    return "another content" if isinstance(value, str) and value.startswith("\0") else value


_Column = dict[int, str]


def _columns(rows: Rows) -> dict[str, _Column]:
    """Return each feature's values by record, written out so that they can be compared."""
    columns: dict[str, _Column] = {}
    for index, (found, _) in enumerate(rows):
        for name, value in found.items():
            if type(value) is not tuple:
                columns.setdefault(name, {})[index] = repr(value)
    return {name: column for name, column in columns.items() if len(set(column.values())) > 1}


_NO_KEYS = ("None", "''", "True", "False")


def _groups(rows: Rows, column: _Column, key: str) -> list[list[int]]:
    """Return the records that share a key, where more than one task showed it."""
    by_key: dict[str, list[int]] = {}
    for index, value in column.items():
        if value not in _NO_KEYS and type(rows[index][0][key]) is not float:
            by_key.setdefault(value, []).append(index)
    return [
        group
        for group in by_key.values()
        if rows[group[0]][1].second != NO_TASK or len({rows[index][1].first for index in group}) > 1
    ]


def _decides(groups: list[list[int]], column: _Column) -> bool:
    """Say whether records of one key agree on a feature, in all groups but few."""
    allowed = len(groups) // 50
    for group in groups:
        if len(group) > 1 and len({column[index] for index in group if index in column}) > 1:
            if not allowed:
                return False
            allowed -= 1
    return True
