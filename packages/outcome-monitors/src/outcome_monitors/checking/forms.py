"""The form that a contract was mined from, a result in that form, and results that are another tool's.

Results come as objects, as texts of them, and in the wrappers of frameworks; all of them stand for one canonical form
(`jsonvalue.canonical`). A contract knows the form of the traces that it was mined from: one of texts speaks of what stands in them
(`[json]`), one recorded behind an MCP SDK of `{"result": ...}` where the function itself gives the thing alone. A result gets the
same verdict in each.

A flight where a hotel was asked for breaks twenty clauses of the hotel's contract, and none of them says what happened. Where a result
has the fields of one other tool and not those of its own, that is the first thing to say.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from outcome_monitors.jsonvalue.canonical import NOT_JSON, PLAIN, canonical, is_plain
from outcome_monitors.jsonvalue.display import clip_text
from outcome_monitors.jsonvalue.paths import ROOT, Each, InText, parse
from outcome_monitors.jsonvalue.text import json_in
from outcome_monitors.jsonvalue.types import kind_of
from outcome_monitors.model import Clause, Contract, Json, Violation
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.traits import Build

__all__ = ["CODE", "ContractForm", "ContractForms", "MisroutedResponse"]

_ALONE = "result"
"""What SDKs call the only field of an object that they put around what is none."""
_LIKE = {"integer": "number"}

CODE = "another_tools_result"
LEAST_FIELDS = 3
NEARLY_ALL = 0.8
"""Of the result's fields the other tool must know this share, and of the fields that it always has this share must be there."""
HALF = 0.5
"""Of the result's fields the tool itself must not know this share."""
LEAST_APART = 2
"""So many fields at least must tell the two tools apart, on either side."""
NEXT_TO_NONE = 0.2
"""Of the tool's own fields that the other does not have, this share may be there."""
MAX_ROWS = 20
"""Rows of a list that are looked at."""
_NAMED = 6
"""Fields that are named."""


class ContractForm(NamedTuple):
    """What a contract says of results as a whole."""

    kinds: frozenset[str] | None = None
    """Their JSON types, whole numbers among the others; None where it does not say."""
    in_text: bool = False
    """It speaks of JSON that stands in a text."""
    alone: bool = False
    """They are objects with the one field that SDKs put things into."""
    fields: frozenset[str] = frozenset()
    """The fields of objects, and of the rows of lists, that it speaks of."""
    inner: frozenset[str] = frozenset()
    """The fields of what stands in those."""
    known: frozenset[str] = frozenset()
    """All fields that objects, or rows, may have."""
    always: frozenset[str] = frozenset()
    """Those that they always have."""

    @classmethod
    def of(cls, contract: Contract) -> "ContractForm":
        """Read off a contract what it says of results as a whole."""
        kinds: frozenset[str] | None = None
        in_text = alone = False
        fields: set[str] = set()
        inner: set[str] = set()
        listed: set[str] = set()
        always: set[str] = set()
        for clause in contract.clauses:
            build, steps = KINDS[clause.kind].traits.build, parse(clause.path)
            in_text |= steps[:1] == (InText.JSON,) or (build is Build.JSON and not steps)
            names = steps[1:] if steps[:1] == (Each.ITEM,) else steps
            fields.update(step for step in names[:1] if isinstance(step, str))
            inner.update(step for step in names[1:2] if isinstance(step, str))
            if build is Build.PRESENCE and len(names) == 1 and isinstance(names[0], str):
                always.add(names[0])
            elif build is Build.FIELDS and not names:
                listed.update(clause.params["fields"])
            if clause.path == ROOT and build is Build.TYPES:
                kinds = frozenset(_LIKE.get(kind, kind) for kind in clause.params["kinds"])
            alone |= clause.path == ROOT and build is Build.FIELDS and clause.params["fields"] == [_ALONE]
        known = frozenset(fields | listed)
        return cls(kinds, in_text, alone, frozenset(fields), frozenset(inner), known, frozenset(always))

    def fit(self, result: Any) -> Json:
        """Return a result in the form that the contract was mined from; the very same where it is in it."""
        if type(result) is str and not self._is_printed(result):
            # Adapters and the proxy have read texts already: in traces, a text in the place of an object is a fault.
            return result
        value = canonical(result)
        if value is NOT_JSON or (value is not result and self._knows(result)):
            return result
        if type(value) is dict and list(value) == [_ALONE] and self.fields and _ALONE not in self.fields:
            # An SDK has put it into an object that the contract knows nothing of.
            value = value[_ALONE]
        elif self.alone and not (type(value) is dict and _ALONE in value):
            value = {_ALONE: value}
        if self.kinds is None or _kind(value) in self.kinds:
            return value
        if self.in_text and isinstance(value, (dict, list)):
            return _as_text(result, value)
        # The traces had it in this wrapper, too.
        return result if type(result) in PLAIN and _kind(result) in self.kinds else value

    def _is_printed(self, text: str) -> bool:
        """Say whether a text is to be JSON and is none: Python may have printed it."""
        return self.in_text and json_in(text) is None

    def _knows(self, result: Any) -> bool:
        """Say whether the traces had results in this very wrapper."""
        wrapper = result[0] if type(result) is list and result else result
        if type(wrapper) is not dict or not wrapper or not self.fields.issuperset(wrapper):
            return False
        return is_plain(result)

    def differs(self, value: Json) -> bool:
        """Say whether a result, in its canonical form, is of another JSON type than all those that the contract knows."""
        return self.kinds is not None and _kind(self.fit(value)) not in self.kinds

    def elsewhere(self, value: Json) -> bool:
        """Say whether a result has what the contract speaks of one level deeper, or higher: one of both is in a wrapper."""
        value = self.fit(value)
        if type(value) is not dict or not self.fields.isdisjoint(value):
            return False
        held = [item for item in value.values() if type(item) is dict]
        return _shares(self.inner, value) or any(_shares(self.fields, item) for item in held)


