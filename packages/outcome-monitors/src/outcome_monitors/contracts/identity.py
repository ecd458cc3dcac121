"""Which clause it is, whatever it was last mined to say, and how it is named.

A clause that lists three categories and one that lists four are the same clause, seen at two times. What stays the same is its
tool, its kind, its path, and those of its parameters that say what it is about (`Kind.identity`); the others are what was learned.
A built-in rule stands in no contract: it is named by the address that events and `check` print, or by its kind, for all tools.
Of these its id is made; its address says where it is (`get_order.total/positive#2be3ab`). Whoever names a clause may give the id, the
address, or as much of either as no other clause begins with.
"""

import json
import re
from collections.abc import Hashable, Iterable, Mapping

from outcome_monitors.exceptions import ContractError
from outcome_monitors.jsonvalue.display import clip_text
from outcome_monitors.jsonvalue.text import stable_hash
from outcome_monitors.model import Clause, ClauseName, Json
from outcome_monitors.rules import FORMER_NAMES, KINDS, current_name
from outcome_monitors.rules.built_in import CLAUSES, SOURCE

DIGITS = 6
"""Of the name, that stand in an address."""


_FIRST_NAMES = {now: first for first, now in FORMER_NAMES.items()}


def name_of(tool: str, kind: str, path: str, parameters: Mapping[str, Json]) -> str:
    """Return the name of the clause that is about this; it outlives another name of the kind."""
    named = json.dumps([tool, _FIRST_NAMES.get(kind, kind), path, dict(parameters)], sort_keys=True)
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


ALL_TOOLS = "*"
"""Stands for the tool where a built-in rule is named for all tools."""


def about(clause: Clause) -> dict[str, Json]:
    """Return the parameters that say what a clause is about; what all contracts know together is about its tool alone."""
    if clause.kind in OF_ALL_CONTRACTS:
        return {}
    return KINDS[clause.kind].identified_by(clause.params)


def identify(tool: str, clause: Clause) -> str:
    """Return the name that a clause keeps when it is mined again: ten characters."""
    return name_of(tool, clause.kind, clause.path, about(clause))


def names_of(tool: str, clause: Clause) -> tuple[str, ...]:
    """Return the names under which something may be decided on a clause of a tool.

    A built-in rule has one for all tools as well, and a clause of a kind that told fewer of them apart the one that it shared.
    """
    name, kind = identify(tool, clause), KINDS.get(clause.kind)
    if clause.source == SOURCE:
        return name, identify(ALL_TOOLS, clause)
    if kind is None or kind.former_identity is None:
        return (name,)
    former = {one: clause.params[one] for one in kind.former_identity}
    return name, name_of(tool, clause.kind, clause.path, former)


def address(tool: str, clause: Clause) -> str:
    """Return where a clause is, as people read it and commands take it."""
    return address_of(tool, clause.path, clause.kind, identify(tool, clause))


def validation_key(clause: Clause) -> tuple[Hashable, ...]:
    """Return what clauses have in common that are tried as one: all but the values that they have learned."""
    grades = KINDS[clause.kind].mining.grades
    told = _told_apart(clause) | ({grades: clause.params[grades]} if grades else {})
    return clause.kind, clause.path, *map(_hashable, told.values())


def redundancy_key(clause: Clause) -> tuple[Hashable, ...]:
    """Return what clauses have in common of which one is enough: the same, but for its grade."""
    grades = KINDS[clause.kind].mining.grades
    told = (value for name, value in _told_apart(clause).items() if name != grades)
    return clause.kind, clause.path, *map(_hashable, told)


def _told_apart(clause: Clause) -> dict[str, Json]:
    kind = KINDS[clause.kind]
    return kind.identified_by(clause.params) | {name: clause.params[name] for name in kind.traits.variant}


def _hashable(value: Json) -> Hashable:
    """Return a value as a key of a table; most are texts."""
    if isinstance(value, list):
        return tuple(map(_hashable, value))
    return json.dumps(value, sort_keys=True) if isinstance(value, dict) else str(value)


Known = Mapping[str, tuple[str, Clause]]
"""Each clause with its tool or shape, by its id."""

