"""`study freeze`, `run`, `amend`, `analyze` and `compare`: a study from its protocol to its figures."""

import inspect
import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from outcome_monitors.cli._output import count, fail, printable, show_progress, warn, write
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.files import read_json, write_atomically
from outcome_monitors.mining.observations import PROFILES
from outcome_monitors.model import Json
from outcome_monitors_study.analysis import analyse
from outcome_monitors_study.compare import compare, compare_page, compare_tables
from outcome_monitors_study.design import EFFORTS, STATUSES, STRATA, Design
from outcome_monitors_study.environments import ENVIRONMENTS, environment, environment_class
from outcome_monitors_study.folds import Construction
from outcome_monitors_study.manifest import Study, amend, freeze, load
from outcome_monitors_study.run import Effort, Progress, run
from outcome_monitors_study.scripted import is_scripted
from outcome_monitors_study.sent import unsent_temperature
from outcome_monitors_study.study_tables import report, tables, title
from outcome_monitors_study.tables import SCRIPTED, Table, as_json, latex_table, money

from .options import (
    FOLDER,
    PATH,
    POSITIVE,
    json_option,
    option,
    print_line,
    print_tables,
)

OFFERED = ("checkout", "data", "split", "server")
"""The options that a plugin's environment may take; ours take those that they name."""
DESIGN = (
    *("agents", "arms", "contrasts", "strata", "per_stratum", "repeats", "without", "seed", "profile"),
    *("folds", "distinctive", "contracts", "relations", "clean_arms", "tasks_of", "status"),
)


def _names(default: str) -> dict[str, Any]:
    """Return what an option needs to take names behind commas."""

    def split(_context: click.Context, _parameter: click.Parameter, value: str) -> tuple[str, ...]:
        return tuple(name.strip() for name in value.split(",") if name.strip())

    return {"metavar": "NAMES", "callback": split, "default": default}


