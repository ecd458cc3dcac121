"""What a fault sees of a call, walked once; and the two ways to make a fault of it.

`whole` takes a function that returns the corrupted result itself. `one_of` takes several forms, each of which
offers every change it could make; which form and which change is taken is read from a stable hash of the call,
so that different calls are hit at different places and the same call always at the same one.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from typing import Any

from outcome_monitors.jsonvalue.types import finite
from outcome_monitors.model import Call, Json

from .corpus import Corpus
from .fault import NOT_APPLICABLE, Subject
from .places import Edits, Node, canonical, changed, walk
from .vocabulary import is_id, words

__all__ = [
    "Apply",
    "Form",
    "View",
    "about",
    "asked_in",
    "numbers",
    "objects",
    "one_of",
    "same_question",
    "strings",
    "whole",
]

# A form may offer thousands of places in a large result; the first few hundred are choice enough.
MOST_OFFERS = 512


@dataclass(frozen=True, slots=True)
class View:
    """A call with its result walked and written out."""

    call: Call
    history: Sequence[Call]
    corpus: Corpus
    nodes: Sequence[Node]
    """Every value of the result, in document order."""
    text: str
    """The result as compact JSON with sorted keys."""
    asked: Mapping[Json, None]
    """The strings and numbers among the arguments, in document order."""

    @property
    def result(self) -> Json:
        """The clean result."""
        return self.call.result

    @property
    def root(self) -> Node:
        """The result as a node."""
        return self.nodes[0]


Apply = Callable[[Subject], Json]
Form = Callable[[View], Iterable[Edits]]


def asked_in(arguments: Mapping[str, Json]) -> dict[Json, None]:
    """Return the strings and numbers among arguments, in document order."""
    return {
        node.value: None
        for node in walk(dict(arguments))
        if isinstance(node.value, str) or (finite(node.value) and node.value is not True)
    }


def _view(subject: Subject) -> View | None:
    call = subject.call
    nodes = walk(call.result)
    text = canonical(call.result) if nodes else None
    if text is None:
        return None
    return View(call, subject.history, subject.corpus, nodes, text, asked_in(call.arguments))


def whole(make: Callable[[View], Json]) -> Apply:
    """Make a fault of a function that returns the corrupted result."""

    def apply(subject: Subject) -> Json:
        view = _view(subject)
        if view is None:
            return NOT_APPLICABLE
        result = make(view)
        return NOT_APPLICABLE if result == view.result else result

    return apply


def one_of(name: str, *forms: Form) -> Apply:
    """Make a fault of forms: one change of one of those that have any, by the hash of the call."""

    def make(view: View) -> Json:
        offers = [offer for offer in (list(islice(form(view), MOST_OFFERS)) for form in forms) if offer]
        if not offers:
            return NOT_APPLICABLE
        rest, form = divmod(_seed(name, view), len(offers))
        return changed(view.result, offers[form][rest % len(offers[form])])

    return whole(make)


def _seed(name: str, view: View) -> int:
    call = view.call
    hashed = blake2b(digest_size=8)
    for part in (name, call.tool, call.task or "", call.session or "", view.text):
        hashed.update(part.encode("utf-8", "surrogatepass") + b"\0")
    return int.from_bytes(hashed.digest())


def same_question(view: View) -> list[Call]:
    """Return the earlier calls of the session with the same tool and arguments, oldest first."""
    asked = canonical(dict(view.call.arguments))
    return [
        call
        for call in view.history
        if call.tool == view.call.tool
        and not call.error
        and canonical(dict(call.arguments)) == asked is not None
    ]


def objects(view: View) -> Iterator[Node]:
    """Yield the objects of the result."""
    return (node for node in view.nodes if isinstance(node.value, dict))


def strings(view: View) -> Iterator[Node]:
    """Yield the strings of the result that say something."""
    return (node for node in view.nodes if isinstance(node.value, str) and node.value)


def numbers(view: View) -> Iterator[Node]:
    """Yield the numbers that can be reckoned with: no ids, nothing beyond what a float holds exactly."""
    for node in view.nodes:
        value: Any = node.value
        if finite(value) and abs(value) < 1e15 and not is_id(node.key):
            yield node


def about(view: View, node: Node, topic: frozenset[str]) -> bool:
    """Say whether a value is about a topic: by its last two field names or, with fewer, by the tool's name."""
    keys = [step for step in node.place if isinstance(step, str)]
    if any(not topic.isdisjoint(words(key)) for key in keys[-2:]):
        return True
    return len(keys) < 2 and not topic.isdisjoint(words(view.call.tool))
