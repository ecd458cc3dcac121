"""Tables as data: rows of values under columns of known forms, from which text, LaTeX, pages and JSON are written alike."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from outcome_monitors.model import Json
from outcome_monitors.reports import element, percent, section, table

SCRIPTED = "Scripted agents, not models: this shows that the pipeline works, no more."


def points(share: float) -> str:
    """Write a difference of shares in percentage points."""
    return f"{share * 100:+.2f}"


def interval(ends: Sequence[float]) -> str:
    """Write an interval in percentage points."""
    return f"[{points(ends[0])}, {points(ends[1])}]"


def money(cost: float | None) -> str:
    """Write a cost; one that is not known is not nothing."""
    return "unknown" if cost is None else f"{cost:.2f}"


def p_value(p: float) -> str:
    """Write a p without pretending that it is nothing."""
    return "<.00001" if p < 0.00001 else f"{p:.2g}" if p < 0.001 else f"{p:.3f}"


FORMS: Mapping[str, Callable[[Any], str]] = {
    "text": str,
    "number": str,
    "count": lambda number: f"{number:,}",
    "of": lambda pair: f"{pair[0]}/{pair[1]}",
    "change": lambda three: f"{three[0]}/{three[2]} → {three[1]}/{three[2]}",
    "points": points,
    "interval": interval,
    "percent": percent,
    "beside": lambda pair: percent(pair[0]) + ("" if pair[1] is None else f" ({percent(pair[1])})"),
    "p": p_value,
    "cost": money,
}
"""How a value is written, by the form of its column; all but texts stand to the right."""
KNOWN = frozenset({"cost", "percent"})
"""The forms that have a sign for what is not known; of others it stays blank."""


class Table(NamedTuple):
    """A table."""

    name: str
    """What JSON calls it."""
    heading: str
    columns: Mapping[str, str]
    """The form of each column."""
    rows: Sequence[Sequence[Json]]

    @property
    def headings(self) -> list[str]:
        """The columns, with a leading `>` where they stand to the right."""
        return [name if form == "text" else f">{name}" for name, form in self.columns.items()]

    @property
    def texts(self) -> list[list[str]]:
        """The rows as they are written."""
        return [list(map(_written, self.columns.values(), row)) for row in self.rows]

    @property
    def records(self) -> list[dict[str, Json]]:
        """The rows as objects."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    @property
    def section(self) -> str:
        """The table as a part of a page."""
        return section(self.heading, table(self.headings, self.texts))


def _written(form: str, value: Json) -> str:
    return "" if value is None and form not in KNOWN else FORMS[form](value)


def as_json(tables: Sequence[Table]) -> dict[str, Json]:
    """Return tables as objects by their names."""
    return {each.name: each.records for each in tables}


def latex_table(made: Table) -> str:
    """Return a table as LaTeX, with booktabs."""
    layout = "".join("l" if form == "text" else "r" for form in made.columns.values())
    body = "\n".join(" & ".join(map(_escaped, row)) + r" \\" for row in made.texts)
    head = " & ".join(map(_escaped, made.columns))
    return (
        f"% {made.heading}\n\\begin{{tabular}}{{{layout}}}\n\\toprule\n{head} \\\\\n\\midrule\n{body}\n\\bottomrule\n"
        "\\end{tabular}\n"
    )


def _escaped(text: str) -> str:
    for sign in "&%$#_{}":
        text = text.replace(sign, f"\\{sign}")
    return text.replace("<", "$<$").replace("→", r"$\to$")


def scrolling(drawing: str) -> str:
    """Return a drawing that scrolls by itself where the screen is narrow: made to fit, its words could not be read."""
    return element("div", drawing, class_="scroll")
