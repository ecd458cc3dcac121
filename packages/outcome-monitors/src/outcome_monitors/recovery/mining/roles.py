"""What arguments are for, and what it takes to ask one tool what another was asked."""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from outcome_monitors.recovery.tools import Parameter, Tool

from .lexicon import ROLES, named, thing
from .vocabulary import stems

__all__ = ["Mode", "ToolArgument", "arguments", "burden", "mode"]

KEY = "key:"
"""Before the name of a thing: the argument picks one of it."""
WHOLE = 1.0
COSTS = {"ask": 0.25, "easy": 0.15, "number": 0.2, "day": 0.4}
"""What it costs to lack an argument that a model can make up; any other costs a whole point."""
IN_WORDS = 0.4
"""What it costs to lose an argument that can be put in words."""
LOOSE = frozenset(("day", "place", "easy", "number"))
"""Roles that several arguments of one call play: a start and an end, an origin and a destination."""
PICKING = frozenset(("url", "path", "place", "stock"))
SEEN_OF_ABOUT = 6
TITLES = frozenset(("title", "name"))
Mode = str
"""What a call picks: `one` thing by its key, `all` of them, or those that answer what is asked (`ask`)."""


class ToolArgument(NamedTuple):
    """An argument and its role."""

    parameter: Parameter
    role: str


def arguments(tool: Tool, entity: str) -> tuple[ToolArgument, ...]:
    """Return the arguments of a tool that is about a thing, each with its role."""
    alone = len(tool.required) == 1
    found = [ToolArgument(parameter, _role(parameter, entity, alone=alone)) for parameter in tool.parameters]
    if _keys(found):
        return tuple(found)
    # A title is the key where there is no other.
    return tuple(
        ToolArgument(one.parameter, KEY + entity)
        if one.parameter.required and TITLES & set(stems(one.parameter.name))
        else one
        for one in found
    )


def _role(parameter: Parameter, entity: str, *, alone: bool) -> str:
    words = stems(parameter.name)
    keyed = named("keys") & set(words)
    role = next((role for role, known in ROLES.items() if known & set(words)), "")
    if role and not (role in ("ask", "easy") and "identifier" in keyed):
        return role
    if parameter.type == "boolean" or parameter.form.startswith("enum:"):
        return "easy"
    if not keyed and not any(map(thing, words)):
        # `gl` and `hl` are settings; other names may be told by what is said of them.
        told = "easy" if all(len(word) < 3 for word in words) else _described(parameter)
        if told:
            return told
    return _key_role(
        parameter, [word for word in words if word not in named("keys") and word != "title"], entity, alone
    )


def _described(parameter: Parameter) -> str:
    """Return the role that the first words of a description give to an argument whose name says nothing."""
    said = set(stems(" ".join(parameter.about.split()[:SEEN_OF_ABOUT])))
    return next((role for role in ("url", "path", "ask", "day") if ROLES[role] & said), "")


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
    picks = keys or any(one.role in PICKING or one.role.startswith(KEY) for one in found)
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
