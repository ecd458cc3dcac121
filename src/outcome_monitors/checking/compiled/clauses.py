"""The clauses of a contract as generated functions one by one: which of them a result may break that the whole contract does not pass.

Most clauses hold of a wrong result too, and are told so as fast as of a clean one; the plain evaluator looks at the few that are left.
"""

from collections.abc import Callable, Hashable, Mapping

from outcome_monitors.model import Clause, Contract, Json
from outcome_monitors.values.paths import parse

from .contract import Surely, compile_contract

__all__ = ["Doubted", "Doubts", "doubts"]

Doubted = Callable[[Mapping[str, Json], Json], list[Clause]]
"""Gives the clauses that a result may break, in the order of the contract."""


class Doubts:
    """Which clauses a result may break, for the contracts of a monitor."""

    def __init__(self, contracts: Mapping[str, Contract]) -> None:
        self._contracts = contracts
        self._doubted: dict[str, Doubted | None] = {}
        """Of tools that had one result in doubt; made at the second, since for one alone it does not pay."""

    def of(self, tool: str, arguments: Mapping[str, Json], result: Json) -> list[Clause] | None:
        """Return the clauses in doubt; None where nothing is known of that."""
        if tool not in self._doubted:
            self._doubted[tool] = None
            return None
        doubted = self._doubted[tool] or doubts(self._contracts[tool])
        self._doubted[tool] = doubted
        return doubted(arguments, result)


def doubts(contract: Contract) -> Doubted:
    """Return the function that says which clauses of a contract are in doubt.

    Those of one field of the result are tested together first: mostly, they all hold.
    """
    fields: dict[Hashable, list[int]] = {}
    for index, clause in enumerate(contract.clauses):
        fields.setdefault(parse(clause.path)[:1] or index, []).append(index)
    single = [_compiled(contract.tool, (clause,)) for clause in contract.clauses]
    tests = [
        (_compiled(contract.tool, tuple(contract.clauses[index] for index in found)), found)
        for found in fields.values()
    ]

    def doubted(arguments: Mapping[str, Json], result: Json) -> list[Clause]:
        in_doubt = (found for surely, found in tests if not surely(arguments, result))
        found = sorted(index for some in in_doubt for index in some if not single[index](arguments, result))
        return [contract.clauses[index] for index in found]

    return doubted


def _compiled(tool: str, clauses: tuple[Clause, ...]) -> Surely:
    try:
        surely = compile_contract(Contract(tool, clauses))
    except Exception:  # noqa: BLE001 - what is too odd to be compiled is still to be checked
        return lambda _arguments, _result: False

    def is_sure(arguments: Mapping[str, Json], result: Json) -> bool:
        try:
            return surely(arguments, result)
        except Exception:  # noqa: BLE001 - a shape that the fast form was not written for
            return False

    return is_sure
