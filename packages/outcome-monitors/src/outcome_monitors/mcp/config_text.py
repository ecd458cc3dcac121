"""Values in the text of a configuration, JSON with or without comments or TOML: read, and replaced so that every other byte stays what it was."""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from outcome_monitors.jsonvalue.splice import TextSpan, members, value_at

Keys = Sequence[str]
_STRING = r'"(?:\\.|[^"\\\n])*"'
_COMMENTS = re.compile(rf"{_STRING}|//[^\n]*|/\*.*?\*/", re.DOTALL)
_TRAILING = re.compile(rf"{_STRING}|,(?=\s*[}}\]])")
_TABLE = re.compile(r"^[ \t]*\[.*$", re.MULTILINE)
_LINE_END = re.compile(r"[ \t]*(?:#.*)?$", re.MULTILINE)


def parsed(text: str, *, toml: bool) -> Any:
    """Return what a configuration says."""
    return tomllib.loads(text.removeprefix("\ufeff")) if toml else json.loads(_plain(text))


def changed(text: str, keys: Keys, values: Mapping[str, Any], *, toml: bool) -> str:
    """Return the text with other values in the table at `keys`; what was not there comes behind the first of them."""
    for name, value in values.items():
        spans = _table(text, keys) if toml else members(_plain(text), _span(text, keys))
        if name in spans:
            before, span = _value(text, spans[name], toml=toml), spans[name]
            if before != value:
                text = _replaced(text, span, _written(value, before, text[span.start : span.end]))
        else:
            end = spans[next(iter(values))].end
            before = "\n" if toml else ", "
            label = f"{name} = " if toml else f'"{name}": '
            text = f"{text[:end]}{before}{label}{json.dumps(value, ensure_ascii=False)}{text[end:]}"
    return text


def entry_text(text: str, keys: Keys, *, toml: bool) -> str:
    """Return the text of the table at `keys`."""
    span = _region(text, keys) if toml else _span(text, keys)
    return text[span.start : span.end]


def with_entry(text: str, keys: Keys, entry: str, *, toml: bool) -> str:
    """Return the text with another text of the table at `keys`."""
    return _replaced(text, _region(text, keys) if toml else _span(text, keys), entry)


def _plain(text: str) -> str:
    """Return JSON text with blanks in place of comments, trailing commas and a byte order mark: all else keeps its place."""

    def blank(found: re.Match[str]) -> str:
        return found[0] if found[0].startswith('"') else re.sub(r"\S", " ", found[0])

    return _TRAILING.sub(blank, _COMMENTS.sub(blank, text.replace("\ufeff", " ", 1)))


def _span(text: str, keys: Keys) -> TextSpan:
    plain = _plain(text)
    span = value_at(plain)
    for key in keys:
        span = members(plain, span)[key]
    return span


def _region(text: str, keys: Keys) -> TextSpan:
    """Return the lines below the heading of a table of TOML, up to the next."""
    headings = [*_TABLE.finditer(text)]
    for number, found in enumerate(headings):
        try:
            named: Any = tomllib.loads(found[0])
        except tomllib.TOMLDecodeError:
            continue
        for key in keys:
            named = named.get(key) if isinstance(named, dict) else None
        if named == {}:
            end = headings[number + 1].start() if headings[number + 1 :] else len(text)
            return TextSpan(found.end(), end)
    raise KeyError(keys[-1])


def _table(text: str, keys: Keys) -> dict[str, TextSpan]:
    """Return where the values of a table of TOML stand."""
    region, spans = _region(text, keys), dict[str, TextSpan]()
    for found in re.finditer(r"^[ \t]*([\w-]+)[ \t]*=[ \t]*", text[region.start : region.end], re.MULTILINE):
        start = region.start + found.end()
        if all(start >= span.end for span in spans.values()):
            spans[found[1]] = TextSpan(start, next(_ends(text, start, region.end)))
    return spans


def _ends(text: str, start: int, end: int) -> Iterator[int]:
    """Yield where a value of TOML may end: before a comment, or with a line."""
    for found in _LINE_END.finditer(text, start, end):
        try:
            _value(text, TextSpan(start, found.start()), toml=True)
        except tomllib.TOMLDecodeError:
            continue
        yield found.start()


def _value(text: str, span: TextSpan, *, toml: bool) -> Any:
    value = text[span.start : span.end]
    return tomllib.loads(f"value = {value}")["value"] if toml else json.loads(_plain(value))


def _written(value: Any, before: Any, text: str) -> str:
    """Write a value; of a list that begins with other words the rest stays as it is, its lines and comments included."""
    rest = len(before) if isinstance(value, list) and isinstance(before, list) else 0
    if not rest or value[-rest:] != before:
        return json.dumps(value, ensure_ascii=False)
    words = [json.dumps(word, ensure_ascii=False) for word in value[:-rest]]
    indent = text[1 : len(text) - len(text[1:].lstrip())]
    return "[" + "".join(f"{indent}{word}," if indent else f"{word}, " for word in words) + text[1:]


def _replaced(text: str, span: TextSpan, new: str) -> str:
    return text[: span.start] + new + text[span.end :]
