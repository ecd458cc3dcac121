"""Which argument carries which, by the values that calls about the same thing were made with."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from outcome_monitors.model import Json

from .steps import CallStep

__all__ = ["mapping_of"]

MOSTLY = 0.8
"""Share of the pairs in which two arguments must be the same."""
JOINTS = ("/", ", ", ",", " ", "-", ":", "_")
"""What stands between the parts of a value."""

Pair = tuple[Mapping[str, Json], Mapping[str, Json]]


def mapping_of(pairs: Iterable[tuple[CallStep, CallStep]], tool: str, other: str) -> dict[str, str]:
    """Return how the arguments of one tool become those of the other, as pairs of steps about the same things show it."""
    asked = [(_own(one, tool), _own(step, other)) for one, step in pairs]
    counted: Counter[tuple[str, str]] = Counter()
    seen: Counter[tuple[str, str]] = Counter()
    values: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for mine, theirs in asked:
        for name in mine:
            seen.update((name, target) for target in theirs)
        for found, value in _written(mine, theirs):
            counted[found] += 1
            values[found].add(repr(value))
    return _chosen(counted, seen, values)


def _own(step: CallStep, tool: str) -> dict[str, Json]:
    """Return the arguments of one call of a step, under their own names."""
    if step.tools[0] == tool:
        return {name: value for name, value in step.asked.items() if "." not in name}
    return {
        name.removeprefix(f"{tool}."): value
        for name, value in step.asked.items()
        if name.startswith(f"{tool}.")
    }


def _written(mine: Mapping[str, Json], theirs: Mapping[str, Json]) -> Iterator[tuple[tuple[str, str], Json]]:
    """Yield each way in which an argument of one call could be made from those of the other."""
    for name, value in mine.items():
        for target, wanted in theirs.items():
            if _same(value, wanted):
                yield (name, target), wanted
            elif _same([value], wanted):
                yield (name, f"{target}[]"), value
            elif _same(value, [wanted]):
                yield (f"{name}[]", target), wanted
    for whole, value in mine.items():
        yield from (((whole, template), value) for template in _templates(value, theirs))
    for target, wanted in theirs.items():
        yield from (((template, target), wanted) for template in _templates(wanted, mine))


def _templates(whole: Json, parts: Mapping[str, Json]) -> Iterator[str]:
    """Yield how a text is put together of two others: `{city}, {country}`."""
    if not isinstance(whole, str):
        return
    texts = {name: part for name, part in parts.items() if isinstance(part, str) and part and part != whole}
    for first, start in texts.items():
        if whole.startswith(start):
            for second, end in texts.items():
                joint = whole[len(start) : len(whole) - len(end)]
                if second != first and whole == f"{start}{joint}{end}" and joint in JOINTS:
                    yield f"{{{first}}}{joint}{{{second}}}"


def _same(one: Json, other: Json) -> bool:
    return type(one) is type(other) and one == other and one not in ("", [], None)


def _chosen(
    counted: Counter[tuple[str, str]],
    seen: Counter[tuple[str, str]],
    values: Mapping[tuple[str, str], set[str]],
) -> dict[str, str]:
    """Return the surest pairs, each argument once."""
    mapping: dict[str, str] = {}
    used: set[str] = set()
    given: set[str] = set()

    def rank(found: tuple[str, str]) -> tuple[int, bool, tuple[str, str]]:
        return (-counted[found], len(values[found]) < 2, found)

    for found in sorted(counted, key=rank):
        source, target = found
        sources, targets = _names(source), _names(target)
        tried = max(seen[name, goal] for name in sources for goal in targets)
        # Where only one value was ever seen, it must have been the same every time.
        sure = counted[found] >= (MOSTLY * tried if len(values[found]) > 1 else tried)
        if sure and not sources & used and not targets & given:
            mapping[source] = target
            used |= sources
            given |= targets
    return mapping


def _names(side: str) -> set[str]:
    if side.startswith("{"):
        return {part.partition("}")[0] for part in side.split("{")[1:]}
    return {side.removesuffix("[]")}
