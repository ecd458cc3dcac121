"""Which clause it is, whatever it was last mined to say.

A clause that lists three categories and one that lists four are the same clause, seen at two times. What stays the same is its
tool, its kind, its path, and those of its parameters that say what it is about; the others are what was learned.
"""

import json
from collections.abc import Mapping

from outcome_monitors.model import Clause, Json
from outcome_monitors.values.hashing import stable_hash

__all__ = ["ABOUT", "about", "identify", "name_of"]

ABOUT: Mapping[str, tuple[str, ...]] = {
    "affine": ("x", "y"),
    "argument": ("argument", "field"),
    "before": ("first", "second"),
    "conservation": ("left", "right", "where"),
    "echo": ("argument",),
    "fact": ("key", "field"),
    "filled": ("of",),
    "form": ("reading",),
    "fresh": ("field",),
    "length": ("of",),
    "linear": ("form", "of", "field"),
    "memory": ("key", "field"),
    "onward": ("key", "field"),
    "order": ("first", "second"),
    "renewed": ("after",),
    "rows": ("field", "standing"),
    "same": ("first", "second"),
    "template": ("field",),
    "when": ("given", "field"),
}
"""Of each kind, the parameters that say what a clause is about; a kind that is not here speaks of its path alone."""


def about(clause: Clause) -> dict[str, Json]:
    """Return the parameters that say what a clause is about."""
    return {name: clause.params[name] for name in ABOUT.get(clause.kind, ())}


def identify(tool: str, clause: Clause) -> str:
    """Return the name that a clause keeps when it is mined again: ten characters."""
    return name_of(tool, clause.kind, clause.path, about(clause))


def name_of(tool: str, kind: str, path: str, parameters: Mapping[str, Json]) -> str:
    """Return the name of the clause that is about this."""
    named = json.dumps([tool, kind, path, dict(parameters)], sort_keys=True)
    return f"{stable_hash(named) >> 24:010x}"
