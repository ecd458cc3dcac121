"""A session of Spark, and what it says when something goes wrong, in one sentence."""

import atexit
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from outcome_monitors.exceptions import MissingExtra, OutcomeMonitorsError, TraceError

Session = Any
"""A `pyspark.sql.SparkSession`: an extra, whose types are not at hand."""

_JAVA = "Spark could not start Java: install a Java runtime of version 17 or later, or set JAVA_HOME"


@contextmanager
def started(master: str) -> Iterator[Session]:
    """Start a session for one job, and stop it."""
    try:
        from pyspark.sql import SparkSession  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtra("--engine spark", "pyspark", "spark") from error
    if master.startswith("local"):
        if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
            raise OutcomeMonitorsError(_JAVA)
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master(master).appName("outcome-monitors mine")
    quiet = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.log.level": "OFF"}
    for name, value in quiet.items():
        builder = builder.config(name, value)
    try:
        spark = builder.getOrCreate()
    except Exception as error:
        raise OutcomeMonitorsError(_unstarted(master, error)) from error
    try:
        yield spark
    finally:
        with suppress(Exception):  # a cluster that is gone cannot be left
            spark.stop()


def _unstarted(master: str, error: Exception) -> str:
    if "JAVA_GATEWAY" in str(error) or isinstance(error, FileNotFoundError):
        return _JAVA
    return f"Spark could not start on {master}: {reason(error)}"


@contextmanager
def speaking_plainly() -> Iterator[None]:
    """Turn what Spark raises into one sentence with the executor's reason."""
    try:
        yield
    except OutcomeMonitorsError:
        raise
    except Exception as error:
        raise TraceError(f"the Spark job failed: {reason(error)}") from error


_PYTHON = re.compile(r"^([A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit)\b.*)$", re.MULTILINE)


def reason(error: Exception) -> str:
    """Return what went wrong where the work was done: the last error of Python there, else the first line that says something."""
    text = str(error)
    _, traceback, remote = text.rpartition("Traceback (most recent call last)")
    if traceback and (raised := _PYTHON.findall(remote.partition("\n\tat ")[0])):
        return str(raised[-1]).strip()
    # Py4J opens with where it was called, not with what happened.
    lines = [line.strip().removeprefix(": ") for line in text.splitlines()]
    telling = (line for line in lines if line and not line.startswith("An error occurred while calling"))
    return next(telling, type(error).__name__)


_SHIPPED: set[str] = set()


def ship(spark: Session) -> None:
    """Send this package to the executors, once a session, so that they run what the driver runs."""
    context = spark.sparkContext
    if context.applicationId not in _SHIPPED:
        context.addPyFile(_archive())
        _SHIPPED.add(context.applicationId)


@cache
def _archive() -> str:
    """Pack the package; executors may ask for the file for as long as the driver lives."""
    folder = Path(tempfile.mkdtemp(prefix="outcome-monitors-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    package = Path(__file__).parents[2]
    stage = folder / "stage"
    shutil.copytree(package, stage / package.name, ignore=shutil.ignore_patterns("__pycache__"))
    return shutil.make_archive(str(folder / "outcome_monitors_job"), "zip", stage)
