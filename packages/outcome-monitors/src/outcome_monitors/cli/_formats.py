"""What `check` writes: for people, for programs, for code scanners. One function each, and the table of them.

Each takes the checked calls and the tally that counts them meanwhile, and yields text to be written.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

from outcome_monitors.contracts.identity import name_clause
from outcome_monitors.model import ClauseName, Json, Violation
from outcome_monitors.values.display import clip_text

from ._check_traces import Checked, CheckTally
from ._evidence_words import bracketed, closest, held
from ._junit import as_junit
from ._output import count, printable
from ._sarif import as_sarif

__all__ = ["FORMATS", "as_block", "as_jsonl", "as_object", "as_text", "by_tool", "summary"]

LONGEST_VALUE = 200
MOST_TOOLS = 10

Format = Callable[[Iterable[Checked], CheckTally], Iterator[str]]


def as_jsonl(results: Iterable[Checked], _tally: CheckTally) -> Iterator[str]:
    """Write an object a call, in order."""
    for checked in results:
        yield json.dumps(as_object(checked)) + "\n"


def as_object(checked: Checked) -> dict[str, Json]:
    """Return what became of a call, for programs."""
    line: dict[str, Json] = {
        "index": checked.position,
        "tool": checked.located.call.tool,
        "covered": checked.covered,
        "violations": [
            _whole(violation, name_clause(checked.outcome.tool, clause))
            for clause, violation in checked.outcome.broken
        ],
        "recovery": list(checked.outcome.recovery),
    }
    # Silence would read as a result that passed.
    if checked.failed_openly or checked.failure:
        line["checked"] = False
    return line


def _whole(violation: Violation, name: ClauseName) -> Json:
    more = {"tasks": violation.tasks, "closest": violation.closest, "id": name.id, "clause": name.address}
    return {**violation.to_json(), **more}


def as_text(results: Iterable[Checked], tally: CheckTally) -> Iterator[str]:
    """Write a block for each result with findings, and a summary."""
    for checked in results:
        if checked.outcome.broken or checked.failure:
            yield as_block(checked)
    yield "\n".join(summary(tally)) + "\n"


def as_block(checked: Checked) -> str:
    """Return what became of a call, for people."""
    return "\n".join(_block(checked)) + "\n\n"


def _block(checked: Checked) -> Iterator[str]:
    file, line, call = checked.located
    task = f" (task {printable(call.task)})" if call.task is not None else ""
    yield f"{printable(file)}:{line}: {printable(call.tool)}{task}"
    for clause, violation in checked.outcome.broken:
        named = name_clause(call.tool, clause).address
        yield printable(f"  {violation.code}: {violation.detail} [{named}]")
        yield f"    {_difference(violation)}"
    if checked.outcome.recovery:
        yield f"  can be called now: {', '.join(map(printable, checked.outcome.recovery))}"
    if checked.failure:
        yield f"  could not be checked: {printable(checked.failure)}"


def _difference(violation: Violation) -> str:
    expected = f"expected {_shown(violation.expected)}{bracketed(held(violation))}"
    return f"{expected}, observed {_shown(violation.observed)}{bracketed(closest(violation))}"


def _shown(value: Json) -> str:
    return clip_text(json.dumps(value, ensure_ascii=False), LONGEST_VALUE)


def summary(tally: CheckTally) -> Iterator[str]:
    """Say in a few lines what became of all calls."""
    yield (
        f"{count(tally.calls, 'call')}: {tally.checked:,} checked, {tally.flagged:,} flagged,"
        f" {tally.not_covered.total():,} without a contract, {tally.failed_openly:,} failed openly,"
        f" {tally.could_not:,} could not be checked"
    )
    if tally.skipped:
        yield f"{count(len(tally.skipped), 'line')} skipped"
    if tally.not_covered:
        yield f"without a contract: {by_tool(tally.not_covered)}"
    if tally.flagged:
        share = f"{tally.with_alternative / tally.flagged:.0%}"
        yield (
            "receipts with at least two admissible actions:"
            f" {tally.with_alternative:,} of {tally.flagged:,} ({share})"
        )


def by_tool(calls: Counter[str]) -> str:
    """Name the tools with their calls, the busiest first."""
    ranked = sorted(calls.items(), key=lambda item: (-item[1], item[0]))
    named = ", ".join(f"{printable(tool)} ({number:,})" for tool, number in ranked[:MOST_TOOLS])
    more = len(ranked) - MOST_TOOLS
    return f"{named} and {count(more, 'more tool')}" if more > 0 else named


FORMATS: Mapping[str, Format] = {
    "text": as_text,
    "jsonl": as_jsonl,
    "sarif": as_sarif,
    "junit": as_junit,
}
