"""What the first results of a tool in a session show: after eight different calls, one that is not like them stands out.

The rule kinds of contracts suggest clauses from these results alone. A contract is mined from many tasks and tried on some of them; here
there are none to try it on, so only what hardly any right result does is flagged: `python -m bench.first_session` measures it.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from outcome_monitors.features.feature import Sort
from outcome_monitors.features.field_names import names_a_thing
from outcome_monitors.features.tool_names import may_write
from outcome_monitors.features.walk import look
from outcome_monitors.jsonvalue.display import clip, clip_text
from outcome_monitors.jsonvalue.paths import ROOT, parent, select
from outcome_monitors.jsonvalue.text import words
from outcome_monitors.model import Call, Clause, Contract, Json, Violation
from outcome_monitors.rules import KINDS, evaluate_everywhere
from outcome_monitors.rules.anomalous_text import TRIED, AnomalousText
from outcome_monitors.rules.built_in import SOURCE
from outcome_monitors.rules.built_in.base import MAX_DETAIL
from outcome_monitors.rules.built_in.history import is_small
from outcome_monitors.rules.built_in.proofs import SAME_FORM
from outcome_monitors.rules.built_in.values import CHANGES
from outcome_monitors.rules.built_in.wording import is_negative
from outcome_monitors.rules.evidence.evidence import Evidence
from outcome_monitors.rules.evidence.place import Place

from .compiled import FastCheck, compile_contract

MIN_CALLS = 8
"""Different calls of a tool before anything is said."""
LEARNED_AT = (MIN_CALLS, 16, 32)
"""Different calls after which clauses are learned, and learned again."""
SURE = 16
"""Different calls after which a single missing field tells: many tools leave out what is empty."""
MAX_TOOLS = 64
MAX_ARGUMENTS = 64
MIN_NUMBERS = 4
"""Distinct numbers that show a scale."""
SCALE = 20
"""So many times the largest number of eight calls: 0.04 % of results of recorded traffic have a larger one."""
ANY = 1e300
MAX_WORDS = 12
"""A text of more is prose."""

_LEARNED = tuple(
    KINDS[name]
    for name in (
        "type",
        "required",
        "non_empty",
        "closed_fields",
        "anomalous_text",
        "rows",
        "argument",
        "time",
    )
)
_NO_PROSE = frozenset({"markup", "stack trace", "json", "broken encoding"})
_SIGNED = CHANGES.union("amount latitude longitude lat lon lng temperature temp x y z".split())  # noqa: SIM905 - words read better as words
"""Words of names of numbers that may well be below zero."""


@dataclass(slots=True)
class _Tool:
    """The first results of one tool."""

    evidence: Evidence = field(default_factory=Evidence)
    questions: set[int] = field(default_factory=set)
    pending: list[tuple[int, str]] = field(default_factory=list)
    """Calls that nothing was learned from yet: most tools of a session are not called eight times."""
    clauses: tuple[Clause, ...] = ()
    passes: FastCheck | None = None
    odd: int = 0
    """Results in a row that were not like the first ones."""
    texts: bool = False
    """Some were texts: the next one may be of any form."""

    def is_like(self, arguments: Mapping[str, Json], result: Json) -> bool:
        """Say whether a result violates nothing; False where the compiled check cannot say."""
        try:
            return self.passes is not None and self.passes(arguments, result)
        except Exception:  # noqa: BLE001 - a form that it was not written for
            return False


class FirstResults:
    """The first results of a session's tools."""

    def __init__(self) -> None:
        self._tools: dict[str, _Tool] = {}

    def check(
        self, tool: str, arguments: Mapping[str, Json], result: Json, *, remember: bool = True
    ) -> list[Violation]:
        """Return in what a result is not like the first ones; where as many in a row are not, they are learned anew."""
        known = self._tools.get(tool)
        if known is None or known.passes is None or known.texts:
            return []
        found = [] if known.is_like(arguments, result) else list(_differences(known, tool, arguments, result))
        if remember:
            known.odd = known.odd + 1 if found else 0
        if known.odd > MIN_CALLS:
            del self._tools[tool]
            return []
        return found

    def learn(self, tool: str, arguments: Mapping[str, Json], result: Json) -> None:
        """Take note of a result that nothing is wrong with."""
        if tool not in self._tools and len(self._tools) >= MAX_TOOLS:
            return
        known = self._tools.setdefault(tool, _Tool())
        if isinstance(result, str):
            known.texts = known.texts or not is_negative(result)
        if known.texts or len(known.questions) >= LEARNED_AT[-1] or not isinstance(result, (dict, list)):
            return
        question = _question(arguments)
        if question in known.questions or not (is_small(result) and is_small(arguments)):
            return
        known.questions.add(question)
        known.pending.append((question, json.dumps([dict(arguments), result])))
        if len(known.questions) in LEARNED_AT:
            self._learn(tool, known)

    @staticmethod
    def _learn(tool: str, known: "_Tool") -> None:
        for question, written in known.pending:
            arguments, result = json.loads(written)
            known.evidence.observe(look(Call(tool, arguments, result, task=str(question))))
        known.pending.clear()
        known.clauses = tuple(_learned(known.evidence))
        known.passes = compile_contract(Contract(tool, known.clauses))
        known.evidence.let_go()


