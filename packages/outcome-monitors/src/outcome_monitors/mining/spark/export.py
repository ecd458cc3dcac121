"""Lines as a Parquet file of one column, `line`: what a table of traces is handed to Spark as."""

import json
from collections.abc import Iterable
from pathlib import Path

from outcome_monitors.exceptions import MissingExtra, OutcomeMonitorsError

EXPORT = "traces.parquet"
LARGEST_LINE = 2**30
_COPY = """COPY (SELECT line FROM read_json(?, format = 'newline_delimited', columns = {{line: 'VARCHAR'}},
maximum_object_size = {})) TO '{}' (FORMAT parquet, COMPRESSION zstd)"""


def export_lines(lines: Iterable[str], folder: Path) -> Path:
    """Write lines into a folder, as they stand and in their order; return the file."""
    try:
        import duckdb  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtra("--engine spark on a state", "duckdb", "parquet") from error
    target, rows = folder / EXPORT, folder / f"{EXPORT}.rows"
    try:
        with rows.open("w", encoding="ascii") as file:
            for line in lines:
                file.write(json.dumps({"line": line}) + "\n")
        with duckdb.connect(":memory:") as connection:
            copy = _COPY.format(LARGEST_LINE, str(target).replace("'", "''"))
            connection.execute(copy, [str(rows)])
    except (OSError, duckdb.Error) as error:
        reason = str(error).partition("\n")[0]
        raise OutcomeMonitorsError(f"cannot write the export to {folder}: {reason}") from error
    finally:
        rows.unlink(missing_ok=True)
    return target
