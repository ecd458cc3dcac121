"""One learner at a time: in a folder by a lock on a file, in a fleet by an advisory lock, which goes with its connection."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outcome_monitors.exceptions import OutcomeMonitorsError, StateError
from outcome_monitors.state.shared import PATIENCE
from outcome_monitors.values.folders import MINING
from outcome_monitors_server.storage.contract_lines import named_for
from outcome_monitors_server.storage.postgres import Postgres, cut_after
from outcome_monitors_server.storage.schema import refuse_other

if TYPE_CHECKING:
    import psycopg

__all__ = ["Busy", "fleet_lock", "folder_lock"]

_KEY = "hashtextextended(%s, 3)"
_HOLDER = f"""SELECT a.application_name, a.client_addr::text FROM pg_locks l JOIN pg_stat_activity a USING (pid)
WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 AND l.database = a.datid
AND (l.classid::bigint << 32 | l.objid::bigint) = {_KEY}"""  # noqa: S608 - a text of our own


class Busy(OutcomeMonitorsError):  # noqa: N818 - it is no error, and says who is at work
    """Someone learns there already."""


@contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Hold the lock that the proxy's own miner holds."""
    with closing(sqlite3.connect(folder / MINING, timeout=0, isolation_level=None)) as lock:
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            raise Busy(f"another process, a proxy's or a learner, mines in {folder}") from None
        yield


@contextmanager
def fleet_lock(state: Postgres, name: str) -> Iterator[Callable[[], None]]:
    """Hold the lock of the fleet, or of its line, under a name that others are told; give what fails where it was lost."""
    with state.told(), closing(state.connect()) as connection:
        with cut_after(connection, PATIENCE):
            refuse_other(connection, state.address)
            connection.commit()
            connection.autocommit = True
            connection.execute("SELECT set_config('application_name', %s, false)", (name,))
            # Each line of contracts has its own learner.
            key = (named_for(f"{state.address.schema} learn", state.address.labels),)
            [mine] = connection.execute(f"SELECT pg_try_advisory_lock({_KEY})".encode(), key).fetchone() or (
                False,
            )
            if not mine:
                raise Busy(f"{_holder(connection, key)} learns at {state}")
        yield lambda: _still_held(state, connection)


def _holder(connection: "psycopg.Connection[tuple[Any, ...]]", key: tuple[str]) -> str:
    found = connection.execute(_HOLDER.encode(), key).fetchone()
    if found is None or not found[0]:
        return "another"
    return f"{found[0]}{f', from {found[1]},' if found[1] else ''}"


def _still_held(state: Postgres, connection: "psycopg.Connection[tuple[Any, ...]]") -> None:
    try:
        with cut_after(connection, PATIENCE):
            connection.execute("SELECT 1")
    except Exception as error:
        raise StateError(
            f"the lock at {state} was lost while contracts were mined: nothing is written, and they are mined again"
        ) from error
