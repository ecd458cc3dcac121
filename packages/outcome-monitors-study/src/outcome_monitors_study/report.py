"""The figures of a study for print: LaTeX, and a page with the paper's two figures."""

from collections.abc import Iterable, Sequence

from outcome_monitors.reports import Dots, Estimate, dots, element, page, paragraph, section, table

from .analysis import Analysis
from .statistics import wilson
from .tables import SCRIPTED, label, points, tables, title

__all__ = ["latex", "latex_table", "on_a_phone", "report"]


def latex(found: Analysis) -> str:
    """Return the tables as LaTeX, with booktabs."""
    return "\n".join(latex_table(*each) for each in tables(found))


def latex_table(heading: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as LaTeX, with booktabs."""
    layout = "".join("r" if column.startswith(">") else "l" for column in columns)
    body = "\n".join(" & ".join(map(_escaped, row)) + r" \\" for row in rows)
    head = " & ".join(_escaped(column.removeprefix(">")) for column in columns)
    return (
        f"% {heading}\n\\begin{{tabular}}{{{layout}}}\n\\toprule\n{head} \\\\\n\\midrule\n{body}\n\\bottomrule\n"
        "\\end{tabular}\n"
    )


def _escaped(text: str) -> str:
    for sign in "&%$#_{}":
        text = text.replace(sign, f"\\{sign}")
    return text.replace("<", "$<$")


def report(found: Analysis) -> str:
    """Return a page with the two figures, paired dumbbells and contrast intervals, and all tables."""
    lead = f"{title(found)}. {SCRIPTED if found.scripted else ''}"
    about = table(("", ""), [(name, _breakable(text)) for name, text in found.about.items()])
    amended = [paragraph(f"Amended: {entry['reason']}") for entry in found.amendments]
    figures = [
        section("Completed, baseline and arm", on_a_phone(_dumbbells(found))),
        section("Difference to the baseline, 95% interval", on_a_phone(_intervals(found))),
    ]
    drawn = [section(heading, table(columns, rows)) for heading, columns, rows in tables(found)]
    return page(
        f"Study {found.about['study']}", lead, about, *amended, *(figures if found.contrasts else []), *drawn
    )


def on_a_phone(drawing: str) -> str:
    """Return a drawing that scrolls by itself where the screen is narrow: made to fit, its words could not be read."""
    return element("div", drawing, class_="scroll")


def _breakable(text: str) -> str:
    """Let a text without spaces, such as a digest, go over several lines: else it would push all others off the screen."""
    return text if " " in text or len(text) < 30 else element("code", text)


def _dumbbells(found: Analysis) -> str:
    pairs = [
        (label(contrast, found), agent, pairs, len(contrast.by_agent))
        for contrast in found.contrasts
        for agent, pairs in contrast.by_agent.items()
    ]
    rows = [
        Dots(
            name if agents == 1 else f"{name}, {agent}",
            [_estimate(each.baseline, each.count), _estimate(each.treatment, each.count)],
            points(each.effect or 0.0),
        )
        for name, agent, each, agents in sorted(pairs, key=lambda row: row[2].baseline / row[2].count)
    ]
    return dots("Completed, baseline and arm", ["baseline", "arm"], rows)


def _estimate(part: int, whole: int) -> Estimate:
    return Estimate(part / whole if whole else None, *wilson(part, whole))


def _intervals(found: Analysis) -> str:
    contrasts = found.contrasts
    rows = [
        Dots(label(each, found), [Estimate(*each.bootstrap[:3])], points(each.bootstrap.estimate))
        for each in contrasts
    ]
    reach = max(abs(end) for each in contrasts for end in each.bootstrap[:3]) or 0.1
    return dots("Arm minus baseline", ["arm minus baseline"], rows, least=-reach, most=reach, form=points)
