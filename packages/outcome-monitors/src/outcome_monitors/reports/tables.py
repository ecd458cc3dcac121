"""Tables as HTML."""

from collections.abc import Iterable, Iterator, Sequence

from .markup import Markup, element

__all__ = ["table"]


def table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "", *, stacked: bool = False
) -> Markup:
    """Return a table; a column named with a leading `>` is of numbers.

    On a small screen one that is `stacked` has a block for each row, with the first cell as its heading, and any other
    scrolls by itself; the page does not.
    """
    kinds = ["number" if column.startswith(">") else None for column in columns]
    names = [column.removeprefix(">") for column in columns]
    body = _stacked(names, kinds, rows) if stacked else (_row("td", row, kinds) for row in rows)
    drawn = element(
        "table",
        *([element("caption", caption)] if caption else []),
        element("thead", _row("th", names, kinds, "col"), role="rowgroup" if stacked else None),
        element("tbody", *body, role="rowgroup" if stacked else None),
        class_="stacked" if stacked else None,
        role="table" if stacked else None,
    )
    return element("div", drawn, class_="scroll")


def _row(tag: str, texts: Sequence[str], kinds: Sequence[str | None], scope: str | None = None) -> Markup:
    return element(
        "tr",
        *(element(tag, text, class_=kind, scope=scope) for text, kind in zip(texts, kinds, strict=True)),
    )


def _stacked(
    names: Sequence[str], kinds: Sequence[str | None], rows: Iterable[Sequence[str]]
) -> Iterator[Markup]:
    """Yield rows whose cells know the name of their column, and their role: as blocks they would lose both."""
    for first, *rest in rows:
        yield element(
            "tr",
            element("th", first, scope="row", role="rowheader"),
            *(
                element("td", text, class_=kind, role="cell", data_name=name)
                for text, kind, name in zip(rest, kinds[1:], names[1:], strict=True)
            ),
            role="row",
        )
