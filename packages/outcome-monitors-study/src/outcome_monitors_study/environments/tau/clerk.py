"""A scripted agent for a shop. It is a script, not a model: it shows that the pipeline works.

A script cannot read a request. It is handed the task's own actions and carries them out as the policy says: it looks at an order
before it changes it, and leaves the order alone where what it sees does not allow the change.
"""

from collections.abc import Callable, Mapping, Sequence

from outcome_monitors.model import Json
from outcome_monitors_study.world.agents import Interface, Run, listed_tools, opened

from .checkout import Action
from .domain import Caution

__all__ = ["clerk"]


def clerk(
    plan: Sequence[Action],
    interface: Interface,
    script: str,
    heeds: Callable[[], bool],
    caution: Caution,
) -> Run:
    """Carry a plan out; `heeds` says of each receipt whether it is acted on.

    To act on one is to call again where the receipt lists that, and, where nothing comes without a receipt, to rely on nothing of
    the result: then a change is tried, and the shop itself says whether it is allowed.
    """
    return _Clerk(interface, Run(f"scripted {script}"), heeds, caution).carry_out(plan)


class _Clerk:
    def __init__(self, interface: Interface, run: Run, heeds: Callable[[], bool], caution: Caution) -> None:
        self._interface = interface
        self._run = run
        self._heeds = heeds
        self._caution = caution
        self._shown: dict[str, Json] = {}
        """What was shown of each order, None where nothing is relied on."""

    def carry_out(self, plan: Sequence[Action]) -> Run:
        for tool, arguments in plan:
            if tool in self._caution.writes and not self._allowed(tool, arguments.get(self._caution.by)):
                self._run.answer[f"{tool} {arguments[self._caution.by]}"] = {"left alone": True}
                continue
            result = self._look(tool, arguments)
            if tool == self._caution.look:
                self._shown[str(arguments.get(self._caution.by))] = result
        return self._run

    def _allowed(self, tool: str, name: str | None) -> bool:
        if name is None:
            return True
        if name not in self._shown:
            self._shown[name] = self._look(self._caution.look, {self._caution.by: name})
        shown = self._shown[name]
        return not isinstance(shown, dict) or self._caution.allows(tool, shown)

    def _look(self, tool: str, arguments: Mapping[str, Json]) -> Json:
        result, receipt = self._call(tool, arguments)
        if receipt is None or tool in self._caution.writes or not self._heeds():
            return result
        self._run.heeded += 1
        if isinstance(receipt, str) or tool in listed_tools(receipt):
            again, still = self._call(tool, arguments)
            return again if still is None else None
        return None

    def _call(self, tool: str, arguments: Mapping[str, Json]) -> tuple[Json, Json]:
        """Return a result and the receipt that came with it, if any."""
        self._run.calls += 1
        result, receipt = opened(self._interface(tool, arguments))
        self._run.receipts += receipt is not None
        return result, receipt
