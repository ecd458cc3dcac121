"""What has become usual: the ways of breaking clauses that are changes by now, and no faults.

A way is a clause, a place and what is new there (`Kind.news`). Each has a test of its own (`change_test`); where few calls a tool
are seen, the same news at fields of one name in several tools has one too. How sure the test must be goes by how grave the break is: one
more field is soon believed, a sentence in a list of states is not. What cannot be used is never a change, however long it lasts.
"""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from outcome_monitors.contracts.identity import address
from outcome_monitors.model import Clause, Violation
from outcome_monitors.rules import KINDS, own_place
from outcome_monitors.rules.base.gravity import Gravity
from outcome_monitors.values.display import clip_text
from outcome_monitors.values.hashing import stable_hash
from outcome_monitors.values.paths import Each, parse, render

from .change_test import ChangeTest
from .odds import Graded

__all__ = ["BARS", "Changes", "Novelty", "Way"]

BARS: Mapping[Gravity, float] = {
    Gravity.TRIFLE: 100.0,
    Gravity.SLIGHT: 100.0,
    Gravity.FAIR: 1000.0,
    Gravity.GRAVE: 10000.0,
}
"""How much likelier a change must be than faults: prior odds from the gravity, and one error in a hundred."""
BAR_BY_NAME = 300.0
FAULTS_BY_NAME = 0.02
"""For fields of one name over all tools: faults of one sort are fewer among all results than among those of one tool."""
MOST_WAYS = 4096
"""The ways that are remembered; those not seen for longest go first, changes last."""
LONGEST_NEWS = 80
LOOK = 8
"""Results between two looks whether a change is over."""

Way = tuple[str, str, str]
"""The tool, the address of the clause with its place, what is new; for fields of one name, the tool is empty."""


@dataclass(slots=True)
class Novelty:
    """One way of breaking a clause, for people and for the test."""

    tool: str
    clause: str
    """Its address and the place; empty for fields of one name."""
    path: str
    kind: str
    news: str
    test: ChangeTest = field(default_factory=ChangeTest)
    first: str = ""
    """When it was first seen, where that is known."""
    reported: bool = False
    """People were told that it is a change."""
    seen_at: int = 0
    """How many results there had been, of the tool or of all, when it was last seen."""

    def sentence(self) -> str:
        """Say it to people."""
        place = clip_text(self.path) or "the result"
        whose = f"{place} of {self.tool}" if self.tool else f"{place}, in several tools,"
        since = f" since {self.first}" if self.first else ""
        kept = f", with {self.test.kept} results as before" if self.test.kept else ""
        counted = f"in {self.test.broken} {'tasks' if self.tool else 'tools'}{kept}"
        # A file may name a kind of another release.
        kind = KINDS.get(self.kind)
        broken = f"breaks `{self.kind}`" if kind is None else kind.changed(clip_text(self.news))
        return f"{whose} {broken}, {counted}{since}; accept?"

    @property
    def address(self) -> str:
        """The address of the clause; empty for fields of one name."""
        return self.clause.removesuffix(f" {self.path}")

    def addressed(self) -> str:
        """Say it to people, with the clause that they may accept or mute."""
        return f"{self.sentence()} [{self.address}]" if self.clause else self.sentence()