FOLDER_OF: dict[str, Any] = {"type": PATH, "metavar": "FOLDER"}
FILE: dict[str, Any] = {"type": PATH, "metavar": "FILE"}
NUMBER: dict[str, Any] = {"type": POSITIVE, "metavar": "N"}
TEXT: dict[str, Any] = {"default": ""}
EACH: dict[str, Any] = {"metavar": "NAME=VALUE", "multiple": True}
OPTIONS: Sequence[tuple[str, str, dict[str, Any]]] = (
    (
        "--environment",
        f"Where: {', '.join(ENVIRONMENTS)}, or your own class: shop.Shop.",
        {"default": "world"},
    ),
    ("--option", "An option of a plugin, JSON or text. Repeatable.", EACH),
    ("--workflows", "Of the tool world.", {"type": click.IntRange(8), "default": 400, "metavar": "N"}),
    ("--suites", "Faults of the world; of ToolMaze its own, or incident.", _names("toolmaze")),
    ("--checkout", "The environment's checkout.", {**TEXT, "metavar": "FOLDER"}),
    ("--data", "ToolMaze's perturbed_tasks, if not in the checkout.", TEXT),
    ("--split", "The task split: test (tau-bench), dev (AppWorld).", {**TEXT, "metavar": "NAME"}),
    ("--server", "AppWorld's servers; default http://127.0.0.1:8000.", {**TEXT, "metavar": "URLS"}),
    ("--agents", "Scripts, or models as inspect_ai names them.", _names("scripted-follows:0.7")),
    (
        "--arms",
        "The baseline first, then the primary treatment, then others.",
        _names("baseline,advisory-v2"),
    ),
    ("--contrasts", "More than each arm against the first: treatment:baseline.", _names("")),
    ("--strata", "What to sample from; C3/P4:15 has its own number of tasks.", _names(",".join(STRATA))),
    ("--per-stratum", "Tasks a stratum.", {**NUMBER, "default": 20}),
    ("--repeats", "How often each episode is run; analyze gives pass^k.", {"type": POSITIVE, "default": 1}),
    ("--clean-arms", "The arms that are run on clean tasks; default all.", _names("")),
    ("--tasks-of", "Take the tasks of this study, in its strata and in clean ones.", FOLDER_OF),
    ("--without", "Exclude the tasks of this study. Repeatable.", {**FOLDER_OF, "multiple": True}),
    (
        "--status",
        "Whether related outcomes were known.",
        {"type": click.Choice(STATUSES), "default": "frozen"},
    ),
    ("--register", "How each outcome is to be read, as a text, kept with the study.", FILE),
    ("--seed", "The random seed.", {"type": int, "default": 0, "metavar": "N"}),
    ("--profile", "What to learn.", {"type": click.Choice(list(PROFILES)), "default": "full"}),
    (
        "--folds",
        "Registries, each learned without some of the tasks; 5 in profile paper, else 1.",
        {"type": POSITIVE},
    ),
    (
        "--distinctive",
        "Signs of a wrong value that is looked for later; 8 in profile paper, else 4.",
        {"type": POSITIVE},
    ),
    ("--contracts", "Contracts to take; otherwise mined from clean runs of other tasks.", {"type": PATH}),
    ("--relations", "Recovery relations.", FILE),
    ("--user-model", "The model that plays tau-bench's user; otherwise a script that leaves at once.", TEXT),
    ("--system-prompt", "The system prompt of all arms.", FILE),
    (
        "--prices",
        'Prices per million tokens: {"model": {"input": 0.27, "output": 1.1, "date": "2026-11-01"}}.',
        FILE,
    ),
    (
        "--temperature",
        "The models' temperature.",
        {"type": click.FloatRange(0), "default": 0, "metavar": "X"},
    ),
    ("--max-tokens", "Tokens of one answer.", NUMBER),
    ("--reasoning", "The reasoning effort.", {"type": click.Choice(EFFORTS)}),
    ("--reasoning-tokens", "The reasoning budget.", NUMBER),
    ("--request", 'A field of the request itself: thinking={"type": "enabled"}. Repeatable.', EACH),
    ("--model-arg", "A provider argument, as inspect's -M. Repeatable.", EACH),
)


def _with_options(command: Any) -> Any:
    for name, text, more in reversed(OPTIONS):
        command = option(name, help=text, **more)(command)
    return command


@click.command(
    "freeze", epilog="\b\nExample:\n  outcome-monitors study freeze trial --arms baseline,advisory-v2,generic"
)
@FOLDER
@_with_options
def freeze_command(folder: Path, **given: Any) -> None:
    """Sample tasks, mine contracts from the others, and freeze it all in FOLDER before any outcome."""
    place = _environment_settings(given)
    where = environment_class(given["environment"])
    if given["strata"] == STRATA:
        given["strata"] = getattr(where, "STRATA", STRATA)
    names = ("max_tokens", "reasoning", "reasoning_tokens", "temperature")
    settings = {name: given[name] for name in names if given[name]}
    if given["prices"]:
        settings["prices"] = read_json(given["prices"])
    for name, key in (("model_arg", "model_args"), ("request", "request")):
        if given[name]:
            settings[key] = dict(_named_value(f"--{name.replace('_', '-')}", text) for text in given[name])
    if given["user_model"]:
        settings["user_model"] = given["user_model"]
    elif given["environment"] == "tau-retail" and not all(map(is_scripted, given["agents"])):
        warn("without --user-model the user is a script, which leaves at the agent's first words")
    if given["system_prompt"]:
        settings["system_prompt"] = given["system_prompt"].read_text("utf-8")
    if hasattr(where, "MOST_STEPS"):
        settings["most_steps"] = where.MOST_STEPS
    registered = given["register"].read_text("utf-8").strip() if given["register"] else ""
    design = Design(
        environment=place, settings=settings, registered=registered, **{name: given[name] for name in DESIGN}
    )
    _show_frozen(freeze(folder, design))
    if notice := environment(place).notice():
        warn(notice)


