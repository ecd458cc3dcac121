"""What should not be in a contract file is found, and not shown."""

import pytest

from outcome_monitors import Registry
from outcome_monitors.jsonvalue.private_data import names_private
from outcome_monitors.lifecycle import Override, Overrides, lint
from outcome_monitors.model import Clause, Contract
from tests.lifecycle.orders import contracts


def test_fields_are_known_by_their_names():
    personal = ("email", "user.firstName", "customers[].name", "date_of_birth", "billing.phone")
    assert [path for path in personal if names_private(path) != "personal"] == []
    secret = ("password", "auth.api_key", "session_token", "token", "user.credentials")
    assert [path for path in secret if names_private(path) != "secret"] == []
    others = (
        "name",
        "product.name",
        "status",
        "items[].address_id",
        "max_tokens",
        "next_page_token",
        "keyword",
        "sort_by",
    )
    assert [path for path in others if names_private(path)] == []


def clause(kind: str, path: str, tasks: int = 40, **params: object) -> Clause:
    return Clause(kind, path, params, tasks, tasks, "traces")


def remarks(*clauses: Clause, overrides: Overrides | None = None) -> list[tuple[str, str]]:
    registry = Registry({"t": Contract("t", clauses)})
    return [(remark.rule, remark.message) for remark in lint(registry, overrides)]


MAIL = "ada.lovelace@mail.example"
HOLDING = [
    clause("domain", "agent", values=["bo", MAIL]),
    clause("functional_dependency", "", key=".id", field=".contact", facts={"1": MAIL, "2": "x", "3": "y"}),
    clause("functional_dependency", "", key=".contact", field=".id", facts={MAIL: 1}),
    clause("template", "", field=".text", templates=[[f"sent to {MAIL} for ", ".id", ""]]),
    clause("conditional", "", given=".agent", field=".id", states={MAIL: ["filled"]}),
    clause("closed_fields", "owners", fields=[MAIL, "x"]),
]


@pytest.mark.parametrize("holding", HOLDING, ids=lambda clause: clause.kind)
def test_what_a_clause_has_learned_is_looked_into_and_not_shown(holding):
    [(rule, message)] = remarks(holding)
    assert rule == "personal-data"
    assert "an e-mail address" in message
    assert MAIL not in message


def test_a_clause_on_a_secret_says_which_field():
    [(rule, message)] = remarks(clause("length", "api_key", room="wide", of="text", least=24, most=48))
    assert rule == "secret"
    assert "api_key" in message
    [(rule, message)] = remarks(clause("domain", "password", values=["hunter2"]))
    assert "hunter2" not in message


def test_weak_support_is_one_remark_a_tool():
    assert [
        rule
        for rule, _ in remarks(
            clause("type", "a", 2, kinds=["string"]), clause("type", "b", 1, kinds=["null"])
        )
    ] == ["weak-support"]
    assert remarks(Clause("type", "a", {"kinds": ["string"]}, 0, 0, "schema:s.json")) == []
    assert lint(contracts(30)) == []


def test_what_was_accepted_is_left_alone():
    decided = Overrides().decided(Override.of("t", HOLDING[0], "accept"))
    assert remarks(HOLDING[0], overrides=decided) == []
    [(rule, _)] = remarks(overrides=decided)
    assert rule == "stale-override"
