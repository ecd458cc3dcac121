"""The form that a contract was mined from, a result in that form, and results that are another tool's.

Results come as objects, as texts of them, and in the wrappers of frameworks; all of them stand for one canonical form
(`jsonvalue.canonical`), of which contracts are mined. What a text alone does not tell, its contract does: whether `12` is a number,
one line a list of one, and whether the SDK of a server has put the thing into `{"result": ...}`. A result gets the same verdict in each.

A flight where a hotel was asked for breaks twenty clauses of the hotel's contract, and none of them says what happened. Where a result
has the fields of one other tool and not those of its own, that is the first thing to say.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from outcome_monitors.jsonvalue.canonical import NOT_JSON, canonical, scalar_in
from outcome_monitors.jsonvalue.display import clip_text
from outcome_monitors.jsonvalue.paths import ROOT, Each, parse
from outcome_monitors.jsonvalue.times import in_utc
from outcome_monitors.jsonvalue.types import kind_of
from outcome_monitors.model import Clause, Contract, Json, Violation
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.traits import Build

_ALONE = "result"
"""What SDKs call the only field of an object that they put around what is none."""
_LIKE = {"integer": "number"}
_OBJECT = frozenset({"object"})

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
    declared: bool = False
    """A schema says so, of which texts give no more than the items: one alone is a list of one."""
    alone: bool = False
    """They are objects with the one field that SDKs put things into; the types are those of the thing."""
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
        declared = False
        types: dict[str, frozenset[str]] = {}
        fields: set[str] = set()
        inner: set[str] = set()
        listed: set[str] = set()
        always: set[str] = set()
        for clause in contract.clauses:
            build, steps = KINDS[clause.kind].traits.build, parse(clause.path)
            names = steps[1:] if steps[:1] == (Each.ITEM,) else steps
            fields.update(step for step in names[:1] if isinstance(step, str))
            inner.update(step for step in names[1:2] if isinstance(step, str))
            if build is Build.PRESENCE and len(names) == 1 and isinstance(names[0], str):
                always.add(names[0])
            elif build is Build.FIELDS and not names:
                listed.update(clause.params["fields"])
            if clause.path in (ROOT, _ALONE) and build is Build.TYPES:
                types[clause.path] = frozenset(_LIKE.get(kind, kind) for kind in clause.params["kinds"])
                declared |= clause.source != "traces"
        known = frozenset(fields | listed)
        alone = known == {_ALONE} and types.get(ROOT, _OBJECT) == _OBJECT
        kinds = types.get(_ALONE if alone else ROOT)
        return cls(kinds, declared, alone, frozenset(fields), frozenset(inner), known, frozenset(always))

    def fit(self, result: Any) -> Json:
        """Return a result in the form that the contract speaks of; the very same where it is in it."""
        value = in_utc(canonical(result))
        if value is NOT_JSON:
            return result
        thing = self._thing(value)
        if not self.alone:
            return thing
        return value if type(value) is dict and value.get(_ALONE, NOT_JSON) is thing else {_ALONE: thing}

    def _thing(self, value: Json) -> Json:
        """Return what a function gave, of a type that the contract knows where it can be read so."""
        if self.alone or (_ALONE not in self.known and self._is_no_object()):
            # An SDK may have put it into an object.
            value = value[_ALONE] if type(value) is dict and list(value) == [_ALONE] else value
        if self.kinds is None or _kind(value) in self.kinds:
            return value
        if type(value) is str:
            read = scalar_in(value)
            if _kind(read) in self.kinds:
                return read
        if value in ("", []) and "null" in self.kinds:
            return None
        if self.declared and "array" in self.kinds:
            return [] if value in (None, "") else [value]
        return value

    def _is_no_object(self) -> bool:
        """Say whether nothing is known of an object that has this one field: there are others, or it is none."""
        return bool(self.known) or (self.kinds is not None and "object" not in self.kinds)

    def differs(self, value: Json) -> bool:
        """Say whether a result, in its canonical form, is of another JSON type than all those that the contract knows."""
        return self.kinds is not None and _kind(self._thing(value)) not in self.kinds

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
