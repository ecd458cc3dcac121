"""AppWorld, through its own server: its APIs as tools, its documentation as contracts, its tests of the state as the judge.

There are more APIs than a model can be shown, so an agent gets those that read the documentation, those of the supervisor, and
one that calls any API by name.

AppWorld needs libraries of other versions than inspect_ai does, so it runs in a server of its own (`appworld serve environment`,
version 0.1.3). A server holds one world at a time: each new episode takes a server over, and one that has lost it says so.
"""

import copy
import http.client
import json
import random
import urllib.error
import urllib.request
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.contracts.sources import read_appworld
from outcome_monitors.exceptions import OutcomeMonitorsError, SourceError
from outcome_monitors.files import read_json
from outcome_monitors.model import Call, Json, Profile
from outcome_monitors_study._json import digest, resource

from .environment import (
    Cell,
    Environment,
    EpisodeVerdict,
    Served,
    drawn_cells,
    not_injected,
)

_TYPES = ("string", "integer", "number", "boolean")
EXPERIMENT = "outcome-monitors"
"""AppWorld writes its logs and the state that it judges under this name."""
INSTALL = (
    "install AppWorld in an environment of its own with `pip install appworld==0.1.3.post1`, then run `appworld install`,"
    " `appworld download data` and `appworld serve environment --port 8000`"
)
PATIENCE = 300
SHOWN = ("api_docs", "supervisor")
"""The apps whose APIs are offered as they are."""
DOCUMENTATION = "api_docs"
"""Its answers are never spoiled: they are no data."""
PROMPTS = resource("prompts.json")
HUB: Json = PROMPTS["appworld_hub"]
"""The tool that calls any API by its name."""
SYSTEM_PROMPT: str = PROMPTS["appworld"]


class Api(NamedTuple):
    """One documented API."""

    app: str
    name: str
    reads: bool
    description: str
    parameters: tuple[Mapping[str, Json], ...]
    fields: frozenset[str]
    """The fields of a success response, or of the rows that it lists, as documented."""

    @property
    def tool(self) -> str:
        """What AppWorld calls it for function calling."""
        return f"{self.app}__{self.name}"

    @property
    def spec(self) -> Json:
        """The API as MCP lists tools."""
        return {
            "name": self.tool,
            "description": self.description,
            "inputSchema": {
                "type": "object",
                "properties": {parameter["name"]: _schema(parameter) for parameter in self.parameters},
                "required": [parameter["name"] for parameter in self.parameters if parameter.get("required")],
            },
            "annotations": {"readOnlyHint": self.reads},
        }


def read_apis(folder: Path) -> dict[str, Api]:
    """Read every app's file, a list of entries or an object of them by name."""
    files = sorted(folder.glob("*.json"))
    if not files:
        raise SourceError(
            f"{folder} holds no .json file; give AppWorld's root, the folder that has its `data`"
        )
    found = [_api(file, entry) for file in files for entry in _entries(file)]
    return {api.tool: api for api in found}


def _entries(file: Path) -> list[Json]:
    document = read_json(file)
    return list(document.values()) if isinstance(document, dict) else document


def _api(file: Path, entry: Json) -> Api:
    try:
        return Api(
            str(entry["app_name"]),
            str(entry["api_name"]),
            str(entry["method"]).upper() == "GET",
            str(entry.get("description") or ""),
            tuple(entry["parameters"]),
            _fields(entry.get("response_schemas")),
        )
    except (KeyError, TypeError, AttributeError):
        raise SourceError(
            f"{file} is not AppWorld's API documentation: an entry lacks a name, method or parameters"
        ) from None


def _fields(schemas: Json) -> frozenset[str]:
    shown = schemas.get("success") if isinstance(schemas, dict) else None
    row = shown[0] if isinstance(shown, list) and shown else shown
    return frozenset(row) if isinstance(row, dict) else frozenset()


def _schema(parameter: Mapping[str, Json]) -> Json:
    """Return a parameter's schema: types are written as `string`, `list[string]` or `number | string`."""
    written = str(parameter.get("type", ""))
    words = {"description": str(parameter.get("description") or "")}
    item = written.removeprefix("list[").removesuffix("]")
    if item != written:
        return {"type": "array", "items": {"type": item} if item in _TYPES else {}, **words}
    kinds = [kind for kind in (each.strip() for each in written.split("|")) if kind in _TYPES]
    if len(kinds) == 1:
        return {"type": kinds[0], **words}
    return {"anyOf": [{"type": kind} for kind in kinds], **words} if kinds else words


Fault = Callable[[dict[str, Json], str], None]


