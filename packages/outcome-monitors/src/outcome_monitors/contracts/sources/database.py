"""Contracts from a table of records, for the tool that returns one of them.

A table says more than traces do: it is all there is, or near it. Three kinds of clause are read from it: the texts that a field
can be (`domain`), numbers that are above zero (`positive`), and sums that are equal (`conservation`).
"""

import re
from collections.abc import Iterator
from pathlib import Path

from outcome_monitors.contracts.privacy import public_part
from outcome_monitors.contracts.registry import in_order
from outcome_monitors.files import FilePath, read_json
from outcome_monitors.jsonvalue.paths import ROOT
from outcome_monitors.jsonvalue.text import last_word
from outcome_monitors.model import Clause, Contract, Json
from outcome_monitors.rules.conservation import Conservation
from outcome_monitors.rules.domain import LEXICON, Domain
from outcome_monitors.rules.positive import Positive

from ._equal_sums import find_relations
from ._reading import Refusal, Report
from ._records import Record, RecordTable, TableColumn, as_records, name_of, tabulate

LEAST_RECORDS = 20
MOST_VALUES = 8
LEAST_SEEN = 3
"""Records that each value of a category stands in. By Good and Turing, what was never seen is about as likely as what was
seen once; where nothing was seen so seldom, the list is likely to be whole."""
RECORDS_A_VALUE = 10
"""Records for each value of a category, where the name of the field does not say that it is one."""

# What names a thing is no category, however few things there are so far.
_NAMES_THING = re.compile(
    r"""account|address|agent|assignee|author|by|city|code|comment|customer|date|description|email|hash|ids?|keys?|label
    |link|message|names?|notes?|number|owner|path|person|phone|postcode|sku|slug|street|summary|tags?|text|time|title|to
    |token|town|url|user|username|uuid|zip""",
    re.VERBOSE,
)
# One word or a few joined ones, without digits: paypal, credit_card, in-store.
_CATEGORY = re.compile(r"[^\W\d_]+(?:[_-][^\W\d_]+){0,3}\Z")


def read_database(path: FilePath, tool: str) -> Report:
    """Read the contract of a tool from the table whose records it returns: a JSON file."""
    return _report(as_records(read_json(path), str(path)), tool, Path(path).name)


def from_records(records: Json, tool: str, source: str) -> Report:
    """Turn records, a list of objects or an object of them by id, into the contract of the tool that returns one."""
    return _report(as_records(records, source), tool, source)


def _report(records: list[Record], tool: str, source: str) -> Report:
    table = tabulate(records, tool)
    clauses, refused = [], []
    for found in _findings(table, f"database:{source}"):
        if isinstance(found, Clause):
            left, why = public_part(found)
            clauses += [] if why else [left]
            refused += [Refusal(tool, found.path, why)] if why else []
        else:
            refused.append(Refusal(tool, *found))
    if not clauses:
        refused.append(
            Refusal(tool, ROOT, f"no clause is certain enough ({len(table.records)} distinct records)")
        )
    return Report(
        source=source,
        candidates=1,
        accepted=(Contract(tool, in_order(clauses)),) if clauses else (),
        refused=tuple(refused),
        unused={},
    )


def _findings(table: RecordTable, source: str) -> Iterator[Clause | tuple[str, str]]:
    """Yield each clause, and each path that gave none with the reason."""
    for path, column in sorted(table.columns.items()):
        if column.only(column.numbers):
            why = _not_positive(column)
            yield (
                (path, why)
                if why
                else Clause(Positive.name, path, {}, column.numbers, column.records, source)
            )
        elif column.only(column.texts):
            values = sorted(column.categories or ())
            if why := _no_domain(name_of(path), column):
                yield path, why
            else:
                yield Clause(Domain.name, path, {"values": values}, column.texts, column.records, source)
    for found in find_relations(table):
        yield Clause(Conservation.name, ROOT, found.params, found.records, found.records, source)


def _not_positive(column: TableColumn) -> str:
    """Say why numbers need not be above zero, or nothing."""
    if column.positive < column.numbers:
        return "not always above zero"
    if not column.required:
        return "not always present"
    return f"in fewer than {LEAST_RECORDS} records" if column.records < LEAST_RECORDS else ""


def _no_domain(name: str, column: TableColumn) -> str:
    """Say why texts are not a closed list, or nothing."""
    counts = column.categories
    if counts is None or len(counts) > MOST_VALUES:
        return f"more than {MOST_VALUES} values"
    if len(counts) < 2:
        return "always the same value"
    if not column.required:
        return "not always present"
    if column.records < LEAST_RECORDS or min(counts.values()) < LEAST_SEEN:
        return f"in fewer than {LEAST_RECORDS} records, or a value in fewer than {LEAST_SEEN}"
    if last_word(name) in LEXICON:
        return ""
    if _NAMES_THING.fullmatch(last_word(name)) or not all(map(_CATEGORY.match, counts)):
        return "names things, or has values that do not look like categories"
    return (
        f"fewer than {RECORDS_A_VALUE} records a value"
        if column.records < RECORDS_A_VALUE * len(counts)
        else ""
    )
