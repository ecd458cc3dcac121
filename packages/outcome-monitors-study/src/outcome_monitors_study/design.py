"""What a study is asked to be, what it cannot be, and how its models are asked."""

import platform
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Json, Profile
from outcome_monitors.recovery.relations import Relations

from ._json import resource
from ._plugin_loading import plugin_errors
from .arms import arm_class
from .environments.environment import Cell, Environment
from .scripted import is_scripted, scripted_agent

STRATA = ("C3/P3", "C3/P4", "C4/P3", "C4/P4")
SYSTEM_PROMPT = str(resource("prompts.json")["system"])
"""The same for every arm; it speaks of no contract and no receipt."""
STATUSES = ("frozen", "retrospective", "development")
"""Whether related outcomes were known when a study was frozen, or things were made by it."""
EFFORTS = ("off", "minimal", "low", "medium", "high")
"""How much a model is to think before it answers."""
ASKING = (
    *("inspect-ai", "openai", "anthropic", "google-genai", "mistralai", "groq"),
    *("azure-ai-inference", "aioboto3"),
)
"""The packages with which models are asked."""


@dataclass(frozen=True, slots=True)
class Design:
    """What a study is asked to be."""

    environment: Mapping[str, Json] = field(default_factory=lambda: {"environment": "world"})
    agents: Sequence[str] = ("scripted-follows:0.7",)
    arms: Sequence[str] = ("baseline", "advisory-v2")
    contrasts: Sequence[str] = ()
    """More than each arm against the first: `treatment:baseline`."""
    strata: Sequence[str] = STRATA
    """Each by its name, or with its own number of tasks: `C3/P4:15`."""
    per_stratum: int = 20
    repeats: int = 1
    """How often each episode is run."""
    clean_arms: Sequence[str] = ()
    """The arms that are run where nothing is injected; all, if none is named."""
    without: Sequence[Path] = ()
    """Studies whose tasks are not to be taken."""
    tasks_of: Path | None = None
    """A study whose tasks are taken: in its own strata, and in clean ones."""
    status: str = "frozen"
    """One of `STATUSES`."""
    registered: str = ""
    """How each outcome is to be read, written down before there is one."""
    seed: int = 0
    profile: Profile = "full"
    folds: int | None = None
    """Registries that are learned, each without some of the tasks; None for five in profile `paper`, and else for one that
    knows none of the sampled tasks."""
    distinctive: int | None = None
    """Signs of a wrong value that is looked for later on; None for the paper's eight in its profile, and else for four."""
    contracts: Path | None = None
    """Contracts to take in place of mining them."""
    relations: Path | None = None
    settings: Mapping[str, Json] = field(default_factory=dict)
    """Of a model: temperature, most steps, prices, the system prompt."""


def paid_models(agents: Iterable[str], settings: Mapping[str, Json]) -> list[str]:
    """Return the models that a study pays for: those of its agents that are no scripts, and the one that plays the user."""
    user = settings.get("user_model")
    return [agent for agent in (*agents, *([user] if user else [])) if not is_scripted(agent)]


def refuse_design(design: Design) -> None:
    """Raise, in a sentence, where a study cannot be as it is asked to be."""
    refuse_generation(design.settings)
    arms = {name: arm_class(name) for name in design.arms}
    if len(design.arms) < 2 or len(set(design.arms)) < len(design.arms):
        raise OutcomeMonitorsError(
            "a study compares at least two arms, each named once; the first is the baseline"
        )
    if not {*design.clean_arms} <= {*design.arms}:
        raise OutcomeMonitorsError("--clean-arms names arms of the study")
    for treatment, base in contrasts_of(design):
        if treatment == base or not {treatment, base} <= set(design.arms):
            raise OutcomeMonitorsError(
                f"{treatment}:{base} is no contrast of two of the study's arms; write treatment:baseline"
            )
    for agent in filter(is_scripted, design.agents):
        scripted_agent(agent, Relations(), 0)
        talks = [name for name, arm in arms.items() if arm.needs_model]
        if talks:
            raise OutcomeMonitorsError(
                f"arm {talks[0]} needs a model, and {agent} is a script; leave one of them out"
            )


