"""Scripted agents, for the tool world and for episodes that let one play. They are scripts, not models: they show that the pipeline works.

`scripted-naive` takes results at face value; `scripted-careful` calls a read again where a result looks odd to common sense;
`scripted-follows:P` acts on each receipt with probability P.
"""

from collections.abc import Callable, Mapping

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Json
from outcome_monitors.recovery.relations import Relations

from ._json import leaves
from .environments.environment import Episode, Scripted
from .environments.world import WorldEpisode
from .world.agents import Interface, Run
from .world.records import generator

PREFIX = "scripted-"

ScriptedAgent = Callable[[Episode, Interface], Run]


def is_scripted(agent: str) -> bool:
    """Say whether an agent is a script; any other name is a model's."""
    return agent.startswith(PREFIX)


def scripted_agent(name: str, relations: Relations, seed: int) -> ScriptedAgent:
    """Return the script of a name."""
    kind, _, share = name.removeprefix(PREFIX).partition(":")
    if kind == "naive" and not share:
        return lambda episode, interface: _scripted(episode).played(_first_opinion(interface), kind)
    if kind == "careful" and not share:
        return lambda episode, interface: _scripted(episode).played(
            _looking(_first_opinion(interface), relations), kind
        )
    if kind == "follows":
        return _follows(_probability(share, name), seed)
    raise OutcomeMonitorsError(
        f"there is no script {name!r}: choose scripted-naive, scripted-careful or scripted-follows:0.7"
    )


def _first_opinion(interface: Interface) -> Interface:
    """A script cannot weigh two results against each other: of a result with a second opinion it takes the first."""

    def reading(tool: str, arguments: Mapping[str, Json]) -> Json:
        seen = interface(tool, arguments)
        doubled = isinstance(seen, dict) and seen.keys() == {"tool_result", "verification"}
        return seen["tool_result"] if doubled else seen

    return reading


def _probability(share: str, name: str) -> float:
    try:
        probability = float(share or 1.0)
    except ValueError:
        probability = -1.0
    if not 0 <= probability <= 1:
        raise OutcomeMonitorsError(f"{name!r} needs a probability from 0 to 1, as in scripted-follows:0.7")
    return probability


def refuse_scripts(episode: Episode) -> None:
    """Raise where an episode lets no script act."""
    if not isinstance(episode, Scripted):
        raise OutcomeMonitorsError(
            "scripted agents act where an episode lets them (the tool world, tau-retail); name a model for this one"
        )


def _scripted(episode: Episode) -> Scripted:
    refuse_scripts(episode)
    assert isinstance(episode, Scripted)
    return episode


def _follows(probability: float, seed: int) -> ScriptedAgent:
    def script(episode: Episode, interface: Interface) -> Run:
        rng = generator(
            seed, episode.workflow.task_id if isinstance(episode, WorldEpisode) else episode.query
        )
        return _scripted(episode).played(
            _first_opinion(interface),
            f"follows receipts, p={probability:g}",
            lambda: rng.random() < probability,
        )

    return script


def _looking(interface: Interface, relations: Relations) -> Interface:
    """Look at every result of a read; where it looks odd, call once more and take what looks better."""

    def looking(tool: str, arguments: Mapping[str, Json]) -> Json:
        seen = interface(tool, arguments)
        effect = relations.effect(tool)
        if effect.writes or not _odd(seen):
            return seen
        again = interface(tool, arguments)
        return seen if _odd(again) else again

    return looking


def _odd(seen: Json) -> bool:
    """Say whether a result holds what common sense stumbles over: a number below zero, an empty text, nothing at all.

    A receipt beside it is not read.
    """
    enveloped = isinstance(seen, dict) and seen.keys() == {"tool_result", "outcome_contract"}
    result = seen["tool_result"] if enveloped else seen
    return any(
        value is None
        or value == ""
        or (isinstance(value, int | float) and not isinstance(value, bool) and value < 0)
        for value in leaves(result)
    )
