"""The form that a contract was learned from, and a result in that form.

Results come as objects, as texts of them, and in the wrappers of frameworks; all of them stand for one canonical form
(`jsonvalue.canonical`). A contract knows the form of the traces that it was mined from: one of texts speaks of what stands in them
(`[json]`), one recorded behind an MCP SDK of `{"result": ...}` where the function itself gives the thing alone. A result gets the
same verdict in each.
"""

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from outcome_monitors.jsonvalue.canonical import NOT_JSON, PLAIN, canonical, is_plain
from outcome_monitors.jsonvalue.memo import once_for_each
from outcome_monitors.jsonvalue.paths import ROOT, Each, InText, parse
from outcome_monitors.jsonvalue.text import json_in
from outcome_monitors.jsonvalue.types import kind_of
from outcome_monitors.model import Contract, Json
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.traits import Build

__all__ = ["ContractForm", "form_of"]

_ALONE = "result"
"""What SDKs call the only field of an object that they put around what is none."""
_LIKE = {"integer": "number"}


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

    def fit(self, result: Any) -> Json:
        """Return a result in the form that the contract was learned from; the very same where it is in it."""
        if type(result) is str and not self._is_printed(result):
            # Whoever takes results from a framework or a wire has read them: in traces, a text in the place of an object is a fault.
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


def _shares(known: frozenset[str], fields: Iterable[str]) -> bool:
    """Say whether most of the fields that are known are there, of two at least."""
    return len(known) > 1 and 2 * len(known.intersection(fields)) > len(known)


@once_for_each(4096)
def form_of(contract: Contract) -> ContractForm:
    """Read off a contract what it says of results as a whole; that is done once."""
    kinds: frozenset[str] | None = None
    in_text = alone = False
    fields: set[str] = set()
    inner: set[str] = set()
    for clause in contract.clauses:
        build, steps = KINDS[clause.kind].traits.build, parse(clause.path)
        in_text |= steps[:1] == (InText.JSON,) or (build is Build.JSON and not steps)
        names = steps[1:] if steps[:1] == (Each.ITEM,) else steps
        fields.update(step for step in names[:1] if isinstance(step, str))
        inner.update(step for step in names[1:2] if isinstance(step, str))
        if clause.path == ROOT and build is Build.TYPES:
            kinds = frozenset(_LIKE.get(kind, kind) for kind in clause.params["kinds"])
        alone |= clause.path == ROOT and build is Build.FIELDS and clause.params["fields"] == [_ALONE]
    return ContractForm(kinds, in_text, alone, frozenset(fields), frozenset(inner))


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
