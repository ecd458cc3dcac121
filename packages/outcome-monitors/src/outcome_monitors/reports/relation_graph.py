"""Relations as a picture: the tools in a column, and an arc from each to those that can stand in for it."""

from collections.abc import Iterator

from outcome_monitors.recovery.relations import Relations
from outcome_monitors.values.display import clip_text

from . import Markup, element, page, paragraph, section, table
from .charts import LEFT, LONGEST_NAME, ROW, WIDTH
from .markup import number

__all__ = ["draw"]


def draw(relations: Relations, name: str) -> str:
    """Return a page with the picture and the table of all relations."""
    rows = [
        (tool, found.tool, f"{found.confidence:.2f}", found.source, found.why)
        for tool, entries in relations.items()
        for found in entries
    ]
    return page(
        "Recovery relations",
        f"{name}: which tools can stand in for which. An arc joins two tools; the surer the relation, the darker it is.",
        section("The picture", arcs(relations)),
        section("The relations", table(("tool", "stands in", ">confidence", "source", "why"), rows))
        if rows
        else section("The relations", paragraph("There are none.")),
    )


def arcs(
    relations: Relations,
    *,
    width: int = WIDTH,
    left: int = LEFT,
    longest: int = LONGEST_NAME,
    kind: str = "chart",
) -> Markup:
    """Draw the tools that have relations, those that belong together side by side; names end at `left`."""
    names = _ordered(relations)
    middle = {name: ROW * (place + 0.5) for place, name in enumerate(names)}
    joined: dict[tuple[str, str], float] = {}
    for tool, entries in relations.items():
        for found in entries:
            pair = (min(tool, found.tool), max(tool, found.tool))
            joined[pair] = max(found.confidence, joined.get(pair, 0.0))
    title = f"{len(names)} tools and {len(joined)} relations between them"
    return element(
        "svg",
        element("title", title),
        *(
            _arc(middle[one], middle[other], f"{one} and {other}", sure, left, width)
            for (one, other), sure in sorted(joined.items())
        ),
        *(_label(name, y, left, longest) for name, y in middle.items()),
        class_=kind,
        viewBox=f"0 0 {width} {number(max(ROW, ROW * len(names)))}",
        role="img",
        aria_label=title,
    )


def _label(name: str, y: float, left: int, longest: int) -> Markup:
    shown = element("text", clip_text(name, longest), x=left - 10, y=y + 4, text_anchor="end")
    return element("g", element("title", name), shown, element("circle", class_="dot s2", cx=left, cy=y, r=3))


def _arc(one: float, other: float, title: str, sure: float, left: int, width: int) -> Markup:
    top, bottom = sorted((one, other))
    reach = min(width - left - 10, (bottom - top) / 2 + 8)
    path = (
        f"M {left} {number(top)} A {number(reach)} {number((bottom - top) / 2)} 0 0 1 {left} {number(bottom)}"
    )
    return element(
        "g",
        element("title", f"{title} ({sure:.2f})"),
        element("path", class_="line s2", d=path, stroke_opacity=number(0.15 + 0.85 * sure)),
    )


def _ordered(relations: Relations) -> list[str]:
    """Return the tools so that those that can be reached from each other stand together."""
    near: dict[str, set[str]] = {}
    for tool, entries in relations.items():
        for found in entries:
            near.setdefault(tool, set()).add(found.tool)
            near.setdefault(found.tool, set()).add(tool)
    seen: dict[str, None] = {}
    for start in sorted(near):
        seen.update(dict.fromkeys(name for name in _reached(start, near) if name not in seen))
    return list(seen)


def _reached(start: str, near: dict[str, set[str]]) -> Iterator[str]:
    waiting, seen = [start], {start}
    while waiting:
        name = waiting.pop(0)
        yield name
        fresh = sorted(near[name] - seen)
        seen.update(fresh)
        waiting += fresh
