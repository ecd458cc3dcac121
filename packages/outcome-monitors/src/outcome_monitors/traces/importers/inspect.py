"""Logs of inspect_ai: `.eval` files, which are zip archives of samples, and samples of `.json` logs.

A sample is a task; each of its epochs is a session. The archives are packed with zstd, which Python reads from 3.14 on.
"""

import json
from collections.abc import Iterator
from typing import IO, Any

from outcome_monitors.exceptions import MissingExtra
from outcome_monitors.model import Call, Json

from ._json_records import BROKEN
from ._payloads import content_of, instant, label, named, time_text
from ._source import ANOTHER_SHAPE, NO_RESULT_CAME, ImportTally, Reason, Record, call

MAGIC = b"PK\x03\x04"
LARGEST = 1 << 26
"""Bytes of a sample, unpacked: an archive may hold far more than it has."""
ATTACHMENT = "attachment://"

NOT_A_LOG = Reason(
    "archive is cut short, or no log of inspect_ai",
    "archives are cut short, or no logs of inspect_ai",
    "copy the log again once the evaluation has ended",
)
NO_ZSTD = Reason(
    "archive cannot be unpacked",
    "archives cannot be unpacked",
    str(MissingExtra("it", "backports.zstd", "inspect")),
)
TOO_LARGE = Reason(
    f"sample is larger than {LARGEST >> 20} MB",
    f"samples are larger than {LARGEST >> 20} MB",
    "it was skipped",
)


def recognise(value: Json) -> bool:
    """Say whether a record is a sample."""
    return isinstance(value, dict) and "epoch" in value and isinstance(value.get("events"), list)


def archive(file: IO[bytes], name: str, tally: ImportTally) -> Iterator[Record]:
    """Yield the samples of an `.eval` file."""
    try:
        from backports.zstd import zipfile  # noqa: PLC0415 - an extra
    except ImportError:
        import zipfile  # type: ignore[no-redef]  # noqa: PLC0415 - reads zstd itself from Python 3.14 on
    try:
        zipped = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, OSError, ValueError):
        tally.count(NOT_A_LOG, name)
        return
    members = [member for member in zipped.infolist() if member.filename.startswith("samples/")]
    if not members and "header.json" not in zipped.namelist():
        tally.count(NOT_A_LOG, name)
    for member in members:
        place = f"{name}/{member.filename}"
        if member.file_size > LARGEST:
            tally.count(TOO_LARGE, place)
            continue
        try:
            value = json.loads(zipped.read(member))
        except NotImplementedError:
            tally.count(NO_ZSTD, name)
            return
        except Exception:  # noqa: BLE001 - each way of packing has errors of its own
            tally.count(BROKEN, place)
            continue
        yield Record(f"{name}/{member.filename}", 1, member.file_size, value, {})


def read(record: Record, tally: ImportTally) -> list[Call]:
    """Return the calls of a sample, in order."""
    sample = record.value
    if not recognise(sample):
        tally.count(ANOTHER_SHAPE, record.place)
        return []
    calls: list[Call] = []
    tools: tuple[str, ...] | None = None
    for event in sample["events"]:
        kind = event.get("event") if isinstance(event, dict) else None
        if kind == "model":
            tools = named(event.get("tools")) or tools
        elif kind == "tool" and isinstance(event.get("function"), str):
            if event.get("pending") or ("result" not in event and event.get("error") is None):
                tally.count(NO_RESULT_CAME, record.place)
            else:
                calls.append(_call(event, sample, tools))
    return calls


def _call(event: dict[str, Json], sample: dict[str, Json], tools: tuple[str, ...] | None) -> Call:
    attachments = sample.get("attachments")
    event = _attached(event, attachments if isinstance(attachments, dict) else {})
    error = event.get("error")
    result = content_of(event.get("result"))
    if error is not None and not result:
        result = error.get("message") if isinstance(error, dict) else error
    arguments = event.get("arguments")
    return call(
        event["function"],
        arguments if isinstance(arguments, dict) else {},
        result,
        session=label(sample.get("uuid")) or f"{sample.get('id')}_epoch_{sample['epoch']}",
        task=label(sample.get("id")),
        error=error is not None,
        time=time_text(instant(event.get("timestamp"))),
        tools=tools,
    )


def _attached(value: Any, attachments: dict[str, Json]) -> Any:
    """Put long texts back where the log has only their names."""
    if not attachments:
        return value
    if isinstance(value, str) and value.startswith(ATTACHMENT):
        return attachments.get(value.removeprefix(ATTACHMENT), value)
    if isinstance(value, dict):
        return {key: _attached(item, attachments) for key, item in value.items()}
    return [_attached(item, attachments) for item in value] if isinstance(value, list) else value
