"""Eight faults drawn from incidents in a production agent runtime.

The incidents are those of W. Wu (arXiv:2606.14589, CC BY 4.0); the transformations are ours, made after the
mechanisms described there. They use no clock and no chance: every choice goes by document order. The eight come
first, variants of them after.
"""

from collections.abc import Callable
from functools import partial

from outcome_monitors.model import Json

from .fault import Fault
from .incident_payload import PAGE, PAGE_IN_LOG, paged, stripped, swallowed, swallowed_but_counted, truncated
from .incident_records import polluted, rewound, shifted, stale, substituted
from .view import View, whole

__all__ = ["INCIDENT"]


def _incident(
    number: str, name: str, needs: str, summary: str, twin: str, make: Callable[[View], Json]
) -> Fault:
    return Fault(name, "incident", f"incident {number}", summary, needs, twin, whole(make))


INCIDENT = (
    _incident(
        "1",
        "vacuous_exec_swallow",
        "volume",
        "Success with nothing in it: errors dropped, lists empty, strings blank, numbers zero.",
        "an authorised search with no hits",
        partial(swallowed, keep_counts=False),
    ),
    _incident(
        "2",
        "positional_field_shift",
        "string",
        "One value is lost from the second row on; every later one of its type moves a slot forward, and the last is null.",
        "names that are plausible in either slot; a new id format",
        partial(shifted, last=None),
    ),
    _incident(
        "3",
        "stale_declared_state",
        "cross-call",
        "The oldest result of the session for the same entity, under the stamps and flags of the present one.",
        "eventual consistency; an entity that nobody changed",
        stale,
    ),
    _incident(
        "4",
        "cause_stripped_http_payload",
        "field",
        "Flags and ids alone are left, and the message says 'HTTP 502: Bad Gateway'.",
        "a health checker; a tool that looks up status codes",
        partial(stripped, phrase="HTTP 502: Bad Gateway"),
    ),
    _incident(
        "5",
        "error_page_as_payload",
        "string",
        "The longest text is replaced by an HTML error page, everything else stays.",
        "a tool that fetches pages or reads logs",
        partial(paged, page=PAGE),
    ),
    _incident(
        "6",
        "context_pollution_fabrication",
        "cross-call",
        "A row that does not exist, made of the last row, the next id and text of another tool's answer.",
        "two tools over one database; a digest that quotes its sources",
        polluted,
    ),
    _incident(
        "7",
        "ref_id_substitution",
        "argument",
        "The first id becomes another one that exists, everywhere in the result; all other fields stay.",
        "merged, aliased or redirected records",
        substituted,
    ),
    _incident(
        "8",
        "env_threshold_truncation",
        "volume",
        "Rows or text are cut at 4,000 characters or half the length, without a mark; counts and cursors stay.",
        "a caller who asked for a limit; a text that is short",
        truncated,
    ),
    _incident(
        "1, keep_counts",
        "vacuous_exec_swallow_keep_counts",
        "cross-field",
        "Success with nothing in it, under the counts of the full answer.",
        "a summary that was asked for without its details",
        swallowed_but_counted,
    ),
    _incident(
        "2, separator",
        "positional_field_shift_separator",
        "string",
        "Values move one slot forward, and a separator line ends up in the last.",
        "text that contains rules",
        partial(shifted, last="---"),
    ),
    _incident(
        "3, rewind",
        "stale_declared_state_rewind",
        "temporal",
        "Every date but the stamp of the answer lies 253 days further back.",
        "an archive; a slow source",
        rewound,
    ),
    _incident(
        "4, proxy_hop",
        "cause_stripped_http_payload_proxy_hop",
        "field",
        "Flags and ids alone are left, and the message says 'HTTP Error 502: Bad Gateway'.",
        "a health checker; a tool that looks up status codes",
        partial(stripped, phrase="HTTP Error 502: Bad Gateway"),
    ),
    _incident(
        "5, captured_log",
        "error_page_as_payload_captured_log",
        "string",
        "The longest text is replaced by a captured log that holds an HTML error page.",
        "a tool that reads logs",
        partial(paged, page=PAGE_IN_LOG),
    ),
)
"""The eight, in the order of their description, then the variants that stay silent and need no model."""
