"""`form`: the text has a form that was seen: the classes of its characters, in order.

Digits, capitals and small letters are classes; other characters stand for themselves. The strictest of four readings that the
traces close is taken: with widths (`A0000000`), with widths and letters and digits as one class, and both without widths.
"""

import re
from collections.abc import Callable, Iterator, Mapping

from .._evidence import Evidence
from .._model import Clause, Json
from .._values import clip_text
from ._closed import close
from ._kind import Candidate, ValueKind

__all__ = ["Form"]

LEAST_TASKS = 6
TASKS_A_FORM = 3
MOST_FORMS = 40
LONGEST = 160

_CLASSES = {**{ord(c): "0" for c in "0123456789"}, **{ord(c): "a" for c in "abcdefghijklmnopqrstuvwxyz"}}
_CLASSES |= {ord(c): "A" for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
_ALIKE = _CLASSES | {ord(c): "x" for c in "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"}
_RUN = re.compile(r"([0aAxé])\1+")


def _classes(text: str) -> str:
    found = text.translate(_CLASSES)
    return found if found.isascii() else "".join(c if c.isascii() or not c.isalnum() else "é" for c in found)


def _alike(text: str) -> str:
    found = text.translate(_ALIKE)
    return found if found.isascii() else "".join(c if c.isascii() or not c.isalnum() else "x" for c in found)


READINGS: dict[str, Callable[[str], str]] = {
    "classes": _classes,
    "alike": _alike,
    "runs": lambda text: _RUN.sub(r"\1", _classes(text)),
    "alike runs": lambda text: _RUN.sub(r"\1", _alike(text)),
}


class Form(ValueKind):
    """Every text at the path has one of the forms seen."""

    name = "form"
    code = "unseen_form"
    profiles = frozenset({"full"})
    pools = True
    of_the_answer = True
    grades = "reading"
    params = {
        "reading": lambda v: v in READINGS,
        "forms": lambda v: isinstance(v, list) and bool(v) and all(isinstance(form, str) for form in v),
    }

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest each reading that is closed."""
        for path, place in sorted(evidence.places.items()):
            tasks = evidence.tasks(path)
            texts = place.texts.items()
            if min(tasks, len(texts)) < LEAST_TASKS or any(len(text) > LONGEST for text, _ in texts):
                continue
            for reading, form in READINGS.items():
                closed = close(texts, tasks, form)
                if (
                    closed.admitted
                    and closed.seen <= MOST_FORMS
                    and TASKS_A_FORM * closed.seen <= min(tasks, len(texts))
                    and len(closed.fired) <= 1
                ):
                    params = {"reading": reading, "forms": sorted(closed.admitted)}
                    clause = Clause(self.name, path, params, place.count, tasks, "traces")
                    yield Candidate(clause, "", closed.fired, len(closed.admitted), len(texts))

    def holds(self, params: Mapping[str, Json]) -> Callable[[Json], bool]:
        """Test that a text's form is among those listed."""
        form, forms = READINGS[params["reading"]], frozenset(params["forms"])
        return lambda value: type(value) is not str or form(value[:1000]) in forms

    def expected(self, params: Mapping[str, Json]) -> Json:
        """Name the forms."""
        return [clip_text(form) for form in params["forms"][:12]]

    def detail(self, place: str) -> str:
        """Say what is wrong."""
        return f"field {place} has a form that clean results do not have"

    def explain(self, clause: Clause) -> str:
        """Say it in words."""
        forms = clause.params["forms"]
        shown = ", ".join(map(clip_text, forms[:6])) + (
            f" or {len(forms) - 6} more" if len(forms) > 6 else ""
        )
        return f"{clause.path or '(the result)'} looks like {shown}"
