"""Misrouted responses: results with another tool's fields and next to none of their own.

A flight where a hotel was asked for breaks twenty clauses of the hotel's contract, and none of them says what happened. The fields that
each tool's clean results have are read off its contract; where a result has those of one other tool and not its own, that is
the first thing to say.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import NamedTuple

from outcome_monitors.jsonvalue.display import clip_text
from outcome_monitors.jsonvalue.paths import ROOT, Each, parse
from outcome_monitors.model import Clause, Contract, Json, Violation
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.traits import Build

__all__ = ["CODE", "MisroutedResponse"]

CODE = "another_tools_result"
LEAST_FIELDS = 3
NEARLY_ALL = 0.8
"""Of the result's fields the other tool must know this share, and of the fields that it always has this share must be there."""
HALF = 0.5
"""Of the result's fields the tool itself must not know this share."""
LEAST_TELLING = 2
"""So many fields at least must tell the two tools apart, on either side."""
NEXT_TO_NONE = 0.2
"""Of the tool's own fields that the other does not have, this share may be there."""
MOST_ROWS = 20
"""Rows of a list that are looked at."""
_NAMED = 6
"""Fields that are named."""


class _Fields(NamedTuple):
    """The fields of a tool's results, or of their rows."""

    all: frozenset[str]
    always: frozenset[str]


class MisroutedResponse:
    """Knows the tools by the fields of their results; a contract is read when it is first needed."""

    def __init__(self, contracts: Mapping[str, Contract]) -> None:
        self._contracts = contracts
        self._fields: dict[str, _Fields] = {}

    def _fields_of(self, tool: str) -> _Fields:
        if tool not in self._fields:
            self._fields[tool] = _known(self._contracts[tool].clauses)
        return self._fields[tool]

    @cached_property
    def _with_field(self) -> dict[str, list[str]]:
        index: dict[str, list[str]] = {}
        for tool in sorted(self._contracts):
            for field in self._fields_of(tool).all:
                index.setdefault(field, []).append(tool)
        return index

    def must_ask(self, tool: str) -> bool:
        """Say whether a contract would pass another tool's result: it knows fields, and demands none."""
        own = self._fields_of(tool)
        return bool(own.all) and not own.always

    def may_be_own(self, tool: str, result: Json) -> bool:
        """Say whether the tool knows most fields of a result, or they are too few to be anybody's."""
        own = self._fields_of(tool).all
        if isinstance(result, dict) and own.issuperset(result):
            return True
        found = _found(result)
        return (
            not own or len(found) < LEAST_FIELDS or len(found - own) < max(LEAST_TELLING, HALF * len(found))
        )

    def misrouted(self, tool: str, result: Json) -> tuple[Clause, Violation] | None:
        """Return the violation of a result that is another tool's; None where it may be its own, or nobody's."""
        if self.may_be_own(tool, result):
            return None
        own, found = self._fields_of(tool), _found(result)
        other = self._most_like(found)
        if other is None:
            return None
        # Names that both have, such as id and title, tell nothing.
        mine, theirs = (
            (own.always or own.all) - self._fields_of(other).all,
            found & self._fields_of(other).all - own.all,
        )
        if min(len(mine), len(theirs)) < LEAST_TELLING or len(mine & found) > NEXT_TO_NONE * len(mine):
            return None
        clause = Clause(CODE, ROOT, {"tool": other}, 0, 0, "traces")
        detail = (
            f"the result has the fields of {clip_text(other)} ({_said(theirs)}) and not those of this tool"
        )
        return clause, Violation(CODE, ROOT, _said(mine), _said(theirs), detail)

    def _most_like(self, found: frozenset[str]) -> str | None:
        """Return the tool that knows nearly all fields of a result and always has nearly no others."""
        common = Counter(tool for field in found for tool in self._with_field.get(field, ()))
        best: tuple[float, str] | None = None
        for tool, shared in sorted(common.items()):
            fields = self._fields_of(tool)
            if shared >= NEARLY_ALL * len(found) and len(fields.always & found) >= NEARLY_ALL * len(
                fields.always
            ):
                alike = shared / len(found | fields.all)
                if best is None or alike > best[0]:
                    best = (alike, tool)
        return best[1] if best else None


def _known(clauses: Iterable[Clause]) -> _Fields:
    """Read off a contract which fields results have; those of rows where the result is a list."""
    known: set[str] = set()
    always: set[str] = set()
    for clause in clauses:
        steps, build = parse(clause.path), KINDS[clause.kind].traits.build
        if steps[:1] == (Each.ITEM,):
            steps = steps[1:]
        if steps and isinstance(steps[0], str):
            known.add(steps[0])
            if build is Build.PRESENCE and len(steps) == 1:
                always.add(steps[0])
        elif not steps and build is Build.FIELDS:
            known.update(clause.params["fields"])
    return _Fields(frozenset(known), frozenset(always))


def _found(result: Json) -> frozenset[str]:
    """Return the fields of a result, or of its rows."""
    rows = result[:MOST_ROWS] if isinstance(result, list) else [result]
    return frozenset(key for row in rows if isinstance(row, dict) for key in row if isinstance(key, str))


def _said(fields: frozenset[str]) -> str:
    named = sorted(fields)[:_NAMED]
    return clip_text(", ".join([*named, "…"] if len(fields) > len(named) else named))
