"""`python -m bench.recovered CALLS RECOVERIES TOOLS`: for how many silent failures a receipt names a call that got the right thing.

CALLS and RECOVERIES are what `outcome-monitors study fetch livemcp` writes, TOOLS a result of `tools/list`, each tool named
`server__tool`. What worked was read by hand: in the `session`, where the agent went on, or by the `definitions` of the tools, where it
did not. A receipt is asked for at every failure, also where no rule finds it. All tools are in sight.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import click

from outcome_monitors import Call, Monitor, Relations, Session, read_traces
from outcome_monitors.checking.failures import quiet
from outcome_monitors.model import Json
from outcome_monitors.recovery.mining import Sources, build
from outcome_monitors.recovery.relations import safe
from outcome_monitors.recovery.tools import read_tools
from outcome_monitors.reports import Share

from ._report import Table, show
from .wild import held_out

__all__ = ["names_what_worked"]

Action = Mapping[str, Json]


def names_what_worked(call: Call, actions: Sequence[Action], worked: Mapping[str, Json]) -> bool:
    """Say whether a receipt names a tool, and where it is the one that failed, an argument to change that helped."""
    return any(
        action["tool"] == worked["tool"]
        and (
            worked["tool"] != call.tool
            or any(_changes(call, action, name) for name in worked.get("changed", ()))
        )
        for action in actions
    )


def _changes(call: Call, action: Action, name: str) -> bool:
    given = action["arguments"]
    told = f"`{name}`" in str(action["why"])
    return told or (isinstance(given, dict) and given.get(name) != call.arguments.get(name))


def receipts(calls: Sequence[Call], relations: Relations, visible: frozenset[str]) -> Iterator[list[Action]]:
    """Yield what a receipt would list at each call."""
    monitor = Monitor(relations=relations, encoder="note", listing="safe")
    sessions: defaultdict[str | None, Session] = defaultdict(monitor.session)
    for call in calls:
        advised = sessions[call.session].advise(call.tool, call.arguments, call.result, tools=visible)
        receipt = advised["outcome_contract"] if advised is not call.result else {}
        listed = receipt.get("admissible_recovery_actions") or list(filter(None, [receipt.get("rest")]))
        made = safe(call.tool, relations, visible, arguments=call.arguments)
        yield listed or [{"tool": one.tool, "arguments": None, "why": one.why} for one in made]


def _tables(
    calls: Sequence[Call], labels: Sequence[Mapping[str, Json]], listed: Sequence[list[Action]], *, each: bool
) -> Iterator[Table]:
    places = {(call.session, call.extra["step"], call.tool): place for place, call in enumerate(calls)}
    rows: defaultdict[tuple[str, str], list[bool]] = defaultdict(list)
    for label in labels:
        place = places.get((label["session"], label["step"], label["tool"]))
        if place is None:
            raise click.ClickException(f"CALLS have no step {label['step']} of session {label['session']}")
        half = "held out" if held_out(label["tool"]) else "development"
        for source in ("session", "definitions"):
            right = [one for one in label["worked"] if source == "definitions" or one["from"] == source]
            if right:
                hit = any(names_what_worked(calls[place], listed[place], one) for one in right)
                rows[half, "in the session" if source == "session" else "at all"].append(hit)
                if each and source == "definitions":
                    offered = ", ".join(f"{one['tool']} ({one['why']})" for one in listed[place])
                    click.echo(f"{place} {label['tool']}: {'named' if hit else 'not named'}; {offered}")
    yield Table(
        "Silent failures whose receipt names a call that worked",
        ("servers", "labelled", ">named", ">share"),
        tuple(
            (half, source, str(share := Share(sum(hits), len(hits))), f"{share.value:.0%}")
            for (half, source), hits in sorted(rows.items())
        ),
        (f"Of {len(labels)} silent failures; for the others no tool is known that would have helped.",),
    )


@click.command(
    epilog="Example: python -m bench.recovered livemcp/calls.jsonl livemcp/recoveries.jsonl tools.json"
)
@click.argument("calls", type=click.Path(exists=True, path_type=Path))
@click.argument("recoveries", type=click.Path(exists=True, path_type=Path))
@click.argument("tools", type=click.Path(exists=True, path_type=Path))
@click.option("--each", is_flag=True, help="Print what each receipt lists.")
def main(calls: Path, recoveries: Path, tools: Path, each: bool) -> None:
    """Score receipts on CALLS by RECOVERIES, with the interfaces of TOOLS."""
    made = list(read_traces([calls]))
    labels = [json.loads(line) for line in recoveries.read_text(encoding="utf-8").splitlines()]
    known = [replace(tool, name=tool.name.replace("__", ".", 1)) for tool in read_tools(tools)]
    visible = frozenset(tool.name for tool in known)
    with quiet():
        listed = list(receipts(made, build(Sources(tools=known)), visible))
    for table in _tables(made, labels, listed, each=each):
        show(table)


if __name__ == "__main__":
    main()
