"""Decisions, remarks and changes are about the clauses of shapes, too."""

from outcome_monitors import Call, Monitor, mine
from outcome_monitors.contracts.overrides import dumps, loads
from outcome_monitors.contracts.shapes import shape_name
from outcome_monitors.lifecycle import Override, Overrides, identify

THINGS = ("album", "badge", "case", "device", "event", "file", "gift", "hook")


def user(number, **more):
    return {"id": number, "login": f"user{number}", "admin": number % 7 == 0, "since": "2026-03-01", **more}


def users(**more):
    """Return contracts of eight tools whose results hold users, with the shape of users among them."""
    return mine(
        [
            Call(f"GET /{thing}s", {}, {f"{thing}_code": n, "owner": user(n, **more)}, task=f"{thing} {n}")
            for thing in THINGS
            for n in range(1000, 1006)
        ],
        "full",
    )


REGISTRY = users()
[SHAPE] = REGISTRY.shapes
NAME = shape_name(SHAPE.fields)
TYPE = next(clause for clause in SHAPE.clauses if (clause.kind, clause.path) == ("type", "admin"))
WRONG = {"star": "Vega", "seen_by": [user(1009, admin="no")]}


def codes(registry):
    return [violation.code for violation in Monitor(registry).check("GET /stars", {}, WRONG)]


def test_a_muted_clause_of_a_shape_does_not_fire():
    assert codes(REGISTRY) == ["learned_type_mismatch"]
    muted = Overrides().decided(Override.of(NAME, TYPE, "mute"))
    assert codes(muted.apply(REGISTRY)) == []
    assert codes(loads(dumps(muted)).apply(REGISTRY)) == []


def test_decisions_follow_a_shape_that_has_a_field_more():
    later = users(mail="a@example.org")
    [shape] = later.shapes
    assert shape.fields != SHAPE.fields
    muted = Overrides().decided(Override.of(NAME, TYPE, "mute", "names vary"))
    assert "learned_type_mismatch" in codes(later)
    assert "learned_type_mismatch" not in codes(muted.apply(later))
    assert muted.on(later).entries[identify(shape_name(shape.fields), TYPE)].note == "names vary"
