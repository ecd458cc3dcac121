"""The job: lines to calls, calls to the partition of their session's bucket, observations of each tool, merged in two stages.

A tool that most calls are of would sit on one core if all its observations were merged in one place at once. So those of each
tool and salt are merged first, on many cores, and the few that come of it after that.
"""

import codecs
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from outcome_monitors.exceptions import TraceError
from outcome_monitors.jsonvalue.canonical import made_plain
from outcome_monitors.mining.observations import Observations
from outcome_monitors.mining.parallel import BUCKETS, shard_of
from outcome_monitors.mining.verification import Verification
from outcome_monitors.model import Call, Json
from outcome_monitors.traces.reader import parse_line

from .session import Session, ship, speaking_plainly

PAYLOADS = ("arguments", "result", "tools")
"""The columns of Parquet that hold JSON, as text or as structures."""
SALTS = 16
WAVES = 3
"""Partitions for each core: so that one that is done early has more to do."""

Order = tuple[int, str, int, int]
"""Where a line stands: the path as it was named, the file, the block of the file, the line in the block."""
Line = tuple[Order, bytes | dict[str, Json]]
Read = tuple[tuple[int, Order], Call | str]
"""The bucket and the place of a line, and its call, or why it holds none."""


@dataclass(slots=True)
class Gathered:
    """What was observed, and what of the lines was no use."""

    observations: Observations
    calls: int = 0
    failed_openly: int = 0
    skipped: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Lines that are no call, by file and reason."""

    def merge(self, other: "Gathered") -> "Gathered":
        """Add what another has gathered."""
        self.observations.merge(other.observations)
        self.calls += other.calls
        self.failed_openly += other.failed_openly
        self.skipped.update(other.skipped)
        return self


def observe(spark: Session, paths: Iterable[str], like: Observations) -> Gathered:
    """Observe all calls of trace files and Parquet folders; raise TraceError with the executor's reason where Spark fails."""
    whole = Gathered(like.empty())
    empty = like.empty()
    with speaking_plainly():
        ship(spark)
        width = min(BUCKETS, WAVES * spark.sparkContext.defaultParallelism)
        gathered = (
            _calls(spark, paths)
            .repartitionAndSortWithinPartitions(width, lambda key: key[0])
            .mapPartitionsWithIndex(lambda index, found: gather(index, found, empty))
            .reduceByKey(Gathered.merge, width)
            .map(lambda pair: (pair[0][0], pair[1]))
            .reduceByKey(Gathered.merge, width)
            .values()
        )
        for part in gathered.toLocalIterator():
            whole.merge(part)
    return whole


def verify(spark: Session, paths: Iterable[str], verification: Verification) -> None:
    """Show a verification all calls of trace files and Parquet folders."""
    empty = verification.empty()

    def check(found: Iterable[Read]) -> Iterator[Verification]:
        one = empty.empty()
        one.add_all(call for _, call in found if not isinstance(call, str))
        yield one

    with speaking_plainly():
        ship(spark)
        for part in _calls(spark, paths).mapPartitions(check).toLocalIterator():
            verification.merge(part)


def _calls(spark: Session, paths: Iterable[str]) -> Any:
    """Return what the lines of all paths hold."""
    lines = [_lines(spark, index, path) for index, path in enumerate(paths)]
    return spark.sparkContext.union(lines).mapPartitions(read)


def _lines(spark: Session, index: int, path: str) -> Any:
    """Return the lines of a path, each with where it stands: Spark deals blocks out by size, not in their order."""
    if _is_parquet(spark, path):
        rows, payload = spark.read.parquet(path), "struct(*)"
    else:
        # Spark would also break lines at a carriage return, and mend what is not UTF-8.
        rows = spark.read.text(path, lineSep="\n")
        payload = "cast(value as binary)"
    places = ("_metadata.file_path", "_metadata.file_block_start", "monotonically_increasing_id()")
    return rows.selectExpr(f"{payload} as payload", *places).rdd.map(lambda row: _line(index, row))


def _is_parquet(spark: Session, path: str) -> bool:
    """Say whether a path is a Parquet file, or a folder with some in it, where Spark sees it."""
    if path.endswith(".parquet"):
        return True
    java = spark.sparkContext._jvm  # noqa: SLF001 - pyspark has no other way to Hadoop's file systems
    place = java.org.apache.hadoop.fs.Path(path)
    files = place.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration())  # noqa: SLF001 - as above
    if not files.exists(place) or not files.getFileStatus(place).isDirectory():
        return False
    found = files.listFiles(place, True)
    while found.hasNext():
        if found.next().getPath().getName().endswith(".parquet"):
            return True
    return False


def _line(index: int, row: Any) -> Line:
    payload, file, block, number = row
    held = (
        bytes(payload)
        if isinstance(payload, (bytes, bytearray))
        else _trace_line(payload.asDict(recursive=True))
    )
    return (index, file, block, number), held


def _trace_line(row: Mapping[str, Any]) -> dict[str, Json]:
    """Return a row of Parquet as a trace line: dates, decimals and bytes as JSON has them."""
    made = made_plain({name: _decoded(value) if name in PAYLOADS else value for name, value in row.items()})
    return made if isinstance(made, dict) else {}


def _decoded(value: Any) -> Any:
    """Return what text of JSON says; text that is none is a value itself."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value


def read(lines: Iterable[Line]) -> Iterator[Read]:
    """Yield the calls of lines that are not blank, each with the bucket of its session."""
    before: tuple[str, int] | None = None
    for order, held in lines:
        line = held
        _, file, block, _ = order
        if isinstance(line, bytes):
            if (file, block) != before and block == 0:
                line = line.removeprefix(codecs.BOM_UTF8)
            if not line or line.isspace():
                before = (file, block)
                continue
        before = (file, block)
        try:
            call = parse_line(line)
        except TraceError as bad:
            yield (0, order), str(bad)
        else:
            yield (shard_of(call), order), call


def gather(
    index: int, found: Iterable[Read], empty: Observations
) -> Iterator[tuple[tuple[str, int], Gathered]]:
    """Observe the calls of a partition, in order; yield the observations of each tool, salted, and the counts."""
    observations = empty.empty()
    counts = Gathered(empty.empty())
    for (_, order), call in found:
        if isinstance(call, str):
            counts.skipped[order[1], call] += 1
            continue
        counts.calls += 1
        counts.failed_openly += call.error
        observations.add(call)
    salt = index % SALTS
    # The counts are of no tool: they go with whichever is named like nothing.
    tools = (((tool, salt), Gathered(one)) for tool, one in observations.by_tool())
    return chain([(("", salt), counts)], tools)
