"""AppWorld, through its own server: its APIs as tools, its documentation as contracts, its tests of the state as the judge.

There are more APIs than a model can be shown, so an agent gets those that read the documentation, those of the supervisor, and
one that calls any API by name.
"""

import json
import random
from collections.abc import Iterable, Mapping
from functools import cached_property, reduce
from pathlib import Path

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.contracts.sources import read_appworld
from outcome_monitors.exceptions import OutcomeMonitorsError, SourceError
from outcome_monitors.model import Call, Json, Profile
from outcome_monitors.recovery.relations import Relations
from outcome_monitors.values.documents import read_json
from outcome_monitors_study._json import digest
from outcome_monitors_study.environments.environment import (
    Cell,
    Environment,
    EpisodeVerdict,
    Served,
    interface_relations,
)

from ._docs import Api, read_apis
from ._faults import FAULTS, spoiled
from ._server import AppWorldServer, Servers

__all__ = ["AppWorldEnvironment", "AppWorldEpisode"]

SHOWN = ("api_docs", "supervisor")
"""The apps whose APIs are offered as they are."""
DOCUMENTATION = "api_docs"
"""Its answers are never spoiled: they are no data."""
HUB: Json = {
    "name": "call_api",
    "description": "Call any documented API by its app and name.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "app": {"type": "string", "description": "The app, as api_docs lists it."},
            "api": {"type": "string", "description": "The API of that app."},
            "arguments": {"type": "object", "description": "Its parameters by name."},
        },
        "required": ["app", "api"],
    },
}
SYSTEM_PROMPT = (
    "You carry out your supervisor's request with the APIs of several apps, without asking back. Look up which apps and APIs"
    " there are and what each takes before you call one. Passwords of the supervisor's accounts are known to the supervisor app;"
    " most APIs want the access token that an app's login gives. When all is done, or cannot be done, call"
    " supervisor__complete_task, with the answer where one was asked for, and end with a short plain sentence."
)


class AppWorldEpisode:
    """One run of a task; its world begins with the first call."""

    def __init__(self, cell: Cell, query: str, apis: Mapping[str, Api], servers: Servers) -> None:
        self.query = query
        self.tools = tuple(apis)
        self.offered = (HUB, *(api.spec for api in apis.values() if api.app in SHOWN))
        self._cell, self._apis, self._servers = cell, apis, servers
        self._server: AppWorldServer | None = None
        self._victim: str | None = None

    def named(self, tool: str, arguments: Mapping[str, Json]) -> tuple[str, Mapping[str, Json]]:
        """Return the call that is meant: the hub's is that of the API that it names."""
        if tool != HUB["name"]:
            return tool, arguments
        inner = arguments.get("arguments") or {}
        return f"{arguments.get('app')}__{arguments.get('api')}", inner if isinstance(inner, dict) else {}

    def call(self, tool: str, arguments: Mapping[str, Json]) -> Served:
        """Call an API; only what is shown is ever changed."""
        raw, failed = self._asked(tool, arguments)
        fault, api = FAULTS[self._cell.stratum], self._apis.get(tool)
        as_it_is = Served(raw, raw, injected=False, failed=failed)
        if fault is None or failed or api is None or not api.reads or api.app == DOCUMENTATION:
            return as_it_is
        rng = random.Random(self._cell.id)  # noqa: S311 - a fault, not a secret
        seen = spoiled(raw, fault, api.fields, rng) if self._victim in {None, tool} else None
        if seen is None:
            return as_it_is
        self._victim = tool
        return Served(raw, seen, injected=True)

    def judge(self, answer: Json) -> EpisodeVerdict:
        """Ask AppWorld's own tests."""
        found = self._world().evaluate(self, self._cell.task)
        details = {
            "hit": self._victim is not None,
            "victim": self._victim,
            "tests": found.get("num_tests"),
            "failed": len(found.get("failures") or ()),
        }
        return EpisodeVerdict(bool(found.get("success")), details)

    def _asked(self, tool: str, arguments: Mapping[str, Json]) -> tuple[Json, bool]:
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
            self._server = self._servers.take()
            self._server.start(self, self._cell.task)
        return self._server


class AppWorldEnvironment(Environment):
    """AppWorld's root folder, and the servers that run on it."""

    STRATA = tuple(FAULTS)
    MOST_STEPS = 50
    system_prompt = SYSTEM_PROMPT

    def __init__(self, checkout: str, split: str = "dev", server: str = "http://127.0.0.1:8000") -> None:
        self.settings: Mapping[str, Json] = {
            "environment": "appworld",
            "checkout": checkout,
            "split": split,
            "server": server,
        }
        self._data = Path(checkout) / "data"
        self._split = split
        self._servers = Servers([each.strip() for each in server.split(",") if each.strip()])

    @property
    def at_once(self) -> int:
        """How many episodes can run at a time: as many as there are servers."""
        return len(self._servers)

    def cells(
        self, wanted: Mapping[str, int], seed: int, without: frozenset[str] = frozenset()
    ) -> list[Cell]:
        """Sample families of tasks, one variant of each, and put each into every stratum."""
        unknown = [stratum for stratum in wanted if stratum not in FAULTS]
        if unknown:
            raise OutcomeMonitorsError(f"there is no stratum {unknown[0]!r}: choose from {', '.join(FAULTS)}")
        families, most = self._families(without), max(wanted.values())
        if len(families) < most:
            raise OutcomeMonitorsError(
                f"split {self._split} has {len(families)} families of tasks, not {most}; ask for fewer"
            )
        rng = random.Random(seed)  # noqa: S311 - a sample, not a secret
        chosen = [rng.choice(families[family]) for family in rng.sample(sorted(families), most)]
        return [
            Cell(f"{task}/{stratum}", stratum, task)
            for stratum, number in wanted.items()
            for task in chosen[:number]
        ]

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

    def relations(self) -> Relations:
        """Return what the APIs' interfaces say of which can stand in for which; those of two apps never can."""
        apps = {api.app for api in self._apis.values()}
        return reduce(Relations.merge, map(self._relations_in, sorted(apps)), Relations())

    def schema_contracts(self) -> Registry:
        """Return the same: nothing is learned here beyond the documentation."""
        return self.contracts(frozenset(), "full")

    def _relations_in(self, app: str) -> Relations:
        specs = [api.spec for api in self._apis.values() if api.app == app]
        return interface_relations(specs, app)

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
