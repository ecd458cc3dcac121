"""The figures of an audit: shares with their uncertainty, means over faults, canonical JSON, and what to do next."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean

from outcome_monitors.model import Json
from outcome_monitors.reports import Share, percent

from .cases import Settings
from .counts import AuditCounts
from .faults import Fault

__all__ = [
    "FORMAT",
    "LEAST",
    "VERSION",
    "Alarms",
    "Audit",
    "BuiltInFigures",
    "FoldFigures",
    "KindFigures",
    "ToolFigures",
    "advice",
    "as_json",
    "figures",
    "interval_document",
    "rounded",
    "share_document",
]

LEAST = 3
"""A kind of fault that suits fewer calls is shown, but is not in the mean."""


@dataclass(frozen=True, slots=True)
class KindFigures:
    """What became of the results with one kind of fault."""

    fault: Fault
    caught: Share
    net: Share
    """Caught, where the clean result was not flagged already."""

    @property
    def variant(self) -> bool:
        """Whether the fault is a variant of another: its pattern names that one first."""
        return "," in self.fault.pattern

    @property
    def in_mean(self) -> bool:
        """Whether it counts in the mean of its suite."""
        return self.caught.whole >= LEAST and not self.variant


@dataclass(frozen=True, slots=True)
class Alarms:
    """The results that bear a violation code, or that a kind of clause flags."""

    clean: int
    clean_alone: int
    """Those that bear no other code, or that no other kind flags: without the clauses behind it they would not have been flagged."""
    faulted: int
    faulted_alone: int


@dataclass(frozen=True, slots=True)
class ToolFigures:
    """What became of one tool's results."""

    calls: int
    covered: int
    flagged: int
    codes: Mapping[str, int]
    """Clean results that bear each code."""
    caught: Share
    """Of its corrupted results."""


@dataclass(frozen=True, slots=True)
class FoldFigures:
    """A fold, and what was learned without it."""

    tasks: int
    calls: int
    clauses: int


@dataclass(frozen=True, slots=True)
class BuiltInFigures:
    """What the built-in rules do alone, without contracts: what is flagged on the first day."""

    clean: Share
    """Clean results flagged."""
    recall: Mapping[str, float | None]
    """The mean of each suite."""


@dataclass(frozen=True, slots=True)
class Audit:
    """All figures of an audit."""

    clean: Share
    """Clean results flagged: all of them false alarms."""
    tasks: Share
    """Tasks with a flagged clean result."""
    covered: Share
    """Clean calls of a tool that has a contract."""
    in_session: Share
    """Clean calls that name their session."""
    kinds: tuple[KindFigures, ...]
    codes: Mapping[str, Alarms]
    clause_kinds: Mapping[str, Alarms]
    tools: Mapping[str, ToolFigures]
    folds: tuple[FoldFigures, ...]
    failed: int
    """Checks that went wrong inside, and counted as results without an alarm."""
    built_in: BuiltInFigures

    def of(self, suite: str) -> tuple[KindFigures, ...]:
        """Return the kinds of one suite, in its order."""
        return tuple(kind for kind in self.kinds if kind.fault.suite == suite)

    def recall(self, suite: str) -> float | None:
        """Return the mean over a suite's kinds of the share caught."""
        return _mean(kind.caught for kind in self.of(suite) if kind.in_mean)

    def net_recall(self, suite: str) -> float | None:
        """Return the same, without what was flagged anyway."""
        return _mean(kind.net for kind in self.of(suite) if kind.in_mean)


def figures(wanted: Sequence[Fault], folds: Sequence[AuditCounts]) -> Audit:
    """Return the figures of an audit from the counts of its folds."""
    whole = AuditCounts()
    for fold in folds:
        whole.add(fold)
    calls = whole.calls.total()
    return Audit(
        clean=Share(whole.flagged.total(), calls),
        tasks=Share(sum(map(bool, whole.tasks_flagged.values())), len(whole.tasks)),
        covered=Share(whole.covered.total(), calls),
        in_session=Share(whole.in_session.total(), calls),
        kinds=_kinds(wanted, whole.made, whole.caught, whole.net),
        codes={
            code: Alarms(
                whole.clean[code], whole.clean_alone[code], whole.faulted[code], whole.faulted_alone[code]
            )
            for code in sorted({*whole.clean, *whole.faulted})
        },
        clause_kinds=_clause_kinds(whole),
        tools={tool: _tool(tool, whole) for tool in sorted(whole.calls)},
        folds=tuple(FoldFigures(len(fold.tasks), fold.calls.total(), fold.clauses.total()) for fold in folds),
        failed=whole.failed.total(),
        built_in=BuiltInFigures(
            Share(whole.built_in_flagged.total(), calls),
            _means(wanted, _kinds(wanted, whole.made, whole.built_in_caught, whole.built_in_caught)),
        ),
    )