def _learned(evidence: Evidence) -> Iterator[Clause]:
    for kind in _LEARNED:
        for candidate in kind.suggest(evidence):
            clause: Clause | None = candidate.clause
            if candidate.clause.kind == AnomalousText.name:
                marks = _foreign(candidate.clause, evidence.places[candidate.clause.path])
                clause = replace(candidate.clause, params={"marks": marks}) if marks else None
            if clause is not None:
                yield clause
    for path, place in sorted(evidence.places.items()):
        low, high = _scale(path, place)
        if low > -ANY or high < ANY:
            params: dict[str, Json] = {"low": low, "high": high, "room": "vast"}
            yield Clause("range", path, params, place.count, evidence.tasks(path), SOURCE)
        longest = _longest_word(place)
        if longest:
            params = {"of": "text", "least": 0, "most": 2 * longest + 12, "room": "vast"}
            yield Clause("length", path, params, place.count, evidence.tasks(path), SOURCE)


def _scale(path: str, place: Place) -> tuple[float, float]:
    """Return what numbers at a path are between: never below zero where none was, and not of another scale."""
    numbers = [number for number, _ in place.numbers.items()]
    if path == ROOT or not numbers or min(numbers) < 0 or _SIGNED.intersection(words(path)):
        return -ANY, ANY
    known = len(numbers) >= MIN_NUMBERS and min(numbers) > 0 and not names_a_thing(Sort.FIELD.of(path))
    return 0, SCALE * max(numbers) if known else ANY


def _foreign(clause: Clause, place: Place) -> list[str]:
    """Return the marks that no text has one day: in prose, which may speak of anything, those of what is no prose."""
    prose = any(text.count(" ") > MAX_WORDS for text, _ in place.texts.items())
    return [mark for mark in clause.params["marks"] if (mark in _NO_PROSE if prose else mark not in TRIED)]


def _longest_word(place: Place) -> int:
    """Return how long the words at a place are where they stand for one of few values: a sentence is no such word."""
    found = [text for text, _ in place.texts.items()]
    few = bool(found) and 2 * len(found) <= place.count
    return max(map(len, found)) if few and not any(" " in text for text in found) else 0


def _question(arguments: Mapping[str, Json]) -> int:
    """Return a hash of what a call asked for."""
    asked = {
        str(name): json.dumps(value, sort_keys=True) if is_small(value) else "much"
        for name, value in islice(arguments.items(), MAX_ARGUMENTS)
    }
    return hash(frozenset(asked.items()))


def _differences(known: _Tool, tool: str, arguments: Mapping[str, Json], result: Json) -> Iterator[Violation]:
    """Yield what tells: a form or a scale that no result had, marks of a failure, or several fields gone at once."""
    gone, new = list[Violation](), False
    for clause, violation, places in evaluate_everywhere(known.clauses, arguments, result):
        if clause.path == ROOT and clause.kind == "type":
            honest = (
                may_write(tool) if _is_nothing(result) else isinstance(result, str) and is_negative(result)
            )
            yield from () if honest else (_told(known, violation),)
            return
        if clause.kind == "closed_fields":
            new = new or clause.path == ROOT
        elif clause.kind in ("required", "non_empty") or _is_gone(result, violation.path):
            if "[" not in clause.path:
                gone.append(violation)
            elif len(places) > 1 and len(places) == sum(1 for _ in select(result, parent(clause.path))):
                yield _told(known, violation)
        elif clause.kind != "type" or _is_telling(clause, violation):
            yield _told(known, violation)
    yield from (_told(known, violation) for violation in _telling_gaps(known, gone, new=new))


def _telling_gaps(known: _Tool, gone: Sequence[Violation], *, new: bool) -> Sequence[Violation]:
    """Return the fields that are gone where that tells: most of them, several of the record itself, or one that another stands for."""
    always = [one.path for one in known.clauses if one.kind == "required" and "[" not in one.path]
    paths = sorted({one.path for one in gone})
    if len(paths) > 1 and 2 * len(paths) > len(always):
        detail = f"{len(paths)} of {len(always)} fields are gone or empty"
        return [Violation(SAME_FORM.code, ROOT, clip(sorted(always)), clip(paths), detail)]
    own = [one for one in gone if parent(one.path) == ROOT]
    return own if len(own) > 1 or (own and (new or len(known.questions) >= SURE)) else ()


def _is_telling(clause: Clause, violation: Violation) -> bool:
    """Say whether a type is grossly another: what was always null may come to have a value, and an empty list stands for an object."""
    kinds = {str(violation.observed), *map(str, clause.params["kinds"])}
    return "null" not in kinds and not kinds <= {"object", "array"} and not kinds <= {"integer", "number"}


def _is_gone(result: Json, path: str) -> bool:
    return all(_is_nothing(value) for _, value in select(result, path))


def _is_nothing(value: Json) -> bool:
    return value is None or (isinstance(value, str) and value.strip() in {"", "null", "None", "undefined"})


def _told(known: _Tool, violation: Violation) -> Violation:
    detail = f"{violation.detail}, unlike {len(known.questions)} results before"
    return Violation(
        SAME_FORM.code, violation.path, violation.expected, violation.observed, clip_text(detail, MAX_DETAIL)
    )
