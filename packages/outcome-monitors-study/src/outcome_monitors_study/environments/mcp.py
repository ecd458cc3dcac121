"""An MCP server of anybody's: every episode starts it anew, behind an injector and the proxy, and calls go through both.

    agent - study - proxy - injector - server

The proxy has the study's contracts and relations, and advises. What it adds reaches the agent in the arm `proxy` alone; in others
the agent is shown what the proxy was given. `once` puts a wrong result into the first answer to a call, `always` into every one.
"""

import json
import random
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.evaluation.faults import NOT_APPLICABLE, Corpus, Fault, Subject
from outcome_monitors.exceptions import OutcomeMonitorsError, SourceError
from outcome_monitors.files import read_json
from outcome_monitors.mcp.session import result_of
from outcome_monitors.mining.observations import mine
from outcome_monitors.model import Call, Json, Profile
from outcome_monitors.receipts.carriers import KEY
from outcome_monitors.recovery.relations import Relations
from outcome_monitors_study._json import digest
from outcome_monitors_study.world.agents import Interface, Run, Visit
from outcome_monitors_study.world.facts import DueFact, check_facts
from outcome_monitors_study.world.wording import read

from ._mcp_client import McpClient
from .environment import (
    Cell,
    Environment,
    EpisodeVerdict,
    ProxyReceipt,
    Served,
    interface_relations,
    refuse_strata,
)
from .faults import dealt, study_faults

INJECTOR = str(Path(__file__).with_name("_mcp_injector.py"))
STRATA = ("once", "always", "clean")


class McpStep(NamedTuple):
    """A call."""

    tool: str
    arguments: Mapping[str, Json]


class McpTask(NamedTuple):
    """A task; nothing but the judge and scripts, which cannot read a request, sees its calls."""

    id: str
    query: str
    calls: tuple[McpStep, ...]
    answer: tuple[str, ...]
    """Where the facts stand that have to be told: `0.total` is `total` in the result of the first call."""
    state: tuple[McpStep, ...]
    """Reads that show, afterwards, what was done: they have to give what they give after the calls."""


def read_mcp_tasks(file: Path) -> list[McpTask]:
    """Read a list of tasks."""
    listed = read_json(file)
    if not isinstance(listed, list) or not listed:
        raise SourceError(f"{file} is no list of tasks")
    tasks = [_task(file, number, each) for number, each in enumerate(listed, 1)]
    if len({task.id for task in tasks}) < len(tasks):
        raise SourceError(f"{file}: two tasks have the same id")
    return tasks


def _task(file: Path, number: int, task: Json) -> McpTask:
    def wrong(what: str) -> SourceError:
        return SourceError(f"{file}: task {number} {what}")

    if not isinstance(task, dict) or not all(isinstance(task.get(key), str) for key in ("id", "query")):
        raise wrong('has no "id" and "query" that are texts')
    unknown = task.keys() - {"id", "query", "calls", "answer", "state"}
    if unknown:
        raise wrong(f"has {min(unknown)!r}, which tasks have not")
    calls, state = (_steps(task.get(key, [])) for key in ("calls", "state"))
    if not calls or state is None:
        raise wrong(
            'needs "calls", a list of {"tool": ..., "arguments": {...}}; "state" is such a list as well'
        )
    answer = task.get("answer", [])
    if not isinstance(answer, list) or not all(_names_a_call(each, len(calls)) for each in answer):
        raise wrong('has an "answer" that is no list of places such as "0.total", with the number of a call')
    if not answer and not state:
        raise wrong('has neither "answer" nor "state", so nobody could say whether it was done')
    return McpTask(task["id"], task["query"], calls, tuple(answer), state)


def _steps(listed: Json) -> tuple[McpStep, ...] | None:
    if not isinstance(listed, list):
        return None
    found = [
        McpStep(each["tool"], each.get("arguments") or {})
        for each in listed
        if isinstance(each, dict)
        and isinstance(each.get("tool"), str)
        and isinstance(each.get("arguments") or {}, dict)
    ]
    return tuple(found) if len(found) == len(listed) else None


