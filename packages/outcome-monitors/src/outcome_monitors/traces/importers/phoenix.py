"""Datasets of Arize Phoenix: examples, each with an input, an output and metadata.

An example that was made of a tool's span has the arguments and the result, and says nothing of the tool or of the session: the metadata
has to name the tool. Each example is a task of its own.
"""

from collections.abc import Iterator

from outcome_monitors.model import Call, Json

from ._payloads import arguments_of, first_label, instant, label, parsed, time_text
from ._source import ANOTHER_SHAPE, ImportTally, Reason, Record, call

__all__ = ["read", "recognise"]

TOOLS = ("tool", "tool_name", "tool.name", "name")
FIELDS = frozenset({"input", "output", "metadata"})

NO_TOOL = Reason(
    "example names no tool",
    "examples name no tool",
    'put its name into the metadata as "tool" (using_metadata around the call), or import the spans instead',
)
NO_OUTPUT = Reason(
    "example has no output",
    "examples have no output",
    "the call has failed, or its result was not recorded",
)


def recognise(value: Json) -> bool:
    """Say whether a record is an example, or holds some."""
    return any(True for _ in _examples(value))


def read(record: Record, tally: ImportTally) -> list[Call]:
    """Return the calls that a record holds."""
    if not recognise(record.value):
        tally.count(ANOTHER_SHAPE, record.place)
    calls = []
    for example in _examples(record.value):
        tool = first_label(parsed(example["metadata"]), TOOLS)
        result = _result(parsed(example["output"]))
        if tool is None:
            tally.count(NO_TOOL, record.place)
        elif result is None:
            tally.count(NO_OUTPUT, record.place)
        else:
            given = parsed(example["input"])
            given = given["input"] if isinstance(given, dict) and given.keys() == {"input"} else given
            arguments = arguments_of(given) or {}
            time = time_text(instant(example.get("updated_at")))
            task = label(example.get("id"))
            calls.append(call(tool, arguments, result[0], task=task, time=time))
    return calls


def _examples(value: Json) -> Iterator[dict[str, Json]]:
    """Yield the examples of an answer of the interface, of a dataset, or the one that a record is."""
    if not isinstance(value, dict):
        return
    data = value.get("data")
    holder = data if isinstance(data, dict) else value
    held = holder.get("examples")
    for example in held if isinstance(held, list) else [value]:
        if isinstance(example, dict) and example.keys() >= FIELDS and "traceId" not in example:
            yield example


def _result(output: Json) -> tuple[Json] | None:
    """Return the result, in a tuple: what is no object stands under `output`. None where there is none."""
    if not isinstance(output, dict) or not output:
        return None
    return (output["output"],) if output.keys() == {"output"} else (output,)
