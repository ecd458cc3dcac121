"""`alphabet`: the text has no sort of character that clean texts did not have: markup, line breaks, foreign scripts.

ASCII letters and digits are sorts by class (`A`, `a`, `0`), letters of other Latin alphabets are one (`é`), other ASCII characters are
one each, and the rest is told apart by its Unicode category (`Lo`, `Sm`).
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache

from outcome_monitors.evidence.evidence import Evidence, kept_text
from outcome_monitors.model import Clause, Json, Violation
from outcome_monitors.values.display import clip_text

from .base.closed_set import close
from .base.gravity import Gravity
from .base.kind import TEXTS, Beside, Bind, Candidate, Fast, ValueKind, named
from .base.prose import MANY_PHRASES, Looks, looks
from .base.traits import Drift, Told

__all__ = ["Alphabet", "are_sorts", "plain", "said", "sort_of"]

LEAST_TASKS = 10
PLAIN = frozenset({"A", "a", "0"})
"""Where texts are of several words, a capital or a digit among them is nothing new."""

_LATIN = "\u0250"
"""The first character after the Latin alphabets."""


def characters(text: str) -> frozenset[str]:
    """Return the sorts of character in a text."""
    return frozenset(map(sort_of, set(text)))


@lru_cache(maxsize=4096)
def sort_of(character: str) -> str:
    """Return the sort of a character."""
    if character.isascii():
        if character.isalpha():
            return "A" if character.isupper() else "a"
        return "0" if character.isdigit() else character
    category = unicodedata.category(character)
    return "é" if category.startswith("L") and character < _LATIN else category


def are_sorts(value: Json) -> bool:
    """Say whether a value from a contract file lists sorts of character."""
    return isinstance(value, list) and all(isinstance(sort, str) for sort in value)


def said(sorts: Iterable[str]) -> str:
    """Name sorts of character, those that cannot be seen by word or number."""
    return " ".join(map(_said, sorts))


def _said(sort: str) -> str:
    if sort == " ":
        return "space"
    return clip_text(sort) if sort.isprintable() else f"U+{ord(sort[0]):04X}"


def plain(look: Looks, least: int) -> frozenset[str]:
    """Return the sorts that few texts of several words may have, though they did not."""
    return PLAIN if look is Looks.PHRASES and least < MANY_PHRASES else frozenset()


class Alphabet(ValueKind):
    """Every character of the text is of a sort that was seen."""

    name = "alphabet"
    code = "unseen_characters"
    profiles = frozenset({"full"})
    pools = True
    of_the_answer = True
    drift = Drift.LISTED
    own_words = True
    params = {"characters": are_sorts}

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest the sorts of character that more than one task brought."""
        for path, place in sorted(evidence.places.items()):
            tasks = evidence.tasks(path)
            if (
                min(tasks, len(place.texts)) < LEAST_TASKS
                or (look := looks(path, place, tasks)) is Looks.OPEN
            ):
                continue
            found = [(sort, witness) for text, witness in place.texts.items() for sort in characters(text)]
            closed = close(found, tasks)
            admitted = closed.admitted | plain(look, min(tasks, len(place.texts)))
            params = {"characters": sorted(admitted)}
            clause = Clause(self.name, path, params, place.count, tasks, "traces")
            yield Candidate(clause, "", closed.fired, entities=len(place.texts))

    def holds(self, params: Mapping[str, Json]) -> Callable[[Json], bool]:
        """Test that no other sort of character is there; what is no text is the type's business."""
        sorts = frozenset(params["characters"])
        return lambda value: type(value) is not str or characters(kept_text(value)) <= sorts

    def expected(self, params: Mapping[str, Json]) -> Json:
        """Name the characters."""
        return f"characters {said(params['characters'])}"

    def detail(self, place: str) -> str:
        """Say what is wrong."""
        return f"field {place} has characters that clean results do not have"

    def where(self, params: Mapping[str, Json], text: str) -> int:
        """Find the first character of another sort."""
        sorts = frozenset(params["characters"])
        return next((place for place, sign in enumerate(kept_text(text)) if sort_of(sign) not in sorts), 0)

    def gravity(self, clause: Clause, violation: Violation, result: Json) -> Gravity:
        """Make little of letters and digits."""
        new = {sign for sign in str(violation.observed) if not self.holds(clause.params)(sign)}
        return Gravity.SLIGHT if all(map(str.isalnum, new)) else Gravity.FAIR

    def needless_where(self, params: Mapping[str, Json]) -> Told:
        """Add nothing where texts are listed, or their form is known."""
        return Told.VALUES | Told.FORM

    def explain(self, clause: Clause) -> str:
        """Say it in words."""
        return f"{named(clause.path)} is written with {said(clause.params['characters'])}"

    def speaks_of(self, params: Mapping[str, Json]) -> frozenset[type]:
        """Speak of texts alone."""
        return TEXTS

    def fast(self, clause: Clause, bind: Bind, beside: Beside) -> Fast | None:
        """Match the ASCII characters that are admitted; what has others goes through the test."""
        allowed = "".join(
            re.escape(c) for c in map(chr, range(128)) if sort_of(c) in clause.params["characters"]
        )
        match = bind(re.compile(f"[{allowed}]*" if allowed else "").fullmatch)
        return Fast(f"{match}({{v}}) is not None", f'{match}("".join({{c}})) is not None')
