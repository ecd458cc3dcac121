"""An audit, or a backtest, as one HTML file with plots."""

from collections.abc import Iterator, Sequence

from outcome_monitors.reports import (
    Dots,
    Estimate,
    Mark,
    Markup,
    Series,
    Share,
    bars,
    dots,
    element,
    lines,
    page,
    paragraph,
    percent,
    section,
    table,
    tiles,
)

from .backtest_figures import FAULTS_IN, Backtest, FaultFigures, ReliabilityBin, backtest_advice
from .cases import Settings
from .counts import FIRST
from .figures import LEAST, Audit, KindFigures, advice

__all__ = ["as_html", "backtest_as_html"]


def as_html(audit: Audit, settings: Settings, traces: Sequence[str], failed_openly: int = 0) -> str:
    """Return the page."""
    return page(
        "Audit of outcome contracts",
        f"What contracts learned from these traces flag on tasks that they were not learned from:"
        f" {', '.join(traces)}.",
        tiles(_tiles(audit, settings)),
        paragraph(element("strong", advice(audit, settings))),
        section("Recall by kind of fault", *_recall(audit, settings)),
        *([section("Recall against false alarms", *_curve(audit))] if audit.curve else []),
        section("Alarms by kind of clause", *_codes(audit)),
        section("Tools", _tools(audit)),
        section("How it was done", *_method(audit, settings, failed_openly)),
    )


def _tiles(audit: Audit, settings: Settings) -> Iterator[tuple[str, str]]:
    yield (
        _rate(audit.clean),
        f"of {audit.clean.whole:,} clean results flagged; budget {settings.budget:.2%}",
    )
    yield percent(audit.covered.value), "of clean calls are of a tool with a contract"
    for suite in settings.suites:
        kinds = sum(kind.in_mean for kind in audit.of(suite))
        yield percent(audit.recall(suite)), f"mean recall over {kinds} kinds of {suite}"


def _recall(audit: Audit, settings: Settings) -> Iterator[Markup]:
    yield paragraph(
        "The share of corrupted results that were flagged, with its 95% interval (Wilson). Net recall leaves out those"
        " whose clean result was flagged already. Results of tools without a contract count as missed."
    )
    for suite in settings.suites:
        kinds = [kind for kind in audit.of(suite) if not kind.variant]
        variants = [kind for kind in audit.of(suite) if kind.variant]
        yield element(
            "h3", f"{suite}: mean {percent(audit.recall(suite))}, net {percent(audit.net_recall(suite))}"
        )
        yield bars(f"Recall by kind: {suite}", [_mark(kind) for kind in kinds])
        if variants:
            yield element("h3", f"{suite}, variants: not in the mean")
            yield bars(f"Recall by kind: variants of {suite}", [_mark(kind) for kind in variants])
    yield element(
        "p", f"Kinds that suit fewer than {LEAST} calls are shown, but are not in the mean.", class_="note"
    )


def _mark(kind: KindFigures) -> Mark:
    low, high = kind.caught.interval or (None, None)
    remark = (
        f"{percent(kind.caught.value)} of {kind.caught.whole:,}" if kind.caught.whole else "suits no call"
    )
    return Mark(
        kind.fault.name,
        Estimate(kind.caught.value, low, high),
        remark,
        f"{kind.fault.summary} Net recall: {percent(kind.net.value)}.",
    )


def _curve(audit: Audit) -> Iterator[Markup]:
    yield paragraph(
        f"Contracts were mined again under other budgets and tried on the first {FIRST} results of each kind of fault. A"
        " larger budget lets more clauses in: they catch more, and flag more clean results."
    )
    suites = list(audit.curve[0].recall)
    # From left to right; a larger budget does not always flag more.
    points = sorted(audit.curve, key=lambda point: (point.clean.part, point.budget))
    yield lines(
        "Mean recall against clean results flagged, as the budget moves",
        [
            Series(suite, [(_hundredths(point.clean), Estimate(point.recall[suite])) for point in points])
            for suite in suites
        ],
        across="clean results flagged, %",
    )
    yield table(
        (">budget", ">clean flagged", *(f">recall, {suite}" for suite in suites)),
        [
            (
                f"{point.budget:.1%}",
                _rate(point.clean),
                *(percent(point.recall[suite]) for suite in suites),
            )
            for point in audit.curve
        ],
    )


