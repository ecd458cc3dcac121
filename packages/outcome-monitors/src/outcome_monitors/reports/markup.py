"""Markup that cannot be broken by what is put into it: `element` escapes all text, so that the words of a trace never become tags.

What it makes is HTML and well-formed XML at once.
"""

from html import escape

_VOID = frozenset(("br", "hr", "input", "link", "meta"))


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()

    def __html__(self) -> str:
        """Return it for template engines, which ask so whether a text is markup."""
        return self


def element(tag: str, *content: str, **attributes: str | float | None) -> Markup:
    """Return an element; an attribute's trailing underscore goes, others become hyphens, and None leaves it out.

    >>> element("p", "1 < 2, ", element("b", "always"), class_="note")
    '<p class="note">1 &lt; 2, <b>always</b></p>'
    """
    said = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    if tag in _VOID:
        return Markup(f"<{tag}{said} />")
    inner = "".join(
        text if hasattr(text, "__html__") else escape(printable(text), quote=False) for text in content
    )
    return Markup(f"<{tag}{said}>{inner}</{tag}>")


def number(value: float) -> str:
    """Write a length or a position: two decimals at most, and no more digits than it takes.

    >>> number(12.0), number(0.12345), number(-0.001)
    ('12', '0.12', '0')
    """
    # Adding zero takes the sign of a negative one away.
    return f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")


def printable(text: str) -> str:
    """Replace what XML forbids and what could turn the order of the letters round."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text)


def _value(value: str | float) -> str:
    return escape(printable(value)) if isinstance(value, str) else number(value)