def contrasts_of(design: Design) -> list[list[str]]:
    """Return each arm against the first, and what more was asked for, as (treatment, baseline)."""
    asked = [[treatment, base] for treatment, _, base in (text.partition(":") for text in design.contrasts)]
    return [*([arm, design.arms[0]] for arm in design.arms[1:]), *asked]


def endpoint_of(design: Design, place: Environment, strata: Iterable[str]) -> dict[str, Json]:
    """Return what is held against what: where there are faults, the pairs that have one."""
    faulted = not all(map(place.is_clean, strata))
    return {
        "primary": "completed",
        "baseline": design.arms[0],
        "treatment": design.arms[1],
        "pairs": "with a fault" if faulted else "clean",
    }


def sampled(
    place: Environment, counts: Mapping[str, int], seed: int, without: frozenset[str], others: Sequence[Cell]
) -> list[Cell]:
    """Return the cells of a study, those of `others` if there are any; raise where there are none, or two of one name."""
    with plugin_errors(place):
        drawn = place.cells(counts, seed, without) if not others else _of_others(place, others, counts)
        cells = place.deal([Cell(*cell) for cell in drawn])
    if not cells or len({cell.id for cell in cells}) < len(cells):
        raise OutcomeMonitorsError(
            "the environment gave no cells, or two of the same id; each is sampled once"
        )
    return cells


def _of_others(place: Environment, others: Sequence[Cell], strata: Iterable[str]) -> list[Cell]:
    """Return another study's cells of these strata, and its tasks in those of them in which nothing is injected."""
    own = [cell._replace(fault="") for cell in others if cell.stratum in strata]
    return list(dict.fromkeys([*own, *(cell for cell in map(place.clean, others) if cell.stratum in strata)]))


def wanted(strata: Sequence[str], per_stratum: int) -> dict[str, int]:
    """Return how many tasks of each stratum: `C3/P4:15` says its own number.

    >>> wanted(["C3/P3", "C3/P4:15"], 14)
    {'C3/P3': 14, 'C3/P4': 15}
    """
    found: dict[str, int] = {}
    for text in strata:
        name, colon, number = text.partition(":")
        if colon and not (number.isdecimal() and int(number)):
            raise OutcomeMonitorsError(f"stratum {text!r} has no number of tasks behind the colon")
        if name in found:
            raise OutcomeMonitorsError(f"stratum {name!r} is named twice")
        found[name] = int(number) if colon else per_stratum
    return found


def generation(settings: Mapping[str, Json]) -> dict[str, Json]:
    """Return what a request says beside its messages; what was not frozen is left to the provider."""
    effort = settings.get("reasoning")
    return {
        "temperature": settings["temperature"],
        "max_tokens": settings.get("max_tokens"),
        "reasoning_tokens": settings.get("reasoning_tokens"),
        "reasoning_effort": "none" if effort == "off" else effort,
        "extra_body": settings.get("request") or None,
    }


def refuse_generation(settings: Mapping[str, Json]) -> None:
    """Raise where settings contradict each other, or would be ignored."""
    if settings.get("reasoning") and settings.get("reasoning_tokens"):
        raise OutcomeMonitorsError(
            "give --reasoning or --reasoning-tokens, not both: one overrules the other"
        )
    for name in ("model_args", "request"):
        if not isinstance(settings.get(name, {}), Mapping):
            raise OutcomeMonitorsError(f"{name} is an object, as the provider takes it")


def versions(models: Iterable[str]) -> dict[str, str]:
    """Return the version of Python, of this package, and, where there are models, of what is installed to ask them."""
    found = {"python": platform.python_version(), "outcome-monitors": version("outcome-monitors")}
    for package in ASKING if list(models) else ():
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


def system_prompt(settings: Mapping[str, Json], place: Environment) -> str:
    """Return what was frozen, else what the environment brings, else our own."""
    return str(settings.get("system_prompt") or place.system_prompt or SYSTEM_PROMPT)
