"""`study probe`: what a model does at the moment it is shown a wrong result."""

import json
from pathlib import Path
from typing import Any

import click

from outcome_monitors.cli._output import count, fail, printable, progress, table, warn, write
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.values.documents import read_json
from outcome_monitors.values.files import replacing, write_atomically
from outcome_monitors_study.probes.deliveries import FORMS
from outcome_monitors_study.probes.plan import Plan, freeze, load_plan
from outcome_monitors_study.probes.requests import requests
from outcome_monitors_study.probes.responses import AnswersGiven, read_answers
from outcome_monitors_study.probes.running import run_probes
from outcome_monitors_study.probes.score import GROUPS, as_document, probe_tables, requested, score
from outcome_monitors_study.run import Effort
from outcome_monitors_study.tables import money

from .run import teller
from .settings import asking_options, asking_settings, effort_options

__all__ = ["probe_command"]

EPILOG = """\b
Example:
  outcome-monitors study freeze trial --arms baseline,advisory-v2,advisory-note
  outcome-monitors study probe freeze trial
  outcome-monitors study probe export trial -o requests.jsonl --model gpt-5-mini
  outcome-monitors study probe score trial responses.jsonl"""
_FOLDER = click.argument("folder", type=click.Path(path_type=Path))


@click.group("probe", invoke_without_command=True, epilog=EPILOG)
@click.pass_context
def probe_command(ctx: click.Context) -> None:
    """Probe a model's next action after a wrong result."""
    if ctx.invoked_subcommand is None:
        raise click.UsageError("name what to do: freeze, export, run or score")


@probe_command.command("freeze", epilog="\b\nExample:\n  outcome-monitors study probe freeze trial")
@_FOLDER
@click.option(
    "--forms",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help='More wordings, each an arm: [{"name": "plain", "words": "{field} looks wrong. Tools: {tools}."}].',
)
@click.option(
    "--results",
    type=click.Choice(list(FORMS)),
    default="json",
    show_default=True,
    help="How results are written.",
)
def freeze_command(folder: Path, forms: Path | None, results: str) -> None:
    """Cut the study's cells at the first wrong result and freeze what each arm shows there."""
    plan = freeze(
        folder,
        None if forms is None else read_json(forms),
        file=str(forms),
        results=results,
        watched=lambda cells: progress(cells, "cell"),
    )
    passed = [f"{number} where {why}" for why, number in plan.manifest["passed over"].items() if number]
    left = f"; passed over: {', '.join(passed)}" if passed else ""
    write(
        printable(
            f"{folder}: frozen, {count(len(plan.points), 'point')}, {count(len(plan.arms), 'arm')},"
            f" {count(len(requested(plan)), 'request')}{left}"
        )
        + "\n"
    )


@probe_command.command(
    "export",
    epilog="\b\nExample:\n  outcome-monitors study probe export trial -o requests.jsonl --model gpt-5-mini",
)
@_FOLDER
@click.option("-o", "--output", metavar="FILE", required=True, help="The requests file to write.")
@click.option("--model", metavar="NAME", required=True, help="The endpoint's model name.")
def export_command(folder: Path, output: str, model: str) -> None:
    """Write the requests in OpenAI's batch format, which vLLM's run-batch takes too."""
    plan, number = load_plan(folder), 0
    with replacing(output) as out:
        for request in progress(requests(plan, model), "request"):
            out.write(json.dumps(request).encode() + b"\n")
            number += 1
    write(printable(f"{output}: {count(number, 'request')}") + "\n")


@probe_command.command(
    "run",
    epilog="\b\nExample:\n  outcome-monitors study probe run trial -o answers.jsonl --model openai/gpt-5-mini --max-cost 1",
)
@_FOLDER
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    required=True,
    type=click.Path(path_type=Path),
    help="The answers file.",
)
@click.option("--model", metavar="NAME", required=True, help="inspect_ai's model name.")
@effort_options(8, "Concurrent requests.")
@asking_options
def probe_run_command(
    folder: Path,
    output: Path,
    model: str,
    max_cost: float | None,
    concurrency: int,
    timeout: int,
    **given: Any,
) -> int:
    """Ask a model through inspect_ai what FILE doesn't answer yet."""
    settings = {"temperature": 0, **asking_settings(given)}
    effort = Effort(concurrency, timeout)
    done = run_probes(
        load_plan(folder),
        output,
        model,
        settings=settings,
        effort=effort,
        max_cost=max_cost,
        tell=teller("request"),
    )
    write(
        printable(f"{output}: {done.done:,} of {count(done.planned, 'answer')}, cost {money(done.spent)}")
        + "\n"
    )
    if done.done < done.planned:
        fail(
            "not all requests were answered: a limit was reached or the endpoint failed; run it again to go on"
        )
        return 2
    return 0


@probe_command.command(
    "score", epilog="\b\nExample:\n  outcome-monitors study probe score trial responses.jsonl --by fault"
)
@_FOLDER
@click.argument("responses", nargs=-1, required=True)
@click.option("--by", type=click.Choice(list(GROUPS)), help="Also show these groups.")
@click.option("--json", "json_file", metavar="FILE", help="Write all figures as JSON.")
def score_command(folder: Path, responses: tuple[str, ...], by: str | None, json_file: str | None) -> None:
    """Score the model's actions."""
    plan = load_plan(folder)
    answers = read_answers(responses, frozenset(requested(plan)))
    if not answers.by_request:
        raise OutcomeMonitorsError(
            f"none of {len(requested(plan)):,} requests of {folder} is answered in {', '.join(responses)}"
        )
    _tell_trouble(plan, answers)
    found = score(plan, answers, by or "")
    if json_file is not None:
        write_atomically(json_file, json.dumps(as_document(plan, answers, found), indent=1) + "\n")
    for heading, columns, rows in probe_tables(found):
        write(heading + "\n")
        table(columns, rows)
        write("\n")


def _tell_trouble(plan: Plan, answers: AnswersGiven) -> None:
    asked, models = requested(plan), sorted(answers.models)
    write(
        printable(f"{len(answers.by_request):,} of {count(len(asked), 'answer')}, by {', '.join(models)}")
        + "\n\n"
    )
    for number, what in (
        (len(asked) - len(answers.by_request), "requests have no answer"),
        (answers.failed, "requests failed at the endpoint"),
        (answers.twice, "answers came twice; the first counts"),
        (answers.foreign, "lines answer other requests"),
        (
            len(answers.broken),
            f"lines could not be read, the first: {answers.broken[0] if answers.broken else ''}",
        ),
    ):
        if number:
            warn(f"{number:,} {what}")
