"""What changed between two contract files: tools, shapes, clauses, and what clauses admit."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

from outcome_monitors.contracts.identity import identify
from outcome_monitors.contracts.registry import Registry, owned
from outcome_monitors.contracts.shapes import fields_of, most_like, shape_name
from outcome_monitors.features.feature import is_hashed
from outcome_monitors.jsonvalue.display import clip, clip_text
from outcome_monitors.jsonvalue.times import when
from outcome_monitors.jsonvalue.types import is_number
from outcome_monitors.model import Clause, Json
from outcome_monitors.rules import explain

MOST_NAMED = 5


class Change(NamedTuple):
    """One thing that is not as it was; where both clauses are there, it is what the clause says that changed."""

    what: str
    """`tool added`, `tool dropped`, the same of a shape, `added`, `dropped`, `changed`, or `evidence`, where the demand is the same."""
    tool: str
    """The tool, or the name of the shape (`contracts.shapes`)."""
    id: str
    before: Clause | None
    after: Clause | None

    @property
    def words(self) -> str:
        """The change, in words."""
        if self.before is not None and self.after is not None:
            same = self.what == "evidence"
            return (
                explain(self.after)
                if same
                else f"{explain(self.after)}: {_difference(self.before, self.after)}"
            )
        clause = self.after or self.before
        return explain(clause) if clause is not None else ""

    @property
    def growth(self) -> str:
        """Whether a change is no more than time brings: `cases`, where a table has more entries, `bounds`, where limits have moved.

        A closed list with one more value, or a type that is wider, is neither: something is allowed now that was not.
        """
        if self.what != "changed" or self.before is None or self.after is None:
            return ""
        old, new = self.before.params, self.after.params
        changed = [(old.get(name), new.get(name)) for name in {*old, *new} if old.get(name) != new.get(name)]
        if all(
            isinstance(was, dict) and isinstance(now, dict) and was.items() <= now.items()
            for was, now in changed
        ):
            return "cases"
        return "bounds" if all(_limit(was) and _limit(now) for was, now in changed) else ""


def diff(before: Registry, after: Registry) -> list[Change]:
    """Return all that changed, by tool and by shape, in the order of clauses; nothing where the two demand the same of the same evidence."""
    old, new = _renamed(before, after), owned(after)
    found: list[Change] = []
    for owner in sorted({*old, *new}, key=lambda owner: (fields_of(owner) is not None, owner)):
        sort = "tool" if fields_of(owner) is None else "shape"
        if owner not in old:
            found.append(Change(f"{sort} added", owner, "", None, None))
        elif owner not in new:
            found.append(Change(f"{sort} dropped", owner, "", None, None))
        found.extend(_clauses(owner, old.get(owner, ()), new.get(owner, ())))
    return found


def _renamed(before: Registry, after: Registry) -> Mapping[str, tuple[Clause, ...]]:
    """Return the clauses of each tool and shape of a file, shapes by the names that they have in a later one."""
    found: dict[str, tuple[Clause, ...]] = {}
    for owner, clauses in owned(before).items():
        fields = fields_of(owner)
        now = most_like(fields, after.shapes) if fields is not None else None
        name = owner if now is None else shape_name(now)
        found[name] = (*found.get(name, ()), *clauses)
    return found


def _clauses(tool: str, before: Sequence[Clause], after: Sequence[Clause]) -> Iterator[Change]:
    old, new = _by_name(tool, before), _by_name(tool, after)
    for key in dict.fromkeys([*new, *old]):
        # Clauses that both files have in the same words are no news; the others are paired as they stand.
        for first, second in _pairs(old.get(key, []), new.get(key, [])):
            if first is None or second is None:
                yield Change("added" if first is None else "dropped", tool, key[0], first, second)
            elif first.params != second.params:
                yield Change("changed", tool, key[0], first, second)
            elif first != second:
                yield Change("evidence", tool, key[0], first, second)


def _by_name(tool: str, clauses: Sequence[Clause]) -> dict[tuple[str, str], list[Clause]]:
    found: dict[tuple[str, str], list[Clause]] = {}
    for clause in clauses:
        found.setdefault((identify(tool, clause), clause.source), []).append(clause)
    return found


def _pairs(old: Sequence[Clause], new: Sequence[Clause]) -> Iterator[tuple[Clause | None, Clause | None]]:
    rest = list(new)
    alone = []
    for clause in old:
        same = next((other for other in rest if other.params == clause.params), None)
        if same is None:
            alone.append(clause)
        else:
            rest.remove(same)
            yield clause, same
    yield from zip_longest(alone, rest)


def _limit(value: Json) -> bool:
    return is_number(value) or when(value) is not None


def evidence(clause: Clause | None) -> str:
    """Say what speaks for a clause."""
    if clause is None:
        return ""
    if not clause.samples:
        return clause.source
    return f"{clause.samples:,} samples, {clause.tasks:,} task{'' if clause.tasks == 1 else 's'}"


def _difference(before: Clause, after: Clause) -> str:
    """Say what became of each parameter that changed."""
    said = [
        _parameter(name, before.params.get(name), after.params.get(name))
        for name in sorted({*before.params, *after.params})
        if before.params.get(name) != after.params.get(name)
    ]
    return "; ".join(said)


def _parameter(name: str, before: Json, after: Json) -> str:
    if isinstance(before, list) and isinstance(after, list):
        said = [
            _listed("now also", [item for item in after if item not in before]),
            _listed("no longer", [item for item in before if item not in after]),
        ]
        return f"{name} {', '.join(filter(None, said)) or 'in another order'}"
    if isinstance(before, dict) and isinstance(after, dict):
        return f"{name} {_mapping(before, after)}"
    return f"{name} was {_shown(before)}, is {_shown(after)}"


def _mapping(before: Mapping[str, Json], after: Mapping[str, Json]) -> str:
    other = [
        f"{key} {_shown(before[key])} is now {_shown(after[key])}"
        for key in before
        if key in after and before[key] != after[key]
    ]
    said = [
        _listed("now also", [key for key in after if key not in before]),
        _listed("no longer", [key for key in before if key not in after]),
        ", ".join(other[:MOST_NAMED])
        + (f" and {len(other) - MOST_NAMED} more" if len(other) > MOST_NAMED else ""),
    ]
    return ", ".join(filter(None, said))


def _listed(prefix: str, items: Sequence[Json]) -> str:
    if not items:
        return ""
    # What was kept as a hash says nothing to anyone.
    named = [_shown(item) for item in items if not is_hashed(item)][:MOST_NAMED]
    rest = len(items) - len(named)
    if not named:
        return f"{prefix} {rest:,} {'other' if rest == 1 else 'others'}"
    return f"{prefix} {', '.join(named)}{f' and {rest} more' if rest else ''}"


def _shown(value: Json) -> str:
    return clip_text(value) if isinstance(value, str) else str(clip(value))
