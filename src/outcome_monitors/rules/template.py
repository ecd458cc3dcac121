"""`template`: a text that is made of other things: "Order A1 cancelled", where A1 is the argument.

Arguments and sibling fields are found in the text and replaced by their names; what is left is one of few patterns.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .._evidence import Evidence, Rows, Witness
from .._features import ABSENT, is_argument, kept
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
    """Return a text or number as it stands in other texts; None of what is too short or too long to be found there."""
    if type(value) is str:
        return value if 2 <= len(value) <= LONGEST else None
    return str(value) if type(value) in (int, float) else None


_Template = tuple[str, ...]
"""A pattern in pieces: those at even places are text, those at odd places are names of features."""


def _template(found: Mapping[str, Any], field: str, parts: list[str]) -> _Template | None:
    """Return a text with what is known replaced by its name, the longest first; None of a text that is not kept."""
    text = found[field]
    if not text or text.startswith("\0"):
        return None
    known = [(name, written) for name in parts if name in found and (written := _written(found[name]))]
    pieces = [text]
    for name, written in sorted(known, key=lambda pair: (-len(pair[1]), pair[0])):
        pieces = _replaced(pieces, written, name)
    return tuple(pieces)


def _replaced(pieces: list[str], written: str, name: str) -> list[str]:
    """Replace a text by its name, in what is not yet replaced."""
    replaced: list[str] = []
    for index, piece in enumerate(pieces):
        if index % 2 or written not in piece:
            replaced.append(piece)
            continue
        first, *rest = piece.split(written)
        replaced.append(first)
        for bit in rest:
            replaced += [name, bit]
    return replaced


def _made(rows: Rows, field: str, parts: list[str]) -> list[tuple[_Template, Witness]] | None:
    """Return the pattern of each text; None, as soon as that is plain, where some have none or there are too many."""
    made: list[tuple[_Template, Witness]] = []
    patterns: set[_Template] = set()
    for found, witness in rows:
        template = _template(found, field, parts)
        if template is None:
            return None
        patterns.add(template)
        if len(patterns) > MOST_TEMPLATES:
            return None
        made.append((template, witness))
    return made


class Template(RecordKind):
    """The text is one of few patterns, filled with what they name."""

    name = "template"
    code = "template_broken"
    profiles = frozenset({"full"})
    worth = 5.0
    exact = True
    params = {
        "field": is_feature,
        "templates": lambda v: isinstance(v, list) and bool(v) and all(map(_is_template, v)),
    }

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest the patterns of a text that varies while its patterns do not."""
        for path, rows in rows_of(evidence):
            names = sorted({name for found, _ in rows for name in found})
            parts = [name for name in names if name[0] == "." or is_argument(name)]
            for field in names:
                if field[0] == ".":
                    others = [name for name in parts if name != field]
                    candidate = self._of(path, field, others, rows, evidence.tasks(path))
                    if candidate is not None:
                        yield candidate

    def _of(self, path: str, field: str, parts: list[str], rows: Rows, tasks: int) -> Candidate | None:
        texts = [(found, witness) for found, witness in rows if type(found.get(field)) is str]
        distinct = len({found[field] for found, _ in texts})
        if distinct < LEAST_TEXTS or tasks < LEAST_TASKS:
            return None
        made = _made(texts, field, parts)
        if made is None:
            return None
        closed = close(made, tasks)
        if 2 * closed.seen > distinct:
            return None
        templates = sorted(list(template) for template in closed.admitted)
        # A field that only repeats another one is an echo, not a template.
        if not any(len(template) > 1 and any(template[::2]) for template in templates):
            return None
        params = {"field": field, "templates": templates}
        clause = Clause(self.name, path, params, sum(w.calls for _, w in made), tasks, "traces")
        return Candidate(clause, "", closed.fired, len(templates), distinct)

    def features(self, params: Mapping[str, Json]) -> tuple[str, ...]:
        """Return the text and all that its patterns name."""
        named = {piece for template in params["templates"] for piece in template[1::2]}
        return (params["field"], *sorted(named - {params["field"]}))

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


def _is_template(value: Json) -> bool:
    return (
        isinstance(value, list)
        and len(value) % 2 == 1
        and all(isinstance(text, str) for text in value[::2])
        and all(map(is_feature, value[1::2]))
    )


def _fill(template: list[str], get: Get) -> str | None:
    """Return the text that a pattern stands for; None where something that it names is missing."""
    filled: list[str] = []
    for index, piece in enumerate(template):
        if index % 2 == 0:
            filled.append(piece)
            continue
        value = get(piece)
        # As it was mined: a 12.0 was kept as 12.
        written = None if value is ABSENT else _written(kept(value))
        if written is None:
            return None
        filled.append(written)
    return "".join(filled)
