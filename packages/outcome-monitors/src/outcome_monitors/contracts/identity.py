"""Which clause it is, whatever it was last mined to say.

A clause that lists three categories and one that lists four are the same clause, seen at two times. What stays the same is its
tool, its kind, its path, and those of its parameters that say what it is about (`Kind.identity`); the others are what was learned.
Review, diff and drift go by that name, and mining by the same parameters, when it holds a clause against its trials or against another.
"""

import json
from collections.abc import Hashable, Mapping

from outcome_monitors.model import Clause, Json
from outcome_monitors.rules import KINDS
from outcome_monitors.values.hashing import stable_hash

__all__ = [
    "DIGITS",
    "OF_ALL_CONTRACTS",
    "about",
    "address",
    "address_of",
    "identify",
    "name_of",
    "one_of_a_path",
    "one_on_trial",
    "short_address",
]


DIGITS = 6
"""Of the name, that stand in an address."""


def name_of(tool: str, kind: str, path: str, parameters: Mapping[str, Json]) -> str:
    """Return the name of the clause that is about this."""
    named = json.dumps([tool, kind, path, dict(parameters)], sort_keys=True)
    return f"{stable_hash(named) >> 24:010x}"


def address_of(tool: str, path: str, kind: str, name: str) -> str:
    """Return where a clause of this name is, as people read it and commands take it."""
    return f"{tool}.{path}/{kind}#{name[:DIGITS]}"


def short_address(address: str) -> str:
    """Return an address with as many digits as most have."""
    place, _, digits = address.rpartition("#")
    return f"{place}#{digits[:DIGITS]}"


OF_ALL_CONTRACTS = frozenset({"another_tools_result"})
"""What a result can break that is no clause of one contract (`checking.misrouted_response`); it has a name all the same, and can be muted."""


def about(clause: Clause) -> dict[str, Json]:
    """Return the parameters that say what a clause is about; what all contracts know together is about its tool alone."""
    if clause.kind in OF_ALL_CONTRACTS:
        return {}
    return {name: clause.params[name] for name in KINDS[clause.kind].identity}


def identify(tool: str, clause: Clause) -> str:
    """Return the name that a clause keeps when it is mined again: ten characters."""
    return name_of(tool, clause.kind, clause.path, about(clause))


def address(tool: str, clause: Clause) -> str:
    """Return where a clause is, as people read it and commands take it."""
    return address_of(tool, clause.path, clause.kind, identify(tool, clause))


def one_on_trial(clause: Clause) -> tuple[Hashable, ...]:
    """Return what clauses have in common that are tried as one: all but the values that they have learned."""
    kind = KINDS[clause.kind]
    named = (*kind.identity, *kind.variant)
    if kind.grades and kind.grades not in named:
        named = (*named, kind.grades)
    return clause.kind, clause.path, *[_hashable(clause.params[name]) for name in named]


def one_of_a_path(clause: Clause) -> tuple[Hashable, ...]:
    """Return what clauses have in common of which one is enough: the same, but for its grade."""
    kind = KINDS[clause.kind]
    named = [name for name in (*kind.identity, *kind.variant) if name != kind.grades]
    return clause.kind, clause.path, *[_hashable(clause.params[name]) for name in named]


def _hashable(value: Json) -> Hashable:
    """Return a value as a key of a table; most are texts."""
    if isinstance(value, list):
        return tuple(map(_hashable, value))
    return json.dumps(value, sort_keys=True) if isinstance(value, dict) else str(value)
