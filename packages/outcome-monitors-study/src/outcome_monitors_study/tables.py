"""The figures of a study as tables of text, as LaTeX, and as a page with the paper's two figures."""

from collections.abc import Iterable, Iterator, Sequence

from outcome_monitors.reports import Dots, Estimate, dots, element, page, paragraph, percent, section, table

from ._receipt_outcomes import ACTIONS
from .analysis import PREVALENCES, Analysis, Contrast, net_effects
from .statistics import Bootstrap, Pairs, break_even, wilson

Table = tuple[str, Sequence[str], Sequence[Sequence[str]]]
"""A heading, columns (numbers have a leading `>`), rows."""
SCRIPTED = "Scripted agents, not models: this shows that the pipeline works, no more."


def share(part: int, whole: int) -> str:
    """Write a part of a whole, as the paper does."""
    return f"{part}/{whole}"


def points(share: float) -> str:
    """Write a difference of shares in percentage points."""
    return f"{share * 100:+.2f}"


def interval(found: Bootstrap) -> str:
    """Write an interval in percentage points."""
    return f"[{points(found.low)}, {points(found.high)}]"


def money(cost: float | None) -> str:
    """Write a cost; one that is not known is not nothing."""
    return "unknown" if cost is None else f"{cost:.2f}"


def p_value(p: float) -> str:
    """Write a p without pretending that it is nothing."""
    return "<.00001" if p < 0.00001 else f"{p:.2g}" if p < 0.001 else f"{p:.3f}"


def title(found: Analysis) -> str:
    """Say what was run, and what an endpoint failed in meanwhile."""
    broken, again = sum(found.failures.values()), found.sent_again
    trouble = f"; {broken:,} tries broken off, {again:,} requests sent again" if broken or again else ""
    return f"{found.done:,} of {found.planned:,} episodes{trouble}"


def tables(found: Analysis) -> list[Table]:
    """Return all tables, the primary contrast first; those with nothing in them are left out."""
    made = [
        _contrasts(found),
        _clean(found),
        _agents(found),
        _repeats(found),
        _decomposition(found),
        _strata(found),
        _agents_and_strata(found),
        _rescue(found),
        _prevalence(found),
        _first_actions(found),
        _detection(found),
        _spread(found),
        _faults(found),
        _usage(found),
    ]
    return [table for table in made if table[2]]


def label(contrast: Contrast, found: Analysis) -> str:
    """Name a contrast: by its treatment alone where that is held against the first arm."""
    first = found.contrasts[0].baseline
    return contrast.treatment if contrast.baseline == first else f"{contrast.treatment} - {contrast.baseline}"


def _contrasts(found: Analysis) -> Table:
    columns = ("arm", ">completed", ">points", ">95% interval", ">W/L", ">p", ">MDE")
    base = found.contrasts[0].baseline if found.contrasts else ""
    rows = [(base, _first(found), "", "", "", "", "")] if base else []
    rows += [
        (
            f"{label(contrast, found)}{' *' if contrast.primary else ''}",
            share(contrast.pairs.treatment, contrast.pairs.count),
            points(contrast.bootstrap.estimate),
            interval(contrast.bootstrap),
            f"{contrast.pairs.rescue}/{contrast.pairs.harm}",
            p_value(contrast.sign_flip),
            "-" if contrast.detectable is None else f"{contrast.detectable * 100:.0f}",
        )
        for contrast in found.contrasts
    ]
    where = "" if not found.clean_strata else ", tasks with a fault" if found.faulted else ", clean tasks"
    return (
        f"Each arm against the baseline (* primary){where}: cluster bootstrap, sign-flip test",
        columns,
        rows,
    )


def _first(found: Analysis) -> str:
    """Return how often the baseline was completed, of the tasks that its contrasts are on."""
    pairs = found.contrasts[0].pairs
    return share(pairs.baseline, pairs.count)


def _clean(found: Analysis) -> Table:
    columns = ("arm", ">base", ">arm", ">points", ">W/L", ">95% interval", ">exact p")
    rows = [
        (
            label(contrast, found),
            *paired(contrast.clean_pairs),
            interval(contrast.clean),
            p_value(contrast.clean_pairs.p),
        )
        for contrast in found.contrasts
        if contrast.clean and found.faulted
    ]
    return "Clean tasks: what an arm does where nothing is wrong", columns, rows


def _agents(found: Analysis) -> Table:
    columns = ("arm", "agent", ">base", ">arm", ">points", ">W/L", ">exact p")
    rows = [
        (label(contrast, found), agent, *paired(pairs), p_value(pairs.p))
        for contrast in found.contrasts
        for agent, pairs in contrast.by_agent.items()
    ]
    return "Each agent by itself, exact McNemar", columns, rows


