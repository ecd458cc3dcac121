"""The rest of a cut result: by which arguments a tool gives it, and the call that does."""

from collections.abc import Mapping, Sequence

from outcome_monitors.model import Json, Violation
from outcome_monitors.rules.built_in.base import bare
from outcome_monitors.rules.built_in.vocabulary import CURSORS, NEXT, PARTS

from .arguments import RESULT
from .relations import Relation

__all__ = ["REST", "gets_a_part", "rest"]

REST = "rest"
"""The source of the action that gets the rest of a cut result."""


def gets_a_part(argument: str) -> bool:
    """Say whether an argument of this name asks for a part of a long answer."""
    return bare(argument) in PARTS


def rest(tool: str, takes: Sequence[str], arguments: Mapping[str, Json], cut: Violation) -> Relation:
    """Return the call that gets the rest of a cut result, by an argument that the tool takes."""
    cursor = next((name for name in takes if bare(name) in CURSORS), None)
    if cursor is not None and bare(cut.path.rpartition(".")[2]) in NEXT:
        mapping = {name: name for name in arguments} | {f"{RESULT}{cut.path}": cursor}
        return Relation(tool, 1.0, REST, "the next part", mapping)
    return Relation(tool, 1.0, REST, f"the same with {' or '.join(f'`{name}`' for name in takes)}")
