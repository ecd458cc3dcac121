"""Markup that cannot be broken by what is put into it.

`element` escapes all text and takes only `Markup` as it is, so that the words of a trace can never become tags. What it
makes is HTML and well-formed XML at once.
"""

from html import escape
from itertools import chain

__all__ = ["Markup", "element", "number"]

_VOID = frozenset(("br", "hr", "input", "link", "meta"))
"""Elements that HTML knows no end tag of."""
_KEPT = frozenset("\n\t")


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


def element(tag: str, *content: str, **attributes: str | float | None) -> Markup:
    """Return an element; an attribute's trailing underscore goes, others become hyphens, and None leaves it out.

    >>> element("p", "1 < 2, ", element("b", "always"), class_="note")
    '<p class="note">1 &lt; 2, <b>always</b></p>'
    """
    opening = f"<{tag}{''.join(_attributes(attributes))}"
    if tag in _VOID:
        return Markup(f"{opening} />")
    return Markup(f"{opening}>{''.join(map(_text, content))}</{tag}>")


def number(value: float) -> str:
    """Write a length or a position: two decimals at most, and no more digits than it takes.

    >>> number(12.0), number(0.12345), number(-0.001)
    ('12', '0.12', '0')
    """
    # Adding zero takes the sign of a negative one away.
    return f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")


def _attributes(given: dict[str, str | float | None]) -> chain[str]:
    return chain.from_iterable(
        (" ", name.rstrip("_").replace("_", "-"), '="', _value(value), '"')
        for name, value in given.items()
        if value is not None
    )


def _value(value: str | float) -> str:
    return escape(_printable(value)) if isinstance(value, str) else number(value)


def _text(content: str) -> str:
    return content if isinstance(content, Markup) else escape(_printable(content), quote=False)


def _printable(text: str) -> str:
    """Replace what XML forbids and what could turn the order of the letters round."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in _KEPT else "\N{REPLACEMENT CHARACTER}" for c in text)