def _environment_settings(given: dict[str, Any]) -> dict[str, Any]:
    """Return an environment's settings; an option that is not given is left to it."""
    name = given["environment"]
    ours = name in ENVIRONMENTS
    takes = inspect.signature(ENVIRONMENTS[name]).parameters if ours else OFFERED
    taken = {each: given[each] for each in takes if given[each] != ""}
    if not ours:
        own = dict(_named_value("--option", text) for text in given["option"])
        return {**taken, **own, "environment": name}
    if given["option"]:
        raise OutcomeMonitorsError(f"--option is for a plugin's environment, and {name} is none")
    if "checkout" in takes and "checkout" not in taken:
        raise OutcomeMonitorsError(f"environment {name} needs --checkout FOLDER; study fetch can get one")
    if "suites" in takes:
        taken["suites"] = list(given["suites"])
    return {"environment": name, **taken}


def _named_value(name: str, text: str) -> tuple[str, Any]:
    """Read NAME=VALUE of an option; a value is JSON, or text."""
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise OutcomeMonitorsError(f"{name} {text} is not of the form NAME=VALUE")
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value


def _show_frozen(study: Study) -> None:
    arms, agents = study.manifest["arms"], study.manifest["agents"]
    tasks, planned = {cell.task for cell in study.cells}, sum(1 for _ in study.episodes())
    print_line(
        f"{study.folder}: frozen, {count(len(tasks), 'task')}, {count(len(arms), 'arm')},"
        f" {count(len(agents), 'agent')}, {count(planned, 'episode')}"
    )
    pairs = ", pairs with a fault" if study.manifest["clean"] and study.faulted else ""
    print_line(f"primary: {arms[1]} against {arms[0]}, paired completion{pairs}")
    if study.manifest["construction"]:
        print_line(f"contracts: {Construction(**study.manifest['construction']).sentence}")
    leaks = study.manifest["leaks"]
    print_line(
        f"tools whose description names a substitute: {leaks['naming a substitute']} of {leaks['tools']:,}"
    )
    if study.manifest["scripted"]:
        write(SCRIPTED + "\n")
    for agent, price in study.manifest["settings"]["prices"].items():
        asked = f"{price['input']:g} in, {price['output']:g} out per million tokens, as of {price['date']}"
        print_line(f"price of {agent}: {asked}; {price.get('source', 'your own')}")
    for model, body in study.manifest["sent"].items():
        print_line(f"sent to {model}: {json.dumps(body)}")
    for model in unsent_temperature(study.manifest["settings"], study.manifest["sent"]):
        warn(f"{model} is sent no temperature: its client knows that it would be refused")
    for agent in study.unpriced:
        warn(
            f"no price known for {agent}: its cost will be unknown, and --max-cost refused; give --prices FILE"
        )


@click.command("run", epilog="\b\nExample:\n  outcome-monitors study run trial --max-cost 5")
@FOLDER
@option("--max-cost", type=click.FloatRange(0), metavar="AMOUNT", help="Stop before spending more.")
@option("--concurrency", type=POSITIVE, default=1, help="Episodes of a model at once.")
@option("--timeout", type=POSITIVE, default=600, help="Seconds of one request to a model.")
def run_command(folder: Path, max_cost: float | None, concurrency: int, timeout: int) -> int:
    """Run the missing episodes of a frozen study; refuse if anything differs from what was frozen."""
    effort = Effort(concurrency, timeout)
    done = run(folder, max_cost=max_cost, effort=effort, on_progress=_progress_shown())
    broken = f", {done.failures:,} tries broken off" if done.failures else ""
    print_line(
        f"{folder}: {done.done:,} of {count(done.planned, 'episode')} done, cost {money(done.spent)}{broken}"
    )
    if done.done < done.planned:
        fail(
            "not all episodes were run: a limit was reached, or an endpoint or a plugin failed (failures.jsonl says how);"
            " run it again to go on"
        )
        return 2
    return 0


