"""`alphabet`: the text has no sort of character that clean texts did not have: markup, line breaks, foreign scripts."""

import unicodedata
from collections.abc import Callable, Iterator, Mapping

from .._evidence import Evidence
from .._model import Clause, Json
from ._closed import close
from ._kind import Candidate, ValueKind

__all__ = ["Alphabet", "sort_of"]

LEAST_TASKS = 6


def characters(text: str) -> frozenset[str]:
    """Return the sorts of character in a text: letters and digits as classes, others as themselves."""
    return frozenset(map(sort_of, set(text)))


def sort_of(character: str) -> str:
    """Return the sort of a character."""
    if character.isascii():
        if character.isalpha():
            return "A" if character.isupper() else "a"
        return "0" if character.isdigit() else character
    category = unicodedata.category(character)
    if category.startswith("L") and character < "\u0250":
        return "é"
    return category


class Alphabet(ValueKind):
    """Every character of the text is of a sort that was seen."""

    name = "alphabet"
    code = "unseen_characters"
    profiles = frozenset({"full"})
    pools = True
    of_the_answer = True
    params = {"characters": lambda v: isinstance(v, list) and all(isinstance(c, str) for c in v)}

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest the sorts of character that more than one task brought."""
        for path, place in sorted(evidence.places.items()):
            tasks = evidence.tasks(path)
            if min(tasks, len(place.texts)) < LEAST_TASKS:
                continue
            found = [(sort, witness) for text, witness in place.texts.items() for sort in characters(text)]
            closed = close(found, tasks)
            params = {"characters": sorted(closed.admitted)}
            yield Candidate(
                Clause(self.name, path, params, place.count, tasks, "traces"),
                "",
                closed.fired,
                1,
                len(place.texts),
            )

    def holds(self, params: Mapping[str, Json]) -> Callable[[Json], bool]:
        """Test that no other sort of character is there."""
        sorts = frozenset(params["characters"])
        return lambda value: type(value) is not str or characters(value) <= sorts

    def expected(self, params: Mapping[str, Json]) -> Json:
        """Name the characters."""
        return "characters " + " ".join(params["characters"])

    def detail(self, place: str) -> str:
        """Say what is wrong."""
        return f"field {place} has characters that clean results do not have"

    def explain(self, clause: Clause) -> str:
        """Say it in words."""
        return f"{clause.path or '(the result)'} is written with {' '.join(clause.params['characters'])}"