def _means(wanted: Iterable[Fault], kinds: Sequence[KindFigures]) -> dict[str, float | None]:
    return {
        suite: _mean(kind.caught for kind in kinds if kind.fault.suite == suite and kind.in_mean)
        for suite in dict.fromkeys(fault.suite for fault in wanted)
    }


def _kinds(
    wanted: Iterable[Fault], made: Counter[str], caught: Counter[str], net: Counter[str]
) -> tuple[KindFigures, ...]:
    return tuple(
        KindFigures(
            fault, Share(caught[fault.name], made[fault.name]), Share(net[fault.name], made[fault.name])
        )
        for fault in wanted
    )


def _clause_kinds(whole: AuditCounts) -> dict[str, Alarms]:
    every = frozenset[str]().union(*whole.clean_kinds, *whole.faulted_kinds)
    return {
        kind: Alarms(
            _with(whole.clean_kinds, kind),
            whole.clean_kinds[frozenset({kind})],
            _with(whole.faulted_kinds, kind),
            whole.faulted_kinds[frozenset({kind})],
        )
        for kind in sorted(every)
    }


def _with(results: Counter[frozenset[str]], kind: str) -> int:
    return sum(number for kinds, number in results.items() if kind in kinds)


def _tool(tool: str, whole: AuditCounts) -> ToolFigures:
    return ToolFigures(
        whole.calls[tool],
        whole.covered[tool],
        whole.flagged[tool],
        {code: number for (name, code), number in sorted(whole.alarms.items()) if name == tool},
        Share(whole.tool_caught[tool], whole.tool_made[tool]),
    )


def _mean(shares: Iterable[Share]) -> float | None:
    values = [share.value for share in shares if share.value is not None]
    return fmean(values) if values else None


FORMAT = "outcome-monitors/audit"
VERSION = 1
DIGITS = 6


def as_json(audit: Audit, settings: Settings, traces: Sequence[str], failed_openly: int = 0) -> str:
    """Return all figures; `traces` names the files, `failed_openly` counts the calls that were left out."""
    document = {
        "format": FORMAT,
        "version": VERSION,
        "traces": list(traces),
        "settings": {
            "folds": settings.folds,
            "faults": list(settings.suites),
            "profile": settings.profile,
            "budget": settings.budget,
            "limit": settings.limit,
        },
        "calls": {
            "clean": audit.clean.whole,
            "in_session": audit.in_session.part,
            "failed_openly": failed_openly,
        },
        "folds": [asdict(fold) for fold in audit.folds],
        "clean": {
            **share_document(audit.clean, "flagged", "calls"),
            "tasks": share_document(audit.tasks, "flagged", "tasks"),
        },
        "built_in": {
            "clean": share_document(audit.built_in.clean, "flagged", "calls"),
            "suites": {suite: rounded(mean) for suite, mean in audit.built_in.recall.items()},
        },
        "coverage": share_document(audit.covered, "covered", "calls"),
        "suites": {
            suite: {
                "kinds_in_mean": sum(kind.in_mean for kind in audit.of(suite)),
                "recall": rounded(audit.recall(suite)),
                "net_recall": rounded(audit.net_recall(suite)),
            }
            for suite in settings.suites
        },
        "faults": [_kind(kind) for kind in audit.kinds],
        "codes": {code: asdict(alarms) for code, alarms in audit.codes.items()},
        "kinds": {kind: asdict(alarms) for kind, alarms in audit.clause_kinds.items()},
        "tools": {
            name: {
                "calls": tool.calls,
                "covered": tool.covered,
                "flagged": tool.flagged,
                "codes": dict(tool.codes),
                "faulted": share_document(tool.caught, "caught", "results"),
            }
            for name, tool in audit.tools.items()
        },
        "failed_checks": audit.failed,
        "advice": advice(audit, settings),
    }
    return json.dumps(document, indent=2) + "\n"


