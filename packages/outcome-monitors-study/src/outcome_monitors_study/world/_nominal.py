"""Clean traces of the world, to mine from."""

from collections.abc import Iterator

from outcome_monitors.model import Call

from ._workflow import Path, Workflow
from ._workflows import workflows
from ._world import World
from .agents import naive
from .draws import generator

__all__ = ["calls_of", "nominal_calls", "nominal_traces"]


def calls_of(world: World, workflow: Workflow, session: str) -> Iterator[Call]:
    """Yield a world's log as calls of a session."""
    for step, entry in enumerate(world.log, 1):
        yield Call(
            tool=entry.tool,
            arguments=entry.arguments,
            result=entry.result,
            task=workflow.task_id,
            session=session,
            error=entry.failed,
            tools=workflow.tools,
            extra={"step": step, "time": entry.time},
        )


def nominal_calls(workflow: Workflow, path: Path | None = None, session: str | None = None) -> Iterator[Call]:
    """Carry a workflow out in a fresh world, by the scripted naive agent, and yield its calls."""
    world = World(workflow.seed)
    naive(workflow, world.call, path)
    return calls_of(world, workflow, session or f"{workflow.task_id}/clean")


def nominal_traces(count: int = 400, seed: int = 0) -> Iterator[Call]:
    """Yield the calls of clean runs, one run a workflow, along one of its paths."""
    for workflow in workflows(count, seed):
        yield from nominal_calls(workflow, generator(seed, workflow.task_id).choice(list(workflow.paths())))
