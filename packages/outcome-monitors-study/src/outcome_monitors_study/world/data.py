"""The world's data files: JSON beside the code, read once, taken apart field by field.

What does not fit is refused with the file and the field.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from outcome_monitors.exceptions import SourceError

__all__ = ["FieldPlace", "Fields", "document", "vocabulary", "words_from_json"]

Json = Any


@dataclass(frozen=True, slots=True)
class FieldPlace:
    """A place in a file, to be named where something is wrong with it."""

    file: str
    path: str = ""

    def below(self, key: str | int) -> "FieldPlace":
        """Return the place of a field or an item of what stands here."""
        if isinstance(key, int):
            return FieldPlace(self.file, f"{self.path}[{key}]")
        return FieldPlace(self.file, f"{self.path}.{key}" if self.path else key)

    def wrong(self, why: str) -> SourceError:
        """Return the error that says what is wrong here."""
        return SourceError(f"{self.file}: {f'`{self.path}`' if self.path else 'the document'} {why}")


class Fields:
    """An object of a file, taken apart field by field; `end` refuses what nobody took."""

    def __init__(self, value: Json, place: FieldPlace) -> None:
        if not isinstance(value, dict):
            raise place.wrong("is not an object")
        self.place = place
        self._left = dict(value)

    def __contains__(self, field: str) -> bool:
        return field in self._left

    def take(self, field: str, default: Json = None) -> Json:
        """Take whatever a field holds."""
        return self._left.pop(field, default)

    def required(self, field: str) -> Json:
        """Take a field that must be there."""
        if field not in self._left:
            raise self.place.below(field).wrong("is missing")
        return self._left.pop(field)

    def text(self, field: str) -> str:
        """Take a text that is not empty."""
        value = self.required(field)
        if not isinstance(value, str) or not value:
            raise self.place.below(field).wrong("is not a text")
        return value

    def word(self, field: str, words: tuple[str, ...]) -> str:
        """Take one of a few words."""
        value = self.text(field)
        if value not in words:
            raise self.place.below(field).wrong(f"is {value!r}, not one of {', '.join(words)}")
        return value

    def flag(self, field: str) -> bool:
        """Take yes or no; no where there is none."""
        value = self.take(field, default=False)
        if not isinstance(value, bool):
            raise self.place.below(field).wrong("is neither true nor false")
        return value

    def object(self, field: str) -> Mapping[str, Json]:
        """Take an object; an empty one where there is none."""
        value = self.take(field)
        if value is not None and not isinstance(value, dict):
            raise self.place.below(field).wrong("is not an object")
        return value or {}

    def texts(self, field: str) -> tuple[str, ...]:
        """Take a list of texts; an empty one where there is none."""
        value = self.take(field) or []
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.place.below(field).wrong("is not a list of texts")
        return tuple(value)

    def rows(self, field: str) -> list[tuple[Json, FieldPlace]]:
        """Take a list, each item with its place; an empty one where there is none."""
        value, place = self.take(field) or [], self.place.below(field)
        if not isinstance(value, list):
            raise place.wrong("is not a list")
        return [(row, place.below(index)) for index, row in enumerate(value)]

    def parts(self, field: str) -> Iterator[tuple[str, Json, FieldPlace]]:
        """Take an object and yield what it holds: name, value and place."""
        place = self.place.below(field)
        for name, value in self.object(field).items():
            yield name, value, place.below(name)

    def rest(self) -> Mapping[str, Json]:
        """Return what nobody took."""
        return self._left

    def end(self) -> None:
        """Refuse a field that nobody took; `note` is for readers."""
        unknown = next((field for field in self._left if field != "note"), None)
        if unknown is not None:
            raise self.place.below(unknown).wrong("is not known here")


@cache
def document(*path: str) -> Json:
    """Return what a file of this package holds; all readers share it, and nobody changes it."""
    text = resources.files(__package__ or "").joinpath(*path).read_text(encoding="utf-8")
    try:
        return json.loads(text)
    except ValueError as error:
        raise FieldPlace("/".join(path)).wrong(f"is not JSON: {error}") from error


@cache
def vocabulary(domain: str = "") -> Mapping[str, Json]:
    """Return the words of a domain and those that all domains share, by the name of their list."""
    shared = words_from_json(document("vocabulary.json"), "vocabulary.json")
    if not domain:
        return shared
    file = f"{domain}/vocabulary.json"
    return {**shared, **words_from_json(document(domain, "vocabulary.json"), file)}


def words_from_json(content: Json, file: str) -> Mapping[str, Json]:
    """Return a vocabulary: under each name a list without doubles, or an object; its items are all of one form."""
    found = Fields(content, FieldPlace(file)).rest()
    for name, words in found.items():
        _check_words(words, FieldPlace(file, name))
    return found


def _check_words(words: Json, place: FieldPlace) -> None:
    if not isinstance(words, list | dict) or not words:
        raise place.wrong("is neither a list of words nor an object of them, or it is empty")
    if isinstance(words, list) and any(word in words[:index] for index, word in enumerate(words)):
        raise place.wrong("holds a word twice")
    items = list(words.values() if isinstance(words, dict) else words)
    forms = [_form(item) for item in items]
    odd = next((index for index, form in enumerate(forms) if form != forms[0] or not items[index]), None)
    if odd is not None:
        raise place.below(list(words)[odd] if isinstance(words, dict) else odd).wrong(
            "is empty, or not of the form of the first"
        )


def _form(item: Json) -> Json:
    return list(item) if isinstance(item, dict) else type(item)