def _missing(row: dict[str, Json], field: str) -> None:
    del row[field]


def _flipped(row: dict[str, Json], field: str) -> None:
    value = row[field]
    if isinstance(value, str):
        row[field] = int(value) if value.isdecimal() else len(value)
    else:
        row[field] = str(value).lower() if isinstance(value, bool) else str(value)


FAULTS: Mapping[str, Fault | None] = {"missing-field": _missing, "type-flip": _flipped, "clean": None}
"""By stratum, the paper's two: a documented field that is missing, and a scalar of another type than documented.

The victim is the first read whose answer has a field to spoil; from then on every answer of that API is spoiled alike. Only what
the agent sees is changed.
"""


def _spoiled(result: Json, fault: Fault, documented: Collection[str], rng: random.Random) -> Json | None:
    """Return a result with one documented field spoiled, in every row that has it; None where it has none to spoil."""
    wrong = copy.deepcopy(result)
    rows = [row for row in (wrong if isinstance(wrong, list) else [wrong]) if isinstance(row, dict)]
    # A null may stand in the place of any documented type, and a list or an object is no scalar.
    fields = sorted(
        {key for row in rows for key in documented if isinstance(row.get(key), str | int | float)}
    )
    if not fields:
        return None
    field = rng.choice(fields)
    for row in rows:
        if isinstance(row.get(field), str | int | float):
            fault(row, field)
    return wrong


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
        return str(self._request(holder, "execute", {"task_id": task, "code": code}))

    def evaluate(self, holder: object, task: str) -> dict[str, Json]:
        """Return the outcome of AppWorld's own tests of the state."""
        given = {"task_id": task, "suppress_errors": True, "report": False}
        found: dict[str, Json] = self._request(holder, "evaluate", given)
        return found

    def _request(self, holder: object, method: str, given: dict[str, Json]) -> Json:
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
            raise OutcomeMonitorsError(
                f"{self._address}/{method} failed: {error.code} {said}; the server's own output says why"
            ) from error
        except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError) as error:
            raise OutcomeMonitorsError(
                f"AppWorld's server does not answer at {self._address} ({error}): {INSTALL}"
            ) from error


class AppWorldEpisode:
    """One run of a task; its world begins with the first call."""

    def __init__(
        self, cell: Cell, query: str, apis: Mapping[str, Api], servers: deque[AppWorldServer]
    ) -> None:
        self.query = query
        self.tools = tuple(apis)
        self.offered = (HUB, *(api.spec for api in apis.values() if api.app in SHOWN))
        self._cell, self._apis, self._servers = cell, apis, servers
        self._server: AppWorldServer | None = None
        self._victim: str | None = None
        self._read = False

    def named(self, tool: str, arguments: Mapping[str, Json]) -> tuple[str, Mapping[str, Json]]:
        """Return the call that is meant: the hub's is that of the API that it names."""
        if tool != HUB["name"]:
            return tool, arguments
        inner = arguments.get("arguments") or {}
        return f"{arguments.get('app')}__{arguments.get('api')}", inner if isinstance(inner, dict) else {}

    def call(self, tool: str, arguments: Mapping[str, Json]) -> Served:
        """Call an API; only what is shown is ever changed."""
        raw, failed = self._execute(tool, arguments)
        fault, api = FAULTS[self._cell.stratum], self._apis.get(tool)
        as_it_is = Served(raw, raw, injected=False, failed=failed)
        if fault is None or failed or api is None or not api.reads or api.app == DOCUMENTATION:
            return as_it_is
        self._read = True
        rng = random.Random(self._cell.id)  # noqa: S311 - a fault, not a secret
        seen = _spoiled(raw, fault, api.fields, rng) if self._victim in {None, tool} else None
        if seen is None:
            return as_it_is
        self._victim = tool
        return Served(raw, seen, injected=True)

    def judge(self, answer: Json) -> EpisodeVerdict:
        """Ask AppWorld's own tests."""
        found = self._world().evaluate(self, self._cell.task)
        details = {
            "hit": self._victim is not None,
            "not_injected": not_injected(
                faulted=FAULTS[self._cell.stratum] is not None,
                hit=self._victim is not None,
                called=self._read,
            ),
            "victim": self._victim,
            "tests": found.get("num_tests"),
            "failed": len(found.get("failures") or ()),
        }
        return EpisodeVerdict(bool(found.get("success")), details)

    def _execute(self, tool: str, arguments: Mapping[str, Json]) -> tuple[Json, bool]:
        """Return what an API answers, and whether it failed."""
        api = self._apis.get(tool)
        if api is None:
            return {"error": f"There is no API {tool}."}, True
        given = json.dumps(dict(arguments))
        code = f"print(json.dumps(apis.{api.app}.{api.name}(**json.loads({given!r}))))"
        printed = self._world().execute(self, self._cell.task, code)
        try:
            return json.loads(printed), False
        except ValueError:
            return {"error": printed.strip().rpartition("\n")[2]}, True

    def _world(self) -> AppWorldServer:
        if self._server is None:
            self._server = self._servers[0]
            self._servers.rotate(-1)
            self._server.start(self, self._cell.task)
        return self._server


