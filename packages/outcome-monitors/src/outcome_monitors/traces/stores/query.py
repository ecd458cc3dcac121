"""What names rows in the place of a trace file: a query on a store, or a path to Parquet files."""

import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from outcome_monitors.exceptions import TraceError

__all__ = ["Query", "parquet_files"]


@dataclass(frozen=True, slots=True)
class Query(os.PathLike[str]):
    """A query that gives trace lines; it can be named wherever a trace file can."""

    dsn: str
    sql: str

    def __post_init__(self) -> None:
        from .engines import ENGINES  # noqa: PLC0415 - all that a store needs, and whoever reads files has none

        if self.scheme not in ENGINES:
            known = ", ".join(f"{scheme}:" for scheme in ENGINES)
            raise TraceError(
                f"--dsn has to begin with one of {known}; postgresql://user@host/database is an example"
            )

    @property
    def scheme(self) -> str:
        """The kind of store."""
        return self.dsn.partition(":")[0].lower()

    def __fspath__(self) -> str:
        """The address as it may be shown: without user and password."""
        parts = urlsplit(self.dsn)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def parquet_files(path: str) -> bool:
    """Say whether a path is a Parquet file, or a folder that holds some."""
    place = Path(path)
    if place.is_dir():
        return any(place.rglob("*.parquet"))
    return place.suffix == ".parquet"
