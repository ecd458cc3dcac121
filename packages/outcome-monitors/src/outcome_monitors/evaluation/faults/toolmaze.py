"""The nine implicit corruptions that ToolMaze names (arXiv:2606.05806), as transformations.

There a language model wrote each corrupted output by rules: valid JSON, no error field, the same keys, believable
values. Here each of the nine has several forms under the same rules; a missing field alone may take a key away.
"""

from . import (
    toolmaze_answers as answers,
    toolmaze_fields as fields,
    toolmaze_relations as relations,
    toolmaze_times as times,
)
from .fault import Fault
from .view import Form, one_of

__all__ = ["TOOLMAZE"]


def _toolmaze(number: str, name: str, needs: str, summary: str, twin: str, *forms: Form) -> Fault:
    return Fault(name, "toolmaze", number, summary, needs, twin, one_of(name, *forms))


TOOLMAZE = (
    _toolmaze(
        "W01",
        "logic_violation",
        "field",
        "Business logic is broken: a negative price or count, a confirmation without an id, success on nothing.",
        "refunds, deltas, net balances, temperatures",
        fields.negated,
        fields.confirmed_without_id,
        fields.success_for_nothing,
    ),
    _toolmaze(
        "W02",
        "physics_violation",
        "field",
        "Physics or common sense is broken: a quantity below zero or a million times itself, a share of 150 percent, an hour 30.",
        "another unit; a true record value; derived scores",
        fields.negated,
        fields.millionfold,
        fields.beyond_hundred,
        fields.impossible_clock,
        fields.born_long_ago,
        fields.negated_in_text,
    ),
    _toolmaze(
        "W03",
        "temporal_contradiction",
        "temporal",
        "Times that cannot be: an end before its start, an update before its creation, a past event in the next century.",
        "overnight trips, time zones, open intervals",
        times.ordered_pair_swapped,
        times.end_before_start,
        times.not_yet_happened,
        times.dates_swapped_in_text,
    ),
    _toolmaze(
        "W04",
        "missing_required_fields",
        "field",
        "A field that this tool always gives is absent or emptied.",
        "a field that exists in some states only, such as tracking before shipping",
        fields.absent,
        fields.emptied,
        fields.emptied_answer,
    ),
    _toolmaze(
        "W05",
        "tool_leakage",
        "string",
        "Internals show in a text or an id: an endpoint, a query, a stack trace, a debug line.",
        "log, shell and file tools",
        fields.leaked_for_text,
        fields.leaked_after_text,
        fields.leaked_for_id,
        fields.leaked_for_answer,
    ),
    _toolmaze(
        "W06",
        "internal_contradiction",
        "cross-field",
        "Two fields contradict each other: available beside no stock, done without a date, an id filed under another.",
        "back-orders, soft deletes, drafts",
        relations.flag_against_stock,
        relations.count_of_nothing,
        relations.done_with_nothing,
        relations.state_against_date,
        relations.id_against_key,
        relations.id_against_text,
        relations.success_denied,
    ),
    _toolmaze(
        "W07",
        "fact_contradiction",
        "cross-call",
        "A value contradicts what is known: an attribute that was constant for this id or question, a city in the wrong country.",
        "real updates, renames, price moves",
        answers.entity_changed,
        answers.repeated_answer_changed,
        answers.impossible_neighbours,
    ),
    _toolmaze(
        "W08",
        "irrelevant_response",
        "argument",
        "The answer is about something else: another entity, or another kind of thing altogether.",
        "aliases, fuzzy search, redirects, canonical names",
        answers.other_entity,
        answers.other_kind,
    ),
    _toolmaze(
        "W09",
        "statistical_inconsistency",
        "cross-field",
        "An aggregate does not match its details: a total above the sum, a count beside the rows, a mean outside its range.",
        "tax, fees, rounding, sampled aggregates",
        relations.total_against_parts,
        relations.part_against_total,
        relations.count_beside_rows,
        relations.length_of_text,
        relations.average_outside,
        relations.above_whole,
    ),
)
"""The nine, in the order of their numbers."""
