"""What should not be in a contract file is found, and not shown."""

import pytest

from outcome_monitors import Registry
from outcome_monitors.model import Clause, Contract
from outcome_monitors.upkeep import Override, Overrides, lint
from outcome_monitors.values.private_data import looks_personal, looks_secret, names_person, names_secret
from tests.upkeep.orders import contracts

PERSONAL = {
    "ada.lovelace@mail.example": "an e-mail address",
    "write to ada@mail.example today": "an e-mail address",
    "+44 20 7946 0958": "a telephone number",
    "(555) 012-3456": "a telephone number",
    "555-012-3456": "a telephone number",
    "078-05-1120": "a social security number",
    "gb82west12345698765432": "a bank account",
    "4111 1111 1111 1111": "a payment card",
}
SECRET = {
    "Bearer abcdef0123456789abcdef": "a bearer token",
    "-----begin rsa private key-----": "a private key",
    "AKIA" + "ABCDEFGHIJKLMNOP": "an access key",
    "ghp_" + "a1" * 18: "an access key",
    "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxIn0": "a web token",
    "q7Zp0LwX2vB9nKs4TgYc8RdM1hJfUe5A": "what looks like a key",
}
HARMLESS = [
    "delivered",
    "2026-03-01",
    "2026-03-01T10:00:00Z",
    "W1000",
    "192.168.0.1",
    "1234567890",
    "123-45",
    "4111 1111 1111 1112",
    "5f4dcc3b5aa765d61d8327deb882cf99",
    "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
    "supercalifragilisticexpialidociousness",
    "@mention",
    "price per 100 g",
    "",
]


@pytest.mark.parametrize(("text", "what"), PERSONAL.items())
def test_personal_data_is_known_by_its_form(text, what):
    assert looks_personal(text) == what


@pytest.mark.parametrize(("text", "what"), SECRET.items())
def test_secrets_are_known_by_their_form(text, what):
    assert looks_secret(text) == what


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_harmless_is_let_be(text):
    assert looks_personal(text) == ""
    assert looks_secret(text) == ""


def test_fields_are_known_by_their_names():
    personal = (
        "email",
        "user.firstName",
        "customers[].name",
        "date_of_birth",
        "passenger_name",
        "billing.phone",
    )
    assert [path for path in personal if not names_person(path)] == []
    assert [
        path for path in ("name", "product.name", "status", "items[].address_id") if names_person(path)
    ] == []
    secret = ("password", "auth.api_key", "session_token", "token", "user.credentials")
    assert [path for path in secret if not names_secret(path)] == []
    assert [
        path for path in ("max_tokens", "next_page_token", "keyword", "author") if names_secret(path)
    ] == []


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