def _codes(audit: Audit) -> Iterator[Markup]:
    yield paragraph(
        "How many clean and how many corrupted results bear each violation code; alone: those that bear no other."
    )
    yield table(
        ("code", ">clean", ">alone", ">corrupted", ">alone"),
        [
            (code, *(f"{number:,}" for number in (a.clean, a.clean_alone, a.faulted, a.faulted_alone)))
            for code, a in audit.codes.items()
        ],
    )


def _tools(audit: Audit) -> Markup:
    worst_first = sorted(audit.tools.items(), key=lambda item: (-item[1].flagged, -item[1].calls, item[0]))
    return table(
        ("tool", ">clean calls", ">covered", ">flagged", ">faults caught", "codes on clean results"),
        [
            (
                name,
                f"{tool.calls:,}",
                f"{tool.covered:,}",
                f"{tool.flagged:,}",
                percent(tool.caught.value),
                ", ".join(f"{code} ({number:,})" for code, number in tool.codes.items()),
            )
            for name, tool in worst_first
        ],
    )


def _method(audit: Audit, settings: Settings, failed_openly: int) -> Iterator[Markup]:
    yield paragraph(
        f"The {audit.tasks.whole:,} tasks were dealt into {settings.folds} folds. The results of each fold were judged by"
        f" contracts of profile {settings.profile}, learned from all other folds, so that no task was on both sides."
        f" {failed_openly:,} calls that failed openly were left out."
    )
    if settings.label_noise:
        yield paragraph(f"Of the calls learned from, {settings.label_noise:.2%} were given a fault.")
    low, high = audit.clean.interval or (0.0, 1.0)
    yield paragraph(
        f"Clean results flagged: {audit.clean}, {_rate(audit.clean)}, 95% interval {low:.2%} to {high:.2%}; in"
        f" {audit.tasks} tasks. The interval takes calls for independent; those of one task are not, so it is narrower"
        " than it should be."
    )
    yield table(
        (">fold", ">tasks", ">clean calls", ">clauses learned without it"),
        [
            (str(number), f"{fold.tasks:,}", f"{fold.calls:,}", f"{fold.clauses:,}")
            for number, fold in enumerate(audit.folds)
        ],
    )


def _hundredths(share: Share) -> float:
    return round(100 * (share.value or 0.0), 2)


def _rate(share: Share) -> str:
    # Two decimals: what is flagged in vain is compared with a budget of about a hundredth.
    return "-" if share.value is None else f"{share.value:.2%}"


def backtest_as_html(found: Backtest, settings: Settings, traces: Sequence[str], then: Sequence[str]) -> str:
    """Return the page."""
    return page(
        "Audit of outcome contracts on later traces",
        f"What contracts learned from {', '.join(traces)} do on {', '.join(then)}, in order, as if live.",
        tiles(_backtest_tiles(found, settings)),
        paragraph(element("strong", backtest_advice(found, settings.budget))),
        section("What changed", *_changes(found)),
        section("Right results", *_right(found)),
        section("Wrong results", *_wrong(found)),
        *([section("Do the odds hold?", *_reliability(found))] if found.reliability else []),
        section("Tools", _backtest_tools(found)),
        section("How it was done", *_backtest_method(found, settings)),
    )


def _backtest_tiles(found: Backtest, settings: Settings) -> Iterator[tuple[str, str]]:
    yield _rate(found.right.told), f"of right results told; budget {settings.budget:.2%}"
    yield _rate(found.right.late), "told in the second half"
    yield _rate(found.right.flagged), "of right results flagged"
    yield percent(found.wrong.told.value), f"of {found.wrong.told.whole:,} wrong results told"


def _changes(found: Backtest) -> Iterator[Markup]:
    if found.changes:
        yield paragraph(
            "What breaks a clause in the same way in so many tasks that it is no fault is told no more."
        )
        yield element("ul", *(element("li", sentence) for sentence in found.changes))
    else:
        yield paragraph("Nothing has become usual that broke a clause before.")