def _progress_shown() -> Callable[[Progress], None]:
    """Return what shows progress, no more often than people can read, and warns once of each trouble in a row."""
    due, last = time.monotonic() + 1.0, ""

    def show(progress: Progress) -> None:
        nonlocal due, last
        trouble = progress.fault or progress.trouble
        kind = trouble.partition(";")[0]
        if trouble and kind != last:
            what = "an episode was broken off" if progress.fault else "the endpoint failed"
            warn(f"{what}: {printable(trouble)}")
            last = kind
        if not sys.stderr.isatty() or time.monotonic() < due:
            return
        due = time.monotonic() + 0.2
        left = "" if progress.seconds_left is None else f", {progress.seconds_left:.0f} s left"
        more = "" if not progress.cost_left else f", about {progress.cost_left:.2f} to come"
        show_progress(
            f"{progress.done:,} of {count(progress.planned, 'episode')}{left}, cost {money(progress.spent)}{more}"
        )

    return show


@click.command(
    "amend", epilog='\b\nExample:\n  outcome-monitors study amend trial --reason "a typo in the contracts"'
)
@FOLDER
@option("--reason", metavar="TEXT", required=True, help="A reason, kept with the study.")
@option("--invalidate", is_flag=True, help="End the study: its figures are no longer reported.")
def amend_command(folder: Path, reason: str, *, invalidate: bool) -> None:
    """Accept a changed study, and record what changed and how many outcomes had been seen."""
    made = amend(folder, reason, invalidates=invalidate)
    what = "invalidated" if invalidate else f"amended ({', '.join(made['changed']) or 'nothing'})"
    print_line(f"{folder}: {what} after {count(made['episodes seen'], 'episode')}")


def _with_files(command: Any) -> Any:
    for name, what in (("html", "a page with figures"), ("latex", "the tables as LaTeX")):
        command = option(f"--{name}", f"{name}_file", metavar="FILE", help=f"Also write {what}.")(command)
    return json_option(command)


def _write_files(
    about: Mapping[str, Json], made: list[Table], page: Callable[[], str], files: dict[str, str | None]
) -> None:
    if files["json_file"]:
        document = {**about, "tables": as_json(made)}
        write_atomically(files["json_file"], json.dumps(document, indent=1) + "\n")
    if files["latex_file"]:
        write_atomically(files["latex_file"], "\n".join(map(latex_table, made)))
    if files["html_file"]:
        write_atomically(files["html_file"], page())


@click.command("analyze", epilog="\b\nExample:\n  outcome-monitors study analyze trial --html report.html")
@FOLDER
@_with_files
def analyze_command(folder: Path, **files: str | None) -> None:
    """Analyze the episodes so far."""
    found = analyse(load(folder))
    print_line(title(found))
    if found.scripted:
        write(SCRIPTED + "\n")
    for entry in found.amendments:
        print_line(f"amended after {entry['episodes seen']} episodes: {entry['reason']}")
    if "registered" in found.about:
        print_line(f"registered before any outcome: {found.about['registered']}")
    write("\n")
    made = tables(found)
    print_tables(made)
    about: dict[str, Json] = {"study": dict(found.about), "scripted": found.scripted}
    episodes = {"done": found.done, "planned": found.planned, "requests sent again": found.sent_again}
    about |= {"episodes": episodes, "amendments": list(found.amendments)}
    _write_files(about, made, lambda: report(found), files)


@click.command(
    "compare", epilog="\b\nExample:\n  outcome-monitors study compare main clean placebo --html figures.html"
)
@click.argument("folders", nargs=-1, required=True, type=PATH)
@_with_files
def compare_command(folders: tuple[Path, ...], **files: str | None) -> None:
    """Compare studies side by side."""
    found = compare(folders)
    if found.scripted:
        write(SCRIPTED + "\n\n")
    made = compare_tables(found)
    print_tables(made)
    _write_files({}, made, lambda: compare_page(found), files)
