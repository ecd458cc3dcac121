"""Drift in the form of an answer: stock sentences, headings alone, new keys, wrappers, text for objects."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from outcome_monitors.model import Json

from .fault import (
    Fault,
    Subject,
    objects,
    strings,
    tables,
)
from .places import Edits, Node, edit
from .vocabulary import (
    is_id,
    is_time,
    words,
)

_STOCK = (
    "No further details are available at this time.",
    "Summary unavailable; see the source for details.",
    "This entry is being updated.",
)


def stock_column(view: Subject) -> Iterator[Edits]:
    """Give the text of every row as the same sentence."""
    for rows in tables(view):
        for key in rows[0][1]:
            if not is_id(key) and _are_texts([row.get(key) for _, row in rows], any):
                for sentence in _STOCK:
                    yield tuple(((*place, key), sentence) for place, _ in rows)


def stock_texts(view: Subject) -> Iterator[Edits]:
    """The same in a map or list of plain texts."""
    for rows in tables(view, str):
        # Fields of one record are strings too, but hardly ever sentences all of them.
        if _are_texts([text for _, text in rows], all):
            yield from (tuple((place, sentence) for place, _ in rows) for sentence in _STOCK)


def _are_texts(column: list[Json], how_many: Callable[[Iterable[bool]], bool]) -> bool:
    """Say whether a column is text, not always the same, and any or all of it longer than a word."""
    if not all(isinstance(text, str) and not is_time(text) for text in column) or len(set(column)) < 2:
        return False
    return how_many(len(text) > 8 and " " in text for text in column)


_HEADING = re.compile(r"^(#+ .*|[^\n:]{2,40}:(?=\s|\Z))", re.MULTILINE)
_FIRST = re.compile(r"[^\n]*?(?:[.!?](?=\s)|(?=\n))")


def headings_only(view: Subject) -> Iterator[Edits]:
    """Keep the headings of texts, or their first sentence, and drop what they head."""
    edits = []
    for node in strings(view):
        if len(node.value) > 60 and " " in node.value:
            first = _FIRST.match(node.value)
            kept = "\n".join(_HEADING.findall(node.value)) or (first.group() if first else "")
            if kept and len(kept) < len(node.value) - 20:
                edits.append((node.place, kept))
    if edits:
        yield tuple(edits)


_SYNONYMS = {
    "amount": "value",
    "body": "content",
    "content": "body",
    "created_at": "creation_time",
    "description": "details",
    "email": "email_address",
    "id": "identifier",
    "items": "line_items",
    "message": "msg",
    "name": "title",
    "price": "unit_price",
    "result": "output",
    "snippet": "excerpt",
    "status": "state",
    "subject": "title",
    "title": "name",
    "url": "link",
}


def renamed_key(view: Subject) -> Iterator[Edits]:
    """Give a field another name in every object of its kind."""
    return _renamed(view, lambda key: _SYNONYMS.get("_".join(words(key)), key))


def camel_case_key(view: Subject) -> Iterator[Edits]:
    """Write a key of several words in another style."""
    return _renamed(view, lambda key: re.sub(r"(?<=[a-z])_([a-z])", lambda word: word[1].upper(), key))


# Each offer rebuilds all objects of a kind; a few keys are choice enough.
_SOME = 16


def _renamed(view: Subject, rename: Callable[[str], str]) -> Iterator[Edits]:
    kinds: dict[str, list[Node]] = {}
    for node in objects(view):
        kinds.setdefault(node.path, []).append(node)
    names = [
        (key, new, nodes) for nodes in kinds.values() for key in nodes[0].value if (new := rename(key)) != key
    ]
    for key, new, nodes in names[:_SOME]:
        if not any(new in node.value for node in nodes):
            yield tuple(
                (node.place, {new if name == key else name: value for name, value in node.value.items()})
                for node in nodes
                if key in node.value
            )


def wrapped(view: Subject) -> Iterator[Edits]:
    """Wrap the whole answer in a field of its own."""
    return (edit((), {name: view.result}) for name in ("data", "response"))


def encoded_part(view: Subject) -> Iterator[Edits]:
    """Give an object or list in a field as another language prints it; of a whole answer, that is only how it was handed on."""
    for node in view.nodes[1:]:
        if isinstance(node.value, dict | list) and node.value and isinstance(node.place[-1], str):
            yield edit(node.place, repr(node.value))


_fault = partial(Fault.of_forms, "drift")

FORMS = (
    _fault("W27", "stock_sentence", "rows", stock_column, stock_texts),
    _fault("W29", "headings_only", "string", headings_only),
    _fault("W31", "renamed_key", "field", renamed_key, camel_case_key, wrapped),
    _fault("W32", "double_encoding", "string", encoded_part),
)
