"""What commands read and where they write: shared options, traces, contract files, decisions."""

import math
import shlex
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from outcome_monitors.contracts.overrides import Overrides
from outcome_monitors.exceptions import OutcomeMonitorsError, TraceError
from outcome_monitors.files import FilePath
from outcome_monitors.model import Call
from outcome_monitors.recovery.relations import Relations
from outcome_monitors.storage.address import is_address
from outcome_monitors.storage.layout import TRACES, is_learning_folder, recorded
from outcome_monitors.traces.reader import Located, Skipped, TraceReport, read_located

from ._output import progress, warn

Command = TypeVar("Command", bound=Callable[..., Any])
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class _Share(click.FloatRange):
    """A number from 0 to 1; NaN, which is in any range as click sees it, is none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        share = super().convert(value, param, ctx)
        if math.isnan(share):
            self.fail(f"{value!r} is not in the range 0<=x<=1.", param, ctx)
        return share


SHARE = _Share(0, 1)
POSITIVE_SHARE = _Share(0, 1, min_open=True)


class ManyValues(click.Command):
    """A command whose repeatable options may also be given once, with several values after them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Repeat the option before each further value."""
        many = {name for p in self.params if isinstance(p, click.Option) and p.multiple for name in p.opts}
        spread: list[str] = []
        last, values = "", 0
        for word in args:
            if word.startswith("-") and word != "-":
                last, values = word.partition("=")[0], int("=" in word)
            else:
                spread += [last] if last in many and values else []
                values += 1
            spread.append(word)
        return super().parse_args(ctx, spread)


def format_option(*forms: str, note: str = "") -> Decorator:
    """Return the option that names the output format, the first by default."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(forms),
        default=forms[0],
        help=f"The output format{note}.",
    )


def share_option(name: str, default: float, help_text: str) -> Decorator:
    """Return an option of a share from 0 to 1."""
    return click.option(name, metavar="SHARE", type=SHARE, default=default, help=help_text)


def overrides_option(help_text: str) -> Decorator:
    """Return the option that names the decisions on clauses, which are read; without it there are none."""
    return click.option("--overrides", metavar="FILE", callback=_overrides, help=help_text)


def _overrides(_ctx: click.Context, _option: click.Parameter, name: str | None) -> Overrides:
    return Overrides() if name is None else Overrides.load(name)


def relations_option(command: Command) -> Command:
    """Add the option that names recovery relations, which are read."""
    return click.option("--relations", metavar="FILE", callback=_relations, help="Recovery relations.")(
        command
    )


def _relations(_ctx: click.Context, _option: click.Parameter, name: str | None) -> Relations | None:
    return None if name is None else Relations.load(name)


workers_option = click.option(
    "--workers",
    type=click.IntRange(1, 256),
    default=1,
    metavar="N",
    help="Worker processes.",
)
engine_option = click.option(
    "--engine",
    type=click.Choice(["local", "spark"]),
    default="local",
    help="The execution engine.",
)
master_option = click.option("--master", metavar="URL", help="The Spark master.  [default: local[*]]")


@dataclass(frozen=True, slots=True)
class TraceInputs:
    """The traces that a command works on."""

    files: tuple[FilePath, ...]
    strict: bool

    def located(self, report: TraceReport | None = None, then: str = "") -> Iterator[Located]:
        """Yield the calls with progress, each with its line; a bad line is a warning, with --strict an error.

        `then` names the work after the last call.
        """
        report = trace_report(self.strict) if report is None else report
        calls = iter(progress(read_located(self.files, strict=self.strict, report=report), "call", then))
        first = None
        if "-" not in self.files:
            # What is no line of traces may be another system's log, of which one sentence says more than a warning a line.
            early: list[Skipped] = []
            warn_of, report.on_skip = report.on_skip, early.append
            first = next(calls, None)
            report.on_skip = warn_of
            if first is None:
                _refuse_log(report.files[0] if report.files else "")
            if warn_of is not None:
                for line in early:
                    warn_of(line)
        if first is not None:
            yield first
        yield from calls
        report.require_calls()

    def calls(self, report: TraceReport | None = None, then: str = "") -> Iterator[Call]:
        """Yield the calls as `located` does, without their lines."""
        return (located.call for located in self.located(report, then))


def _refuse_log(file: str) -> None:
    """Say what another system's log is, and what makes traces of it; nothing where it is none."""
    # No command needs importers for what it reads.
    from outcome_monitors.traces.importers import ImportTally, import_traces  # noqa: PLC0415

    tally = ImportTally()
    with suppress(OutcomeMonitorsError, OSError):
        for _ in import_traces([file], tally=tally):
            break
    for name, source in tally.records:
        raise TraceError(
            f"{name} is a log ({source}), and holds no trace lines: run"
            f" `outcome-monitors import {shlex.quote(name)} -o traces.jsonl` first"
        )


def trace_report(strict: bool, skipped: list[Skipped] | None = None) -> TraceReport:
    """Return a report that warns of each bad line, and adds it to `skipped`."""

    def skip(line: Skipped) -> None:
        if skipped is not None:
            skipped.append(line)
        warn(f"{line}; the line is skipped")

    return TraceReport(on_skip=None if strict else skip)


def trace_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the argument TRACES and its options, and give them to a command as `inputs`."""

    @wraps(command)
    def with_inputs(traces: tuple[str, ...], strict: bool, **others: Any) -> Any:
        return command(TraceInputs(required(trace_files(traces)), strict), **others)

    for option in (
        click.option("--strict", is_flag=True, help="Fail on the first bad line."),
        click.argument("traces", nargs=-1),
    ):
        with_inputs = option(with_inputs)
    return with_inputs


def trace_files(traces: tuple[str, ...]) -> tuple[FilePath, ...]:
    """Return the traces; in the place of a state folder, those recorded in it."""
    files: list[FilePath] = []
    for path in traces:
        # An address is read as it stands.
        files += _recorded(path) if is_learning_folder(path) else [path]
    return tuple(files)


def _recorded(folder: str) -> list[Path]:
    files = recorded(folder)
    if not files:
        raise OutcomeMonitorsError(f"nothing was recorded in {folder} yet: it has no {TRACES}/*.jsonl")
    return files


def required(traces: tuple[FilePath, ...]) -> tuple[FilePath, ...]:
    """Return the traces; a command that works on nothing else needs some."""
    if not traces:
        raise click.UsageError("Missing argument 'TRACES...'")
    return traces


def require_clean(files: Iterable[str], clean: int) -> None:
    """Refuse traces in which every call failed openly."""
    if not clean:
        raise OutcomeMonitorsError(
            f"no clean calls in {', '.join(files)}: every one is marked as an open failure; add traces of calls"
            " that went well"
        )


def refuse_output(output: str | Path, read: Iterable[FilePath] = ()) -> None:
    """Refuse what would be found out only after the work, or would destroy what is read."""
    target = Path(output)
    if not target.parent.is_dir():
        why = f"there is no folder {target.parent}; make it first"
    elif target.is_dir():
        why = "it is a folder; name a file in it"
    elif any(_is_same_file(target, each) for each in read):
        why = "it is one of the files to read; choose another name"
    else:
        return
    raise OutcomeMonitorsError(f"cannot write {target}: {why}")


def _is_same_file(output: Path, other: FilePath) -> bool:
    if is_address(other):
        return False
    return output.exists() and Path(other).exists() and output.samefile(other)
