"""Figures of studies for print: LaTeX, and pages with the paper's two figures."""

from collections.abc import Iterable, Iterator, Sequence

from outcome_monitors.reports import Dots, Estimate, dots, element, page, paragraph, section, table

from .analysis import Analysis
from .statistics import Bootstrap, Pairs, wilson
from .tables import SCRIPTED, label, points, tables, title


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
    figures = []
    if found.contrasts:
        differences = [(label(each, found), each.bootstrap, "") for each in found.contrasts]
        figures = [
            section("Completed, baseline and arm", dumbbells(_by_agent(found))),
            section("Difference to the baseline, 95% interval", intervals("Arm minus baseline", differences)),
        ]
    drawn = [section(heading, table(columns, rows)) for heading, columns, rows in tables(found)]
    return page(f"Study {found.about['study']}", lead, about, *amended, *figures, *drawn)


def _by_agent(found: Analysis) -> Iterator[tuple[str, Pairs]]:
    for contrast in found.contrasts:
        name = label(contrast, found)
        for agent, pairs in contrast.by_agent.items():
            yield (name if len(contrast.by_agent) == 1 else f"{name}, {agent}"), pairs


def _scrolling(drawing: str) -> str:
    """Return a drawing that scrolls by itself where the screen is narrow: made to fit, its words could not be read."""
    return element("div", drawing, class_="scroll")


def _breakable(text: str) -> str:
    """Let a text without spaces, such as a digest, go over several lines: else it would push all others off the screen."""
    return text if " " in text or len(text) < 30 else element("code", text)


def dumbbells(rows: Iterable[tuple[str, Pairs]]) -> str:
    """Draw what baseline and treatment completed, a row each, by the share that the baseline completes."""
    drawn = [
        Dots(
            name,
            [_estimate(pairs.baseline, pairs.count), _estimate(pairs.treatment, pairs.count)],
            points(pairs.effect or 0.0),
        )
        for name, pairs in sorted(rows, key=lambda row: row[1].baseline / row[1].count)
    ]
    return _scrolling(dots("Completed, baseline and arm", ["baseline", "arm"], drawn))


def _estimate(part: int, whole: int) -> Estimate:
    return Estimate(part / whole if whole else None, *wilson(part, whole))


def intervals(name: str, rows: Iterable[tuple[str, Bootstrap, str]]) -> str:
    """Draw differences with their intervals, a row each, under the headings that they have."""
    shown = list(rows)
    drawn = [
        Dots(row, [Estimate(*found[:3])], points(found.estimate), *([group] if group else []))
        for row, found, group in shown
    ]
    reach = max(abs(end) for _, found, _ in shown for end in found[:3]) or 0.1
    return _scrolling(dots(name, [name.lower()], drawn, least=-reach, most=reach, form=points))
