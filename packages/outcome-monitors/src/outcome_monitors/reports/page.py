"""The page: a frame that holds its own style and needs nothing else, and what stands in it."""

from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files

from .markup import Markup, element

_NOTHING_FROM_ELSEWHERE = "default-src 'none'; style-src 'unsafe-inline'"


@cache
def style() -> str:
    """Return the style of every page: light and dark, and fit to be printed. No character in it needs escaping."""
    return files(__package__).joinpath("style.css").read_text(encoding="utf-8")


def page(title: str, lead: str, *content: str) -> str:
    """Return a whole HTML file; `lead` says in a sentence or two what it shows."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_NOTHING_FROM_ELSEWHERE),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        element("style", Markup(style())),
    )
    header = element("header", element("h1", title), element("p", lead, class_="lead"))
    body = element("body", element("main", header, *content))
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"


def section(heading: str, *content: str) -> Markup:
    """Return a part of the page under its heading."""
    return element("section", element("h2", heading), *content)


def paragraph(*content: str) -> Markup:
    """Return a paragraph."""
    return element("p", *content)


def table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "", *, stacked: bool = False
) -> Markup:
    """Return a table; a column named with a leading `>` is of numbers.

    On a small screen one that is `stacked` has a block for each row, with the first cell as its heading, and any other
    scrolls by itself; the page does not.
    """
    kinds = ["number" if column.startswith(">") else None for column in columns]
    names = [column.removeprefix(">") for column in columns]

    def cell(place: int, text: str) -> Markup:
        if not stacked:
            return element("td", text, class_=kinds[place])
        # As blocks, cells would lose the name of their column, and their role.
        if not place:
            return element("th", text, scope="row", role="rowheader")
        return element("td", text, class_=kinds[place], role="cell", data_name=names[place])

    group, row_role = ("rowgroup", "row") if stacked else (None, None)
    head = (element("th", name, class_=kind, scope="col") for name, kind in zip(names, kinds, strict=True))
    body = (element("tr", *map(cell, range(len(names)), row), role=row_role) for row in rows)
    drawn = element(
        "table",
        *([element("caption", caption)] if caption else []),
        element("thead", element("tr", *head), role=group),
        element("tbody", *body, role=group),
        class_="stacked" if stacked else None,
        role="table" if stacked else None,
    )
    return element("div", drawn, class_="scroll")
