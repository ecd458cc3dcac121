"""Laws that hold for all inputs: on a few in `make test`, on others each time in `make fuzz`, for as long as it is given."""

import os
import random
import time

import pytest

from tests.fuzz.meaning import agrees_on_mined, agrees_on_written
from tests.fuzz.sessions import replays_alike
from tests.fuzz.wire import passes_events, passes_lines

SECONDS = float(os.environ.get("OUTCOME_MONITORS_FUZZ", "0"))
LAWS = (agrees_on_written, agrees_on_mined, replays_alike, passes_lines, passes_events)
"""Each takes a seed, tries some inputs, and returns how many."""
FEW = {"replays_alike": {"learned": 10, "sessions": 5}}
"""What is less in the short run."""
SEEDS = {"agrees_on_written": 60, "agrees_on_mined": 8}
"""How many are tried in the short run, if more than one."""


@pytest.mark.parametrize("law", LAWS)
def test_a_law_holds(law):
    if not SECONDS:
        for seed in range(SEEDS.get(law.__name__, 1)):
            assert law(seed, **FEW.get(law.__name__, {})) > 0
        return
    # Two processes share the laws: each law has its part of twice the time.
    until = time.monotonic() + 2 * SECONDS / len(LAWS)
    seed = random.SystemRandom().randrange(10**12)
    while time.monotonic() < until:
        law(seed)
        seed += 1
