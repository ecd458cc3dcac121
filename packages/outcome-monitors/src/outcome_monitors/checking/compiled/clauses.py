"""The clauses of a contract as generated functions one by one: which of them a result may break that the whole contract does not pass.

Most clauses hold of a wrong result too, and are told so as fast as of a clean one; the plain evaluator looks at the few that are left.
To write the functions takes longer than a look at all clauses, so a few are written at each wrong result, and none at the first.
"""

from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING

from outcome_monitors.model import Clause, Contract, Json
from outcome_monitors.rules import KINDS
from outcome_monitors.values.paths import ROOT, parse

from .contract import compile_contract

if TYPE_CHECKING:
    from .contract import Surely

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
    """Which clauses of one contract a result may break; those of one field are tested together first: mostly, they all hold.

    So are those on how the result itself is built, and those of each kind that relate its fields.
    """

    def __init__(self, contract: Contract) -> None:
        self._contract = contract
        fields: dict[Hashable, list[int]] = {}
        for index, clause in enumerate(contract.clauses):
            fields.setdefault(parse(clause.path)[:1] or _sort(clause), []).append(index)
        self._fields = [_Test(tuple(found)) for found in fields.values()]
        self._written = 0

    def __call__(self, arguments: Mapping[str, Json], result: Json) -> list[Clause]:
        """Return them in the order of the contract."""
        found = self._doubted(self._fields, arguments, result, self._written + AT_ONCE)
        return [self._contract.clauses[index] for index in sorted(found)]

    def _doubted(
        self, tests: Iterable["_Test"], arguments: Mapping[str, Json], result: Json, most: int
    ) -> list[int]:
        """Return the places of what does not surely hold; of a test that is still to be written, nothing is sure."""
        found: list[int] = []
        for test in tests:
            try:
                if (test.surely or self._write(test, result, most))(arguments, result):
                    continue
            except Exception:  # noqa: BLE001, S110 - a shape that the fast form was not written for
                pass
            found += self._doubted(test.parts, arguments, result, most) if test.parts else test.places
        return found

    def _write(self, test: "_Test", like: Json, most: int) -> "Surely":
        if self._written >= most:
            return _never
        self._written += 1
        clauses = tuple(self._contract.clauses[index] for index in test.places)
        test.surely = _compiled(self._contract.tool, clauses, like)
        return test.surely


class _Test:
    """Clauses that are tested together, by their places in the contract, and the function that does so, once it is written."""

    __slots__ = ("parts", "places", "surely")

    def __init__(self, places: tuple[int, ...]) -> None:
        self.places = places
        self.parts = [_Test((place,)) for place in places] if len(places) > 1 else []
        self.surely: Surely | None = None


def _sort(clause: Clause) -> str:
    kind = KINDS[clause.kind]
    return kind.name if kind.about == "record" else ROOT


def _compiled(tool: str, clauses: tuple[Clause, ...], like: Json) -> "Surely":
    try:
        return compile_contract(Contract(tool, clauses), like)
    except Exception:  # noqa: BLE001 - what is too odd to be compiled is still to be checked
        return _never


def _never(_arguments: Mapping[str, Json], _result: Json) -> bool:
    return False
