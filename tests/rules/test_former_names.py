"""What earlier releases wrote under another name of a kind is read, and written under today's."""

import json

from outcome_monitors import Clause, Contract, Registry
from outcome_monitors.contracts.identity import address, identify, known_clauses, resolve
from outcome_monitors.contracts.overrides import Override, Overrides, dumps, loads
from outcome_monitors.learning.rollout import clause_of, text_of
from outcome_monitors.rules import FORMER_NAMES, KINDS

CLAUSE = Clause("closed_fields", "", {"fields": ["id"]}, 9, 9, "traces")


def former(text: str) -> str:
    return text.replace("closed_fields", "known")


def test_every_former_name_stands_for_a_kind_and_is_none_itself():
    assert {*FORMER_NAMES.values()} <= {*KINDS}
    assert {*FORMER_NAMES}.isdisjoint(KINDS)


def test_a_contract_file_is_read_and_written_anew(tmp_path):
    Registry({"get": Contract("get", (CLAUSE,))}).save(tmp_path / "now.json")
    written = (tmp_path / "now.json").read_text()
    (tmp_path / "former.json").write_text(former(written))
    Registry.load(tmp_path / "former.json").save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text() == written


def test_overrides_are_read_with_their_ids_and_written_anew():
    written = dumps(Overrides().decided(Override.of("get", CLAUSE, "pin")))
    assert "known" in former(written)
    assert dumps(loads(former(written))) == written


def test_a_former_address_names_the_clause():
    known = known_clauses({"get": [CLAUSE]})
    assert resolve(former(address("get", CLAUSE)), known) == identify("get", CLAUSE)
    assert resolve("get./known", known) == identify("get", CLAUSE)


def test_a_clause_in_force_is_read():
    assert json.loads(text_of(CLAUSE))[0] == "closed_fields"
    assert clause_of(former(text_of(CLAUSE))).params == CLAUSE.params
    assert clause_of(former(text_of(CLAUSE))).kind == "closed_fields"
