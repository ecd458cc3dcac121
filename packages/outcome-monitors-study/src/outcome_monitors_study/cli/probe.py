"""`study probe`: what a model does at the moment it is shown a wrong result."""

import json
from pathlib import Path

import click

from outcome_monitors.cli._output import count, progress, warn, write
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.files import read_json, replacing, write_atomically
from outcome_monitors_study.batches import AnswersGiven, read_answers
from outcome_monitors_study.probes.organic import freeze_recorded
from outcome_monitors_study.probes.plan import Plan, freeze, load_plan, requests
from outcome_monitors_study.probes.score import GROUPS, as_document, probe_tables, requested, score

from .options import (
    FOLDER,
    PATH,
    json_option,
    option,
    print_line,
    print_tables,
)

EPILOG = """\b
Example:
  outcome-monitors study freeze trial --arms baseline,advisory-v2,advisory-note
  outcome-monitors study probe freeze trial
  outcome-monitors study probe export trial -o requests.jsonl --model gpt-5-mini
  outcome-monitors study probe score trial responses.jsonl"""


@click.group("probe", invoke_without_command=True, epilog=EPILOG)
@click.pass_context
def probe_command(ctx: click.Context) -> None:
    """Probe a model's next action after a wrong result."""
    if ctx.invoked_subcommand is None:
        raise click.UsageError("name what to do: freeze, recorded, export or score")


@probe_command.command("freeze", epilog="\b\nExample:\n  outcome-monitors study probe freeze trial")
@FOLDER
@option(
    "--forms",
    type=PATH,
    metavar="FILE",
    help='More wordings, each an arm: [{"name": "plain", "words": "{field} looks wrong. Tools: {tools}."}].',
)
def freeze_command(folder: Path, forms: Path | None) -> None:
    """Cut the study's cells at the first wrong result and freeze what each arm shows there."""
    worded = None if forms is None else read_json(forms)
    plan = freeze(folder, worded, file=str(forms), watched=lambda cells: progress(cells, "cell"))
    passed = [f"{number} where {why}" for why, number in plan.manifest["passed over"].items() if number]
    left = f"; passed over: {', '.join(passed)}" if passed else ""
    print_line(
        f"{folder}: frozen, {count(len(plan.points), 'point')}, {count(len(plan.arms), 'arm')},"
        f" {count(len(requested(plan)), 'request')}{left}"
    )


@probe_command.command(
    "recorded",
    epilog="""\b
Example:
  outcome-monitors study probe recorded organic livemcp/calls.jsonl livemcp/recoveries.jsonl --tools tools.json""",
)
@click.argument("folder", type=PATH)
@click.argument("calls", type=PATH)
@click.argument("recoveries", type=PATH)
@option("--tools", type=PATH, metavar="FILE", required=True, help="The tools/list response of all servers.")
def recorded_command(folder: Path, calls: Path, recoveries: Path, tools: Path) -> None:
    """Cut recorded CALLS at their silent failures, labelled in RECOVERIES."""
    plan = freeze_recorded(folder, calls, recoveries, tools)
    print_line(
        f"{folder}: frozen, {count(len(plan.points), 'point')}, {count(len(requested(plan)), 'request')};"
        f" {plan.manifest['passed over']['nothing was found']} without a receipt"
    )


@probe_command.command(
    "export",
    epilog="\b\nExample:\n  outcome-monitors study probe export trial -o requests.jsonl --model gpt-5-mini",
)
@FOLDER
@option("-o", "--output", metavar="FILE", required=True, help="The requests file to write.")
@option("--model", metavar="NAME", required=True, help="The endpoint's model name.")
def export_command(folder: Path, output: str, model: str) -> None:
    """Write the requests in OpenAI's batch format, which vLLM's run-batch takes too."""
    number = 0
    with replacing(output) as out:
        for request in progress(requests(load_plan(folder), model), "request"):
            out.write(json.dumps(request).encode() + b"\n")
            number += 1
    print_line(f"{output}: {count(number, 'request')}")


@probe_command.command(
    "score", epilog="\b\nExample:\n  outcome-monitors study probe score trial responses.jsonl --by fault"
)
@FOLDER
@click.argument("responses", nargs=-1, required=True)
@option("--by", type=click.Choice(list(GROUPS)), help="Also show these groups.")
@json_option
def score_command(folder: Path, responses: tuple[str, ...], by: str | None, json_file: str | None) -> None:
    """Score the model's actions."""
    plan = load_plan(folder)
    answers = read_answers(responses, frozenset(requested(plan)).__contains__)
    if not answers.by_request:
        raise OutcomeMonitorsError(
            f"none of {len(requested(plan)):,} requests of {folder} is answered in {', '.join(responses)}"
        )
    _show_answers(plan, answers)
    found = score(plan, answers, by or "")
    if json_file is not None:
        write_atomically(json_file, json.dumps(as_document(plan, answers, found), indent=1) + "\n")
    print_tables(list(probe_tables(found)))


def _show_answers(plan: Plan, answers: AnswersGiven) -> None:
    asked = len(requested(plan))
    models = ", ".join(sorted(answers.models))
    print_line(f"{len(answers.by_request):,} of {count(asked, 'answer')}, by {models}")
    write("\n")
    if asked > len(answers.by_request):
        warn(f"{asked - len(answers.by_request):,} requests have no answer")
    if answers.passed_over:
        warn(f"{count(len(answers.passed_over), 'line')} passed over, the first: {answers.passed_over[0]}")
