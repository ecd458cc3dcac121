"""A secret in the traces comes back by no path: not in the contracts, nor in words, violations, or receipts."""

import json
from collections.abc import Mapping
from typing import get_args

import pytest

from outcome_monitors import Call, Clause, Contract, Monitor, Registry, explain, mine
from outcome_monitors.contracts.privacy import public_part
from outcome_monitors.lifecycle import lint
from outcome_monitors.model import Encoder

CANARIES = {
    "e-mail address": "canary.bird@mail.example",
    "card": "4111 1111 1111 1111",
    "account": "GB82WEST12345698765432",
    "social security number": "219-09-9999",
    "telephone": "+44 20 7946 0958",
    "access key": "AKIA" + "CANARYCANARYCANA",
    "token": "ghp_" + "C4n4ry" * 6,
    "password": "password=canary-bird-9",
}
TASKS = 120


def traces(canary: str, *, mixed: bool) -> list[Call]:
    """Return calls in which a secret is a value, a key, a name, an item, an argument and a part of texts, for most kinds to learn."""
    calls = []
    for n in range(TASKS):
        thing, secret = n % 6, canary if not mixed or n % 3 else f"plain {n % 3}"
        record = {
            "id": f"T{thing}",
            "status": ("open", "closed")[n % 2],
            "holder": secret if thing < 3 else f"name {thing}",
            "secret_of": {"T0": secret, "T1": "x"}.get(f"T{thing}", "y"),
            "note": f"sent to {canary} for T{thing} in {n}",
            "tags": [secret, f"tag {thing}"],
            "long": f"{canary} " + "word " * 60,
            "password": "hunter2-canary",
            "by_name": {canary: {"n": n}, "other": {"n": n + 1}},
            "n": n,
        }
        run = (f"t{n}", f"s{n}")
        calls += [
            Call("get_thing", {"id": f"T{thing}", "who": secret}, record, *run),
            Call("find", {"who": secret}, f"Found {canary}: thing {thing}", *run),
        ]
    return calls


def wrong(registry: Registry) -> list[tuple[str, dict[str, object], object]]:
    """Return results of another session, which hold nothing secret and break what they can."""
    odd: dict[str, object] = {"id": "T0", "status": "gone", "holder": "someone", "note": "nothing"}
    odd |= {"secret_of": "z", "tags": []}
    odd |= {"long": "short", "password": 5, "by_name": {}, "n": -1}
    results: tuple[object, ...] = (odd, {}, "", None, [odd], "Found 5")
    return [(tool, {"id": "T0"}, result) for tool in registry.contracts for result in results]


@pytest.mark.parametrize("profile", ["full", "paper"])
@pytest.mark.parametrize("mixed", [False, True], ids=["alone", "among others"])
@pytest.mark.parametrize("sort", CANARIES)
def test_a_canary_appears_nowhere(sort, mixed, profile):
    canary = CANARIES[sort]
    registry = mine(traces(canary, mixed=mixed), profile)
    clauses = [clause for contract in registry.contracts.values() for clause in contract.clauses]
    assert clauses
    shown = [registry.dumps(), *map(explain, clauses), repr(lint(registry))]
    for encoder in get_args(Encoder):
        session = Monitor(registry, encoder=encoder).session()
        for tool, arguments, result in wrong(registry):
            shown.append(repr(session.check(tool, arguments, result)))
            shown.append(json.dumps(session.advise(tool, arguments, result), ensure_ascii=False))
    text = "\n".join(shown).lower()
    assert [secret for secret in (canary.lower(), "hunter2") if secret in text] == []


MAIL = CANARIES["e-mail address"]


FACTS: dict[str, object] = {"key": ".id", "field": ".to", "facts": {"1": MAIL, "2": MAIL}}
TEMPLATES = {"field": ".t", "templates": [[f"to {MAIL} of ", ".id", ""]]}


def clause(kind: str, path: str, params: Mapping[str, object]) -> Clause:
    return Clause(kind, path, params, 40, 40, "traces")


@pytest.mark.parametrize(
    ("kind", "path", "params", "result"),
    [
        ("domain", "agent", {"values": ["bo", MAIL]}, {"agent": "canary.bird@mail.exampl"}),
        ("functional_dependency", "", FACTS, {"id": "1", "to": "x"}),
        ("template", "", TEMPLATES, {"id": "12", "t": "x"}),
        ("closed_fields", "", {"fields": [MAIL, "x"]}, {"y": 1}),
    ],
)
def test_not_even_a_file_that_lists_a_secret_brings_it_into_a_receipt(kind, path, params, result):
    held = Registry({"t": Contract("t", (clause(kind, path, params),))})
    monitors = [Monitor(held, encoder=encoder) for encoder in get_args(Encoder)]
    shown = [(monitor.check("t", {}, result), monitor.advise("t", {}, result)) for monitor in monitors]
    assert all(violations and told != result for violations, told in shown)
    assert MAIL not in repr(shown)


def test_a_clause_loses_what_is_private_and_is_refused_where_it_would_be_false_without():
    found, why = public_part(clause("functional_dependency", "", {**FACTS, "facts": {"1": MAIL, "2": "x"}}))
    assert (found.params["facts"], why) == ({"2": "x"}, "")
    for kind, params in (("domain", {"values": ["bo", MAIL]}), ("closed_fields", {"fields": [MAIL, "x"]})):
        why = public_part(clause(kind, "agent", params))[1]
        assert why
        assert MAIL not in why
    harmless = clause("domain", "status", {"values": ["open", "closed"]})
    assert public_part(harmless) == (harmless, "")


PEOPLE = {
    "nickname": "lil_marek",
    "patient": "Tomasz Nowak",
    "guest_name": "Yuki Sato",
    "approved_by": "f.zahra",
    "billing_address": "14 Gorky St, apt 9",
    "postal_code": "1017 AB",
    "date_of_birth": "1979-11-30",
    "license_plate": "B-MW 4711",
    "nationality": "Danish",
}
SECRETS = {
    "sha": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
    "uuid": "3b241101-e2bb-4255-8caf-4136c566a962",
    "code": "Your security code is 493021",
}


@pytest.mark.parametrize("profile", ["full", "paper"])
@pytest.mark.parametrize("field", [*PEOPLE, *SECRETS])
def test_what_names_one_person_or_thing_is_no_category(field, profile):
    """Also where all tasks have it, or it is one of few."""
    text = {**PEOPLE, **SECRETS}[field]
    calls = [
        Call("get", {"id": n % 20}, {"id": n % 20, field: (text, "open")[n % 2], "n": n}, task=f"t{n}")
        for n in range(80)
    ]
    registry = mine(calls, profile)
    assert any(clause.path == field for clause in registry.contracts["get"].clauses)
    assert text not in registry.dumps()
    for odd in ({"id": 1, field: "zzz", "n": 1}, {"id": 1, field: 5}, {}):
        assert text not in json.dumps(Monitor(registry).advise("get", {"id": 1}, odd))


@pytest.mark.parametrize(
    "field", ["user_count", "address_type", "email_verified", "ordered_by_size", "sort_by"]
)
def test_what_only_mentions_a_person_is_a_category(field):
    calls = [
        Call("get", {"id": n}, {field: ("small", "large")[n % 2], "n": n}, task=f"t{n}") for n in range(80)
    ]
    assert '"large"' in mine(calls).dumps()
