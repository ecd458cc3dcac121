"""The records of a table, as the objects that a tool would return, from JSON, CSV or SQLite; and its columns, counted in distinct records."""

import csv
import io
import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from outcome_monitors.exceptions import SourceError
from outcome_monitors.features.walk import look
from outcome_monitors.files import FilePath, read_json
from outcome_monitors.jsonvalue.canonical.texts import column_values
from outcome_monitors.jsonvalue.display import clip_text
from outcome_monitors.jsonvalue.paths import parent, parse
from outcome_monitors.jsonvalue.types import finite, kind_of
from outcome_monitors.model import Call, Json
from outcome_monitors.rules.conservation import category

__all__ = [
    "MOST_KEPT",
    "Record",
    "RecordTable",
    "TableColumn",
    "as_records",
    "name_of",
    "read_records",
    "tabulate",
]

Record = dict[str, Json]

LONGEST_LIST = 400
_SQLITE = b"SQLite format 3\0"


def read_records(path: FilePath, table: str | None = None) -> list[Record]:
    """Read a table; `table` names one of several in the file."""
    file = Path(path)
    read = _read_sqlite if _is_sqlite(file) else _READERS.get(file.suffix.lower())
    if read is None:
        raise SourceError(f"{file}: give a .json file, a .csv file with a header row, or a SQLite database")
    return as_records(read(file, table), str(file))


def as_records(table: Json, name: str) -> list[Record]:
    """Return the records of a decoded table, a list or an object keyed by id; `name` is what errors call it."""
    if not isinstance(table, (list, dict)):
        raise SourceError(f"{name} holds {kind_of(table)}, not a list or an object of records")
    if not table:
        raise SourceError(f"{name} holds no records")
    for key, record in table.items() if isinstance(table, dict) else enumerate(table):
        if not isinstance(record, dict):
            raise SourceError(f"{name}: record {clip_text(str(key))!r} is {kind_of(record)}, not an object")
    return list(table.values() if isinstance(table, dict) else table)


def _is_sqlite(file: Path) -> bool:
    try:
        with file.open("rb") as opened:
            return opened.read(len(_SQLITE)) == _SQLITE
    except OSError as error:
        raise SourceError(f"cannot read {file}: {error.strerror or error}") from error


def _read_json(file: Path, table: str | None) -> Json:
    document = read_json(file)
    if table is None and (
        not isinstance(document, dict) or all(isinstance(one, dict) for one in document.values())
    ):
        return document
    if not isinstance(document, dict):
        raise SourceError(f"{file} holds one table and no names of tables; leave out {table!r}")
    return document[_chosen(table, [name for name, one in document.items() if _like_table(one)], file)]


def _like_table(value: Json) -> bool:
    rows = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(isinstance(row, dict) for row in rows)


def _chosen(table: str | None, names: Sequence[str], file: Path) -> str:
    if table is None and len(names) == 1:
        return names[0]
    if table is not None and table in names:
        return table
    there = clip_text(", ".join(names), LONGEST_LIST) or "none"
    wrong = "name one of its tables" if table is None else f"there is no table {clip_text(table)!r}"
    raise SourceError(f"{file}: {wrong}; those that exist: {there}")


def _read_csv(file: Path, table: str | None) -> Json:
    if table is not None:
        raise SourceError(f"{file} is one table; leave out {clip_text(table)!r}")
    rows = csv.reader(io.StringIO(_csv_text(file), newline=""), strict=True)
    try:
        header = next(rows, [])
        _check_header(header, file)
        cells = []
        for row in rows:
            if row and len(row) != len(header):
                counts = f"cells in the header: {len(header)}, in this row: {len(row)}"
                raise SourceError(f"{file}, line {rows.line_num}: {counts}")
            cells.append(row)
    except csv.Error as error:
        raise SourceError(f"{file}, line {rows.line_num}: not CSV ({error})") from None
    columns = [
        column_values([cell.strip() and cell for cell in column])
        for column in zip(*filter(None, cells), strict=True)
    ]
    return [dict(zip(header, row, strict=True)) for row in zip(*columns, strict=True)]


def _csv_text(file: Path) -> str:
    data = file.read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SourceError(f"{file}, line {line}: not UTF-8; save it as UTF-8") from None


