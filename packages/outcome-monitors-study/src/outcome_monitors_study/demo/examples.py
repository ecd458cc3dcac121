"""Receipts to show: real ones, short ones, and the same ones every time."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from outcome_monitors.model import Json
from outcome_monitors.values.display import clip
from outcome_monitors.values.paths import ROOT, at_index, below
from outcome_monitors.values.words import words

from ._runs import Comparison, Ending

__all__ = ["TOLD_FAULTS", "Difference", "Example", "choose_examples", "describe", "differences"]

STORIES: dict[str, tuple[frozenset[str], str]] = {
    "the record of someone else": (
        frozenset({"irrelevant_response", "cross_wired_response"}),
        "learned_echo_mismatch",
    ),
    "a value that cannot be": (frozenset({"logic_violation"}), "nonpositive_value"),
}
"""What is told best, the plainest first: the faults that tell it, and the property that a receipt should name."""
TOLD_FAULTS = frozenset[str]().union(*(names for names, _ in STORIES.values()))

NEVER_NEGATIVE = frozenset({"count", "guests", "nights", "price", "quantity", "stock", "units"})
"""Of what there can be none, and never less: a temperature or a balance can be below zero."""
MOST_TOLD = 3

Preference = tuple[bool, bool, bool, bool, int, str]


@dataclass(frozen=True, slots=True)
class Difference:
    """A place where what the caller saw is not what the tool answered."""

    path: str
    true: Json
    seen: Json


@dataclass(frozen=True, slots=True)
class Example:
    """A wrong result, what the agent was told of it, and how it ended."""

    story: str
    task: str
    request: str
    tool: str
    arguments: Json
    fault: str
    summary: str
    permanent: bool
    differences: tuple[Difference, ...]
    result: Json
    """What the tool seems to have said."""
    envelope: Json
    """What the agent is given in its place."""
    without: str
    monitored: str
    did: str
    """What the agent did about it."""

    @property
    def offered(self) -> list[str]:
        """The tools that the receipt lists."""
        tools: list[str] = self.envelope["outcome_contract"]["admissible_recovery_tools"]
        return tools


def choose_examples(outcomes: Sequence[Comparison]) -> tuple[Example, ...]:
    """Return one example for each story that can be told; where there is none, the shortest receipt at all."""
    caught = [outcome for outcome in outcomes if outcome.caught]
    chosen = [
        _example(story, min(told, key=_by_reading(code)))
        for story, (faults, code) in STORIES.items()
        if (told := [outcome for outcome in caught if outcome.case.fault.name in faults])
    ]
    if not chosen and caught:
        chosen = [_example("a receipt", min(caught, key=_by_reading("")))]
    return tuple(chosen)


def differences(true: Json, seen: Json, path: str = ROOT) -> Iterator[Difference]:
    """Yield the places at which two values differ, as deep as they can be compared."""
    if isinstance(true, dict) and isinstance(seen, dict) and true.keys() == seen.keys():
        for key in true:
            yield from differences(true[key], seen[key], below(path, key))
    elif isinstance(true, list) and isinstance(seen, list) and len(true) == len(seen):
        for index, pair in enumerate(zip(true, seen, strict=True)):
            yield from differences(*pair, at_index(path, index))
    elif json.dumps(true) != json.dumps(seen):  # to Python 1 is True, and NaN is not itself
        yield Difference(path, true, seen)


def describe(found: Sequence[Difference]) -> str:
    """Say what is wrong: the first few places, and how many more there are."""
    told = [f"{each.path or 'the result'} is {_shown(each.seen)}, not {_shown(each.true)}" for each in found]
    more = [f"{len(told) - MOST_TOLD:,} more"] if len(told) > MOST_TOLD else []
    return "; ".join(told[:MOST_TOLD] + more)


def _shown(value: Json) -> str:
    return json.dumps(clip(value), ensure_ascii=False)


def _by_reading(code: str) -> Callable[[Comparison], Preference]:
    """Return the order of preference: the right property, beyond doubt, a choice of tools, a task rescued, little to read."""

    def key(outcome: Comparison) -> Preference:
        receipt = outcome.advised["outcome_contract"]
        rescued = outcome.monitored.completed and not outcome.without.completed
        length = len(json.dumps(outcome.call.result)) + len(outcome.case.workflow.query)
        return (
            receipt["violation"]["property"] != code,
            not _beyond_doubt(outcome),
            len(receipt["admissible_recovery_tools"]) < 2,
            not rescued,
            length,
            outcome.case.workflow.task_id,
        )

    return key


def _beyond_doubt(outcome: Comparison) -> bool:
    """Say whether anyone would agree: another one was asked for by name, or a count or a price is below zero."""
    violation = outcome.advised["outcome_contract"]["violation"]
    path, expected = violation["path"], violation["expected"]
    if path not in {each.path for each in differences(outcome.true, outcome.call.result)}:
        return False
    asked = [*outcome.call.arguments.values()]
    named = words(path.rpartition(".")[2])
    return expected in asked or (
        violation["property"] == "nonpositive_value" and not NEVER_NEGATIVE.isdisjoint(named)
    )


def _example(story: str, outcome: Comparison) -> Example:
    case, call = outcome.case, outcome.call
    return Example(
        story=story,
        task=case.workflow.task_id,
        request=case.workflow.query,
        tool=call.tool,
        arguments=dict(call.arguments),
        fault=case.fault.name,
        summary=case.fault.summary,
        permanent=case.permanent,
        differences=tuple(differences(outcome.true, call.result)),
        result=call.result,
        envelope=outcome.advised,
        without=_ending(outcome.without),
        monitored=_ending(outcome.monitored),
        did=_did(outcome),
    )


def _did(outcome: Comparison) -> str:
    """Say what the agent called after the first receipt, up to the first result without one."""
    start = next((place for place, each in enumerate(outcome.heard) if each.told), len(outcome.heard))
    told: list[str] = []
    for each in outcome.heard[start + 1 :]:
        again = " again" if each.tool == outcome.heard[start].tool else ""
        came = "which came with a receipt too" if each.told else "which came without a receipt"
        told.append(f"{each.tool}{again} with {json.dumps(each.arguments, ensure_ascii=False)}, {came}")
        if not each.told:
            break
    return f"It called {'; then '.join(told)}." if told else "It called nothing more."


def _ending(ending: Ending) -> str:
    """Say how it ended."""
    if ending.completed:
        return "completed"
    score = ending.score
    found = {
        "reported value": len({*score.unsaid, *score.contradicted}),
        "message": len({name.partition(":")[0] for name in score.unsent}),
        "record": len({*score.missing_changes, *score.wrong_changes}),
    }
    told = [f"{number} {what}{'' if number == 1 else 's'} wrong" for what, number in found.items() if number]
    return f"failed: {' and '.join(told) or 'too much told'}"