def _right(found: Backtest) -> Iterator[Markup]:
    yield paragraph(
        "Flagged: the result breaks a clause. Told: the agent hears of it. All of it is in vain here."
    )
    yield table(
        ("results", ">number", ">flagged", ">told", ">told, second half"),
        [
            (name, f"{right.told.whole:,}", _rate(right.flagged), _rate(right.told), _rate(right.late))
            for name, right in (
                ("as they are", found.right),
                (f"beside faults, {found.draws} draws", found.beside),
            )
        ],
    )


def _wrong(found: Backtest) -> Iterator[Markup]:
    yield paragraph(
        "The share of results with a silent fault that were flagged, and that were told, with the 95% interval (Wilson) of the"
        " latter."
    )
    yield dots("Wrong results flagged and told", _NAMES, [_dots(one) for one in (found.wrong, *found.suites)])
    for suite in found.suites:
        kinds = [kind for kind in found.kinds if kind.suite == suite.name and kind.told.whole]
        if kinds:
            yield element("h3", suite.name)
            yield dots(f"Wrong results flagged and told: {suite.name}", _NAMES, list(map(_dots, kinds)))


_NAMES = ("flagged", "told")


def _dots(one: FaultFigures) -> Dots:
    low, high = one.told.interval or (None, None)
    remark = f"{percent(one.told.value)} of {one.told.whole:,}"
    return Dots(one.name, (Estimate(one.flagged.value), Estimate(one.told.value, low, high)), remark)


def _reliability(found: Backtest) -> Iterator[Markup]:
    yield paragraph(
        "A result that breaks something has odds of being wrong. Of those with about the same odds, so many were, with faults in"
        f" {FAULTS_IN:.0%} of all results. Of results that break nothing, {found.unbroken} were wrong."
    )
    yield draw_reliability(found.reliability)
    yield table(
        (">the odds say", ">results", ">wrong", ">share"),
        [
            (percent(one.said), f"{one.wrong.whole:,}", f"{one.wrong.part:,}", percent(one.wrong.value))
            for one in found.reliability
        ],
    )


def _backtest_tools(found: Backtest) -> Markup:
    worst_first = sorted(
        found.tools.items(), key=lambda item: (-item[1].told, -item[1].flagged, -item[1].results, item[0])
    )
    return table(
        ("tool", ">right results", ">flagged", ">told", "told first"),
        [
            (
                name,
                f"{tool.results:,}",
                f"{tool.flagged:,}",
                f"{tool.told:,}",
                ", ".join(f"{code} ({number:,})" for code, number in tool.codes.items()),
            )
            for name, tool in worst_first
        ],
    )


def _backtest_method(found: Backtest, settings: Settings) -> Iterator[Markup]:
    yield paragraph(
        f"Contracts of profile {settings.profile} ({found.clauses:,} clauses) were learned from all of the earlier traces. The later"
        " results were judged one after the other, by the policy that decides what agents are told: once as they are, and in"
        f" {found.draws} draws with a silent fault in {FAULTS_IN:.0%} of them, every kind of fault as likely as any other."
    )
    if settings.label_noise:
        yield paragraph(f"Of the calls learned from, {settings.label_noise:.2%} were given a fault.")
    yield paragraph(f"{found.covered} of the later calls are of a tool with a contract.")


def draw_reliability(curve: tuple[ReliabilityBin, ...]) -> Markup:
    """Draw the curve beside the diagonal that it should be."""
    places = [round(100 * one.said, 1) for one in curve]
    counted = [
        (place, Estimate(one.wrong.value, *(one.wrong.interval or (None, None))))
        for place, one in zip(places, curve, strict=True)
    ]
    diagonal = [(place, Estimate(place / 100)) for place in (0.0, 100.0)]
    return lines(
        "How many results were wrong, against how many the odds say",
        [Series("wrong, as counted", counted), Series("as the odds say", diagonal)],
        across="wrong, as the odds say, %",
    )
