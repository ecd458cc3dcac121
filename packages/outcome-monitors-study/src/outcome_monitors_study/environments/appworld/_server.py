"""Talks with AppWorld's own environment server (`appworld serve environment`), version 0.1.3.

AppWorld needs libraries of other versions than inspect_ai does, so the two cannot live in one environment; the server is its own
answer to that. A server holds one world at a time. So each new episode takes a server over, and an episode that has lost its
server says so.
"""

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Sequence

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Json

__all__ = ["EXPERIMENT", "INSTALL", "AppWorldServer", "Servers"]

EXPERIMENT = "outcome-monitors"
"""AppWorld writes its logs and the state that it judges under this name."""
INSTALL = (
    "install AppWorld in an environment of its own with `pip install appworld==0.1.3.post1`, then run `appworld install`,"
    " `appworld download data` and `appworld serve environment --port 8000`"
)
PATIENCE = 300


class AppWorldServer:
    """One server, and who holds it."""

    def __init__(self, address: str) -> None:
        self._address = address.rstrip("/")
        self._holder: object = None

    def start(self, holder: object, task: str) -> None:
        """Begin a task's world afresh."""
        self._holder = holder
        self._post("initialize", {"task_id": task, "experiment_name": EXPERIMENT})

    def execute(self, holder: object, task: str, code: str) -> str:
        """Run code in the world and return what it prints."""
        return str(self._asked(holder, "execute", {"task_id": task, "code": code}))

    def evaluate(self, holder: object, task: str) -> dict[str, Json]:
        """Return the outcome of AppWorld's own tests of the state."""
        given = {"task_id": task, "suppress_errors": True, "report": False}
        found: dict[str, Json] = self._asked(holder, "evaluate", given)
        return found

    def _asked(self, holder: object, method: str, given: dict[str, Json]) -> Json:
        if holder is not self._holder:
            raise OutcomeMonitorsError(
                f"another episode has taken over {self._address}, which holds one world at a time; run fewer episodes at once,"
                " or give more servers"
            )
        return self._post(method, given)

    def _post(self, method: str, given: dict[str, Json]) -> Json:
        request = urllib.request.Request(  # noqa: S310 - the address that the user gave
            f"{self._address}/{method}", json.dumps(given).encode(), {"Content-Type": "application/json"}
        )
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310 - as above
                return json.loads(answer.read())["output"]
        except urllib.error.HTTPError as error:
            said = error.read(500).decode(errors="replace").strip()
            raise OutcomeMonitorsError(f"{self._address}/{method} failed: {error.code} {said}") from error
        except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError) as error:
            raise OutcomeMonitorsError(
                f"AppWorld's server does not answer at {self._address} ({error}): {INSTALL}"
            ) from error


class Servers:
    """All servers, taken in turn."""

    def __init__(self, addresses: Sequence[str]) -> None:
        self._servers = [AppWorldServer(address) for address in addresses]

    def __len__(self) -> int:
        return len(self._servers)

    def take(self) -> AppWorldServer:
        """Return the server that was taken longest ago."""
        server = self._servers.pop(0)
        self._servers.append(server)
        return server
