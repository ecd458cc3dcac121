"""Naming a clause: the id that it keeps, and its address, which says where it is (`get_order.total/positive#2be3ab`).

Whoever names one may give the id, the address, or as much of either as no other clause begins with.
"""

import re
from collections.abc import Iterable, Mapping

from outcome_monitors.exceptions import ContractError
from outcome_monitors.model import Clause, ClauseName
from outcome_monitors.values.display import clip_text

from .identity import address, identify

__all__ = ["Known", "known_clauses", "looks_like_a_clause", "name_clause", "resolve"]

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
    return sorted(name for name in {*known, *others} if name.startswith(digits))


def _at_a_place(text: str, known: Known) -> list[str]:
    """Return the clauses at the place that an address names, whose ids begin as it says; without digits, all of them."""
    place, sign, digits = text.rpartition("#")
    if not sign or not re.fullmatch(r"[0-9a-f]*", digits):
        place, digits = text, ""
    return [
        name
        for name, (tool, clause) in known.items()
        if name.startswith(digits) and f"{tool}.{clause.path}/{clause.kind}" == place
    ]


def _listed(found: Iterable[str], known: Known) -> str:
    names = [address(*known[name]) if name in known else name for name in found]
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"{', '.join(names[:MOST_NAMED])}{more}; give more of the one you mean"


def _hint(text: str, known: Known) -> str:
    addresses = {address(tool, clause): name for name, (tool, clause) in known.items()}
    from difflib import get_close_matches  # noqa: PLC0415 - for a slip alone

    close = get_close_matches(text, [*known, *addresses], 1)
    return f"did you mean {close[0]}?" if close else "`show` lists them all"
