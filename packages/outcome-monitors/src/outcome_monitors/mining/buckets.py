"""Which calls must stay together: those of one session, in order.

Sessions are dealt into a fixed number of buckets. All that mining remembers of a session depends on the calls of its bucket
alone, so that buckets can be observed apart, in any number of processes or on any number of machines, and merged.
"""

from outcome_monitors.features.walk import task_name
from outcome_monitors.jsonvalue.text import stable_hash
from outcome_monitors.model import Call

__all__ = ["BUCKETS", "bucket_of", "shard_of"]

BUCKETS = 128


def bucket_of(session: str) -> int:
    """Return the bucket of a session."""
    return stable_hash(f"bucket:{session}") % BUCKETS


def shard_of(call: Call) -> int:
    """Return the bucket of a call: that of its session; a call without one may stand anywhere."""
    return bucket_of(call.session if call.session is not None else task_name(call))
