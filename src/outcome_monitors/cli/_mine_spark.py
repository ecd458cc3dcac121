"""`mine --engine spark`: a session for one job."""

import os
from collections.abc import Sequence

from outcome_monitors.exceptions import TraceError
from outcome_monitors.mining.observations import Observations
from outcome_monitors.mining.spark import Gathered, observe, started
from outcome_monitors.values.files import FilePath

__all__ = ["Gathered", "require_clean", "run_on_spark"]

ALL_CORES = "local[*]"


def run_on_spark(
    traces: Sequence[FilePath], observations: Observations, master: str | None, *, strict: bool
) -> Gathered:
    """Add the calls of trace files to observations; raise TraceError where they hold no clean call."""
    paths = [os.fspath(path) for path in traces]
    with started(master or ALL_CORES) as spark:
        gathered = observe(spark, paths, observations.profile, observations.budget, observations.private)
    if strict and gathered.skipped:
        file, why = min(gathered.skipped)
        raise TraceError(f"{file}: {why}; mend the line, or skip it by reading without strict")
    if not gathered.calls:
        raise TraceError(f"no calls in {', '.join(paths)}: a trace file holds one JSON object a line")
    require_clean(paths, gathered.calls - gathered.failed_openly)
    observations.merge(gathered.observations)
    return gathered


def require_clean(files: Sequence[str], clean: int) -> None:
    """Raise TraceError where there is nothing to learn from."""
    if not clean:
        raise TraceError(
            f"no clean calls in {', '.join(files)}: every one is marked as an open failure; add traces of calls"
            " that went well"
        )
