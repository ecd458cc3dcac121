"""Calls labelled by hand: of how many failures the agent would be alerted, by kind, and on how many right results in vain.

A label names a line of the traces and says what the result is. A failure counts where the agent is alerted at its own line, or
at a later line of its session by a violation that is about it.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from outcome_monitors.alerting.alert_policy import default_policies
from outcome_monitors.checking.failures import quiet
from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.checking.replay import Replay
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.jsonvalue.display import clip
from outcome_monitors.model import Call, Json
from outcome_monitors.reports import Share
from outcome_monitors.traces.reader import Located

Verdict = Literal["ok", "silent-failure", "honest-negative", "open-failure-in-text", "unsure"]
RIGHT: tuple[Verdict, ...] = ("ok", "honest-negative")
"""Labels of results on which an alert is a false alarm."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """What a result is, as somebody read it."""

    line: int
    """The line of the call in its file, from 0."""
    label: Verdict
    kind: str = ""
    tool: str = ""
    """The tool of the call, where the label names it: then no other call can be taken for it."""


class LabelReport(NamedTuple):
    """Labelled calls, each with the kinds of clause that alert the agent."""

    scored: Sequence[tuple[Labelled, set[str]]]

    def share(self, *labels: Verdict, kind: str | None = None) -> Share:
        """Return how many results of some labels alert; of one kind, if one is named."""
        found = [bool(by) for one, by in self.scored if one.label in labels and kind in (None, one.kind)]
        return Share(sum(found), len(found))

    def labels(self) -> dict[Verdict, Share]:
        """Return the share of each label."""
        return {label: self.share(label) for label in dict.fromkeys(one.label for one, _ in self.scored)}

    def false_alarms(self) -> Share:
        """Return how many right results alert."""
        return self.share(*RIGHT)

    def kinds(self) -> list[tuple[Verdict, str, Share]]:
        """Return the share of each kind of each label, the most common first."""
        named = {(one.label, one.kind) for one, _ in self.scored}
        found = [(label, kind, self.share(label, kind=kind)) for label, kind in named]
        return sorted(found, key=lambda row: (row[0], -row[2].whole, row[1]))


def read_labels(path: str | Path) -> list[Labelled]:
    """Read a file of labels; raise OutcomeMonitorsError, naming file, line and field, where it cannot be used."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise OutcomeMonitorsError(f"cannot read {path}: {error.strerror}; check the path") from None
    except UnicodeDecodeError as error:
        raise OutcomeMonitorsError(f"{path} is not UTF-8: {error.reason} at byte {error.start}") from None
    labels: dict[int, Labelled] = {}
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        labelled = _label(text, f"{path}:{number}")
        if labelled.line in labels:
            raise OutcomeMonitorsError(f"{path}:{number}: line {labelled.line} is labelled twice")
        labels[labelled.line] = labelled
    if not labels:
        raise OutcomeMonitorsError(f"{path} has no labels")
    return sorted(labels.values(), key=lambda one: one.line)


def _label(line_text: str, where: str) -> Labelled:
    try:
        body: Json = json.loads(line_text)
    except (ValueError, RecursionError):
        raise OutcomeMonitorsError(f"{where} is not JSON") from None
    if not isinstance(body, dict):
        raise OutcomeMonitorsError(f"{where} must be an object, not {clip(body)!r}")
    line, kind, tool = body.get("line"), body.get("kind", ""), body.get("tool", "")
    label: Any = body.get("label")
    if type(line) is not int or line < 0:
        raise OutcomeMonitorsError(f"{where}: line cannot be {clip(line)!r}; it counts lines from 0")
    if label not in get_args(Verdict):
        raise OutcomeMonitorsError(
            f"{where}: label cannot be {clip(label)!r}; one of {', '.join(get_args(Verdict))}"
        )
    for name, text in (("kind", kind), ("tool", tool)):
        if not isinstance(text, str):
            raise OutcomeMonitorsError(f"{where}: {name} must be text, not {clip(text)!r}")
    return Labelled(line, label, kind, tool)


def detected(calls: Iterable[Call], monitor: Monitor) -> list[set[str]]:
    """Return, of each call, the kinds of clause that the agent is alerted of, at its own line or at a later one about it."""
    replay, flagged = Replay(monitor), list[set[str]]()
    policies = default_policies(monitor.profile)
    with quiet():
        for index, call in enumerate(calls):
            flagged.append(set())
            outcome = replay.judge(call, policies)
            for clause, violation in outcome.proven if outcome.told else ():
                flagged[index if violation.about is None else violation.about].add(clause.kind)
    return flagged


def score_labels(
    calls: Iterable[Located], labels: Iterable[Labelled], monitor: Monitor, name: str
) -> LabelReport:
    """Count what a monitor alerts of among labelled calls; a label of a line that is no call is an error."""
    located = list(calls)
    flagged, scored = detected((one.call for one in located), monitor), list[tuple[Labelled, set[str]]]()
    index = {one.line - 1: number for number, one in enumerate(located)}
    for labelled in labels:
        if labelled.line not in index:
            raise OutcomeMonitorsError(
                f"{name}: line {labelled.line}, counted from 0, is no call of the traces"
            )
        number = index[labelled.line]
        if labelled.tool not in ("", located[number].call.tool):
            raise OutcomeMonitorsError(
                f"{name}: line {labelled.line}, counted from 0, is labelled as a call of {clip(labelled.tool)!r},"
                f" and is one of {clip(located[number].call.tool)!r}"
            )
        scored.append((labelled, flagged[number]))
    return LabelReport(scored)


def labels_as_json(report: LabelReport) -> str:
    """Return all figures as JSON."""
    rules = Counter((one.label, kind) for one, kinds in report.scored for kind in kinds)
    document = {
        "labels": {label: _figures(share) for label, share in report.labels().items()},
        "false_alarms": _figures(report.false_alarms()),
        "kinds": [{"label": label, "kind": kind, **_figures(share)} for label, kind, share in report.kinds()],
        "rules": [
            {"label": label, "rule": rule, "flagged": number}
            for (label, rule), number in sorted(rules.items())
        ],
    }
    return json.dumps(document, indent=2) + "\n"


def _figures(share: Share) -> dict[str, Json]:
    return {
        "flagged": share.part,
        "of": share.whole,
        "share": share.value,
        "interval": list(share.interval) if share.interval else None,
    }
