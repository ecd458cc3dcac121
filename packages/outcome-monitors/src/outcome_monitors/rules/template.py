"""`template`: a text that is made of other things: "Order A1 cancelled", where A1 is the argument.

Arguments and sibling fields are found in the text and replaced by their names; what is left is one of few patterns.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from outcome_monitors.features.feature import ABSENT, Feature, Sort, normal_form
from outcome_monitors.jsonvalue.display import LONGEST as MOST_SHOWN
from outcome_monitors.model import Clause, Json
from outcome_monitors.rules.evidence.evidence import Evidence
from outcome_monitors.rules.evidence.samples import Witness
from outcome_monitors.rules.evidence.table import Table

from .base.kind import Candidate
from .base.record import Fault, Get, RecordKind, described, is_feature, tables_of
from .base.support import close
from .base.traits import Cause, Mining, Traits
from .config import CONFIG


def _written(value: Any) -> str | None:
    """Return a text or number as it stands in other texts; None of what is too short or too long to be found there."""
    if type(value) is str:
        return value if 2 <= len(value) <= CONFIG.template_length else None
    return str(value) if type(value) in (int, float) else None


_Template = tuple[str, ...]
"""A pattern in pieces: those at even places are text, those at odd places are names of features."""


_Known = list[tuple[str, str]]
"""What may stand in a text, with its name, the longest first."""


def _template(text: str, field: str, known: _Known) -> _Template | None:
    """Return a text with what is known replaced by its name, the longest first; None of a text that is not kept."""
    if not text or text.startswith("\0"):
        return None
    pieces = [text]
    for name, written in known:
        if written in text and name != field:
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


def _made(
    table: Table, field: Feature, known: Callable[[int], _Known]
) -> list[tuple[_Template, Witness]] | None:
    """Return the pattern of each text; None where some text has none, or they are too many."""
    made: list[tuple[_Template, Witness]] = []
    patterns: set[_Template] = set()
    for row, text in enumerate(table.columns[field].values):
        if type(text) is str:
            template = _template(text, field, known(row))
            if template is None:
                return None
            patterns.add(template)
            if len(patterns) > CONFIG.template_patterns:
                return None
            made.append((template, table.witnesses[row]))
    return made


def _known_of(table: Table) -> Callable[[int], _Known]:
    """Return what tells what is known of a record, found out when it is first asked for: of most it never is."""
    parts = [name for name in table.columns if name.sort is Sort.FIELD or name.sort.is_argument]

    @cache
    def known(row: int) -> _Known:
        found = ((name, _written(table.columns[name].values[row])) for name in parts)
        return sorted(
            ((name, text) for name, text in found if text), key=lambda pair: (-len(pair[1]), pair[0])
        )

    return known


class Template(RecordKind):
    """The text is one of few patterns, filled with what they name."""

    name = "template"
    code = "template_broken"
    cause = Cause.WORDS_DISAGREE
    traits = Traits(about="record", corroborates=True, of_the_day=True)
    mining = Mining(budget_weight=5.0, judged="field")
    identity = ("field",)
    wrong = "text {field} does not follow the pattern of clean results"
    params = {
        "field": is_feature,
        "templates": lambda v: isinstance(v, list) and bool(v) and all(map(_is_template, v)),
    }

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest the patterns of a text that varies while its patterns do not."""
        for path, table in tables_of(evidence):
            tasks, known = evidence.tasks(path), _known_of(table)
            if tasks < CONFIG.min_tasks:
                continue
            for field in (name for name in table.columns if name.sort is Sort.FIELD):
                distinct = len({text for text in table.columns[field].values if type(text) is str})
                made = _made(table, field, known) if distinct >= CONFIG.min_values else None
                candidate = self._of(path, field, made, distinct, tasks) if made else None
                if candidate is not None:
                    yield candidate

    def _of(
        self, path: str, field: Feature, made: list[tuple[_Template, Witness]], distinct: int, tasks: int
    ) -> Candidate | None:
        closed = close(made, tasks)
        if 2 * closed.seen > distinct:
            return None
        templates = sorted([*map(str, template)] for template in closed.admitted)
        # A field that only repeats another one is an echo, not a template.
        if not any(len(template) > 1 and any(template[::2]) for template in templates):
            return None
        params = {"field": str(field), "templates": templates}
        clause = Clause(self.name, path, params, sum(w.calls for _, w in made), tasks, "traces")
        return Candidate(clause, "", closed.fired, len(templates), distinct)

    def features(self, params: Mapping[str, Json]) -> tuple[str, ...]:
        named = {piece for template in params["templates"] for piece in template[1::2]}
        return (params["field"], *sorted(named - {params["field"]}))

    def broken(self, params: Mapping[str, Json]) -> Callable[..., Fault | None]:
        field, templates, features = params["field"], params["templates"], self.features(params)

        def broken(text: Any, *parts: Any) -> Fault | None:
            if type(text) is not str:
                return None
            get = dict(zip(features, (text, *parts), strict=True)).__getitem__
            filled = [_fill(template, get) for template in templates]
            if text in filled:
                return None
            return field, next(filter(None, filled), _pattern(templates[0])), text

        return broken

    def suspects(self, params: Mapping[str, Json], get: Get) -> list[str]:
        """Leave out what stands in the text as it is: on that they agree."""
        text, *parts = super().suspects(params, get)
        found = get(text)
        return [
            text,
            *(name for name in parts if (_written(normal_form(get(name))) or "\0") not in str(found)),
        ]

    def agreement(self, clause: Clause, get: Get) -> str:
        text, *parts = self.suspects(clause.params, get)
        words = self.explain(clause)
        return (
            words
            if len(words) <= MOST_SHOWN
            else f"{described(text)} made of {' and '.join(map(described, parts))}"
        )

    def wanted(self, params: Mapping[str, Json]) -> tuple[str, ...]:
        return (params["field"],)

    def texts(self, params: Mapping[str, Json]) -> Iterator[tuple[str | None, str]]:
        for template in params["templates"]:
            yield from ((params["field"], piece) for piece in template[::2] if piece.strip())

    def explain(self, clause: Clause) -> str:
        shown = map(_pattern, clause.params["templates"])
        return f"{described(clause.params['field'])} reads {' or '.join(repr(text) for text in shown)}"


def _pattern(template: list[str]) -> str:
    """Return a pattern with the names of what fills it."""
    pieces = enumerate(template)
    return "".join(f"<{Feature.parse(piece).path}>" if index % 2 else piece for index, piece in pieces)


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
        written = None if value is ABSENT else _written(normal_form(value))
        if written is None:
            return None
        filled.append(written)
    return "".join(filled)