def _check_header(header: Sequence[str], file: Path) -> None:
    if not any(header):
        raise SourceError(f"{file}, line 1: no header row")
    for index, name in enumerate(header):
        if not name.strip() or name in header[:index]:
            wrong = "is named twice" if name.strip() else "has no name"
            raise SourceError(f"{file}, line 1: column {index + 1} {clip_text(name)!r} {wrong}")


def _read_sqlite(file: Path, table: str | None) -> Json:
    try:
        with closing(sqlite3.connect(file.absolute().as_uri() + "?mode=ro", uri=True)) as database:
            listed = database.execute(
                "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
            )
            name = _chosen(table, sorted(name for (name,) in listed), file)
            quoted = '"' + name.replace('"', '""') + '"'
            found = database.execute(f"SELECT * FROM {quoted}")  # noqa: S608 - a name that the database lists, quoted
            header = [column[0] for column in found.description]
            rows = found.fetchall()
    except sqlite3.Error as error:
        raise SourceError(f"{file} cannot be read as a SQLite database: {clip_text(str(error))}") from None
    columns = {header[index]: _unpacked([row[index] for row in rows]) for index in range(len(header))}
    # What is no text and no number has no form in JSON, so no tool can return it as it is.
    plain = {
        key: column for key, column in columns.items() if not any(type(cell) is bytes for cell in column)
    }
    return [dict(zip(plain, row, strict=True)) for row in zip(*plain.values(), strict=True)]


def _unpacked(column: list[Json]) -> list[Json]:
    """Return a column of JSON texts as what they say; any other column as it is."""
    filled = [cell for cell in column if cell is not None]
    if not filled or not all(type(cell) is str and cell.lstrip()[:1] in ("[", "{") for cell in filled):
        return column
    try:
        return [cell if cell is None else json.loads(cell) for cell in column]
    except (ValueError, RecursionError):
        return column


_READERS: dict[str, Callable[[Path, str | None], Json]] = {
    ".csv": _read_csv,
    ".db": _read_sqlite,
    ".json": _read_json,
    ".sqlite": _read_sqlite,
    ".sqlite3": _read_sqlite,
}


MOST_KEPT = 12
"""Categories of one column that are counted; one with more is no category."""


@dataclass(slots=True)
class TableColumn:
    """All that stood at one path."""

    values: int = 0
    required: bool = False
    """Every object that could have the field had it."""
    numbers: int = 0
    positive: int = 0
    texts: int = 0
    booleans: int = 0
    nulls: int = 0
    records: int = 0
    """Distinct records with something other than null here."""
    categories: Counter[str] | None = field(default_factory=Counter)
    """Each category, with the number of distinct records it was seen in; None where there are too many."""

    def only(self, count: int) -> bool:
        """Say whether `count` of the values are all there are, but for nulls, and not none."""
        return 0 < count == self.values - self.nulls

    def add(self, values: list[Json]) -> None:
        """Count what one record has at the path."""
        self.values += len(values)
        nulls = values.count(None)
        self.nulls += nulls
        self.records += nulls < len(values)
        found = set()
        for value in values:
            if finite(value):
                self.numbers += 1
                self.positive += value > 0
            elif (kind := category(value)) is not None:
                self.texts += type(value) is str
                self.booleans += type(value) is bool
                found.add(kind)
        if found and self.categories is not None:
            self.categories.update(found)
            if len(self.categories) > MOST_KEPT:
                self.categories = None


class RecordTable(NamedTuple):
    """Distinct records, and their columns by path."""

    records: list[Record]
    columns: Mapping[str, TableColumn]


def tabulate(records: Iterable[Record], tool: str) -> RecordTable:
    """Look over a table; a record that stands in it twice counts once."""
    distinct: dict[int, Record] = {}
    columns: dict[str, TableColumn] = {}
    objects: Counter[str] = Counter()
    for record in records:
        seen = look(Call(tool, {}, record))
        if seen.task in distinct:
            continue
        distinct[seen.task] = record
        objects.update({path: len(found) for path, found in seen.objects.items()})
        for path, values in seen.values.items():
            columns.setdefault(path, TableColumn()).add(values)
    for path, column in columns.items():
        keyed = bool(path) and isinstance(parse(path)[-1], str)
        column.required = not keyed or column.values == objects[parent(path)]
    return RecordTable(list(distinct.values()), columns)


def name_of(path: str) -> str:
    """Return the name of the field that a path leads to, or whose items or values it leads to."""
    return next((step for step in reversed(parse(path)) if isinstance(step, str)), "")