def _names_a_call(place: Json, calls: int) -> bool:
    number = place.partition(".")[0] if isinstance(place, str) else ""
    return number.isdecimal() and int(number) < calls


def fact(place: str, results: Sequence[Json]) -> Json:
    """Return what stands at a place."""
    number, *path = place.split(".")
    found: Json = results[int(number)] if int(number) < len(results) else None
    for part in path:
        if isinstance(found, dict):
            found = found.get(part)
        elif (
            isinstance(found, list) and part.lstrip("-").isdecimal() and -len(found) <= int(part) < len(found)
        ):
            found = found[int(part)]
        else:
            return None
    return found


class McpEpisode:
    """One run of a task, with a server of its own; it is started by the first call."""

    def __init__(
        self, task: McpTask, tools: tuple[str, ...], plan: Sequence[Json], place: "McpEnvironment"
    ) -> None:
        self.query, self.tools = task.query, tools
        self._task, self._plan, self._place = task, plan, place
        self._folder = tempfile.TemporaryDirectory(prefix="outcome-monitors-")
        self._client: McpClient | None = None
        self._rules: tuple[Registry, Relations] = Registry(), Relations()
        self._shown: list[tuple[McpStep, Json]] = []
        """The wrong results that were shown, and for which calls."""

    def go_by(self, registry: Registry, relations: Relations) -> None:
        """Take what the proxy is to go by."""
        self._rules = registry, relations

    def call(self, tool: str, arguments: Mapping[str, Json]) -> Served:
        """Call a tool through the proxy."""
        answer = self._server().call(tool, arguments)
        noted = self._noted()
        if noted is None:
            # The proxy answered by itself, or the server refused the call before it was one.
            failure = answer.get("error") or answer.get("result")
            return Served(failure, failure, injected=False, failed=True)
        raw, seen = result_of(noted["raw"]), result_of(noted["seen"])
        if noted["injected"]:
            self._shown.append((McpStep(tool, dict(arguments)), seen.value))
        return Served(
            _text_or(raw.value, noted["raw"]),
            _text_or(seen.value, noted["seen"]),
            injected=noted["injected"],
            failed=seen.failed,
            fault=self._plan[0]["fault"] if noted["injected"] else "",
            proxy_receipt=_proxy_receipt(answer, noted["seen"]),
        )

    def judge(self, answer: Json) -> EpisodeVerdict:
        """Hold the state against that of a clean run, and the answer against its facts; wrong values that were shown may not be told."""
        true = self._place.clean_run(self._task.id)
        left = [self.call(*step).raw for step in self._task.state]
        self.close()
        wrong = [
            step.tool
            for step, now, then in zip(self._task.state, left, true.state, strict=True)
            if now != then
        ]
        text = answer.said if isinstance(answer, Run) else str(answer)
        due = [
            DueFact(place, fact(place, true.results), _near(place), tuple(self._rivals(place)))
            for place in self._task.answer
        ]
        found = check_facts(read(text), due, self.query)
        details = {
            "hit": bool(self._shown),
            "unsaid": list(found.missing),
            "contradicted": list(found.contradicted),
            "crowded": found.crowded,
            "wrong_state": wrong,
        }
        return EpisodeVerdict(found.fine and not wrong, details)

    def played(self, interface: Interface, script: str, heeds: Callable[[], bool] = lambda: False) -> Run:
        """Make the task's own calls, one again where a receipt is heeded, and tell what they gave."""
        run = Run(f"scripted {script}")
        visit = Visit(interface, run, heeds)
        results = [visit.checked(*step) for step in self._task.calls]
        facts = zip(self._task.answer, [fact(place, results) for place in self._task.answer], strict=True)
        run.said = " ".join(f"The {' '.join(_near(place))} is {value}." for place, value in facts)
        return run

    def close(self) -> None:
        """End the server and all before it."""
        if self._client is not None:
            self._client.close()
            self._client = None
        self._folder.cleanup()

    def _rivals(self, place: str) -> Iterator[Json]:
        """Yield what was shown wrong at a place of the answer."""
        step = self._task.calls[int(place.partition(".")[0])]
        at = f"0.{place.partition('.')[2]}".rstrip(".")
        yield from (fact(at, [seen]) for shown, seen in self._shown if shown.tool == step.tool)

    def _server(self) -> McpClient:
        if self._client is None:
            here = Path(self._folder.name)
            (here / "plan.json").write_text(json.dumps(self._plan), encoding="utf-8")
            registry, relations = self._rules
            registry.save(here / "contracts.json")
            relations.save(here / "relations.json")
            self._client = McpClient(self._command(here))
            self._client.tools()
        return self._client

    def _command(self, here: Path) -> list[str]:
        proxy = [sys.executable, "-m", "outcome_monitors", "proxy", "--events", "none"]
        rules = ["--contracts", str(here / "contracts.json"), "--relations", str(here / "relations.json")]
        injector = [sys.executable, INJECTOR, str(here / "plan.json"), str(here / "log.jsonl")]
        return [*proxy, *rules, "--", *injector, *self._place.command]

    def _noted(self) -> Json:
        """Return the injector's note on the last call; None where it saw none."""
        log = Path(self._folder.name, "log.jsonl")
        lines = log.read_bytes().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return json.loads(lines[-1]) if lines else None