def _repeats(found: Analysis) -> Table:
    rows = [
        (arm, agent, *map(percent, passed))
        for arm, agents in found.repeated.items()
        for agent, passed in agents.items()
    ]
    most = max((len(row) - 2 for row in rows), default=0)
    columns = ("arm", "agent", *(f">pass^{k}" for k in range(1, most + 1)))
    return "Completed in every one of so many runs", columns, rows


def _decomposition(found: Analysis) -> Table:
    columns = ("arm", ">rescue", ">harm", ">both pass", ">both fail", ">conditional rescue")
    rows = [
        (
            label(contrast, found),
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
        (label(contrast, found), stratum, *paired(pairs))
        for contrast in found.contrasts
        for stratum, pairs in contrast.by_stratum.items()
    ]
    return "By stratum", columns, rows


def _agents_and_strata(found: Analysis) -> Table:
    columns = ("arm", "agent", "stratum", ">base", ">arm", ">points", ">W/L", ">exact p")
    rows = [
        (label(contrast, found), agent, stratum, *paired(pairs), p_value(pairs.p))
        for contrast in found.contrasts
        if len(contrast.by_agent) > 1
        for (agent, stratum), pairs in contrast.by_agent_and_stratum.items()
    ]
    return "Each agent in each stratum", columns, rows


def _rescue(found: Analysis) -> Table:
    columns = ("stratum", ">baseline rate", ">rescued", ">conditional rescue", ">net points")
    groups = found.contrasts[0].by_stratum if found.contrasts else {}
    rows = [
        (
            stratum,
            percent(pairs.baseline / pairs.count),
            share(pairs.rescue, pairs.rescue + pairs.both_fail),
            percent(pairs.conditional_rescue),
            points(pairs.effect or 0.0),
        )
        for stratum, pairs in sorted(groups.items(), key=lambda item: item[1].baseline / item[1].count)
        if stratum not in found.clean_strata or not found.faulted
    ]
    return "Conditional rescue by baseline rate, primary contrast", columns, rows


def _prevalence(found: Analysis) -> Table:
    columns = ("arm", *(f">{percent(each)}" for each in PREVALENCES), ">break-even")
    rows = [
        (
            label(contrast, found),
            *(f"{points(net.effect)}" for net in net_effects(contrast)),
            percent(break_even(*contrast.unfavourable)),
        )
        for contrast in found.contrasts
    ]
    assumed = "" if any(contrast.clean for contrast in found.contrasts) else " (clean untouched)"
    return f"Net points by share of tasks with a fault{assumed}, worst break-even", columns, rows


def _first_actions(found: Analysis) -> Table:
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
    columns = ("arm", ">met", ">PRR", ">RC", ">flagged", ">other", ">elsewhere")
    rows = [
        (
            arm,
            share(seen.injected, seen.episodes),
            percent(seen.recovered / seen.injected if seen.injected else None),
            "-" if seen.recovery_cost is None else f"{seen.recovery_cost:.2f}",
            share(seen.detected, seen.injected),
            str(seen.coincidental),
            str(seen.coincidental_episodes),
        )
        for arm, seen in found.seen.items()
    ]
    return "Episodes that met a fault, what became of them, and where receipts were", columns, rows


def _spread(found: Analysis) -> Table:
    columns = ("arm", ">trackable", ">spread", ">of which completed")
    rows = [
        (arm, str(seen.trackable), str(seen.contaminated), str(seen.contaminated_but_completed))
        for arm, seen in found.seen.items()
        if seen.trackable
    ]
    return (
        f"Episodes in which a wrong value of {found.distinctive} signs or more shows up later",
        columns,
        rows,
    )


def _faults(found: Analysis) -> Table:
    detecting = {arm: seen.by_fault for arm, seen in found.seen.items() if seen.detected and seen.by_fault}
    kinds = sorted({fault for by_fault in detecting.values() for fault in by_fault})
    rows = [
        (fault, *(share(*by_fault.get(fault, (0, 0))) for by_fault in detecting.values())) for fault in kinds
    ]
    return "Injected results flagged, by fault", ("fault", *(f">{arm}" for arm in detecting)), rows


def _usage(found: Analysis) -> Table:
    columns = ("arm", ">calls", ">tokens in", ">tokens out", ">cost", ">tries broken off")
    rows = [
        (
            arm,
            f"{seen.calls:,}",
            f"{seen.input_tokens:,}",
            f"{seen.output_tokens:,}",
            money(seen.cost),
            str(found.failures[arm]),
        )
        for arm, seen in found.seen.items()
    ]
    return "Calls, tokens, cost, and tries that an endpoint broke off", columns, rows


def paired(pairs: Pairs) -> tuple[str, str, str, str]:
    """Write what baseline and treatment completed, the difference, and wins against losses."""
    return (
        share(pairs.baseline, pairs.count),
        share(pairs.treatment, pairs.count),
        points(pairs.effect or 0.0),
        f"{pairs.rescue}/{pairs.harm}",
    )


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
