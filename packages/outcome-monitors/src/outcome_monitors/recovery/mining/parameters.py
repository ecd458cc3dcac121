"""Which argument of one tool takes the value of which argument of another, by names, types and descriptions."""

from collections.abc import Iterable

from outcome_monitors.recovery.tools import Parameter, Tool

from .vocabulary import stems, text_stems

__all__ = ["KEYS", "mapping", "names_of"]

ASKS = frozenset(("query", "q", "search", "keyword", "question"))
"""What a search calls the words that it is given: anything can be asked for in words."""
KEYS = frozenset(("identifier", "number", "reference", "key", "code", "slug", "sha"))
"""The last word of a name that says: this names one thing."""
SAME, ALIKE, LIKELY = 1.0, 0.8, 0.6
LEAST = 0.5


Pairs = Iterable[tuple[Parameter, Parameter]]


def mapping(one: Tool, other: Tool, known: Pairs = ()) -> dict[str, str]:
    """Return how the arguments of a call become those of another: the surest pairs first, each argument once.

    `known` are pairs that play the same role, whatever they are called.
    """
    sure = [
        (-likely, mine.name, theirs.name, mine, theirs)
        for mine in one.parameters
        for theirs in other.parameters
        if (likely := _likeness(mine, theirs)) >= LEAST
    ]
    sure += [
        (-LEAST, mine.name, theirs.name, mine, theirs)
        for mine, theirs in known
        if _fits(mine.type, theirs.type) and not _told_apart(mine, theirs)
    ]
    found: dict[str, str] = {}
    for _, name, target, mine, theirs in sorted(sure, key=lambda pair: pair[:3]):
        if name not in names_of(found) and target not in names_of(found.values()):
            found[_written(mine, theirs)] = _written(theirs, mine)
    return found


def _told_apart(one: Parameter, other: Parameter) -> bool:
    """Say whether two arguments of one role hold other things: a city is not made into degrees."""
    return one.form != other.form and bool(one.form and other.form)


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
