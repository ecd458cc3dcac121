"""Every law of `laws`, on a few inputs in `make test`; in `make fuzz` on others each time, for as long as it is given."""

import os
import random
import shutil
import time

import pytest

pytest.importorskip("aiohttp")

from tests.fuzz.laws import STRUCTURE, WIRE
from tests.fuzz.shares import sparks_alike
from tests.fuzz.versions import pythons, says_alike

try:
    import pyspark
except ImportError:
    pyspark = None

LONG = float(os.environ.get("OUTCOME_MONITORS_FUZZ", "0"))
LAWS = pytest.mark.parametrize("law", [*STRUCTURE, *WIRE], ids=lambda law: law.holds.__name__)
SHORT = {
    "says_alike": {"seeds": 1},
    "replays_alike": {"learned": 10, "sessions": 5},
}
"""What is less in the short run."""
needs_spark = pytest.mark.skipif(
    pyspark is None or shutil.which("java") is None, reason="pyspark (extra spark) or Java is not installed"
)


def absent(law):
    """Skip what this machine cannot try."""
    if law.holds is says_alike and len(pythons()) < 2:
        pytest.skip(f"this machine has one Python that the package is for: {', '.join(pythons())}")


@pytest.mark.skipif(bool(LONG), reason="the long run is one")
@LAWS
def test_a_law_holds_on_a_few_inputs(law):
    absent(law)
    assert law.holds(1, **SHORT.get(law.holds.__name__, {})) > 0


@pytest.mark.skipif(not LONG, reason="`make fuzz` runs this")
@LAWS
def test_a_law_holds_for_long(law):
    absent(law)
    # Two run at once: each has its part of twice the time.
    until = time.monotonic() + 2 * LONG / (len(STRUCTURE) + len(WIRE) + 1)
    seed = random.SystemRandom().randrange(10**12)
    while time.monotonic() < until:
        law.holds(seed)
        seed += 1


@needs_spark
@pytest.mark.skipif(not LONG, reason="`make fuzz` runs this")
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_spark_and_one_process_observe_the_same_for_long():
    from outcome_monitors.mining.spark import started  # noqa: PLC0415 - Java starts with it

    until = time.monotonic() + 2 * LONG / (len(STRUCTURE) + len(WIRE) + 1)
    seed = random.SystemRandom().randrange(10**12)
    with started("local[2]") as spark:
        spark.conf.set("spark.sql.files.maxPartitionBytes", "5000")
        assert sparks_alike(spark, seed) > 0
        while time.monotonic() < until:
            seed += 1
            sparks_alike(spark, seed)
