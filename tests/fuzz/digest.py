"""What is mined, found and said of inputs, as one hash a seed: `python -m tests.fuzz.digest FIRST COUNT` prints them.

Every Python says the same. The standard library is all that it needs.
"""

import json
import random
import sys
from hashlib import sha256

from outcome_monitors import Monitor, mine
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.mining.observations import Observations
from outcome_monitors.mining.state import to_state
from tests.fuzz.contracts import varied
from tests.fuzz.results import changed, tool_of

__all__ = ["TRIES", "digest"]

TRIES = 20


def digest(seed: int) -> str:
    """Return the hash of all that comes of a seed."""
    rng, tool = random.Random(seed), tool_of(seed)
    profile = ("paper", "full")[seed % 2]
    calls = tool.calls(12)
    observations = Observations(profile)
    for call in calls:
        observations.add(call)
    mined = mine(calls, profile)  # type: ignore[arg-type]  # one of the two
    said = [json.dumps(to_state(observations)), mined.dumps()]
    contract = mined.contracts.get("t")
    if contract is not None:
        monitor = Monitor(Registry({"t": varied(rng, contract)}, profile))
        session = monitor.session("run")
        for _ in range(TRIES):
            call = tool.call(rng.randint(0, 60))
            outcome = session.judge("t", call.arguments, changed(rng, call.result))
            said += [outcome.verdict, repr(outcome.violations), json.dumps(outcome.receipt, default=repr)]
    return sha256("\n".join(said).encode(errors="backslashreplace")).hexdigest()


if __name__ == "__main__":
    first, count = map(int, sys.argv[1:])
    for number in range(first, first + count):
        print(number, digest(number))  # noqa: T201 - that is all it does
