"""The fields of a tool's results, as the last recorded calls have them: how often each is there, its values, and how they went."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from outcome_monitors.model import Json
from outcome_monitors.reports.markup import Markup, element, number
from outcome_monitors.reports.scales import Scale
from outcome_monitors.values.canonical import NOT_JSON, canonical
from outcome_monitors.values.display import clip, clip_text
from outcome_monitors.values.paths import ROOT, below, each_item
from outcome_monitors.values.types import finite

__all__ = ["FieldValues", "fields_in", "went"]

MOST_FIELDS = 80
MOST_DISTINCT = 200
MOST_NUMBERS = 120
"""The last numbers of a field, which are drawn."""
MOST_ITEMS = 20
DEEPEST = 6
SHOWN = 5
WIDTH, HEIGHT = 120, 28


@dataclass(slots=True)
class FieldValues:
    """What stood at one path."""

    results: int = 0
    """In how many results it is."""
    values: Counter[str] = field(default_factory=Counter)
    numbers: list[float] = field(default_factory=list)

    def add(self, value: Json) -> None:
        """Take a value; of many different ones the first are counted."""
        if finite(value):
            self.numbers.append(float(value))
            return
        text = clip_text(str(clip(value)), 40)
        if text in self.values or len(self.values) < MOST_DISTINCT:
            self.values[text] += 1

    def words(self) -> str:
        """Say what its values are."""
        parts = []
        if self.numbers:
            parts.append(
                f"{min(self.numbers):,.6g} to {max(self.numbers):,.6g}, last {self.numbers[-1]:,.6g}"
            )
        shown = [f"{text} ({times:,})" for text, times in self.values.most_common(SHOWN)]
        rest = len(self.values) - len(shown)
        return "; ".join([*parts, *shown, *([f"and {rest:,} more"] if rest > 0 else [])])


def fields_in(results: Sequence[Json]) -> dict[str, FieldValues]:
    """Return the fields of results, oldest first, by path."""
    found: dict[str, FieldValues] = {}
    for result in results:
        value = canonical(result)
        here = set[str]()
        for path, leaf in _leaves(value, ROOT, 0) if value is not NOT_JSON else ():
            if path not in found and len(found) >= MOST_FIELDS:
                continue
            known = found.setdefault(path, FieldValues())
            known.add(leaf)
            here.add(path)
        for path in here:
            found[path].results += 1
    return found


def _leaves(value: Any, path: str, depth: int) -> Iterator[tuple[str, Json]]:
    if isinstance(value, dict) and value and depth < DEEPEST:
        for key, item in value.items():
            yield from _leaves(item, below(path, str(key)), depth + 1)
    elif isinstance(value, list) and value and depth < DEEPEST:
        for item in value[:MOST_ITEMS]:
            yield from _leaves(item, each_item(path), depth + 1)
    else:
        yield path, value


def went(numbers: Sequence[float]) -> Markup:
    """Draw how numbers went, the last on the right."""
    last = numbers[-MOST_NUMBERS:]
    if len(last) < 2:
        return Markup("")
    wide, tall = Scale(0, len(last) - 1, 4, WIDTH - 4), Scale(min(last), max(last), HEIGHT - 3, 3)
    points = " ".join(f"{number(wide(place))},{number(tall(value))}" for place, value in enumerate(last))
    words = f"the last {len(last)} values, from {min(last):,.6g} to {max(last):,.6g}"
    return element(
        "svg",
        element("title", words),
        element("polyline", class_="line s2", points=points),
        class_="spark",
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        role="img",
        aria_label=words,
    )
