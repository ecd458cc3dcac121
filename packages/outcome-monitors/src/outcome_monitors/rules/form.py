"""`form`: the text has a form that was seen: the classes of its characters, in order.

Digits, capitals and small letters are classes; other characters stand for themselves. The strictest of four readings that the
traces close is taken: with widths (`A0000000`), with widths and letters and digits as one class, and both without widths.

A number grows: after `ORD-999` comes `ORD-1000`. Digits that no text writes with a zero in front are a number, which may have one
digit more than any that was seen; others are a code, as long as it is.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache

from outcome_monitors.jsonvalue.display import clip_text
from outcome_monitors.jsonvalue.times import when
from outcome_monitors.model import Clause, Json, Violation
from outcome_monitors.rules.evidence.evidence import Evidence
from outcome_monitors.rules.evidence.samples import Witness

from .base.kind import TEXTS, Beside, Bind, Candidate, ValueKind, named, witnesses
from .base.severity import Severity, looks_like, one_more
from .base.support import Closed, close
from .base.texts import Looks, looks, most_alike, pattern_of
from .base.traits import Determined, Drift, Mining, Tools, Traits
from .config import CONFIG

_FARTHEST = 1000
"""Characters of a text that are looked at."""
_EXPECTED = 12
_EXPLAINED = 6
"""Forms that are named."""

_PLAIN = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_NAMES = {
    "classes": "0" * 10 + "a" * 26 + "A" * 26,
    "alike": "x" * len(_PLAIN),
}
_CLASSES, _ALIKE = (str.maketrans(_PLAIN, names) for names in _NAMES.values())
_RUN = re.compile(r"([0aAxé])\1+")
_DIGITS = re.compile(r"[0-9]+")
_THOUSANDS = 3
"""Digits before the next one may be set off by a comma."""


def _classes(text: str) -> str:
    return _beyond_ascii(text.translate(_CLASSES), "é")


def _alike(text: str) -> str:
    return _beyond_ascii(text.translate(_ALIKE), "x")


def _beyond_ascii(text: str, name: str) -> str:
    """Name the letters and digits that are not ASCII."""
    return text if text.isascii() else "".join(c if c.isascii() or not c.isalnum() else name for c in text)


READINGS: dict[str, Callable[[str], str]] = {
    "classes": _classes,
    "alike": _alike,
    "runs": lambda text: _RUN.sub(r"\1", _classes(text)),
    "alike runs": lambda text: _RUN.sub(r"\1", _alike(text)),
}
"""Each way to read the form of a text, strictest first."""
FIXED_WIDTH = ("classes", "alike")
"""Those that tell how long it is."""


# Mining reads the same text in the evidence of a tool, of its family, and of every part that is not left out.
_REMEMBERED = {name: lru_cache(maxsize=65536)(form) for name, form in READINGS.items()}


def _determined_by(params: Mapping[str, Json]) -> Determined:
    """Tell the form, and by most readings the length."""
    return Determined.FORM | Determined.LENGTH if params["reading"] in FIXED_WIDTH else Determined.FORM


class Form(ValueKind):
    """Every text at the path has one of the forms seen."""

    name = "form"
    code = "unseen_form"
    traits = Traits(types=TEXTS, change="has a new form {novel!r}", drift=Drift.LISTED, own_words=True)
    mining = Mining(
        budget_weight=1.5,
        pools=True,
        tools=Tools(CONFIG.anything_tools, CONFIG.anything_tools),
        of_the_answer=True,
        grades="reading",
        determines=_determined_by,
        redundant_given=lambda _: Determined.VALUES,
    )
    identity = ("reading",)
    wrong = "field {place} has a form that clean results do not have"
    params = {
        "reading": lambda v: isinstance(v, str) and v in READINGS,
        "forms": lambda v: isinstance(v, list) and bool(v) and all(isinstance(form, str) for form in v),
    }

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest each reading that is closed."""
        for path, place in sorted(evidence.places.items()):
            tasks = evidence.tasks(path)
            texts = place.texts.items()
            if min(tasks, len(texts)) < CONFIG.form_tasks or any(
                len(text) > CONFIG.form_length for text, _ in texts
            ):
                continue
            look = looks(path, place, tasks)
            if look is Looks.OPEN:
                continue
            each = CONFIG.texts_per_phrase_form if look is Looks.PHRASES else CONFIG.form_tasks_per_form
            for reading in READINGS:
                closed = _forms(texts, tasks, reading, each)
                if closed is not None:
                    seen = {_REMEMBERED[reading](text) for text, _ in texts}
                    forms = sorted(closed.admitted, key=lambda form: (form not in seen, form))
                    params = {"reading": reading, "forms": forms}
                    clause = Clause(self.name, path, params, place.count, tasks, "traces")
                    yield Candidate(clause, "", closed.fired, len(closed.admitted), len(texts))

    def holds(self, params: Mapping[str, Json]) -> Callable[[Json], bool]:
        form, forms = READINGS[params["reading"]], frozenset(params["forms"])
        return lambda value: type(value) is not str or form(value[:_FARTHEST]) in forms

    def fires(self, clause: Clause, evidence: Evidence) -> Mapping[int, int]:
        place = evidence.places.get(clause.path)
        form, forms = _REMEMBERED[clause.params["reading"]], frozenset(clause.params["forms"])
        texts = place.texts.items() if place else ()
        return witnesses(witness for text, witness in texts if form(text[:_FARTHEST]) not in forms)

    def expected(self, params: Mapping[str, Json]) -> Json:
        return [clip_text(form) for form in params["forms"][:_EXPECTED]]

    def closest(self, clause: Clause, observed: Json) -> Json:
        if not isinstance(observed, str):
            return None
        return most_alike(
            READINGS[clause.params["reading"]](observed[: CONFIG.form_length]), clause.params["forms"]
        )

    def severity(self, clause: Clause, violation: Violation, result: Json) -> Severity:
        """Make little of a text with the same signs and about as long."""
        text = violation.observed
        alike = isinstance(text, str) and looks_like(text, clause.params["forms"])
        if alike:
            return one_more(len(clause.params["forms"]), clause.tasks)
        return Severity.MEDIUM if text else Severity.HIGH

    def novel_value(self, violation: Violation) -> str:
        """Return its form, as the loosest reading has it."""
        return READINGS["alike runs"](str(violation.observed))

    def explain(self, clause: Clause) -> str:
        forms = clause.params["forms"]
        more = f" or {len(forms) - _EXPLAINED} more" if len(forms) > _EXPLAINED else ""
        return f"{named(clause.path)} looks like {', '.join(map(clip_text, forms[:_EXPLAINED]))}{more}"

    def fast(self, clause: Clause, bind: Bind, beside: Beside) -> str | None:
        """Match one pattern for all forms."""
        reading = clause.params["reading"]
        pattern = pattern_of(_forms_of_texts(clause.params), _SIGNS, any_width=reading not in FIXED_WIDTH)
        match = f"{bind(re.compile(pattern).fullmatch)}({{v}})"
        return match if reading in FIXED_WIDTH else f"len({{v}}) <= {_FARTHEST} and {match}"


