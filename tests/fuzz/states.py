"""A state of mining that someone has changed is refused when it is read, or gives contracts; nothing else comes of it."""

import copy
import json
import random
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from outcome_monitors import Call
from outcome_monitors.exceptions import ContractError
from outcome_monitors.mining.observations import PROFILES, Observations
from outcome_monitors.mining.state import from_state, to_state
from tests.fuzz.results import ODD, Tool, tool_of

__all__ = ["bears_damage"]

DAMAGED = 10


def bears_damage(seed: int, damaged: int = DAMAGED) -> int:
    """Change the states of a tool, go on from them, and return how many there were."""
    rng, tool = random.Random(seed), tool_of(seed)
    for profile in PROFILES:
        observations = Observations(profile)
        for number in range(14):
            call = tool.call(number % 9)
            session = f"s{number % 3}"
            observations.add(
                Call("get_t", call.arguments, call.result, task=f"{session}/{number}", session=session)
            )
        state = json.loads(json.dumps(to_state(observations)))
        for _ in range(damaged):
            _go_on(_damaged(rng, state), tool)
    return damaged * len(PROFILES)


def _go_on(state: Any, tool: Tool) -> None:
    try:
        observations = from_state(state)
    except ContractError:
        return
    for number in range(20, 23):
        observations.add(tool.call(number))
    together = observations.empty()
    together.merge(observations)
    json.dumps(to_state(together))
    with suppress(ContractError):
        together.contracts().registry.dumps()


def _damaged(rng: random.Random, state: Any) -> Any:
    """Return a state in which something else stands at a place or two: mostly something of the same type."""
    state = copy.deepcopy(state)
    for _ in range(rng.randint(1, 2)):
        places = list(_places(state))
        container, key = rng.choice(places)
        alike = [
            c[k] for c, k in rng.sample(places, min(60, len(places))) if type(c[k]) is type(container[key])
        ]
        how = rng.random()
        if how < 0.6 and alike:
            container[key] = copy.deepcopy(rng.choice(alike))
        elif how < 0.7:
            del container[key]
        elif how < 0.8 and isinstance(container, dict):
            container[rng.choice(("", "a", "a[", "$", '["a'))] = container.pop(key)
        elif how < 0.9 and isinstance(container, list):
            container.insert(rng.randint(0, len(container)), copy.deepcopy(container[key]))
        else:
            container[key] = json.loads(json.dumps(rng.choice(ODD), default=repr, skipkeys=True))
    return state


def _places(container: Any) -> Iterator[tuple[Any, Any]]:
    for key in list(container) if isinstance(container, dict) else range(len(container)):
        yield container, key
        if isinstance(container[key], dict | list):
            yield from _places(container[key])