class Changes:
    """The ways of breaking clauses that have been seen, and which of them are changes."""

    def __init__(self) -> None:
        self.ways: OrderedDict[Way, Novelty] = OrderedDict()
        self._results: dict[str, int] = {}
        self._by_tool: dict[str, set[Way]] = {}
        """The changes of each tool, and under no name of all, which may be over one day."""

    def kept(self, tool: str) -> None:
        """Hear of a result that breaks nothing; count it, of its tool and of all."""
        # Every clean result comes here: a `Counter` takes thrice as long, and there is seldom a change.
        results = self._results
        results[tool] = results.get(tool, 0) + 1
        results[""] = results.get("", 0) + 1
        if self._by_tool:
            self._look(tool)

    def usual(self, tool: str, graded: Graded) -> bool:
        """Say whether what a result breaks has become usual."""
        return any(
            change is not None and change.test.changed
            for change in map(self.ways.get, self._ways(tool, graded))
        )

    def heard(self, tool: str, task: int, when: str, found: Iterable[Graded]) -> None:
        """Hear of all ways in which one result breaks clauses; it is counted once."""
        self.kept(tool)
        told = {way: graded for graded in found for way in self._ways(tool, graded)}
        for way, graded in told.items():
            change = self._known(way, graded, when)
            before = change.test.changed
            change.test.keeps(max(0, self._results[way[0]] - change.seen_at - 1))
            change.seen_at = self._results[way[0]]
            if way[0]:
                change.test.breaks(task, BARS[graded.gravity])
            else:
                # Of a field in several tools, each tool is one witness.
                change.test.breaks(stable_hash(tool), BAR_BY_NAME)
            if change.test.changed and not before:
                self._by_tool.setdefault(way[0], set()).add(way)

    def put(self, way: Way, novelty: Novelty) -> None:
        """Take over what was counted elsewhere."""
        novelty.seen_at = self._results.get(way[0], 0)
        self.ways[way] = novelty
        if novelty.test.changed:
            self._by_tool.setdefault(way[0], set()).add(way)

    def report(self) -> list[Novelty]:
        """Return the changes that people have not been told of; from now on they have."""
        new = [change for change in self.changes() if not change.reported]
        for change in new:
            change.reported = True
        return new

    def changes(self) -> list[Novelty]:
        """Return what is a change now, in the order in which it was last seen."""
        return [change for change in self.ways.values() if change.test.changed]

    def _look(self, tool: str) -> None:
        """Look, now and then, whether a change is over: of a tool, or of all."""
        for whose in (tool, ""):
            if whose in self._by_tool and self._results[whose] % LOOK == 0:
                self._end(whose)

    def _known(self, way: Way, graded: Graded, when: str) -> Novelty:
        change = self.ways.get(way)
        if change is None:
            tool, clause, news = way
            faults = ChangeTest() if tool else ChangeTest(FAULTS_BY_NAME)
            change = Novelty(
                tool, clause if tool else "", _place(graded), graded.clause.kind, news, faults, when
            )
            change.seen_at = self._results[tool] - 1
            self.ways[way] = change
            self._forget()
        self.ways.move_to_end(way)
        return change

    def _forget(self) -> None:
        """Keep no more than so many; the oldest that is no change goes."""
        if len(self.ways) > MOST_WAYS:
            gone = next((way for way, change in self.ways.items() if not change.test.changed), None)
            del self.ways[gone if gone is not None else next(iter(self.ways))]

    def _end(self, tool: str) -> None:
        """Tell again what has returned to how it was."""
        for way in tuple(self._by_tool[tool]):
            change = self.ways.get(way)
            if change is None:
                self._by_tool[tool].discard(way)
                continue
            # This very result is still to be counted.
            change.test.keeps(max(0, self._results[tool] - 1 - change.seen_at))
            change.seen_at = max(change.seen_at, self._results[tool] - 1)
            if change.test.is_over():
                self._by_tool[tool].discard(way)
        if not self._by_tool[tool]:
            del self._by_tool[tool]

    def _ways(self, tool: str, graded: Graded) -> Iterator[Way]:
        """Yield the ways that one broken clause counts for; what cannot be used counts for none."""
        clause, violation, gravity = graded
        if gravity is Gravity.USELESS or clause.kind not in KINDS:
            return
        news, place = _news(clause, violation), _place(graded)
        yield tool, f"{address(tool, clause)} {place}", news
        steps = [step for step in parse(place) if isinstance(step, str)]
        if gravity < Gravity.GRAVE and steps:
            yield "", f"{clause.kind} {gravity.name} {steps[-1]}", ""


def _news(clause: Clause, violation: Violation) -> str:
    return KINDS[clause.kind].news(violation)[:LONGEST_NEWS]


def _place(graded: Graded) -> str:
    """Return where a clause is broken, whatever the row, and whichever of its members is doubted most today."""
    place = own_place(graded.clause, graded.violation)
    return render([Each.ITEM if isinstance(step, int) else step for step in parse(place)])