LEAST_DIGITS = 4
"""Of an id that is given without a place; fewer would be taken for a word."""
MOST_NAMED = 4
_DIGITS = re.compile(rf"#?[0-9a-f]{{{LEAST_DIGITS},10}}\Z")


def name_clause(tool: str, clause: Clause) -> ClauseName:
    """Return what a clause of a tool is called."""
    return ClauseName(identify(tool, clause), address(tool, clause))


def known_clauses(owned: Mapping[str, Iterable[Clause]]) -> dict[str, tuple[str, Clause]]:
    """Return clauses by id; of two from different sources the one from traces, which the next mining could change."""
    found: dict[str, tuple[str, Clause]] = {}
    for tool, clauses in owned.items():
        for clause in clauses:
            name = identify(tool, clause)
            if name not in found or clause.source == "traces":
                found[name] = (tool, clause)
    return found


def built_in_clause(text: str) -> dict[str, tuple[str, Clause]]:
    """Return the built-in rule that a text names, by its id; nothing where it names none."""
    place, slash, kind = _place_and_digits(text)[0].rpartition("/")
    if kind not in CLAUSES or (slash and not place.endswith(".")):
        return {}
    tool = place.removesuffix(".") if slash else ALL_TOOLS
    return {identify(tool, CLAUSES[kind]): (tool, CLAUSES[kind])}


def looks_like_a_clause(text: str) -> bool:
    """Say whether a word names a clause rather than a tool: an address, or a whole id."""
    place, sign, digits = text.rpartition("#")
    named = sign and (not place or "/" in place) and re.fullmatch(r"[0-9a-f]{1,10}", digits)
    return bool(named or re.fullmatch(r"[0-9a-f]{10}", text))


def resolve(text: str, known: Known, others: Iterable[str] = ()) -> str:
    """Return the id of the clause that a text names; raise ContractError where there is none, or more than one.

    `others` are ids that are known without their clauses.
    """
    others = frozenset(others)
    if text in CLAUSES:
        text = f"{ALL_TOOLS}./{text}"
    if text in known or text in others:
        return text
    found = [*_with_digits(text, known, others), *_at_a_place(text, known)]
    if len(found) == 1:
        return found[0]
    if found:
        raise ContractError(f"{clip_text(text)!r} names {len(found)} clauses: {_listed(found, known)}")
    raise ContractError(f"there is no clause {clip_text(text, 200)!r}; {_hint(text, known)}")


def _with_digits(text: str, known: Known, others: frozenset[str]) -> list[str]:
    """Return the clauses whose ids begin so."""
    if not _DIGITS.match(text):
        return []
    digits = text.removeprefix("#")
    ids = {name: (name,) for name in others} | {name: names_of(*known[name]) for name in known}
    return sorted(name for name, own in ids.items() if any(one.startswith(digits) for one in own))


def _at_a_place(text: str, known: Known) -> list[str]:
    """Return the clauses at the place that an address names, whose ids begin as it says; without digits, all of them."""
    place, digits = _place_and_digits(text)
    before, slash, kind = place.rpartition("/")
    place = f"{before}{slash}{current_name(kind)}"
    return [
        name
        for name, (tool, clause) in known.items()
        if f"{tool}.{clause.path}/{clause.kind}" == place
        and any(one.startswith(digits) for one in names_of(tool, clause))
    ]


def _place_and_digits(text: str) -> tuple[str, str]:
    """Return the place that an address names, and the digits of an id behind it."""
    place, sign, digits = text.rpartition("#")
    return (place, digits) if sign and re.fullmatch(r"[0-9a-f]*", digits) else (text, "")


def _listed(found: Iterable[str], known: Known) -> str:
    names = [address(*known[name]) if name in known else name for name in found]
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"{', '.join(names[:MOST_NAMED])}{more}; give more of the one you mean"


def _hint(text: str, known: Known) -> str:
    addresses = {address(tool, clause): name for name, (tool, clause) in known.items()}
    from difflib import get_close_matches  # noqa: PLC0415 - for a slip alone

    close = get_close_matches(text, [*known, *addresses], 1)
    return f"did you mean {close[0]}?" if close else "`show` lists them all"
