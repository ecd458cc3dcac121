"""The calls that `report` checks, as its page takes them."""

from collections.abc import Iterable
from pathlib import Path

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.reports.team import Observation
from outcome_monitors.reports.team.observation import read_time

from ._check_traces import Checked

__all__ = ["observed", "refuse_overwriting"]


def observed(checked: Checked) -> Observation:
    """Return what was made of a call."""
    file, line, call = checked.located
    outcome = checked.outcome
    return Observation(
        tool=call.tool,
        outcome=outcome.verdict,
        time=read_time(call.extra.get("time")),
        session=call.session,
        violations=outcome.violations,
        receipt=outcome.receipt,
        listed=outcome.recovery,
        where=f"{file}:{line}",
        payload={"arguments": dict(call.arguments), "result": call.result} if outcome.broken else None,
    )


def refuse_overwriting(output: str, inputs: Iterable[str]) -> None:
    """Refuse what would be found out only after the work, or would destroy what is read."""
    target = Path(output)
    if not target.parent.is_dir():
        raise OutcomeMonitorsError(
            f"cannot write {output}: there is no folder {target.parent}; make it first"
        )
    if target.is_dir():
        raise OutcomeMonitorsError(f"cannot write {output}: it is a folder; name a file in it")
    for each in inputs:
        if target.exists() and Path(each).exists() and target.samefile(each):
            raise OutcomeMonitorsError(f"cannot write {output}: it is read from; choose another name")
