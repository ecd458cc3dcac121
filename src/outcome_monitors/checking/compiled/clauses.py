"""The clauses of a contract as generated functions one by one: which of them a result may break that the whole contract does not pass.

Most clauses hold of a wrong result too, and are told so as fast as of a clean one; the plain evaluator looks at the few that are left.
To write the functions takes longer than a look at all clauses, so a few are written at each wrong result, and none at the first.
"""

from collections.abc import Hashable, Iterator, Mapping
from typing import TYPE_CHECKING

from outcome_monitors.model import Clause, Contract, Json
from outcome_monitors.values.late_imports import late
from outcome_monitors.values.paths import parse

if TYPE_CHECKING:
    from .contract import Surely, compile_contract
else:
    # Written at wrong results alone.
    late(globals(), ".contract", "compile_contract")

__all__ = ["ContractDoubts", "Doubts"]

AT_ONCE = 4
"""Functions that are written at one result: an answer waits for it, and may be given up for lateness."""


class Doubts:
    """Which clauses a result may break, for the contracts of a monitor."""

    def __init__(self, contracts: Mapping[str, Contract]) -> None:
        self._contracts = contracts
        self._of_tools: dict[str, ContractDoubts | None] = {}
        """Of tools that had a result in doubt: None after the first, since for one alone it does not pay."""

    def of(self, tool: str, arguments: Mapping[str, Json], result: Json) -> list[Clause] | None:
        """Return the clauses in doubt; None where nothing is known of that."""
        if tool not in self._of_tools:
            self._of_tools[tool] = None
            return None
        known = self._of_tools[tool]
        if known is None:
            known = self._of_tools[tool] = ContractDoubts(self._contracts[tool])
        return known(arguments, result)


class ContractDoubts:
    """Which clauses of one contract a result may break; those of one field are tested together first: mostly, they all hold."""

    def __init__(self, contract: Contract) -> None:
        self._contract = contract
        fields: dict[Hashable, list[int]] = {}
        for index, clause in enumerate(contract.clauses):
            fields.setdefault(parse(clause.path)[:1] or index, []).append(index)
        self._fields = [tuple(found) for found in fields.values()]
        self._written: dict[tuple[int, ...], Surely] = {}
        """By the places of the clauses in the contract."""

    def __call__(self, arguments: Mapping[str, Json], result: Json) -> list[Clause]:
        """Return them in the order of the contract."""
        most = len(self._written) + AT_ONCE
        found = sorted(self._doubted(arguments, result, most))
        return [self._contract.clauses[index] for index in found]

    def _doubted(self, arguments: Mapping[str, Json], result: Json, most: int) -> Iterator[int]:
        for field in self._fields:
            if self._holds(field, arguments, result, most):
                continue
            for index in field:
                if len(field) == 1 or not self._holds((index,), arguments, result, most):
                    yield index

    def _holds(self, places: tuple[int, ...], arguments: Mapping[str, Json], result: Json, most: int) -> bool:
        """Say whether clauses surely hold; of those whose function is still to be written, nothing is sure."""
        surely = self._written.get(places)
        if surely is None:
            if len(self._written) >= most:
                return False
            clauses = tuple(self._contract.clauses[index] for index in places)
            surely = self._written[places] = _compiled(self._contract.tool, clauses, result)
        return surely(arguments, result)


def _compiled(tool: str, clauses: tuple[Clause, ...], like: Json) -> "Surely":
    try:
        surely = compile_contract(Contract(tool, clauses), like)
    except Exception:  # noqa: BLE001 - what is too odd to be compiled is still to be checked
        return lambda _arguments, _result: False

    def is_sure(arguments: Mapping[str, Json], result: Json) -> bool:
        try:
            return surely(arguments, result)
        except Exception:  # noqa: BLE001 - a shape that the fast form was not written for
            return False

    return is_sure
