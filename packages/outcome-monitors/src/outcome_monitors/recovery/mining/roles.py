"""What arguments are for, what it takes to ask one tool what another was asked, and which argument takes the value of which."""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from outcome_monitors.recovery.tools import Parameter, Tool

from .lexicon import ROLES, named, stems, thing

__all__ = ["KEYS", "Burden", "Mode", "ToolArgument", "arguments", "burden", "mapping", "mode", "names_of"]

KEY = "key:"
"""Before the name of a thing: the argument picks one of it."""
WHOLE = 1.0
COSTS = {"ask": 0.25, "easy": 0.15, "number": 0.2, "day": 0.4}
"""What it costs to lack an argument that a model can make up; any other costs a whole point."""
IN_WORDS = 0.4
"""What it costs to lose an argument that can be put in words."""
LOOSE = frozenset(("day", "place", "easy", "number"))
"""Roles that several arguments of one call play: a start and an end, an origin and a destination."""
Mode = str
"""What a call picks: `one` thing by its key, `all` of them, or those that answer what is asked (`ask`)."""


class ToolArgument(NamedTuple):
    """An argument and its role."""

    parameter: Parameter
    role: str


def arguments(tool: Tool, entity: str) -> tuple[ToolArgument, ...]:
    """Return the arguments of a tool that is about a thing, each with its role."""
    alone = len(tool.required) == 1
    return tuple([ToolArgument(one, _role(one, entity, alone=alone)) for one in tool.parameters])


def _role(parameter: Parameter, entity: str, *, alone: bool) -> str:
    words = stems(parameter.name)
    keyed = named("keys") & set(words)
    role = next((role for role, known in ROLES.items() if known & set(words)), "")
    if role and not (role in ("ask", "easy") and "identifier" in keyed):
        return role
    if parameter.type == "boolean" or parameter.form.startswith("enum:"):
        return "easy"
    if not keyed and not any(map(thing, words)) and all(len(word) < 3 for word in words):
        # `gl` and `hl` are settings.
        return "easy"
    return _key_role(
        parameter, [word for word in words if word not in named("keys") and word != "title"], entity, alone
    )


def _key_role(parameter: Parameter, words: Sequence[str], entity: str, alone: bool) -> str:
    keyed = (named("keys") | {"title"}) & set(stems(parameter.name))
    if words and words[-1] == entity and keyed:
        return KEY + entity
    if words and thing(words[-1]):
        return words[-1]
    if parameter.type in ("integer", "number") and not keyed:
        return "number"
    if not words or (alone and (keyed or words[-1].endswith("id"))):
        return KEY + entity
    return words[-1]


def _keys(found: Iterable[ToolArgument]) -> list[str]:
    return [one.role for one in found if one.parameter.required and one.role not in COSTS]


def mode(verb: str, found: Sequence[ToolArgument]) -> Mode:
    """Return what a call picks."""
    keys = _keys(found)
    if verb == "search" or (not keys and any(one.role == "ask" and one.parameter.required for one in found)):
        return "ask"
    # What may be left out picks one thing, too, where it can be told.
    picks = keys or any(one.role.startswith(KEY) for one in found)
    return "one" if picks and verb != "list" else "all"


class Burden(NamedTuple):
    """What stands between a call and another in its place."""

    missing: float
    """What the other must be told and nothing here says."""
    lost: float
    """What is said here and the other has no place for."""
    pairs: tuple[tuple[Parameter, Parameter], ...]
    """Arguments that take the same value; two of which each is some day or place may not."""


def burden(
    mine: Sequence[ToolArgument],
    theirs: Sequence[ToolArgument],
    one_is: Collection[str],
    other_is: Collection[str],
) -> Burden:
    """Weigh the arguments of two tools; a bare id stands for any of the things that its tool is about."""
    pairs: list[tuple[Parameter, Parameter]] = []
    used: set[int] = set()
    lacking: list[str] = []
    for argument in theirs:
        if argument.parameter.required:
            partner = _partner(argument, mine, used, one_is, other_is)
            if partner is None:
                lacking.append(argument.role)
            else:
                used.add(partner)
                if argument.role not in LOOSE:
                    pairs.append((mine[partner].parameter, argument.parameter))
    taken = {argument.role for argument in theirs}
    left = [
        argument.role
        for place, argument in enumerate(mine)
        if argument.parameter.required and place not in used and argument.role not in taken
    ]
    in_words = IN_WORDS if "ask" in lacking else WHOLE
    return Burden(
        sum(COSTS.get(role, WHOLE) for role in lacking),
        sum(COSTS.get(role, in_words) for role in left),
        tuple(pairs),
    )


def _partner(
    argument: ToolArgument,
    mine: Sequence[ToolArgument],
    used: set[int],
    one_is: Collection[str],
    other_is: Collection[str],
) -> int | None:
    same = [
        place
        for place, own in enumerate(mine)
        if (place not in used or argument.role == "place") and _same(own, argument, one_is, other_is)
    ]
    return min(same, key=lambda place: (place in used, not mine[place].parameter.required), default=None)


def _same(
    mine: ToolArgument, theirs: ToolArgument, one_is: Collection[str], other_is: Collection[str]
) -> bool:
    form = mine.parameter.form
    if form == theirs.parameter.form and form.startswith(("pattern:", "enum:")):
        return True
    own, wanted = mine.role.removeprefix(KEY), theirs.role.removeprefix(KEY)
    if own == wanted and own:
        return True
    return (theirs.role.startswith(KEY) and own in other_is) or (
        mine.role.startswith(KEY) and wanted in one_is
    )


KEYS = frozenset(("identifier", "number", "reference", "key", "code", "slug", "sha"))
"""The last word of a name that says: this names one thing."""
SAME, LIKELY = 1.0, 0.6
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
        if _fits(mine.type, theirs.type)
    ]
    found: dict[str, str] = {}
    for _, name, target, mine, theirs in sorted(sure, key=lambda pair: pair[:3]):
        if name not in names_of(found) and target not in names_of(found.values()):
            found[_written(mine, theirs)] = _written(theirs, mine)
    return found


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


def _written(one: Parameter, other: Parameter) -> str:
    """Write an argument, with `[]` where it is a list and its partner is not."""
    return f"{one.name}[]" if one.type.endswith("[]") and not other.type.endswith("[]") else one.name


def _bare(name: str) -> str:
    return name.removesuffix("[]")


def names_of(mapping: Iterable[str]) -> set[str]:
    """Return the plain names of a mapping's side."""
    return set(map(_bare, mapping))
