"""Makes workflows: episodes put together, with as many choices as the complexity asks for.

C1 has one path. In C2 one need can be met by another tool. In C3 one need can be met by a path of several tools in place of
another. C4 has two or three such needs of either kind. A path meets a need that is asked twice in the same way twice.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from outcome_monitors.model import Call

from .agents import naive
from .records import generator
from .requests import (
    CLOSING,
    EPISODES,
    NEEDS,
    Draw,
    DrawnEpisode,
    Need,
    Path,
    RequestedFact,
    Step,
    Way,
    Workflow,
)
from .state import TODAY
from .world import TOOLS, World

_DISTRACTORS = 5
_LAST = "Tell me all of this in your last message."


@dataclass(frozen=True, slots=True)
class _Level:
    episodes: tuple[int, int]
    """How many, at least and at most."""
    slots: tuple[int, int]
    """How many needs leave a choice, at least and at most."""
    kinds: frozenset[str]
    """`tools` where one tool stands for another, `paths` where a path does."""


_LEVELS = {
    "C1": _Level((1, 2), (0, 0), frozenset()),
    "C2": _Level((1, 2), (1, 1), frozenset({"tools"})),
    "C3": _Level((2, 2), (1, 1), frozenset({"paths"})),
    "C4": _Level((2, 3), (2, 3), frozenset({"tools", "paths"})),
}


def workflows(count: int = 400, seed: int = 0) -> Iterator[Workflow]:
    """Yield workflows, the four levels in turn; the same count and seed give the same ones.

    Every one has been carried out once, in a world of its own, without any call failing.
    """
    levels = list(_LEVELS)
    for index in range(count):
        complexity = levels[index % len(levels)]
        task_id = f"{complexity}_task_{1 + index // len(levels):03d}"
        rng = generator(seed, f"workflow/{task_id}")
        drafts = (_draft(rng, seed, task_id, complexity) for _ in range(1000))
        yield next(draft for draft in drafts if draft is not None and _runs(draft))


def _runs(workflow: Workflow) -> bool:
    world = World(workflow.seed)
    naive(workflow, world.call)
    return not any(entry.failed for entry in world.log)


def _draft(rng: random.Random, seed: int, task_id: str, complexity: str) -> Workflow | None:
    level, draw = _LEVELS[complexity], Draw(rng, seed)
    templates = rng.sample(EPISODES, rng.randint(*level.episodes))
    episodes = [template.episode(draw) for template in templates]
    report = tuple(_placed(n, asked) for n, episode in enumerate(episodes, 1) for asked in episode.report)
    letters = {
        f"e{n}.{ask}": tuple(_placed(n, asked) for asked in facts)
        for n, episode in enumerate(episodes, 1)
        for ask, facts in episode.letters.items()
    }
    if rng.random() < 0.5:
        episodes.append(_summary(draw, report))
        letters[f"e{len(episodes)}.{CLOSING.asks[-1].name}"] = report
    steps = tuple(Step(f"e{n}", each) for n, episode in enumerate(episodes, 1) for each in episode.asks)
    ways = _ways(rng, [NEEDS[need] for need in dict.fromkeys(step.ask.need for step in steps)], level)
    if ways is None:
        return None
    query = " ".join([f"Today is {TODAY}.", *(episode.sentence for episode in episodes), _LAST])
    return Workflow(task_id, complexity, seed, query, steps, ways, _visible(rng, ways), report, letters)


def _placed(number: int, asked: RequestedFact) -> RequestedFact:
    """Say of which episode a fact is; one that is known from the start stands as it is."""
    known = not (isinstance(asked.fact, str) and asked.fact.startswith("$"))
    fact = asked.fact if known else f"$e{number}.{asked.fact[1:]}"
    return replace(asked, name=f"e{number}.{asked.name}", fact=fact)


def _summary(draw: Draw, report: tuple[RequestedFact, ...]) -> DrawnEpisode:
    """Close a workflow by a message that tells what was found: a wrong value is then in the world for good."""
    lines = (f"{asked.name.partition('.')[2]}: {{{asked.fact[1:]}}}" for asked in report)
    return CLOSING.episode(draw, results="; ".join(lines))


def _ways(rng: random.Random, needs: list[Need], level: _Level) -> dict[str, tuple[Way, ...]] | None:
    """Choose where there is a choice, or say that these needs do not allow as many as the level asks for."""
    offers = {need.name: offer for need in needs if len(offer := _offer(need, level)) > 1}
    wanted = rng.randint(*level.slots)
    if len(offers) < wanted:
        return None
    slots = rng.sample(list(offers), wanted)
    # Three choices at each of three slots would make more paths than anybody wants to look at.
    most = 3 if wanted < 3 else 2
    chosen = {name: tuple(rng.sample(offers[name], min(len(offers[name]), most))) for name in slots}
    taken = [tool for ways in chosen.values() for tool in _tools(ways)]
    if len(taken) != len(set(taken)):
        return None
    for need in needs:
        # A tool that stands in one way of a slot stands nowhere else, so that calling it tells which way is taken.
        free = [way for way in need.ways if not set(way.tools) & set(taken)]
        if need.name not in chosen and not free:
            return None
        chosen.setdefault(need.name, (rng.choice(free or need.ways),))
    return {need.name: chosen[need.name] for need in needs}


def _offer(need: Need, level: _Level) -> tuple[Way, ...]:
    if "paths" in level.kinds and need.kind == "many_to_many":
        return need.ways
    if "tools" in level.kinds:
        return tuple(way for way in need.ways if len(way.uses) == 1)
    return ()


def _tools(ways: tuple[Way, ...]) -> set[str]:
    return {tool for way in ways for tool in way.tools}


def _visible(rng: random.Random, ways: dict[str, tuple[Way, ...]]) -> tuple[str, ...]:
    used = {tool for each in ways.values() for tool in _tools(each)}
    # A way that the workflow does not offer must not be open by accident.
    hidden = {tool for name in ways for tool in _tools(NEEDS[name].ways)}
    domains = {TOOLS[tool].domain for tool in used}
    spare = [t.name for t in TOOLS.values() if t.domain in domains and t.name not in hidden]
    return tuple(sorted(used | set(rng.sample(spare, min(_DISTRACTORS, len(spare))))))


def nominal_calls(workflow: Workflow, path: Path | None = None) -> Iterator[Call]:
    """Carry a workflow out in a fresh world, by the scripted naive agent, and yield its calls."""
    world = World(workflow.seed)
    naive(workflow, world.call, path)
    for step, entry in enumerate(world.log, 1):
        yield Call(
            tool=entry.tool,
            arguments=entry.arguments,
            result=entry.result,
            task=workflow.task_id,
            session=f"{workflow.task_id}/clean",
            error=entry.failed,
            tools=workflow.tools,
            extra={"step": step, "time": entry.time},
        )


def nominal_traces(count: int = 400, seed: int = 0) -> Iterator[Call]:
    """Yield the calls of clean runs, one run a workflow, along one of its paths."""
    for workflow in workflows(count, seed):
        yield from nominal_calls(workflow, generator(seed, workflow.task_id).choice(list(workflow.paths())))
