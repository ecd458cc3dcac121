"""A sequel as one HTML file with plots, for people who were not there."""

from collections.abc import Iterator, Sequence

from outcome_monitors.audit.audit import Settings
from outcome_monitors.audit.reliability import draw_reliability
from outcome_monitors.reports import (
    Dots,
    Estimate,
    Markup,
    Share,
    dots,
    element,
    page,
    paragraph,
    percent,
    section,
    table,
    tiles,
)

from .advice import advice
from .figures import FaultFigures, Sequel
from .runs import FAULTS_IN

__all__ = ["as_html"]


def as_html(found: Sequel, settings: Settings, traces: Sequence[str], then: Sequence[str]) -> str:
    """Return the page."""
    return page(
        "Audit of outcome contracts on later traces",
        f"What contracts learned from {', '.join(traces)} do on {', '.join(then)}, in order, as if live.",
        tiles(_tiles(found, settings)),
        paragraph(element("strong", advice(found, settings.budget))),
        section("What changed", *_changes(found)),
        section("Right results", *_right(found)),
        section("Wrong results", *_wrong(found)),
        *([section("Do the odds hold?", *_reliability(found))] if found.reliability else []),
        section("Tools", _tools(found)),
        section("How it was done", *_method(found, settings)),
    )


def _tiles(found: Sequel, settings: Settings) -> Iterator[tuple[str, str]]:
    yield _rate(found.right.told), f"of right results told; budget {settings.budget:.2%}"
    yield _rate(found.right.late), "told in the second half"
    yield _rate(found.right.flagged), "of right results flagged"
    yield percent(found.wrong.told.value), f"of {found.wrong.told.whole:,} wrong results told"


def _changes(found: Sequel) -> Iterator[Markup]:
    if found.changes:
        yield paragraph(
            "What breaks a clause in the same way in so many tasks that it is no fault is told no more."
        )
        yield element("ul", *(element("li", sentence) for sentence in found.changes))
    else:
        yield paragraph("Nothing has become usual that broke a clause before.")


def _right(found: Sequel) -> Iterator[Markup]:
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


def _wrong(found: Sequel) -> Iterator[Markup]:
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


def _reliability(found: Sequel) -> Iterator[Markup]:
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


def _tools(found: Sequel) -> Markup:
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


def _method(found: Sequel, settings: Settings) -> Iterator[Markup]:
    yield paragraph(
        f"Contracts of profile {settings.profile} ({found.clauses:,} clauses) were learned from all of the earlier traces. The later"
        " results were judged one after the other, by the policy that decides what agents are told: once as they are, and in"
        f" {found.draws} draws with a silent fault in {FAULTS_IN:.0%} of them, every kind of fault as likely as any other."
    )
    if settings.dirt:
        yield paragraph(f"Of the calls learned from, {settings.dirt:.2%} were given a fault.")
    yield paragraph(f"{found.covered} of the later calls are of a tool with a contract.")


def _rate(share: Share) -> str:
    # Two decimals: what is told in vain is compared with a budget of about a hundredth.
    return "-" if share.value is None else f"{share.value:.2%}"
