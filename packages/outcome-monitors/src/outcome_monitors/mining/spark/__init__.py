"""Mining as a Spark job: the same contracts as on one machine, byte for byte.

    from outcome_monitors.mining import spark as om_spark
    registry = om_spark.mine(spark, "s3a://traces/2026/", profile="full")
    registry.save("contracts.json")

`spark` is a session of yours. The package travels with the job: nothing has to be installed on the executors but Python.
"""

from collections.abc import Iterable

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.mining.budget import BUDGET
from outcome_monitors.mining.observations import DEFAULT_PROFILE, Observations

from .job import Gathered, observe, verify
from .session import Session, started

__all__ = ["Gathered", "Session", "mine", "observe", "started", "verify"]


def mine(
    spark: Session,
    path: str | Iterable[str],
    profile: str = DEFAULT_PROFILE,
    budget: float = BUDGET,
    private: Iterable[str] = (),
    share: float = 1.0,
) -> Registry:
    """Learn contracts from trace files (JSONL, packed or not) and Parquet files or folders, wherever Spark can read them."""
    paths = [path] if isinstance(path, str) else list(path)
    like = Observations(profile, budget, private, share)
    observed = observe(spark, paths, like).observations
    return observed.contracts(again=lambda found: verify(spark, paths, found)).registry
