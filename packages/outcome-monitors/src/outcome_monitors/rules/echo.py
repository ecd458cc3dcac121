"""`echo`: what was asked for is what the answer speaks of: a field of the result equals the argument of the same name."""

from collections.abc import Iterator, Mapping

from outcome_monitors.features.walk import WalkedCall
from outcome_monitors.jsonvalue.display import clip
from outcome_monitors.jsonvalue.paths import ROOT, below, parse, select
from outcome_monitors.model import Clause, Json, Violation

from .base.kind import Beside, Bind, Candidate, Counting, State, named
from .base.support import Ground
from .base.traits import Mining, Traits
from .config import PAPER


class Echo(Counting):
    """The field equals the argument, wherever both are there."""

    name = "echo"
    code = "learned_echo_mismatch"
    traits = Traits(of_null=True, never_normal=True)
    mining = Mining(profiles=frozenset({"paper"}))
    identity = ("argument",)
    params = {"argument": lambda v: isinstance(v, str)}

    def observe(self, state: State, seen: WalkedCall) -> None:
        """Count the pairs of an argument and a field of the same name, and those that are equal."""
        for result in seen.objects.get(ROOT, ()):
            for name, argument in seen.arguments.items():
                if name in result:
                    counts = state.setdefault(name, [0, 0])
                    counts[0] += 1
                    counts[1] += bool(argument == result[name])

    def accept(self, state: State, ground: Ground) -> Iterator[Candidate]:
        """Accept a name that stood on both sides in at least two calls and was equal in all."""
        for name in sorted(state):
            pairs, equal = state[name]
            refused = ""
            if equal < pairs:
                refused = "not always equal"
            elif pairs < PAPER.echo_pairs:
                refused = f"fewer than {PAPER.echo_pairs} pairs"
            yield Candidate(ground.clause(self.name, below(ROOT, name), {"argument": name}, pairs), refused)

    def check(self, clause: Clause, arguments: Mapping[str, Json], result: Json) -> Iterator[Violation]:
        """Yield the field where it differs from the argument."""
        name = clause.params["argument"]
        if name not in arguments:
            return
        argument = arguments[name]
        for place, value in select(result, clause.path):
            if not argument == value:  # noqa: SIM201 - a NaN on both sides is no echo, and the fast form says the same
                detail = f"field {place} differs from call argument"
                yield Violation(self.code, place, clip(argument), clip(value), detail)

    def explain(self, clause: Clause) -> str:
        steps, argument = parse(clause.path), clause.params["argument"]
        field = steps[-1] if steps else None
        return f"{named(clause.path)} equals the argument" + ("" if field == argument else f" {argument}")

    def fast(self, clause: Clause, bind: Bind, beside: Beside) -> str | None:
        """Compare; an argument that is not there is taken from the result, and so is equal."""
        return f"arguments.get({bind(clause.params['argument'])}, {{v}}) == {{v}}"
