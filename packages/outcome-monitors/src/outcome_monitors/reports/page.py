"""The page: a frame that holds its own style and needs nothing else."""

from collections.abc import Iterable

from .markup import Markup, element
from .style import STYLE

__all__ = ["code", "contents", "folded", "page", "paragraph", "section", "tiles"]

_NOTHING_FROM_ELSEWHERE = "default-src 'none'; style-src 'unsafe-inline'"


def page(title: str, lead: str, *content: str) -> str:
    """Return a whole HTML file; `lead` says in a sentence or two what it shows."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_NOTHING_FROM_ELSEWHERE),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        element("style", Markup(STYLE)),
    )
    header = element("header", element("h1", title), element("p", lead, class_="lead"))
    body = element("body", element("main", header, *content))
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"


def section(heading: str, *content: str, anchor: str | None = None) -> Markup:
    """Return a part of the page under its heading; `contents` leads to its anchor."""
    return element("section", element("h2", heading), *content, id=anchor)


def contents(anchors: Iterable[tuple[str, str]]) -> Markup:
    """Return links to sections: of each its anchor and its heading."""
    links = (element("li", element("a", heading, href=f"#{anchor}")) for anchor, heading in anchors)
    return element("nav", element("ul", *links), aria_label="Contents")


def folded(summary: str, *content: str, unfolded: bool = False, on_paper: bool = True) -> Markup:
    """Return content that opens when its summary is pressed; on paper it is open, or else as the reader left it."""
    return element(
        "details",
        element("summary", summary),
        *content,
        class_=None if on_paper else "screen",
        open="open" if unfolded else None,
    )


def paragraph(*content: str) -> Markup:
    """Return a paragraph."""
    return element("p", *content)


def code(text: str, caption: str = "") -> Markup:
    """Return text as it is: a result, a command."""
    words = [element("figcaption", caption)] if caption else []
    return element("figure", *words, element("pre", element("code", text)), class_="code")


def tiles(pairs: Iterable[tuple[str, str]]) -> Markup:
    """Return the figures that matter most, large, each with what it is."""
    return element(
        "dl",
        *(element("div", element("dt", label), element("dd", figure)) for figure, label in pairs),
        class_="tiles",
    )
