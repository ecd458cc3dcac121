"""`python -m bench.journeys`: how many of our files and functions one tool result passes.

Functions are those that run on the thread of the reply, each counted once; comprehensions count as part of theirs. What is done
once (imports, the first result of a conversation) is done before counting begins. `--list` names the functions.
"""

import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import click

import outcome_monitors
from outcome_monitors import Monitor, Registry, mine
from outcome_monitors.cli._output import write
from outcome_monitors.learning.rollout import ADVISING, MinedTool, ToolRollout, Transition
from outcome_monitors.learning.rollout_store import RolloutStore
from outcome_monitors.mcp import JsonRpcSession
from outcome_monitors.mcp.settings import ProxySettings

from ._report import Table, show
from ._results import ORDER
from ._servers import CALLS, TOOL, WRONG, answer

ROOT = str(Path(outcome_monitors.__file__).parent)
COMPREHENSIONS = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})


class Journey(NamedTuple):
    """What one result passed."""

    name: str
    most: tuple[int, int]
    """The files and functions that it may pass."""
    functions: list[str]

    @property
    def files(self) -> int:
        """How many files they are in."""
        return len({name.partition(":")[0] for name in self.functions})


def passed(work: Callable[[], object]) -> list[str]:
    """Return the functions of this package that some work passes, in the order in which it first does."""
    seen: dict[CodeType, None] = {}

    def note(frame: FrameType, event: str, _argument: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(ROOT) and code.co_name not in COMPREHENSIONS:
            seen.setdefault(code)

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return [f"{code.co_filename.removeprefix(ROOT)[1:]}:{code.co_qualname}" for code in seen]


def journeys() -> Iterator[Journey]:
    """Count each journey."""
    registry = mine(ORDER.mined(), "full")
    session = Monitor(registry).session("bench")
    for call in CALLS[:5]:
        session.advise(call.tool, call.arguments, call.result)
    flagged = CALLS[6]
    wrong: Any = {**flagged.result, "status": "lost in the post"}
    session.advise(flagged.tool, flagged.arguments, wrong)
    functions = passed(lambda: session.advise(flagged.tool, flagged.arguments, wrong))
    yield Journey("a flagged result in a session", (20, 90), functions)
    with learned(registry) as client:
        for number in range(5):
            client(number, False)
            client(number, True)
        yield Journey("a clean tools/call behind proxy --learn", (14, 35), client(6, False))
        yield Journey("a flagged tools/call behind proxy --learn", (30, 120), client(7, True))


@contextmanager
def learned(registry: Registry) -> Iterator[Callable[[int, bool], list[str]]]:
    """Open a proxy whose learned contracts are in force; give what makes a call and counts what its answer passes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        registry.save(folder / "contracts.json")
        for tool, contract in registry.contracts.items():
            mined = MinedTool(contract)
            begin = [mined.begins(clause, 0) for clause in mined.clauses]
            in_force = Transition(ToolRollout(ADVISING, mined.key), begin, [(row.clause, 0) for row in begin])
            RolloutStore(folder / "stages.sqlite").apply({tool: in_force})
        with ProxySettings(learn=name, budget=60.0).context() as context:
            session = JsonRpcSession(context, "bench")
            session.asked(json.dumps({"jsonrpc": "2.0", "id": "l", "method": "tools/list"}).encode())
            session.answered(json.dumps({"jsonrpc": "2.0", "id": "l", "result": {"tools": [TOOL]}}).encode())

            def call(number: int, wrong: bool) -> list[str]:
                arguments = {**CALLS[number].arguments, **({WRONG: True} if wrong else {})}
                params = {"name": ORDER.name, "arguments": arguments}
                asked = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
                said, heard = json.dumps(answer(asked)).encode(), []

                def relay() -> None:
                    session.asked(json.dumps(asked).encode())
                    heard.append(session.answered(said))

                functions = passed(relay)
                assert (heard != [said]) == wrong, (
                    "a receipt is put in where the result is wrong, and only there"
                )
                return functions

            yield call


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--list", "listed", is_flag=True, help="Name the functions, in the order in which they are passed."
)
def main(listed: bool) -> None:
    """Count the files and functions that a tool result passes.

    Example: python -m bench.journeys
    """
    rows = []
    for journey in journeys():
        files, functions = journey.most
        rows.append(
            (journey.name, str(journey.files), str(files), str(len(journey.functions)), str(functions))
        )
        if listed:
            write("\n".join([f"{journey.name}:", *[f"  {name}" for name in journey.functions], "", ""]))
    show(Table("What one result passes", ("result", ">files", ">goal", ">functions", ">goal"), tuple(rows)))


if __name__ == "__main__":
    main(prog_name="python -m bench.journeys")