class ContractForms(dict[str, ContractForm]):
    """The form of each tool's contract, read off when it is first needed; without a contract it says nothing."""

    def __init__(self, contracts: Mapping[str, Contract]) -> None:
        super().__init__()
        self.contracts = contracts

    def __missing__(self, tool: str) -> ContractForm:
        contract = self.contracts.get(tool)
        if contract is None:
            return ContractForm()
        self[tool] = form = ContractForm.of(contract)
        return form


def _shares(known: frozenset[str], fields: Iterable[str]) -> bool:
    """Say whether most of the fields that are known are there, of two at least."""
    return len(known) > 1 and 2 * len(known.intersection(fields)) > len(known)


def _kind(value: Json) -> str:
    kind = kind_of(value)
    return _LIKE.get(kind, kind)


def _as_text(result: Any, value: Json) -> Json:
    """Return the text that a contract of texts speaks of."""
    if type(result) is str and json_in(result) is not None:
        return result
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return value


class MisroutedResponse:
    """Knows the tools by the fields of their results."""

    def __init__(self, forms: ContractForms) -> None:
        self._forms = forms

    @cached_property
    def _with_field(self) -> dict[str, list[str]]:
        index: dict[str, list[str]] = {}
        for tool in sorted(self._forms.contracts):
            for field in self._forms[tool].known:
                index.setdefault(field, []).append(tool)
        return index

    def must_ask(self, tool: str) -> bool:
        """Say whether a contract would pass another tool's result: it knows fields, and demands none."""
        own = self._forms[tool]
        return bool(own.known) and not own.always

    def may_be_own(self, tool: str, result: Json) -> bool:
        """Say whether the tool knows most fields of a result, or they are too few to be anybody's."""
        own = self._forms[tool].known
        if isinstance(result, dict) and own.issuperset(result):
            return True
        fields = _fields_of(result)
        unknown = len(fields - own)
        return not own or len(fields) < LEAST_FIELDS or unknown < max(LEAST_APART, HALF * len(fields))

    def misrouted(self, tool: str, result: Json) -> tuple[Clause, Violation] | None:
        """Return the violation of a result that is another tool's; None where it may be its own, or nobody's."""
        if self.may_be_own(tool, result):
            return None
        own, fields = self._forms[tool], _fields_of(result)
        other = self._most_like(fields)
        if other is None:
            return None
        # Names that both have, such as id and title, tell nothing.
        mine = (own.always or own.known) - self._forms[other].known
        theirs = fields & self._forms[other].known - own.known
        if min(len(mine), len(theirs)) < LEAST_APART or len(mine & fields) > NEXT_TO_NONE * len(mine):
            return None
        clause = Clause(CODE, ROOT, {"tool": other}, 0, 0, "traces")
        named = _names(theirs)
        detail = f"the result has the fields of {clip_text(other)} ({named}) and not those of this tool"
        return clause, Violation(CODE, ROOT, _names(mine), named, detail)

    def _most_like(self, fields: frozenset[str]) -> str | None:
        """Return the tool that knows nearly all fields of a result and always has nearly no others."""
        common = Counter(tool for field in fields for tool in self._with_field.get(field, ()))
        best: tuple[float, str] | None = None
        for tool, shared in sorted(common.items()):
            form = self._forms[tool]
            there = len(form.always & fields)
            if shared >= NEARLY_ALL * len(fields) and there >= NEARLY_ALL * len(form.always):
                alike = shared / len(fields | form.known)
                if best is None or alike > best[0]:
                    best = (alike, tool)
        return best[1] if best else None


def _fields_of(result: Json) -> frozenset[str]:
    """Return the fields of a result, or of its rows."""
    rows = result[:MAX_ROWS] if isinstance(result, list) else [result]
    return frozenset(key for row in rows if isinstance(row, dict) for key in row if isinstance(key, str))


def _names(fields: frozenset[str]) -> str:
    named = sorted(fields)[:_NAMED]
    return clip_text(", ".join([*named, "…"] if len(fields) > len(named) else named))