class AppWorldEnvironment(Environment):
    """AppWorld's root folder, and the servers that run on it."""

    STRATA = tuple(FAULTS)
    MOST_STEPS = 50
    system_prompt = SYSTEM_PROMPT

    def __init__(self, checkout: str, split: str = "dev", server: str = "http://127.0.0.1:8000") -> None:
        self._data = Path(checkout) / "data"
        self._split = split
        self._servers = deque(AppWorldServer(each.strip()) for each in server.split(",") if each.strip())
        self.at_once = len(self._servers)

    def cells(
        self, wanted: Mapping[str, int], seed: int, without: frozenset[str] = frozenset()
    ) -> list[Cell]:
        """Sample families of tasks, one variant of each, and put each into every stratum."""
        families, rng = self._families(without), random.Random(seed)  # noqa: S311 - a sample, not a secret
        variants = [rng.choice(families[family]) for family in sorted(families)]
        where = f"split {self._split} has {len(families)} families of tasks"
        return drawn_cells(variants, FAULTS, wanted, seed, where)

    def _families(self, without: frozenset[str]) -> dict[str, list[str]]:
        """Return the tasks of each family; one of which a variant is left out is left out whole."""
        gone = {task.partition("_")[0] for task in without}
        families: dict[str, list[str]] = {}
        for task in self._tasks():
            family = task.partition("_")[0]
            if family not in gone:
                families.setdefault(family, []).append(task)
        return families

    def open(self, cell: Cell) -> AppWorldEpisode:
        """Start an episode; no server is asked before its first call."""
        return AppWorldEpisode(cell, _query(self._specs_of(cell.task)), self._apis, self._servers)

    def fingerprint(self, cells: Iterable[Cell]) -> str:
        """Return a digest of the cells' tasks as they are put, and of the documentation."""
        tasks = {cell.task: self._specs_of(cell.task) for cell in cells}
        return digest([tasks, self.specs(), self.schema_contracts().dumps()])

    def specs(self) -> list[Json]:
        """Return all APIs as MCP lists tools."""
        return [api.spec for api in self._apis.values()]

    def clean_calls(self, without: frozenset[str]) -> Iterable[Call]:
        """Yield none: the contracts are the documentation's."""
        return iter(())

    def contracts(self, without: frozenset[str], profile: Profile) -> Registry:
        """Return what the documentation says of the answers of reads."""
        accepted = read_appworld(self._docs).accepted
        return Registry({contract.tool: contract for contract in accepted}, profile)

    def schema_contracts(self) -> Registry:
        """Return the same: nothing is learned here beyond the documentation."""
        return self.contracts(frozenset(), "full")

    @property
    def _docs(self) -> Path:
        return self._data / "api_docs" / "standard"

    @cached_property
    def _apis(self) -> dict[str, Api]:
        return read_apis(self._docs)

    def _tasks(self) -> list[str]:
        file = self._data / "datasets" / f"{self._split}.txt"
        try:
            lines = file.read_text("utf-8").split()
        except OSError as error:
            raise SourceError(
                f"cannot read {file}: {error.strerror or error}; get AppWorld's data with `appworld download data`"
            ) from error
        return [line.partition(":")[0] for line in lines]

    def _specs_of(self, task: str) -> Json:
        file = self._data / "tasks" / task / "specs.json"
        specs = read_json(file)
        if not isinstance(specs, dict) or not isinstance(specs.get("instruction"), str):
            raise SourceError(
                f"{file} has no instruction; get AppWorld's data again with `appworld download data`"
            )
        return specs


def _query(specs: Json) -> str:
    """Return the request as the agent is given it: who asks, and what for."""
    who = specs.get("supervisor") or specs.get("main_user") or {}
    name = f"{who.get('first_name', '')} {who.get('last_name', '')}".strip()
    about = f"Your supervisor is {name} (email {who.get('email')}, phone {who.get('phone_number')})."
    return f"{about}\nThe time there is {specs.get('datetime')}.\nThe request: {specs['instruction']}"
