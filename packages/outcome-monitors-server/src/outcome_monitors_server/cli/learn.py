"""`learn`: contracts from what a state has recorded, as a job."""

import signal
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import click

from outcome_monitors.cli._inputs import workers_option
from outcome_monitors.cli._output import count, printable, progress, warn, write
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.jsonvalue.times import seconds_in
from outcome_monitors.storage.opening import open_storage
from outcome_monitors.storage.storage import RecordedLine
from outcome_monitors_server.retention.retention import apply_retention, saved_retention
from outcome_monitors_server.versions.learn_job import Busy, LearnJob, LearnReport
from outcome_monitors_server.versions.versions import PROMOTIONS

EPILOG = """\b
Example:
  outcome-monitors learn --state postgresql://monitor@db/agents --every 1h --workers 2"""

MOST_WARNED = 5
AFTER_READING = "working out the clauses"
PLACES = {"active": "is active", "waiting": "waits", "retired": "was taken back"}


class _Ended(Exception):  # noqa: N818 - it is no error
    """The process was asked to end."""


def _interval(_ctx: click.Context, _option: click.Parameter, value: str | None) -> float | None:
    """Read a stretch of time."""
    if value is None:
        return None
    found = seconds_in(value)
    if not found:
        raise click.BadParameter(f"{value!r} is not a stretch of time as in 30m, 1h or 1d")
    return float(found)


@click.command("learn", epilog=EPILOG)
@click.option("--state", required=True, metavar="FOLDER|DSN", help="The state folder, or a fleet's address.")
@workers_option
@click.option("--every", metavar="TIME", callback=_interval, help="Repeat at this interval: 30m, 1h, 1d.")
@click.option(
    "--promote",
    "promotion",
    type=click.Choice(PROMOTIONS),
    default="auto",
    show_default=True,
    help="Make a new version active at once, or wait for `contracts promote`.",
)
def command(state: str, workers: int, every: float | None, promotion: str) -> int:
    """Mine the recorded traces of a state into the next version of its contracts.

    One learner works at a time.
    """
    job = LearnJob(state, workers, promotion)
    with _until_sigterm() as end:
        try:
            while True:
                _round(job, end, again=every is not None)
                if every is None or end.wait(every):
                    return 0
        except _Ended:
            write("ended before its time; nothing was written\n")
            return 0


def _round(job: LearnJob, end: threading.Event, *, again: bool) -> None:
    def passing(lines: Iterable[RecordedLine], noun: str) -> Iterator[RecordedLine]:
        then = AFTER_READING if "evidence" in noun else ""
        for line in progress(lines, noun.partition(" ")[0], then):
            if end.is_set():
                raise _Ended
            yield line

    try:
        _say(job.run(passing))
        _keep(job.place)
    except Busy as busy:
        write(
            f"{printable(str(busy))}; {'its turn comes later' if again else 'nothing is left to do here'}\n"
        )
    except OutcomeMonitorsError as error:
        if not again:
            raise
        # A database that is away comes back.
        warn(f"{error}; it is tried again")


def _keep(place: str) -> None:
    """Remove what is beyond what `state keep` has named; a state of which nothing was said keeps all."""
    home = open_storage(place).whole()
    retention = saved_retention(home)
    removed = {} if retention is None else apply_retention(home, retention)
    for what, number in removed.items():
        if number:
            write(f"{what} removed, as `state keep` says: {number:,}\n")


def _say(report: LearnReport) -> None:
    for line in report.skipped[:MOST_WARNED]:
        warn(f"{line}; the line is skipped")
    if len(report.skipped) > MOST_WARNED:
        warn(f"{count(len(report.skipped) - MOST_WARNED, 'more line')} skipped")
    write(f"{printable(_words(report))}\n")


def _words(report: LearnReport) -> str:
    version = report.version
    if version is None:
        lines = count(report.lines, "line")
        said = f"{lines}, and none to learn from" if report.lines else "nothing was recorded yet"
        return f"{said}; proxies and adapters record with --learn"
    named = f"version {version.number}"
    stage = PLACES[version.stage]
    if report.unchanged:
        return f"nothing has come since {named}, which {stage}"
    flagged = f" ({report.refused:,} flagged, and left out)" if report.refused else ""
    said = f"{count(report.lines, 'line')}{flagged}: "
    if not report.new:
        return f"{said}the same contracts as {named}, which {stage}"
    changes = {
        what: version.changes[what] for what in ("added", "dropped", "changed") if what in version.changes
    }
    if version.parent is None:
        return f"{said}{named} {stage}; {count(changes.get('added', 0), 'clause')}"
    words = ", ".join(f"{number:,} {what}" for what, number in changes.items()) or "the same clauses"
    return f"{said}{named} {stage}; {words} since version {version.parent}"


@contextmanager
def _until_sigterm() -> Iterator[threading.Event]:
    """Give what is set when the process is to end: by SIGTERM, which waits for the step at hand."""
    end = threading.Event()
    before = signal.signal(signal.SIGTERM, lambda _number, _frame: end.set())
    try:
        yield end
    finally:
        signal.signal(signal.SIGTERM, before)
