"""Which bucket a trace line belongs to, as a rule without parsing it.

Parsing is what several processes are to share, so the one that deals lines out must not do it. A line is looked at as bytes:
where `"session"` stands in it once, with a plain text after it, either that is the session, or the line has none, and a line
without a session may go anywhere. All others are parsed.
"""

import re
from functools import lru_cache

from outcome_monitors.exceptions import TraceError
from outcome_monitors.traces.lines import Held
from outcome_monitors.traces.reader import parse_line

from .buckets import BUCKETS, bucket_of, shard_of

__all__ = ["bucket_of_line"]

KEY = b'"session"'
_PLAIN = re.compile(rb'"session"\s*:\s*"([^"\\]*)"')
# A key may be written with escapes: each letter of `session` has a code from 65 to 73, in hexadecimal.
_ESCAPES = (b"\\u006", b"\\u007")


def bucket_of_line(held: Held, number: int) -> int:
    """Return the bucket of what stands in a line; `number` deals out those that may stand anywhere."""
    if isinstance(held, bytes) and not (b"\\" in held and any(escape in held for escape in _ESCAPES)):
        at = held.find(KEY)
        if at < 0:
            return number % BUCKETS
        if held.find(KEY, at + 1) < 0 and (found := _PLAIN.match(held, at)):
            return _bucket(found[1])
    return _parsed(held, number)


@lru_cache(maxsize=4096)
def _bucket(session: bytes) -> int:
    try:
        return bucket_of(session.decode())
    except UnicodeDecodeError:
        return 0  # no call: whoever parses it says so


def _parsed(held: Held, number: int) -> int:
    try:
        return shard_of(parse_line(held))
    except TraceError:
        return number % BUCKETS
