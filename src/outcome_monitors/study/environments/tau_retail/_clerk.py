"""A scripted agent for the shop. It is a script, not a model: it shows that the pipeline works.

A script cannot read a request. It is handed the task's own actions and carries them out as the policy says: it looks at an order
before it changes it, and leaves the order alone where the status that it sees does not allow the change.
"""

import json
from collections.abc import Callable, Mapping, Sequence

from outcome_monitors.model import Json
from outcome_monitors.study.world.agents import Interface, Run, listed_tools

from ._checkout import Action
from ._faults import VICTIM
from ._tools import WRITES

__all__ = ["clerk"]

ADVISORY = "\n\n[OUTCOME CONTRACT ADVISORY]"


def clerk(
    plan: Sequence[Action], interface: Interface, script: str, heeds: Callable[[], bool] = lambda: False
) -> Run:
    """Carry a plan out; `heeds` says of each receipt whether it is acted on.

    To act on one is to call again where the receipt lists that, and, where nothing comes without a receipt, to rely on nothing of
    the result: then a change is tried, and the shop itself says whether it is allowed.
    """
    return _Clerk(interface, Run(f"scripted {script}"), heeds).carry_out(plan)


class _Clerk:
    def __init__(self, interface: Interface, run: Run, heeds: Callable[[], bool]) -> None:
        self._interface = interface
        self._run = run
        self._heeds = heeds
        self._statuses: dict[str, Json] = {}
        """The status of each order that was looked at, None where nothing is relied on."""

    def carry_out(self, plan: Sequence[Action]) -> Run:
        for tool, arguments in plan:
            if tool in WRITES and not self._allowed(tool, arguments.get("order_id")):
                self._run.answer[f"{tool} {arguments['order_id']}"] = {"left alone": True}
                continue
            result = self._look(tool, arguments)
            if tool == VICTIM:
                self._note(arguments, result)
        return self._run

    def _allowed(self, tool: str, order: str | None) -> bool:
        if order is None:
            return True
        if order not in self._statuses:
            arguments = {"order_id": order}
            self._note(arguments, self._look(VICTIM, arguments))
        status = self._statuses[order]
        return status is None or status.startswith("pending" if "pending" in tool else "delivered")

    def _note(self, arguments: Mapping[str, Json], result: Json) -> None:
        status = result.get("status") if isinstance(result, dict) else None
        self._statuses[str(arguments.get("order_id"))] = status if isinstance(status, str) else None

    def _look(self, tool: str, arguments: Mapping[str, Json]) -> Json:
        result, receipt = self._call(tool, arguments)
        if receipt is None or tool in WRITES or not self._heeds():
            return result
        self._run.heeded += 1
        if isinstance(receipt, str) or tool in listed_tools(receipt):
            again, still = self._call(tool, arguments)
            return again if still is None else None
        return None

    def _call(self, tool: str, arguments: Mapping[str, Json]) -> tuple[Json, Json]:
        """Return a result and the receipt that came with it, if any."""
        self._run.calls += 1
        seen = self._interface(tool, arguments)
        found: tuple[Json, Json] = seen, None
        if isinstance(seen, dict) and {"tool_result", "outcome_contract"} <= seen.keys():
            found = seen["tool_result"], seen["outcome_contract"]
        elif isinstance(seen, str) and ADVISORY in seen:
            raw, _, receipt = seen.partition(ADVISORY)
            found = json.loads(raw), receipt
        self._run.receipts += found[1] is not None
        return found