_SIGNS = {"0": "[0-9]", "a": "[a-z]", "A": "[A-Z]", "x": "[0-9A-Za-z]"}


def _forms_of_texts(params: Mapping[str, Json]) -> list[str]:
    """Return the forms that `fast` admits: none that is long, beyond ASCII or of several lines."""
    read = READINGS[params["reading"]]
    # A form that no text can have, as a file may list, would match texts of other forms.
    return [
        form
        for form in params["forms"]
        if len(form) <= CONFIG.form_length and form.isascii() and "\n" not in form and read(form) == form
    ]


def _forms(texts: list[tuple[str, Witness]], tasks: int, reading: str, each: int) -> Closed | None:
    """Return the forms of texts, where they are few for the tasks and texts that show them, so many to each."""
    most = min(CONFIG.form_max, min(tasks, len(texts)) // each)
    form, forms = _REMEMBERED[reading], set[str]()
    for text, _ in texts:
        forms.add(form(text))
        if len(forms) > most:
            return None
    closed = close(texts, tasks, form)
    if not closed.admitted:
        return None
    if reading != "classes":
        # Others tell no numbers from codes, or no widths.
        return closed if len(closed.fired) <= 1 else None
    grown = {*map(form, _one_digit_more(text for text, _ in texts if form(text) in closed.admitted))}
    if closed.fired:
        # What alone brought the longest number has broken nothing.
        closed.fired = close([one for one in texts if form(one[0]) not in grown], tasks, form).fired
    closed.admitted |= grown
    return closed if len(closed.fired) <= 1 else None


def _one_digit_more(texts: Iterable[str]) -> Iterator[str]:
    """Yield texts in which one number each has a digit more than in any text that is else alike; times have no such numbers."""
    longest: dict[tuple[str, int], tuple[int, str, int]] = {}
    codes: set[tuple[str, int]] = set()
    for text in texts:
        if when(text) is not None:
            continue
        alike = _REMEMBERED["runs"](text)
        for place, digits in enumerate(_DIGITS.finditer(text)):
            number = alike, place
            if digits[0][0] == "0" and len(digits[0]) > 1:
                codes.add(number)
            longest[number] = max(longest.get(number, (0, "", 0)), (len(digits[0]), text, digits.start()))
    for number, (width, text, start) in longest.items():
        if number not in codes:
            yield f"{text[:start]}1{text[start:]}"
            if width == _THOUSANDS:
                yield f"{text[:start]}1,{text[start:]}"
