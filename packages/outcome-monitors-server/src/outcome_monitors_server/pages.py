"""HTML pages by templates: every text is escaped on its way in, and only what is markup already is taken as it is."""

from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined

from outcome_monitors.jsonvalue.display import clip_text
from outcome_monitors.reports import Markup, count, meter, percent, table
from outcome_monitors.reports.markup import printable


def name(text: str, longest: int = 80) -> str:
    """Write what a trace calls something: bounded, and never empty."""
    return clip_text(text, longest) or "(no name)"


def left_out(shown: int, whole: int, noun: str) -> str:
    """Say that a list is not all of what there is; empty where it is."""
    if shown >= whole:
        return ""
    return f"The {shown:,} first of {count(whole, noun)}; {whole - shown:,} are left out."


def render(template: str, **values: Any) -> Markup:
    """Return a page, or a part of one."""
    return Markup(templates.get_template(template).render(values))


def _finalized(value: Any) -> Any:
    # Also what HTML could show may turn the order of letters round, or end a file that is read as XML.
    return printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


templates = Environment(
    loader=PackageLoader("outcome_monitors_server"),
    autoescape=True,
    finalize=_finalized,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
templates.globals |= {"count": count, "left_out": left_out, "meter": meter, "table": table}
templates.filters |= {
    "clip": clip_text,
    "commas": lambda number: f"{number:,}",
    "name": name,
    "percent": percent,
    "query": lambda values: urlencode(values, errors="replace"),
}
