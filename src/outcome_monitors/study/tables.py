"""The figures of a study as tables of text."""

from collections.abc import Sequence

from outcome_monitors.reports import percent

from ._receipts_seen import ACTIONS
from .analysis import PREVALENCES, Analysis, Contrast, net_effects
from .statistics import Pairs, break_even

__all__ = ["SCRIPTED", "Table", "label", "money", "points", "tables", "title"]

Table = tuple[str, Sequence[str], Sequence[Sequence[str]]]
"""A heading, columns (numbers have a leading `>`), rows."""
SCRIPTED = "Scripted agents, not models: this shows that the pipeline works, not what a model would do."


def title(found: Analysis) -> str:
    """Say what was run, and what an endpoint failed in meanwhile."""
    broken, again = sum(found.failures.values()), found.sent_again
    trouble = f"; {broken:,} tries broken off, {again:,} requests sent again" if broken or again else ""
    return f"{found.done:,} of {found.planned:,} episodes{trouble}"


def tables(found: Analysis) -> list[Table]:
    """Return all tables, the primary contrast first; those with nothing in them are left out."""
    made = [
        _contrasts(found),
        _agents(found),
        _decomposition(found),
        _strata(found),
        _rescue(found),
        _prevalence(found),
        _behaviour(found),
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
    rows = [(base, _of(*found.completed[base]), "", "", "", "", "")] if base else []
    rows += [
        (
            f"{label(contrast, found)}{' *' if contrast.primary else ''}",
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
        (label(contrast, found), agent, *_paired(pairs), p_value(pairs.p))
        for contrast in found.contrasts
        for agent, pairs in contrast.by_agent.items()
    ]
    return "Each agent by itself, exact McNemar", columns, rows


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
        (label(contrast, found), stratum, *_paired(pairs))
        for contrast in found.contrasts
        for stratum, pairs in contrast.by_stratum.items()
    ]
    return "By stratum", columns, rows


def _rescue(found: Analysis) -> Table:
    columns = ("stratum", ">baseline rate", ">rescued", ">conditional rescue", ">net points")
    groups = found.contrasts[0].by_stratum if found.contrasts else {}
    rows = [
        (
            stratum,
            percent(pairs.baseline / pairs.count),
            _of(pairs.rescue, pairs.rescue + pairs.both_fail),
            percent(pairs.conditional_rescue),
            points(pairs.effect or 0.0),
        )
        for stratum, pairs in sorted(groups.items(), key=lambda item: item[1].baseline / item[1].count)
    ]
    return "Conditional rescue by baseline rate, primary contrast", columns, rows


def _prevalence(found: Analysis) -> Table:
    columns = ("arm", *(f">{percent(share)}" for share in PREVALENCES), ">break-even")
    rows = [
        (
            label(contrast, found),
            *(f"{points(net.effect)}" for net in net_effects(contrast)),
            percent(break_even(*contrast.unfavourable)),
        )
        for contrast in found.contrasts
    ]
    assumed = "" if any(contrast.clean for contrast in found.contrasts) else " (clean taken as untouched)"
    return f"Net points by share of tasks with a fault{assumed}, worst break-even", columns, rows


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
    columns = ("arm", ">met", ">PRR", ">RC", ">flagged", ">other", ">elsewhere")
    rows = [
        (
            arm,
            _of(seen.injected, seen.episodes),
            percent(seen.recovered / seen.injected if seen.injected else None),
            "-" if seen.recovery_cost is None else f"{seen.recovery_cost:.2f}",
            _of(seen.detected, seen.injected),
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
    return "Episodes in which a distinctive wrong value shows up later", columns, rows


def _faults(found: Analysis) -> Table:
    detecting = {arm: seen.by_fault for arm, seen in found.seen.items() if seen.detected and seen.by_fault}
    kinds = sorted({fault for by_fault in detecting.values() for fault in by_fault})
    rows = [
        (fault, *(_of(*by_fault.get(fault, (0, 0))) for by_fault in detecting.values())) for fault in kinds
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


def money(cost: float | None) -> str:
    """Write a cost; one that is not known is not nothing."""
    return "unknown" if cost is None else f"{cost:.2f}"


def p_value(p: float) -> str:
    """Write a p without pretending that it is nothing."""
    return "<.00001" if p < 0.00001 else f"{p:.2g}" if p < 0.001 else f"{p:.3f}"
