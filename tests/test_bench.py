"""The benchmark runs, and compares like with like; how fast anything is decides nothing here."""

import sys

import pytest

from bench import adapters, checking, importing, mining, proxy, scale
from bench._peers import PEERS, accepts
from bench._report import WIDTH, page, show
from bench._results import ORDER, SEARCH
from bench._same import damaged, same_constraints
from outcome_monitors import Monitor, mine

SUBJECTS = pytest.mark.parametrize("subject", [ORDER, SEARCH], ids=lambda subject: subject.name)


@SUBJECTS
def test_our_clauses_refuse_what_the_peers_are_asked_to_refuse(subject):
    monitor, clean = Monitor(same_constraints(subject)), next(subject.fresh())
    assert monitor.check(subject.name, {}, clean.result) == ()
    wrong = dict(damaged(subject, clean.result))
    assert len(wrong) == 5
    for damage, result in wrong.items():
        assert len(monitor.check(subject.name, {}, result)) == 1, damage


@SUBJECTS
@pytest.mark.parametrize("name", PEERS)
def test_every_peer_refuses_the_same(name, subject):
    pytest.importorskip(name.partition(",")[0].replace("-", "_"))
    validator, clean = PEERS[name](subject.schema), next(subject.fresh())
    assert accepts(validator, clean.result)
    assert [damage for damage, result in damaged(subject, clean.result) if accepts(validator, result)] == []


def test_the_tables_of_checking_fit_a_terminal(capsys):
    pytest.importorskip("orjson")
    clean, others = checking.tables([ORDER], rounds=1)
    assert [row[0] for row in clean.rows][2:5] == [
        "Monitor, profile paper",
        "Monitor, profile full",
        "Monitor, same constraints",
    ]
    assert [row[1] for row in others.rows] == ["paper", "full"]
    for table in (clean, others):
        show(table)
    assert max(map(len, capsys.readouterr().out.splitlines())) <= WIDTH


def test_the_tables_of_mining_fit_a_terminal(capsys):
    folds, full, growth = mining.tables(workflows=5, growth={"paper": (2, 4), "full": (1,)}, rounds=1)
    assert len(folds.rows) == 1
    assert [row[0] for row in full.rows] == ["1", "2"]
    assert full.rows[0][-2:] == full.rows[1][-2:]
    assert [row[:2] for row in growth.rows] == [("paper", "1x"), ("paper", "2x"), ("full", "1x")]
    for table in (folds, full, growth):
        show(table)
    assert max(map(len, capsys.readouterr().out.splitlines())) <= WIDTH
    text = page([folds, full, growth])
    assert all(f"## {table.title}\n\n| " in text for table in (folds, full, growth))


def test_importing_is_measured_on_every_form():
    speed = next(importing.tables(megabytes=(0.1,), rounds=1))
    assert [row[0] for row in speed.rows] == list(importing.FORMS)


def test_adapters_are_measured_on_objects_and_texts(capsys):
    [table] = adapters.tables(rounds=1)
    assert len(table.rows) == 12
    show(table)
    assert max(map(len, capsys.readouterr().out.splitlines())) <= WIDTH


def test_the_proxy_is_measured_against_a_direct_connection(tmp_path):
    mine(ORDER.mined(), "paper").save(tmp_path / "contracts.json")
    found = proxy.over_stdio(tmp_path, "bare", calls=5, pipelined=50)
    assert [row[0].strip() for row in found] == ["stdio, bare server", proxy.RELAY]
    assert {len(row) for row in found} == {len(proxy.COLUMNS)}


def test_over_http_it_is_measured_beside_a_relay_that_only_copies(tmp_path):
    pytest.importorskip("aiohttp")
    mine(ORDER.mined(), "paper").save(tmp_path / "contracts.json")
    found = proxy.over_http(tmp_path, "http", calls=5, pipelined=50)
    assert [row[0].strip() for row in found] == ["HTTP, bare server", proxy.RELAY]


def test_a_missing_peer_is_one_line(monkeypatch):
    pytest.importorskip("orjson")
    monkeypatch.setitem(sys.modules, "msgspec", None)
    clean, _ = checking.tables([ORDER], rounds=1)
    assert "msgspec, convert to Struct" not in [row[0] for row in clean.rows]
    assert [note for note in clean.notes if "msgspec" in note] == [
        "msgspec, convert to Struct: this comparison needs msgspec: pip install --group bench"
    ]


def test_the_ways_to_mine_at_size_write_the_same_file(tmp_path, capsys):
    path = scale.traces(tmp_path, 300)
    assert len(path.read_bytes().splitlines()) == 300
    table = scale._table(path, 300, "paper", ("json.loads", "local", "workers"))
    assert [row[0] for row in table.rows] == ["json.loads", "local", "workers"]
    assert "byte for byte" in table.notes[-1]
    show(table)
    shown = capsys.readouterr().out.split()
    assert {"way", "lines/s", "json.loads", "local", "workers"} <= {*shown}
