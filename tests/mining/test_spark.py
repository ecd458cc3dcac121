"""Spark gives the same contracts, byte for byte, and says in one sentence what went wrong."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from outcome_monitors.cli import commands
from outcome_monitors.mining.observations import PROFILES, Observations
from outcome_monitors.mining.spark import observe, started, verify
from outcome_monitors.traces.reader import read_traces, write_traces
from outcome_monitors_study.world import nominal_traces
from tests.commandline import runner
from tests.mining.described import described

try:
    import pyspark
except ImportError:
    pyspark = None

needs_spark = pytest.mark.skipif(
    pyspark is None or shutil.which("java") is None, reason="pyspark (extra spark) or Java is not installed"
)
# py4j leaves its socket to the garbage collector.
pytestmark = pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)


@pytest.fixture(scope="module")
def traces(tmp_path_factory):
    """Write sessions whose calls are interleaved, with a bad line, a blank one and an open failure among them."""
    path = tmp_path_factory.mktemp("traces") / "traces.jsonl"
    calls = sorted(nominal_traces(24), key=lambda call: call.extra["step"])
    write_traces(path, calls)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[1:1] = [b"\n", b"no call\n", b"\xff\xfe\n", b'{"tool": "get", "result": 1, "error": true}\n']
    path.write_bytes(b"\xef\xbb\xbf" + b"".join(lines))
    return path


@pytest.fixture(scope="module")
def spark():
    with started("local[2]") as session:
        # So small a file is several blocks, too.
        session.conf.set("spark.sql.files.maxPartitionBytes", "50000")
        yield session


def local(path, profile):
    observations = Observations(profile)
    for call in read_traces([path]):
        observations.add(call)
    return observations


@needs_spark
@pytest.mark.parametrize("profile", PROFILES)
def test_the_observations_are_the_same(spark, traces, profile):
    gathered = observe(spark, [str(traces)], Observations(profile, 0.01))
    assert described(gathered.observations) == described(local(traces, profile))
    assert gathered.failed_openly == 1
    assert sorted(why for _, why in gathered.skipped) == ["not JSON", "not UTF-8"]


@needs_spark
def test_clauses_are_verified_on_the_same_calls(spark, traces):
    calls = [*read_traces([traces])]
    shown = local(traces, "full").contracts(again=lambda found: verify(spark, [str(traces)], found))
    assert shown == local(traces, "full").contracts(again=calls)


@needs_spark
def test_parquet_gives_the_same(spark, traces, tmp_path):
    rows = [json.loads(line) for line in traces.read_bytes().splitlines()[5:]]
    flat = [
        {**row, "arguments": json.dumps(row["arguments"]), "result": json.dumps(row["result"])}
        for row in rows
    ]
    columns = ("tool", "arguments", "result", "task", "session")
    table = spark.createDataFrame([tuple(row[name] for name in columns) for row in flat], list(columns))
    table.coalesce(1).write.parquet(str(tmp_path / "store"))
    (tmp_path / "same.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    gathered = observe(spark, [str(tmp_path / "store")], Observations("full", 0.01))
    assert described(gathered.observations) == described(local(tmp_path / "same.jsonl", "full"))


@needs_spark
def test_a_path_that_is_not_there_is_one_sentence(spark):
    with pytest.raises(ValueError, match="the Spark job failed: .*Path does not exist: file:/no/such.jsonl"):
        observe(spark, ["/no/such.jsonl"], Observations("paper", 0.01))


def said(monkeypatch, tmp_path) -> str:
    (tmp_path / "traces.jsonl").write_text('{"tool": "get", "result": 1}\n')
    monkeypatch.chdir(tmp_path)
    result = runner().invoke(commands, ["mine", "traces.jsonl", "-o", "c.json", "--engine", "spark"])
    assert result.exit_code == 2
    assert not Path("c.json").exists()
    return result.stderr


def test_without_the_extra_it_is_named(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    monkeypatch.setitem(sys.modules, "pyspark", None)
    assert (
        said(monkeypatch, tmp_path)
        == "error: --engine spark needs pyspark: pip install 'outcome-monitors[spark]'\n"
    )


@pytest.mark.skipif(pyspark is None, reason="pyspark (extra spark) is not installed")
def test_without_java_it_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    assert said(monkeypatch, tmp_path).startswith("error: Spark could not start Java: install")