def _kind(kind: KindFigures) -> Json:
    return {
        "fault": kind.fault.name,
        "suite": kind.fault.suite,
        "pattern": kind.fault.pattern,
        "needs": kind.fault.needs,
        "variant": kind.variant,
        "in_mean": kind.in_mean,
        "n": kind.caught.whole,
        "caught": kind.caught.part,
        "recall": rounded(kind.caught.value),
        "interval": interval_document(kind.caught),
        "net_caught": kind.net.part,
        "net_recall": rounded(kind.net.value),
    }


def share_document(share: Share, part: str, whole: str) -> dict[str, Json]:
    """Return a share with its uncertainty; `part` and `whole` name what is counted."""
    return {
        part: share.part,
        whole: share.whole,
        "rate": rounded(share.value),
        "interval": interval_document(share),
    }


def interval_document(share: Share) -> Json:
    """Return where a share lies; None of nothing."""
    return [round(end, DIGITS) for end in share.interval] if share.interval else None


def rounded(value: float | None) -> float | None:
    """Return a value with as many digits as the file has."""
    return None if value is None else round(value, DIGITS)


COVERED_ENOUGH = 0.9
CAUGHT_ENOUGH = 0.9

MORE_TRACES = (
    "add clean traces of more tasks, or what is public about the tools (`mine --schema`, `mine --database`)"
)
NEXT_STEP: Mapping[str, str] = {
    "argument": "see that the traces hold all arguments, then add clean traces of more tasks",
    "cross-call": "where it would hurt, ask twice, or read back what was written",
}
"""What helps against faults that need such a rule; for all others, `MORE_TRACES`."""
NAME_SESSIONS = "give every call its `session`, so that its result is held against earlier ones"


def advice(audit: Audit, settings: Settings) -> str:
    """Return the sentence: on false alarms where they are too many, else on coverage, else on what is missed most."""
    if (audit.clean.value or 0.0) > settings.budget:
        # The first by name, where several have as many.
        tool, worst = max(audit.tools.items(), key=lambda item: item[1].flagged)
        code, bearing = max(worst.codes.items(), key=lambda item: item[1])
        return (
            f"False alarms are above the budget: {tool} raises {worst.flagged:,} of {audit.clean.part:,}, most often"
            f" {code} ({bearing:,}); if those results are right after all, add clean traces of that tool from more tasks, or"
            " take its clauses of that code out of the contracts."
        )
    high = audit.clean.interval[1] if audit.clean.interval else 1.0
    doubt = f" (so few calls leave room for {percent(high)})" if high > settings.budget else ""
    within = f"False alarms are within the budget{doubt}"
    if (audit.covered.value or 0.0) < COVERED_ENOUGH:
        tool, worst = max(audit.tools.items(), key=lambda item: item[1].calls - item[1].covered)
        return (
            f"{within}, but {audit.covered.whole - audit.covered.part:,} of {audit.covered.whole:,} clean calls are of tools"
            f" without a contract, most of them {tool} ({worst.calls - worst.covered:,}): add traces of it from more tasks,"
            " or its schema (`mine --schema`)."
        )
    return f"{within}; {_on_misses(audit)}"


def _on_misses(audit: Audit) -> str:
    kinds = [kind for kind in audit.kinds if kind.in_mean]
    if not kinds:
        return "no fault suits enough calls to say what is caught: add traces."
    worst = min(kinds, key=lambda kind: kind.caught.value or 0.0)
    found = f"{worst.fault.name} ({worst.caught} caught)"
    if (worst.caught.value or 0.0) >= CAUGHT_ENOUGH:
        return f"the least caught fault is {found}: mine all traces and use the contracts."
    step = NEXT_STEP.get(worst.fault.needs, MORE_TRACES)
    if worst.fault.needs == "cross-call" and audit.in_session.part < audit.in_session.whole:
        step = NAME_SESSIONS
    return f"missed most is {found}, which takes a rule of kind {worst.fault.needs}: {step}."
