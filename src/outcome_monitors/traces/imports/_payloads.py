"""The last step of every import: results in canonical form, and a remark where payloads still do not look like it."""

from dataclasses import replace

from outcome_monitors.model import Call
from outcome_monitors.values.canonical import NOT_JSON, canonical

from ._tally import ImportTally, Reason
from ._wrappers import arguments_look_wrapped, looks_cut, result_looks_wrapped, says_failure

__all__ = ["unwrapped"]

WRAPPED_RESULT = Reason(
    "result still looks like a framework's wrapper",
    "results still look like a framework's wrappers",
    "hold the call that is shown against what the tool returns; contracts of wrappers flag every clean result",
    lost=False,
)
WRAPPED_ARGUMENTS = Reason(
    "call's arguments still look like a framework's wrapper",
    "calls' arguments still look like a framework's wrappers",
    "hold the call that is shown against what the tool is given",
    lost=False,
)
CUT_RESULT = Reason(
    "result is an object or a list that was cut short",
    "results are objects or lists that were cut short",
    "raise the limit on what is recorded (OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT for OpenTelemetry's SDKs) and record again",
    lost=False,
)


def unwrapped(call: Call, tally: ImportTally) -> Call:
    """Return a call with its result in canonical form, without what its framework has put around it."""
    value = canonical(call.result)
    if value is not call.result and value is not NOT_JSON:
        tally.unwrapped += 1
        call = replace(call, result=value, error=call.error or says_failure(call.result))
    _remark(call, tally)
    return call


def _remark(call: Call, tally: ImportTally) -> None:
    place = f"a call of {call.tool}"
    if arguments_look_wrapped(call.arguments):
        tally.count(WRAPPED_ARGUMENTS, place)
    if call.error:
        return
    if result_looks_wrapped(call.result):
        tally.count(WRAPPED_RESULT, place)
    elif looks_cut(call.result):
        tally.count(CUT_RESULT, place)
