"""Recovery relations: the graph, and why each tool can stand in."""

from collections.abc import Iterator
from dataclasses import replace

from outcome_monitors.recovery.relations import Relations
from outcome_monitors.reports import Markup, folded, paragraph, table
from outcome_monitors.reports.columns import NARROW
from outcome_monitors.reports.relation_graph import arcs

from .tally import TeamTally
from .words import left_out, name, note

__all__ = ["related"]

MOST_DRAWN = 24
MOST_EACH = 3
MOST_ROWS = 80


def related(relations: Relations, tally: TeamTally) -> Iterator[Markup]:
    """Draw which tools can stand in for which, the tools that are called most first, and say why."""
    ranked = sorted(
        relations, key=lambda tool: (-tally.tools[tool].total() if tool in tally.tools else 0, tool)
    )
    if not ranked:
        yield paragraph("There are none.")
        return
    drawn = Relations(
        {
            name(tool): [replace(found, tool=name(found.tool)) for found in relations[tool][:MOST_EACH]]
            for tool in ranked[:MOST_DRAWN]
        }
    )
    yield paragraph(
        "An arc joins two tools of which one can stand in for the other; the surer, the darker it is."
    )
    yield arcs(drawn, width=NARROW, left=196, longest=29, kind="chart narrow")
    yield from note(left_out(min(MOST_DRAWN, len(ranked)), len(ranked), "tool"))
    rows = [(tool, found) for tool in ranked for found in relations[tool]]
    yield folded(
        "The relations",
        table(
            ("tool", "stands in", ">confidence", "source", "why"),
            [
                (
                    name(tool),
                    name(found.tool),
                    f"{found.confidence:.2f}",
                    name(found.source),
                    name(found.why, 200),
                )
                for tool, found in rows[:MOST_ROWS]
            ],
            stacked=True,
        ),
        *note(left_out(min(MOST_ROWS, len(rows)), len(rows), "relation")),
    )
