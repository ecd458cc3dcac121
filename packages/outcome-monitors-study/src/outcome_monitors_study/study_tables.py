"""The tables of a study, and its page with the paper's two figures."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from outcome_monitors.model import Json
from outcome_monitors.reports import Dots, Estimate, dots, element, page, paragraph, percent, section, table

from ._receipt_outcomes import ACTIONS
from .analysis import Analysis, Contrast, Effect
from .statistics import Bootstrap, break_even, prevalence_effect
from .tables import SCRIPTED, Table, interval, points, scrolling

PREVALENCES = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0)
PAIRED = {"completed": "change", "points": "points", "W/L": "of"}


def title(found: Analysis) -> str:
    """Say what was run, and what an endpoint failed in meanwhile."""
    broken, again = sum(found.failures.values()), found.sent_again
    trouble = f"; {broken:,} tries broken off, {again:,} requests sent again" if broken or again else ""
    status = "" if found.about["status"] == "frozen" else f"{found.about['status']}: "
    return f"{status}{found.done:,} of {found.planned:,} episodes{trouble}"


def label(contrast: Contrast, found: Analysis) -> str:
    """Name a contrast: by its treatment alone where that is held against the first arm."""
    first = found.contrasts[0].baseline
    return contrast.treatment if contrast.baseline == first else f"{contrast.treatment} - {contrast.baseline}"


def paired(effect: Effect) -> tuple[tuple[int, int, int], float, tuple[int, int]]:
    """Return what baseline and treatment completed, the difference, and wins against losses."""
    pairs = effect.pairs
    return (
        (pairs.baseline, pairs.treatment, pairs.count),
        effect.bootstrap.estimate,
        (pairs.rescue, pairs.harm),
    )


def tables(found: Analysis) -> list[Table]:
    """Return all tables, the primary contrast first; those with nothing in them are left out."""
    of_contrasts = (_contrasts, _clean, _agents, _decomposition, _strata, _agents_and_strata, _receipted)
    of_arms = (_clean_receipts, _repeats, _first_actions, _detection, _missed, _faults, _spread, _held_back)
    made = (*of_contrasts, _rescue, _prevalence, *of_arms, _envelopes, _usage)
    return [table for table in (each(found) for each in made) if table.rows]


def _contrasts(found: Analysis) -> Table:
    columns = {
        "arm": "text",
        "completed": "of",
        "points": "points",
        "95% interval": "interval",
        "W/L": "of",
        "p": "p",
        "MDE": "number",
    }
    rows: list[tuple[Json, ...]] = []
    if found.contrasts:
        first = found.contrasts[0]
        rows.append((first.baseline, (first.pairs.baseline, first.pairs.count), *[None] * 5))
    for each in found.contrasts:
        (_, *completed), estimate, differing = paired(each.whole)
        least = "-" if each.detectable is None else round(each.detectable * 100)
        name = f"{label(each, found)}{' *' if each.primary else ''}"
        rows.append(
            (name, completed, estimate, each.whole.bootstrap[1:3], differing, each.whole.sign_flip, least)
        )
    where = "" if not found.clean_strata else ", tasks with a fault" if found.faulted else ", clean tasks"
    heading = f"Each arm against the baseline (* primary){where}: cluster bootstrap, sign-flip test"
    return Table("contrasts", heading, columns, rows)


def _clean(found: Analysis) -> Table:
    rows = [
        (label(each, found), *paired(each.clean), each.clean.bootstrap[1:3], each.clean.sign_flip)
        for each in found.contrasts
        if each.clean and found.faulted
    ]
    columns = {"arm": "text", **PAIRED, "95% interval": "interval", "p": "p"}
    return Table("clean", "Clean tasks: what an arm does where nothing is wrong", columns, rows)


def _clean_receipts(found: Analysis) -> Table:
    rows = [
        (arm, (seen["clean and completed"], seen["clean"]), seen["clean receipts"], seen["clean and flagged"])
        for arm, seen in found.seen.items()
        if seen["clean"]
    ]
    columns = {"arm": "text", "completed": "of", "receipts": "count", "episodes with one": "count"}
    return Table("clean_receipts", "Clean episodes, and receipts in them", columns, rows)


def _agents(found: Analysis) -> Table:
    rows = [
        (label(each, found), agent, *paired(effect), effect.pairs.p)
        for each in found.contrasts
        for agent, effect in each.by_agent.items()
    ]
    columns = {"arm": "text", "agent": "text", **PAIRED, "exact p": "p"}
    return Table("agents", "Each agent by itself, exact McNemar", columns, rows)


def _decomposition(found: Analysis) -> Table:
    rows = [
        (label(each, found), agent, p.rescue, p.harm, p.both_pass, p.both_fail, p.conditional_rescue)
        for each in found.contrasts
        for agent, effect in ({"all": each.whole} if len(each.by_agent) == 1 else each.by_agent).items()
        for p in [effect.pairs]
    ]
    counts = dict.fromkeys(("rescue", "harm", "both pass", "both fail"), "count")
    columns = {"arm": "text", "agent": "text", **counts, "conditional rescue": "percent"}
    return Table("decomposition", "Paired outcomes", columns, rows)


def _strata(found: Analysis) -> Table:
    rows = [
        (label(each, found), stratum, *paired(effect), effect.bootstrap[1:3], effect.sign_flip)
        for each in found.contrasts
        for stratum, effect in each.by_stratum.items()
    ]
    columns = {"arm": "text", "stratum": "text", **PAIRED, "95% interval": "interval", "p": "p"}
    return Table("strata", "By stratum: cluster bootstrap, sign-flip test", columns, rows)


def _agents_and_strata(found: Analysis) -> Table:
    rows = [
        (label(each, found), agent, stratum, *paired(effect), effect.pairs.p)
        for each in found.contrasts
        if len(each.by_agent) > 1
        for (agent, stratum), effect in each.by_agent_and_stratum.items()
    ]
    columns = {"arm": "text", "agent": "text", "stratum": "text", **PAIRED, "exact p": "p"}
    return Table("agents_and_strata", "Each agent in each stratum", columns, rows)


def _receipted(found: Analysis) -> Table:
    rows = [
        (
            label(each, found),
            (each.receipted.wins, each.pairs.rescue),
            (each.receipted.losses, each.pairs.harm),
            each.receipted.listed,
            each.receipted.p_without,
        )
        for each in found.contrasts
        if each.receipted.wins + each.receipted.losses
    ]
    counts = {"wins with a receipt": "of", "losses with one": "of", "wins by a listed tool": "count"}
    columns = {"arm": "text", **counts, "exact p without those": "p"}
    return Table("receipted", "Receipts in wins and losses", columns, rows)


def _repeats(found: Analysis) -> Table:
    rows = [
        (arm, agent, *passed) for arm, agents in found.repeated.items() for agent, passed in agents.items()
    ]
    most = max((len(row) - 2 for row in rows), default=0)
    columns = {"arm": "text", "agent": "text", **{f"pass^{k}": "percent" for k in range(1, most + 1)}}
    return Table("pass_every", "Completed in every one of so many runs", columns, rows)


def _rescue(found: Analysis) -> Table:
    groups = found.contrasts[0].by_stratum if found.contrasts else {}
    rows = sorted(
        (
            (
                stratum,
                effect.pairs.baseline / effect.pairs.count,
                (effect.pairs.rescue, effect.pairs.rescue + effect.pairs.both_fail),
                effect.pairs.conditional_rescue,
                effect.bootstrap.estimate,
            )
            for stratum, effect in groups.items()
            if stratum not in found.clean_strata or not found.faulted
        ),
        key=lambda row: row[1],
    )
    shares = {"baseline rate": "percent", "rescued": "of", "conditional rescue": "percent"}
    columns = {"stratum": "text", **shares, "net points": "points"}
    return Table("rescue", "Conditional rescue by baseline rate, primary contrast", columns, rows)


def prevalence(rows: Mapping[str, tuple[Effect | None, Effect | None]], of: str = "study") -> Table:
    """Return what treatments come to by the share of tasks with a fault, from the effects with one and without.

    The break-even is that of the low ends of both intervals. Without clean tasks those count as untouched.
    """
    shown = []
    for name, (faulted, clean) in rows.items():
        ends = [
            (each.bootstrap.estimate, each.bootstrap.low) if each else (0.0, 0.0) for each in (faulted, clean)
        ]
        (with_fault, low_with), (without, low_without) = ends
        nets = (prevalence_effect(with_fault, without, each) for each in PREVALENCES)
        shown.append((name, *nets, break_even(low_with, low_without)))
    assumed = "" if any(clean for _, clean in rows.values()) else " (clean untouched)"
    columns = {of: "text", **{percent(each): "points" for each in PREVALENCES}, "break-even": "percent"}
    heading = f"Net points by share of tasks with a fault{assumed}, worst break-even"
    return Table("prevalence", heading, columns, shown)


def _prevalence(found: Analysis) -> Table:
    return prevalence({label(each, found): (each.faulted, each.clean) for each in found.contrasts}, "arm")


def _first_actions(found: Analysis) -> Table:
    rows = [
        (
            arm,
            seen["receipts"],
            seen["with choice"] / seen["receipts"],
            *(seen.first_actions[action] for action in ACTIONS),
        )
        for arm, seen in found.seen.items()
        if seen["receipts"]
    ]
    columns = {"arm": "text", "receipts": "count", "2+ listed": "percent", **dict.fromkeys(ACTIONS, "count")}
    return Table("first_actions", "First action after a receipt", columns, rows)


def _detection(found: Analysis) -> Table:
    rows = [
        (
            arm,
            (seen["injected"], seen["episodes"]),
            seen["recovered"] / seen["injected"] if seen["injected"] else None,
            None if seen.recovery_cost is None else f"{seen.recovery_cost:.2f}",
            (seen["detected"], seen["injected"]),
            seen["coincidental"],
            seen["elsewhere"],
        )
        for arm, seen in found.seen.items()
    ]
    shares = {"met": "of", "PRR": "percent", "RC": "number", "flagged": "of"}
    columns = {"arm": "text", **shares, "other": "count", "elsewhere": "count"}
    heading = "Episodes that met a fault, what became of them, and where receipts were"
    return Table("detection", heading, columns, rows)


def _missed(found: Analysis) -> Table:
    rows = [(arm, why, number) for arm, seen in found.seen.items() for why, number in seen.missed.items()]
    columns = {"arm": "text", "why": "text", "episodes": "count"}
    return Table("not_injected", "Episodes in which no fault was injected", columns, rows)


def _faults(found: Analysis) -> Table:
    rows = [
        (
            fault or "not named",
            arm,
            (counts["flagged"], counts["injected"]),
            counts["covered"] / counts["injected"],
            counts["flagged"] / counts["covered"] if counts["covered"] else None,
        )
        for arm, seen in found.seen.items()
        if seen["detected"]
        for fault, counts in seen.by_fault.items()
    ]
    shares = {"flagged": "of", "coverage": "percent", "recall given coverage": "percent"}
    columns = {"fault": "text", "arm": "text", **shares}
    return Table("faults", "Injected results flagged, by fault", columns, sorted(rows))


def _spread(found: Analysis) -> Table:
    rows = [
        (arm, seen["trackable"], seen["spread"], seen["spread and completed"])
        for arm, seen in found.seen.items()
        if seen["trackable"]
    ]
    heading = f"Episodes in which a wrong value of {found.distinctive} signs or more shows up later"
    columns = {"arm": "text", "trackable": "count", "spread": "count", "of which completed": "count"}
    return Table("spread", heading, columns, rows)


def _held_back(found: Analysis) -> Table:
    rows = [
        (arm, seen["suppressed"], seen["receipts"], seen["suppressed"] - seen["receipts"])
        for arm, seen in found.seen.items()
        if seen["suppressed"]
    ]
    columns = {"arm": "text", **dict.fromkeys(("held back", "delivered later", "undelivered"), "count")}
    return Table("held_back", "Warnings that were held back", columns, rows)


def _envelopes(found: Analysis) -> Table:
    rows = [
        (arm, version or "its own", each["receipts"], each["listing"], each["intact"])
        for arm, seen in found.seen.items()
        for version, each in seen.by_version.items()
    ]
    counts = {"receipts": "count", "with a list": "count", "result intact": "count"}
    columns = {"arm": "text", "receipt schema version": "text", **counts}
    return Table("envelopes", "Envelopes, as the ledger has them", columns, rows)


def _usage(found: Analysis) -> Table:
    rows = [
        (
            arm,
            seen["calls"],
            seen["rejected"],
            seen["input tokens"],
            seen["output tokens"],
            seen.cost,
            found.failures[arm],
        )
        for arm, seen in found.seen.items()
    ]
    counts = dict.fromkeys(("calls", "sent back", "tokens in", "tokens out"), "count")
    columns = {"arm": "text", **counts, "cost": "cost", "tries broken off": "count"}
    heading = "Calls, those that a reviewer sent back, tokens, cost, and tries that an endpoint broke off"
    return Table("usage", heading, columns, rows)


def report(found: Analysis) -> str:
    """Return a page with the two figures, paired dumbbells and contrast intervals, and all tables."""
    lead = f"{title(found)}. {SCRIPTED if found.scripted else ''}"
    about = table(("", ""), [(name, _breakable(text)) for name, text in found.about.items()])
    amended = [paragraph(f"Amended: {entry['reason']}") for entry in found.amendments]
    figures = []
    if found.contrasts:
        differences = [(label(each, found), each.whole.bootstrap, "") for each in found.contrasts]
        figures = [
            section("Completed, baseline and arm", dumbbells(_by_agent(found))),
            section("Difference to the baseline, 95% interval", intervals("Arm minus baseline", differences)),
        ]
    drawn = [each.section for each in tables(found)]
    return page(f"Study {found.about['study']}", lead, about, *amended, *figures, *drawn)


def _by_agent(found: Analysis) -> Iterator[tuple[str, Effect]]:
    for contrast in found.contrasts:
        name = label(contrast, found)
        for agent, effect in contrast.by_agent.items():
            yield (name if len(contrast.by_agent) == 1 else f"{name}, {agent}"), effect


def _breakable(text: str) -> str:
    """Let a text without spaces, such as a digest, go over several lines: else it would push all others off the screen."""
    return text if " " in text or len(text) < 30 else element("code", text)


def dumbbells(rows: Iterable[tuple[str, Effect]]) -> str:
    """Draw what baseline and treatment completed, a row each, with the interval of the difference."""
    drawn = [
        Dots(
            name,
            [Estimate(part / pairs.count) for part in (pairs.baseline, pairs.treatment)],
            points(effect.bootstrap.estimate),
            interval(effect.bootstrap[1:3]),
        )
        for name, effect in sorted(rows, key=lambda row: row[1].pairs.baseline / row[1].pairs.count)
        for pairs in [effect.pairs]
    ]
    return scrolling(dots("Completed, baseline and arm", ["baseline", "arm"], drawn))


def intervals(name: str, rows: Sequence[tuple[str, Bootstrap, str]]) -> str:
    """Draw differences with their intervals, a row each, under the headings that they have."""
    drawn = [
        Dots(row, [Estimate(*found[:3])], points(found.estimate), *([group] if group else []))
        for row, found, group in rows
    ]
    reach = max(abs(end) for _, found, _ in rows for end in found[:3]) or 0.1
    return scrolling(dots(name, [name.lower()], drawn, least=-reach, most=reach, form=points))
