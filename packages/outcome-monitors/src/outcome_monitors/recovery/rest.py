"""The rest of a cut result: by which arguments a tool gives it, and the call that does."""

from collections.abc import Mapping, Sequence

from outcome_monitors.model import Json, Violation
from outcome_monitors.rules.built_in.base import bare, lists_in, record_in
from outcome_monitors.rules.built_in.vocabulary import CURSORS, NEXT, PARTS, named

from .arguments import RESULT, VALUE
from .relations import Relation

REST = "rest"
"""The source of the action that gets the rest of a cut result."""


def gets_a_part(argument: str) -> bool:
    """Say whether an argument of this name asks for a part of a long answer."""
    return bare(argument) in PARTS


def rest(
    tool: str, takes: Sequence[str], arguments: Mapping[str, Json], cut: Violation, result: Json
) -> Relation:
    """Return the call that gets the rest of a cut result, by an argument that the tool takes."""
    for name in takes:
        source = ""
        if bare(name) in CURSORS and bare(cut.path.rpartition(".")[2]) in NEXT:
            source = f"{RESULT}{cut.path}"
        elif isinstance(result, dict) and (place := _next(name, result)) is not None:
            source = f"{VALUE}{place}"
        if source:
            given = {one: one for one in arguments if one != name}
            return Relation(tool, 1.0, REST, "the next part", given | {source: name})
    return Relation(tool, 1.0, REST, f"the same with {' or '.join(f'`{name}`' for name in takes)}")


def _next(name: str, result: dict[str, Json]) -> int | None:
    """Return the page after the one that a result says it is, or the offset behind its items."""
    if bare(name) in _PAGES:
        _, record = record_in(result)
        shown = (value for field, value in record.items() if bare(field) in _PAGES and type(value) is int)
        return next((page + 1 for page in shown), None)
    lists = list(lists_in(result).values()) if bare(name) in _OFFSETS else []
    return len(lists[0]) or None if len(lists) == 1 else None


_PAGES, _OFFSETS = named("page pagenumber pageno pageindex pagenum currentpage"), named("offset skip")
