"""`python -m bench.judge [--workflows N]`: what the tool world's judge makes of clean runs in other words, and of wrong ones."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import click

from outcome_monitors.cli._output import write
from outcome_monitors_study.environments.world import WorldEnvironment, WorldEpisode
from outcome_monitors_study.scripted import ScriptedAgent, scripted_agent
from outcome_monitors_study.world import Workflow, workflows
from outcome_monitors_study.world.agents import Run
from outcome_monitors_study.world.scoring import orders
from outcome_monitors_study.world.toolmaze import Task

from ._dialects import ANSWERS, LETTERS, WRONG, harm, reworded
from ._report import Table, facts, show

__all__ = ["main"]

AGENT = "scripted-careful"
SEED = 0

Row = tuple[str, str, str]
Play = Callable[[Workflow], bool]


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--workflows", "count", metavar="N", type=click.IntRange(4), default=400, show_default=True)
def main(count: int) -> None:
    """Let a careful script carry out clean workflows in words of several kinds, and judge each run."""
    write(facts() + "\n\n")
    made = list(workflows(count, SEED))
    script = scripted_agent(AGENT, WorldEnvironment(count, SEED).relations(), SEED)
    show(Table("Clean runs by a careful script", ("run", ">runs", ">completed"), tuple(_rows(made, script))))


def _rows(made: Sequence[Workflow], script: ScriptedAgent) -> Iterator[Row]:
    for letter, words in LETTERS.items():
        yield _row(f"free texts: {letter}", made, partial(_judged, script, words=words))
    for name, say in ANSWERS.items():
        yield _row(f"answer: {name}", made, partial(_judged, script, say=say))
    several = [workflow for workflow in made if len(list(orders(workflow))) > 1]
    yield _row("parts in another order", several, partial(_judged, script, order=-1))
    for name, say in WRONG.items():
        yield _row(f"wrong answer: {name}", made, partial(_judged, script, say=say))
    yield _row("one change too many", made, partial(_judged, script, harmful=True))


def _row(name: str, made: Sequence[Workflow], completed: Play) -> Row:
    return name, str(len(made)), str(sum(map(completed, made)))


def _judged(
    script: ScriptedAgent,
    workflow: Workflow,
    words: Callable[[str], str] = str,
    say: Callable[[Workflow, Run], str] = ANSWERS["plain"],
    order: int = 0,
    harmful: bool = False,
) -> bool:
    """Carry a workflow out without any fault, and judge it as a study does."""
    task = Task(workflow.task_id, workflow.complexity, "P0", {"query": workflow.query})
    episode = WorldEpisode(workflow, task)
    acting = WorldEpisode(list(orders(workflow))[order], task)
    run = script(acting, reworded(lambda tool, given: episode.call(tool, given).seen, words))
    if harmful:
        episode.call(*next(harm()))
    return episode.judge(say(workflow, run)).completed


if __name__ == "__main__":
    main(prog_name="python -m bench.judge")
