"""What a fault is: a named, total function from what is known of a clean call to the corrupted result.

`Fault.of_result` takes a function that returns the corrupted result itself. `Fault.of_forms` takes several forms, each
of which offers every change it could make; which form and which change is taken is read from a stable hash of the
call, so that different calls are hit at different places and the same call always at the same one.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import islice
from typing import Any, Final, final

from outcome_monitors.jsonvalue.types import finite, is_number
from outcome_monitors.model import Call, Json

from .corpus import Corpus
from .places import Edits, Node, Place, canonical, changed, edit, walk
from .vocabulary import is_count, is_id, mentions, primary_list

# A form may offer thousands of places in a large result; the first few hundred are choice enough.
MOST_OFFERS = 512


@final
class NotApplicable:
    """The answer of a fault that has no place in this result."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "NOT_APPLICABLE"


NOT_APPLICABLE: Final = NotApplicable()
"""The only one of its kind: compare with `is`."""


@dataclass(frozen=True)
class Subject:
    """All that a fault may look at, walked and written out once for all faults."""

    call: Call
    """The clean call whose result is to be corrupted."""
    history: Sequence[Call]
    """Earlier calls of the same session, oldest first, clean."""
    corpus: Corpus
    """Clean knowledge of the traces that the faults are drawn from."""

    @property
    def result(self) -> Json:
        """The clean result."""
        return self.call.result

    @cached_property
    def nodes(self) -> Sequence[Node]:
        """Every value of the result, in document order; the result itself comes first; nothing where it nests too deep."""
        return walk(self.call.result)

    @cached_property
    def text(self) -> str | None:
        """The result as compact JSON with sorted keys; None where it cannot be written so."""
        return canonical(self.call.result) if self.nodes else None

    @cached_property
    def arguments(self) -> Mapping[Json, None]:
        """The strings and numbers among the arguments, in document order."""
        return scalars_of(self.call.arguments)


Form = Callable[[Subject], Iterable[Edits]]
"""Offers every change of one form that a result has a place for."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One way in which a result goes wrong and still looks right."""

    name: str
    suite: str
    pattern: str
    """The number it has where it is described: `W23`, `incident 7`."""
    needs: str
    """The rule that sees it: field, cross-field, rows, argument, cross-call, string, temporal, volume."""
    apply: Callable[[Subject], Json]
    """The corrupted result, or `NOT_APPLICABLE`; it never raises and never changes what it is given."""

    @staticmethod
    def of_result(
        suite: str, pattern: str, name: str, needs: str, corrupt: Callable[[Subject], Json]
    ) -> "Fault":
        """Make a fault of a function that returns the corrupted result."""

        def apply(view: Subject) -> Json:
            result = NOT_APPLICABLE if view.text is None else corrupt(view)
            return NOT_APPLICABLE if result == view.result else result

        return Fault(name, suite, pattern, needs, apply)

    @staticmethod
    def of_forms(suite: str, pattern: str, name: str, needs: str, *forms: Form) -> "Fault":
        """Make a fault of forms: one change of one of those that have any, by the hash of the call."""

        def corrupt(view: Subject) -> Json:
            offers = [offer for offer in (list(islice(form(view), MOST_OFFERS)) for form in forms) if offer]
            if not offers:
                return NOT_APPLICABLE
            rest, form = divmod(_seed(name, view), len(offers))
            return changed(view.result, offers[form][rest % len(offers[form])])

        return Fault.of_result(suite, pattern, name, needs, corrupt)


def _seed(name: str, view: Subject) -> int:
    call = view.call
    hashed = blake2b(digest_size=8)
    for part in (name, call.tool, call.task or "", call.session or "", view.text or ""):
        hashed.update(part.encode("utf-8", "surrogatepass") + b"\0")
    return int.from_bytes(hashed.digest())


def scalars_of(arguments: Mapping[str, Json]) -> dict[Json, None]:
    """Return the strings and numbers among arguments, in document order."""
    return {
        node.value: None
        for node in walk(dict(arguments))
        if isinstance(node.value, str) or (finite(node.value) and node.value is not True)
    }


def same_question(view: Subject) -> list[Call]:
    """Return the earlier calls of the session with the same tool and arguments, oldest first."""
    asked = canonical(dict(view.call.arguments))
    return [
        call
        for call in view.history
        if call.tool == view.call.tool
        and not call.error
        and canonical(dict(call.arguments)) == asked is not None
    ]


def objects(view: Subject) -> Iterator[Node]:
    """Yield the objects of the result."""
    return (node for node in view.nodes if isinstance(node.value, dict))


def strings(view: Subject) -> Iterator[Node]:
    """Yield the strings of the result that are not empty."""
    return (node for node in view.nodes if isinstance(node.value, str) and node.value)


def numbers(view: Subject) -> Iterator[Node]:
    """Yield the numbers that can be reckoned with: no ids, nothing beyond what a float holds exactly."""
    for node in view.nodes:
        value: Any = node.value
        if finite(value) and abs(value) < 1e15 and not is_id(node.key):
            yield node


def each_changed(nodes: Iterable[Node], change: Callable[[Any], Json]) -> Iterator[Edits]:
    """Offer the change of each value by itself, of those that it changes."""
    for node in nodes:
        new = change(node.value)
        if new != node.value:
            yield edit(node.place, new)


def about(view: Subject, node: Node, topic: frozenset[str]) -> bool:
    """Say whether a value is about a topic: by its last two field names or, with fewer, by the tool's name."""
    keys = [step for step in node.place if isinstance(step, str)]
    if any(mentions(key, topic) for key in keys[-2:]):
        return True
    return len(keys) < 2 and mentions(view.call.tool, topic)


def answer_list(view: Subject) -> Node | None:
    """Return the list that is the answer: the primary one, else the longest of any kind, else None."""
    lists = [node for node in view.nodes if isinstance(node.value, list) and node.value]
    return primary_list(view.nodes) or max(lists, key=lambda node: len(node.value), default=None)


def recounted(view: Subject, rows: Node, length: int) -> Edits:
    """Return the edits that set every count of these rows, outside of them, to a new length."""
    return tuple(
        (node.place, length)
        for node in view.nodes
        if is_count(node.key) and is_number(node.value) and node.value == len(rows.value)
        if node.place[: len(rows.place)] != rows.place
    )


def tables(view: Subject, kind: type | tuple[type, ...] = dict) -> Iterator[Sequence[tuple[Place, Json]]]:
    """Yield the rows of each list and each map that holds two or more values, all of one kind."""
    for node in view.nodes:
        if isinstance(node.value, dict | list):
            steps = node.value.items() if isinstance(node.value, dict) else enumerate(node.value)
            rows = [((*node.place, step), value) for step, value in steps]
            if len(rows) > 1 and all(isinstance(row, kind) and not isinstance(row, bool) for _, row in rows):
                yield rows