class CleanRun:
    """What the calls of a task give on a server that nothing is injected into."""

    def __init__(self, task: McpTask, command: Sequence[str]) -> None:
        client = McpClient(command)
        try:
            self.tools: dict[str, Json] = {tool["name"]: tool for tool in client.tools()}
            self.answers = [client.call(*step) for step in task.calls]
            self.results = [result_of(answer).value for answer in self.answers]
            self.state = [
                _text_or(result_of(answer).value, answer) for answer in (client.call(*s) for s in task.state)
            ]
        finally:
            client.close()
        self.calls = [
            Call(step.tool, dict(step.arguments), result, task=task.id, session=task.id)
            for step, answer, result in zip(task.calls, self.answers, self.results, strict=True)
            if not result_of(answer).why
        ]


class McpEnvironment(Environment):
    """A command that starts a server, and tasks for it."""

    STRATA = STRATA
    _source = "the server"

    def __init__(self, command: str, tasks: str, suites: Sequence[str] = ("toolmaze",)) -> None:
        self.command = shlex.split(command)
        self._file, self._faults = Path(tasks), study_faults(suites)
        self._runs: dict[str, CleanRun] = {}

    def clean_run(self, task: str) -> CleanRun:
        """Return what a task's calls give where nothing is wrong; each task is run once."""
        if task not in self._runs:
            self._runs[task] = CleanRun(self._tasks[task], self.command)
        return self._runs[task]

    def cells(
        self, wanted: Mapping[str, int], seed: int, without: frozenset[str] = frozenset()
    ) -> list[Cell]:
        """Sample tasks of each stratum, none twice, and deal faults out evenly among those that have a place in them."""
        rng = random.Random(seed)  # noqa: S311 - a sample, not a secret
        free = [name for name in self._tasks if name not in without]
        rng.shuffle(free)
        found: list[Cell] = []
        refuse_strata(wanted, STRATA)
        for stratum, number in wanted.items():
            fit = [name for name in free if self.is_clean(stratum) or self._fitting(name)]
            if len(fit) < number:
                raise OutcomeMonitorsError(
                    f"{self._file} has {len(fit)} tasks left for stratum {stratum}, not {number}; write more, or ask for fewer"
                )
            found += [Cell(f"{name}/{stratum}", stratum, name) for name in fit[:number]]
            free = [name for name in free if name not in fit[:number]]
        return dealt(found, lambda cell: [] if self.is_clean(cell.stratum) else self._fitting(cell.task))

    def open(self, cell: Cell) -> McpEpisode:
        """Start an episode."""
        if cell.task not in self._tasks or cell.stratum not in STRATA:
            raise OutcomeMonitorsError(
                f"there is no cell {cell.id!r} in {self._file}; freeze the study again"
            )
        return McpEpisode(self._tasks[cell.task], tuple(self._listed), self._plan(cell), self)

    def fingerprint(self, cells: Iterable[Cell]) -> str:
        """Return a digest of the cells' tasks and faults, and of the tools; what a server answers may change from day to day."""
        return digest([[[*cell, self._tasks.get(cell.task)] for cell in cells], self.specs()])

    def specs(self) -> list[Json]:
        """Return the tools as the server lists them."""
        return [{"description": "", **tool} for tool in self._listed.values()]

    def clean_calls(self, without: frozenset[str]) -> Iterable[Call]:
        """Yield the calls of all other tasks, each on a server of its own."""
        for name in self._tasks:
            if name not in without:
                yield from self.clean_run(name).calls

    def contracts(self, without: frozenset[str], profile: Profile) -> Registry:
        """Return what clean calls show, and what the server's own schemas say."""
        return mine(self.clean_calls(without), profile).merge(self.schema_contracts())

    def relations(self) -> Relations:
        """Return what the tools' interfaces say of which can stand in for which."""
        return interface_relations(self.specs(), "the server")

    def _plan(self, cell: Cell) -> list[Json]:
        """Return what the injector is to put in: the first result of the task's calls that the fault changes, wrong."""
        fault = next((each for each in self._faults if each.name == cell.fault), None)
        struck = None if fault is None else self._struck(cell.task, fault)
        if struck is None:
            return []
        number, wrong = struck
        step, answer = self._tasks[cell.task].calls[number], self.clean_run(cell.task).answers[number]
        return [
            {
                "tool": step.tool,
                "arguments": dict(step.arguments),
                "result": _instead(answer["result"], wrong),
                "always": cell.stratum == "always",
                "fault": cell.fault,
            }
        ]

    def _fitting(self, task: str) -> list[str]:
        return [fault.name for fault in self._faults if self._struck(task, fault) is not None]

    def _struck(self, task: str, fault: Fault) -> tuple[int, Json] | None:
        """Return the first call whose result a fault changes, and what it becomes."""
        run, before = self.clean_run(task), list[Call]()
        for number, step in enumerate(self._tasks[task].calls):
            if result_of(run.answers[number]).why:
                continue
            call = Call(step.tool, dict(step.arguments), run.results[number], task=task, session=task)
            wrong = fault.apply(Subject(call, before, self._corpus))
            if wrong is not NOT_APPLICABLE and wrong != call.result:
                return number, wrong
            before.append(call)
        return None

    @cached_property
    def _corpus(self) -> Corpus:
        return Corpus.of(self.clean_calls(frozenset()))

    @cached_property
    def _tasks(self) -> dict[str, McpTask]:
        return {task.id: task for task in read_mcp_tasks(self._file)}

    @property
    def _listed(self) -> dict[str, Json]:
        return self.clean_run(next(iter(self._tasks))).tools


