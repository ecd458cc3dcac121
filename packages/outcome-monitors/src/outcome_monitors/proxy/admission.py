"""Which recorded lines contracts are mined from, said without parsing those of which nothing is to be decided.

Of a million lines, a few hundred were flagged, or somebody has spoken about them; only those are parsed here. The others are
known by their bytes, and are parsed once, by whoever observes them.
"""

import re
from collections.abc import Iterable, Iterator

from outcome_monitors.contracts.overrides import Overrides
from outcome_monitors.exceptions import TraceError
from outcome_monitors.traces.form import FLAGGED
from outcome_monitors.traces.lines import Held, Line
from outcome_monitors.traces.reader import call_to_json, parse_line

from .disputes import SURE, Disputes, is_flagged, unmarked

__all__ = ["Admission"]

# A key may be written with escapes, each letter as \u00..; such lines are parsed.
_MARKS = (f'"{FLAGGED}"'.encode(), f'"{SURE}"'.encode(), b"\\u00")
_TOOL = re.compile(rb'\s*\{\s*"tool"\s*:\s*"([^"\\]*)"')


class Admission:
    """Takes all lines twice: to count what was flagged, then to let through what is evidence."""

    def __init__(self, decided: Overrides) -> None:
        self.refused = 0
        """Lines that are no evidence, since they were flagged, or people say that they are faults."""
        self._disputes = Disputes(decided)
        self._spoken_of = frozenset(one.tool.encode() for one in decided.feedback)

    def count(self, lines: Iterable[Line]) -> None:
        """Take note of all that was recorded."""
        for _, _, held in lines:
            tool = _unmarked_tool(held)
            if tool is not None:
                self._disputes.pass_over(tool.decode(errors="replace"))
                continue
            try:
                self._disputes.add(parse_line(held))
            except TraceError:
                continue

    def evidence(self, lines: Iterable[Line]) -> Iterator[Line]:
        """Yield the lines that are evidence, without their marks; one that is no call is left to whoever parses it."""
        for line in lines:
            tool = _unmarked_tool(line[2])
            if tool is not None and tool not in self._spoken_of:
                yield line
            elif (found := self._decided(line)) is not None:
                yield found

    def _decided(self, line: Line) -> Line | None:
        try:
            call = parse_line(line[2])
        except TraceError:
            return line
        if not self._disputes.admits(call):
            self.refused += 1
            return None
        return (line[0], line[1], call_to_json(unmarked(call))) if is_flagged(call) else line


def _unmarked_tool(held: Held) -> bytes | None:
    """Return the name of the tool of a line that bears no mark; None where that takes a parser."""
    if not isinstance(held, bytes) or any(mark in held for mark in _MARKS):
        return None
    found = _TOOL.match(held)
    return None if found is None else found[1]
