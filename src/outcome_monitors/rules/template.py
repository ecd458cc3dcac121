"""`template`: a text that is made of other things: "Order A1 cancelled", where A1 is the argument.

Arguments and sibling fields are found in the text and replaced by their names; what is left is one of few patterns.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .._evidence import Evidence
from .._features import ABSENT
from .._model import Clause, Json
from ._closed import close
from ._kind import Candidate
from ._record import Get, RecordKind, is_feature, rows_of, said

__all__ = ["Template"]

LEAST_TEXTS = 3
LEAST_TASKS = 3
MOST_TEMPLATES = 6
LONGEST = 200


def _written(value: Any) -> str | None:
    if type(value) is str:
        return value if 2 <= len(value) <= LONGEST else None
    return str(value) if type(value) in (int, float) else None


def _template(found: Mapping[str, Any], field: str, parts: list[str]) -> tuple[str, ...] | None:
    """Return the text with what is known replaced by its name, as pieces: odd ones are names."""
    text = found.get(field)
    if type(text) is not str or not text or text.startswith("\0"):
        return None
    pieces = [text]
    known = [(name, _written(found[name])) for name in parts if name in found]
    for name, value in sorted(known, key=lambda pair: (-len(pair[1] or ""), pair[0])):
        if value is None:
            continue
        replaced: list[str] = []
        for index, piece in enumerate(pieces):
            if index % 2 or value not in piece:
                replaced.append(piece)
                continue
            for number, bit in enumerate(piece.split(value)):
                if number:
                    replaced.append(name)
                replaced.append(bit)
        pieces = replaced
    return tuple(pieces)


class Template(RecordKind):
    """The text is one of few patterns, filled with what they name."""

    name = "template"
    code = "template_broken"
    profiles = frozenset({"full"})
    params = {
        "field": is_feature,
        "templates": lambda v: (
            isinstance(v, list)
            and bool(v)
            and all(isinstance(t, list) and len(t) % 2 and all(isinstance(p, str) for p in t) for t in v)
        ),
    }

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest the patterns of a text that varies while its patterns do not."""
        for path, rows in rows_of(evidence):
            tasks = evidence.tasks(path)
            names = sorted({name for found, _ in rows for name in found})
            for field in names:
                if field[0] != ".":
                    continue
                parts = [
                    name
                    for name in names
                    if name != field
                    and (name[0] == "." or (name[0] == "@" and name != "@" and name[1] != "#"))
                ]
                made = [
                    (_template(found, field, parts), witness)
                    for found, witness in rows
                    if type(found.get(field)) is str
                ]
                texts = {found[field] for found, _ in rows if type(found.get(field)) is str}
                if len(texts) < LEAST_TEXTS or not made or any(t is None for t, _ in made):
                    continue
                closed = close(((t, w) for t, w in made), tasks)
                if closed.seen > MOST_TEMPLATES or 2 * closed.seen > len(texts) or tasks < LEAST_TASKS:
                    continue
                templates = sorted(list(t) for t in closed.admitted)
                # A field that only repeats another one is an echo, not a template.
                if not templates or not any(len(t) > 1 and any(t[::2]) for t in templates):
                    continue
                params = {"field": field, "templates": templates}
                clause = Clause(self.name, path, params, sum(w.calls for _, w in made), tasks, "traces")
                yield Candidate(clause, "", closed.fired, len(templates), len(texts))

    def broken(self, params: Mapping[str, Json]) -> Callable[[Get], tuple[str, Json, Json] | None]:
        """Fill every pattern and compare."""
        field, templates = params["field"], params["templates"]

        def broken(get: Get) -> tuple[str, Json, Json] | None:
            text = get(field)
            if type(text) is not str:
                return None
            expected = None
            for template in templates:
                filled = _fill(template, get)
                if filled == text:
                    return None
                expected = expected or filled
            return field, expected if expected is not None else "a known pattern", text

        return broken

    def detail(self, params: Mapping[str, Json]) -> str:
        """Say what is wrong."""
        return f"text {said(params['field'])} does not follow the pattern of clean results"

    def explain(self, clause: Clause) -> str:
        """Say it in words."""
        shown = [
            "".join(f"<{piece.lstrip('.@')}>" if index % 2 else piece for index, piece in enumerate(template))
            for template in clause.params["templates"]
        ]
        return f"{said(clause.params['field'])} reads {' or '.join(repr(text) for text in shown)}"


def _fill(template: list[str], get: Get) -> str | None:
    filled: list[str] = []
    for index, piece in enumerate(template):
        if index % 2 == 0:
            filled.append(piece)
            continue
        value = get(piece)
        written = None if value is ABSENT else _written(value)
        if written is None:
            return None
        filled.append(written)
    return "".join(filled)