def _text_or(value: Json, message: Json) -> Json:
    """Return a result's value, or, where it has none to check, all that came."""
    return message.get("result") if value is None else value


def _instead(result: Json, wrong: Json) -> Json:
    """Return an answer's result with another value, in the form that the server gives it."""
    text = wrong if isinstance(wrong, str) else json.dumps(wrong)
    made = {**result, "content": [{"type": "text", "text": text}]}
    if result.get("structuredContent") is not None:
        wrapped = not isinstance(wrong, dict) or "result" in result["structuredContent"]
        made["structuredContent"] = {"result": wrong} if wrapped else wrong
    return made


def _proxy_receipt(answer: Json, before: Json) -> ProxyReceipt | None:
    """Return what the proxy added to a result; None where it added nothing."""
    after, content = answer.get("result") or {}, (before.get("result") or {}).get("content") or []
    blocks = after.get("content") or []
    receipt = (after.get("structuredContent") or {}).get(KEY)
    if len(blocks) <= len(content) and receipt is None:
        return None
    texts = [block["text"] for block in blocks if block.get("type") == "text"]
    return ProxyReceipt("\n\n".join(texts), receipt if receipt is not None else texts[-1])


def _near(place: str) -> tuple[str, ...]:
    """Return the words of a place, by which a small number is known."""
    last = next((part for part in reversed(place.split(".")) if not part.lstrip("-").isdecimal()), "result")
    return tuple(last.lower().split("_"))
