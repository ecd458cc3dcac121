"""The figures of a study as tables: rows for a terminal, LaTeX, and a page."""

from collections.abc import Iterable, Sequence

from ..report import Dots, Estimate, dots, page, paragraph, percent, section, table
from ._analysis import Analysis, Contrast
from ._receipts_seen import ACTIONS
from .statistics import Pairs, wilson

__all__ = ["Table", "latex", "points", "report", "tables", "title"]

Table = tuple[str, Sequence[str], Sequence[Sequence[str]]]
"""A heading, columns (numbers have a leading `>`), rows."""
SCRIPTED = "Scripted agents, not models: this shows that the pipeline works, not what a model would do."


def title(found: Analysis) -> str:
    """Say what was run."""
    return f"{found.done:,} of {found.planned:,} episodes"


def tables(found: Analysis) -> list[Table]:
    """Return all tables, the primary contrast first."""
    return [
        _contrasts(found),
        _agents(found),
        _decomposition(found),
        _strata(found),
        _behaviour(found),
        _detection(found),
    ]


def _contrasts(found: Analysis) -> Table:
    columns = ("arm", ">completed", ">points", ">95% interval", ">W/L", ">p", ">MDE")
    base = found.contrasts[0].baseline if found.contrasts else ""
    rows = [(base, _of(*found.completed[base]), "", "", "", "", "")] if base else []
    rows += [
        (
            f"{contrast.treatment}{' *' if contrast.primary else ''}",
            _of(contrast.pairs.treatment, contrast.pairs.count),
            points(contrast.bootstrap.estimate),
            f"[{points(contrast.bootstrap.low)}, {points(contrast.bootstrap.high)}]",
            f"{contrast.pairs.rescue}/{contrast.pairs.harm}",
            p_value(contrast.sign_flip),
            "-" if contrast.detectable is None else f"{contrast.detectable * 100:.0f}",
        )
        for contrast in found.contrasts
    ]
    return "Each arm against the baseline (* primary): cluster bootstrap, sign-flip test", columns, rows


def _agents(found: Analysis) -> Table:
    columns = ("arm", "agent", ">base", ">arm", ">points", ">W/L", ">exact p")
    rows = [
        (contrast.treatment, agent, *_paired(pairs), p_value(pairs.p))
        for contrast in found.contrasts
        for agent, pairs in contrast.by_agent.items()
    ]
    return "Each agent by itself, exact McNemar", columns, rows


def _decomposition(found: Analysis) -> Table:
    columns = ("arm", ">rescue", ">harm", ">both pass", ">both fail", ">conditional rescue")
    rows = [
        (
            contrast.treatment,
            *(str(n) for n in (p.rescue, p.harm, p.both_pass, p.both_fail)),
            percent(p.conditional_rescue),
        )
        for contrast in found.contrasts
        for p in [contrast.pairs]
    ]
    return "Paired outcomes", columns, rows


def _strata(found: Analysis) -> Table:
    columns = ("arm", "stratum", ">base", ">arm", ">points", ">W/L")
    rows = [
        (contrast.treatment, stratum, *_paired(pairs))
        for contrast in found.contrasts
        for stratum, pairs in contrast.by_stratum.items()
    ]
    return "By stratum", columns, rows


def _behaviour(found: Analysis) -> Table:
    columns = ("arm", ">receipts", ">2+ listed", *(f">{action}" for action in ACTIONS))
    rows = [
        (
            arm,
            str(seen.receipts),
            percent(seen.with_choice / seen.receipts),
            *(str(seen.first_actions[action]) for action in ACTIONS),
        )
        for arm, seen in found.seen.items()
        if seen.receipts
    ]
    return "First action after a receipt", columns, rows


def _detection(found: Analysis) -> Table:
    columns = ("arm", ">met", ">PRR", ">flagged", ">other", ">spread", ">RC", ">calls", ">cost")
    rows = [
        (
            arm,
            _of(seen.injected, seen.episodes),
            percent(seen.recovered / seen.injected if seen.injected else None),
            _of(seen.detected, seen.injected),
            str(seen.coincidental),
            _of(seen.contaminated, seen.trackable),
            "-" if seen.recovery_cost is None else f"{seen.recovery_cost:.2f}",
            str(seen.calls),
            f"{seen.cost:.2f}",
        )
        for arm, seen in found.seen.items()
    ]
    return (
        "Episodes that met a fault, that flagged it, other receipts, wrong values that spread",
        columns,
        rows,
    )


def _paired(pairs: Pairs) -> tuple[str, str, str, str]:
    return (
        _of(pairs.baseline, pairs.count),
        _of(pairs.treatment, pairs.count),
        points(pairs.effect or 0.0),
        f"{pairs.rescue}/{pairs.harm}",
    )


def _of(part: int, whole: int) -> str:
    return f"{part}/{whole}"


def points(share: float) -> str:
    """Write a difference of shares in percentage points."""
    return f"{share * 100:+.2f}"


def p_value(p: float) -> str:
    """Write a p without pretending that it is nothing."""
    return "<.00001" if p < 0.00001 else f"{p:.2g}" if p < 0.001 else f"{p:.3f}"


def latex(found: Analysis) -> str:
    """Return the tables as LaTeX, with booktabs."""
    return "\n".join(_latex(heading, columns, rows) for heading, columns, rows in tables(found))


def _latex(heading: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
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
    amended = [paragraph(f"Amended: {entry['reason']}") for entry in found.amendments]
    figures = [
        section("Completed, baseline and arm", _dumbbells(found.contrasts)),
        section("Difference to the baseline, 95% interval", _intervals(found.contrasts)),
    ]
    drawn = [section(heading, table(columns, rows)) for heading, columns, rows in tables(found)]
    return page("A study of outcome monitors", lead, *amended, *(figures if found.contrasts else []), *drawn)


def _dumbbells(contrasts: Sequence[Contrast]) -> str:
    rows = [
        Dots(
            contrast.treatment if len(contrast.by_agent) == 1 else f"{contrast.treatment}, {agent}",
            [_estimate(pairs.baseline, pairs.count), _estimate(pairs.treatment, pairs.count)],
            points(pairs.effect or 0.0),
        )
        for contrast in contrasts
        for agent, pairs in contrast.by_agent.items()
    ]
    return dots("Completed, baseline and arm", ["baseline", "arm"], rows)


def _estimate(part: int, whole: int) -> Estimate:
    return Estimate(part / whole if whole else None, *wilson(part, whole))


def _intervals(contrasts: Sequence[Contrast]) -> str:
    rows = [
        Dots(each.treatment, [Estimate(*each.bootstrap[:3])], points(each.bootstrap.estimate))
        for each in contrasts
    ]
    reach = max(abs(end) for each in contrasts for end in each.bootstrap[:3]) or 0.1
    return dots("Arm minus baseline", ["arm minus baseline"], rows, least=-reach, most=reach, form=points)
