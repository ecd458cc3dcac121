"""Tables as HTML."""

from collections.abc import Iterable, Sequence

from .markup import Markup, element

__all__ = ["table"]


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "") -> Markup:
    """Return a table; a column named with a leading `>` is of numbers."""
    kinds = ["number" if column.startswith(">") else None for column in columns]

    def cells(tag: str, texts: Sequence[str], scope: str | None = None) -> Markup:
        return element(
            "tr",
            *(element(tag, text, class_=kind, scope=scope) for text, kind in zip(texts, kinds, strict=True)),
        )

    head = cells("th", [column.removeprefix(">") for column in columns], "col")
    drawn = element(
        "table",
        *([element("caption", caption)] if caption else []),
        element("thead", head),
        element("tbody", *(cells("td", row) for row in rows)),
    )
    # A table that is wider than a small screen scrolls by itself; the page does not.
    return element("div", drawn, class_="scroll")
