"""JUnit's XML, as build servers read it: a test a tool, a failure for what was found in it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape

from ._check_traces import Checked, CheckTally
from ._output import printable

__all__ = ["as_junit", "as_suite"]

MOST_FAILURES = 50
"""Of one tool; a build server shows them all."""

Failure = tuple[str, str]
"""A rule or a violation code, and what is to be said."""


def as_suite(
    name: str, tools: Mapping[str, Sequence[Failure]], skipped: Mapping[str, str] | None = None
) -> str:
    """Write one suite: a test for each tool, in order, with its failures; `skipped` says why a tool was not tested."""
    not_tested = {} if skipped is None else skipped
    failed = sum(1 for failures in tools.values() if failures)
    head = (
        f'<testsuite name="outcome-monitors {_text(name)}" tests="{len(tools) + len(not_tested)}"'
        f' failures="{failed}" errors="0" skipped="{len(not_tested)}">'
    )
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>", head]
    lines.extend(line for tool, failures in tools.items() for line in _case(name, tool, failures))
    for tool, why in not_tested.items():
        lines.append(
            f'<testcase classname="{_text(name)}" name="{_text(tool)}"><skipped message="{_text(why)}"/></testcase>'
        )
    return "\n".join([*lines, "</testsuite>", "</testsuites>", ""])


def as_junit(results: Iterable[Checked], tally: CheckTally) -> Iterator[str]:
    """Write what `check` found: a test for each tool, a failure for each violation."""
    tools: dict[str, list[Failure]] = {}
    for checked in results:
        file, line, call = checked.located
        if not checked.covered or checked.failed_openly:
            continue
        failures = tools.setdefault(call.tool, [])
        failures.extend(
            (found.code, f"{file}:{line}: {found.detail}") for found in checked.outcome.violations
        )
        if checked.failure:
            failures.append(("not_checked", f"{file}:{line}: {checked.failure}"))
    skipped = {tool: "no contract" for tool in sorted(tally.not_covered) if tool not in tools}
    yield as_suite("check", dict(sorted(tools.items())), skipped)


def _case(name: str, tool: str, failures: Sequence[Failure]) -> Iterator[str]:
    opened = f'<testcase classname="{_text(name)}" name="{_text(tool)}"'
    if not failures:
        yield f"{opened}/>"
        return
    yield f"{opened}>"
    first = failures[0]
    more = f" (and {len(failures) - 1} more)" if len(failures) > 1 else ""
    yield f'<failure type="{_text(first[0])}" message="{_text(first[1])}{more}">'
    yield from (f"{_text(kind)}: {_text(message)}" for kind, message in failures[:MOST_FAILURES])
    yield "</failure>"
    yield "</testcase>"


def _text(text: str) -> str:
    """Return text that XML can hold: names in traces come from elsewhere."""
    return escape(printable(text))
