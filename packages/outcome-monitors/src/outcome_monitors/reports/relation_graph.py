"""Relations as a picture: the tools in a column, and an arc from each to those that can stand in for it."""

from outcome_monitors.jsonvalue.display import clip_text
from outcome_monitors.recovery.relations import Relations

from .charts import LEFT, LONGEST_NAME, ROW, WIDTH, drawing
from .markup import Markup, element, number

__all__ = ["arcs"]


def arcs(
    relations: Relations,
    width: int = WIDTH,
    left: int = LEFT,
    longest: int = LONGEST_NAME,
    kind: str = "chart",
) -> Markup:
    """Draw the tools that have relations, those that belong together side by side; names end at `left`."""
    joined: dict[tuple[str, str], float] = {}
    for tool, entries in relations.items():
        for found in entries:
            pair = (min(tool, found.tool), max(tool, found.tool))
            joined[pair] = max(found.confidence, joined.get(pair, 0.0))
    names = _ordered([*joined])
    middle = {name: ROW * (place + 0.5) for place, name in enumerate(names)}
    drawn = [
        _arc(middle[one], middle[other], f"{one} and {other}", sure, left, width)
        for (one, other), sure in sorted(joined.items())
    ]
    for name, y in middle.items():
        shown = element("text", clip_text(name, longest), x=left - 10, y=y + 4, text_anchor="end")
        dot = element("circle", class_="dot s2", cx=left, cy=y, r=3)
        drawn.append(element("g", element("title", name), shown, dot))
    title = f"{len(names)} tools and {len(joined)} relations between them"
    return drawing(title, width, max(ROW, ROW * len(names)), *drawn, kind=kind)


def _arc(one: float, other: float, title: str, sure: float, left: int, width: int) -> Markup:
    top, bottom = sorted((one, other))
    tall = (bottom - top) / 2
    reach = min(width - left - 10, tall + 8)
    path = f"M {left} {number(top)} A {number(reach)} {number(tall)} 0 0 1 {left} {number(bottom)}"
    line = element("path", class_="line s2", d=path, stroke_opacity=number(0.15 + 0.85 * sure))
    return element("g", element("title", f"{title} ({sure:.2f})"), line)


def _ordered(pairs: list[tuple[str, str]]) -> list[str]:
    """Return the tools so that those that can be reached from each other stand together."""
    near: dict[str, set[str]] = {}
    for one, other in pairs:
        near.setdefault(one, set()).add(other)
        near.setdefault(other, set()).add(one)
    seen: dict[str, None] = {}
    for start in sorted(near):
        waiting = [start]
        while waiting:
            name = waiting.pop(0)
            if name not in seen:
                seen[name] = None
                waiting += sorted(near[name])
    return list(seen)
