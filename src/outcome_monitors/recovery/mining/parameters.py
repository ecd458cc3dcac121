"""Which argument of one tool takes the value of which argument of another, by names, types and descriptions."""

from collections.abc import Iterable
from typing import NamedTuple

from outcome_monitors.recovery.tools import Parameter, Tool

from .vocabulary import stems, text_stems

__all__ = ["Alignment", "align", "names_of", "subject"]

ASKS = frozenset(("query", "q", "search", "keyword", "question"))
"""What a search calls the words that it is given: anything can be asked for in words."""
KEYS = frozenset(("identifier", "number", "reference", "key", "code", "slug", "sha"))
"""The last word of a name that says: this names one thing."""
SAME, ALIKE, LIKELY = 1.0, 0.8, 0.6
LEAST = 0.5


class Alignment(NamedTuple):
    """How the arguments of a call can become those of another."""

    mapping: dict[str, str]
    covered: float
    """The share of what the call must say that the other call takes, from 0 to 1."""
    missing: tuple[str, ...]
    """Arguments the other call must have and nothing here gives."""
    lost: tuple[str, ...]
    """Arguments that this call must have and that the other has no place for."""
    asked: bool
    """The other call takes words in which to ask, and what this one says can be put in words."""
    typed: bool
    """Some pair has the same specific form, a pattern or a list of words."""


def align(one: Tool, other: Tool) -> Alignment:
    """Pair the arguments of two tools, the surest pairs first, each argument once."""
    pairs = sorted(
        (
            (-_likeness(mine, theirs), mine.name, theirs.name, mine, theirs)
            for mine in one.parameters
            for theirs in other.parameters
            if _likeness(mine, theirs) >= LEAST
        ),
        key=lambda pair: pair[:3],
    )
    mapping: dict[str, str] = {}
    typed = False
    for _, name, target, mine, theirs in pairs:
        if name not in map(_bare, mapping) and target not in map(_bare, mapping.values()):
            mapping[_written(mine, theirs)] = _written(theirs, mine)
            typed = typed or bool(mine.form and mine.form == theirs.form)
    taken, used = names_of(mapping.values()), names_of(mapping)
    lacking = [p for p in other.required if p.name not in taken]
    asked = len(lacking) == 1 and _asks(lacking[0])
    must = [p for p in one.required if not _asks(p)]
    lost = [p for p in must if p.name not in used]
    return Alignment(
        mapping=mapping,
        covered=1 - len(lost) / len(must) if must else 1.0,
        missing=() if asked else tuple(p.name for p in lacking),
        # What is only described can be put in words; what is named by a key cannot.
        lost=tuple(p.name for p in lost if not asked or _key(p)),
        asked=asked,
        typed=typed,
    )


def _likeness(one: Parameter, other: Parameter) -> float:
    if not _fits(one.type, other.type) or (_key(one) and one.required != other.required):
        return 0.0
    if one.form and other.form:
        # The words of an enumeration, or the pattern of an id, say what a value is; a date is a date to many tools.
        if one.form != other.form:
            return 0.0
        if one.form.startswith(("pattern:", "enum:")):
            return SAME
    mine, theirs = stems(one.name), stems(other.name)
    if mine == theirs:
        return SAME
    if _asks(one) and _asks(other):
        return SAME
    return _by_words(one, other, mine, theirs)


def _by_words(one: Parameter, other: Parameter, mine: tuple[str, ...], theirs: tuple[str, ...]) -> float:
    short, long = sorted((set(mine), set(theirs)), key=len)
    if short and short <= long and not (short <= KEYS) and not (long - short) & KEYS - {"identifier"}:
        return ALIKE
    if set(mine) & set(theirs) - KEYS and mine[-1:] == theirs[-1:]:
        return LIKELY
    told, said = set(text_stems(one.about)), set(text_stems(other.about))
    if told and said and 2 * len(told & said) >= min(len(told), len(said)) + 1:
        return LIKELY
    return LIKELY if one.form and one.form == other.form else 0.0


def _fits(one: str, other: str) -> bool:
    plain = {"integer": "number", "number[]": "integer[]"}
    first, second = plain.get(one, one), plain.get(other, other)
    if "any" in (first, second):
        return True
    # The only item of a list of texts is a text; a list of objects is never one object that something else takes.
    return first.removesuffix("[]") == second.removesuffix("[]") and (
        first.endswith("[]") == second.endswith("[]") or first.removesuffix("[]") == "string"
    )


def _key(parameter: Parameter) -> bool:
    """Say whether an argument picks one thing: if it may be left out, the tool is about many."""
    return bool(KEYS & set(stems(parameter.name)))


def subject(parameter: Parameter) -> str:
    """Return what an argument names: the `url` of `urls`, the `order` of `order_id`; nothing for words to ask with."""
    if _asks(parameter):
        return ""
    return next((word for word in reversed(stems(parameter.name)) if word not in KEYS), "")


def _asks(parameter: Parameter) -> bool:
    return parameter.type == "string" and bool(set(stems(parameter.name)) & ASKS)


def _written(one: Parameter, other: Parameter) -> str:
    """Write an argument, with `[]` where it is a list and its partner is not."""
    return f"{one.name}[]" if one.type.endswith("[]") and not other.type.endswith("[]") else one.name


def _bare(name: str) -> str:
    return name.removesuffix("[]")


def names_of(mapping: Iterable[str]) -> set[str]:
    """Return the plain names of a mapping's side."""
    return set(map(_bare, mapping))
