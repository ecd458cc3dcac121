"""What clauses cost is measured on tasks that were not mined from, and the table that is written is the one that is read."""

from click.testing import CliRunner

from bench import priors as bench
from outcome_monitors import Call
from outcome_monitors.features.walk import task_name
from outcome_monitors.traces.reader import write_traces


def calls(cost):
    return [
        Call("get_item", {"id": f"i{n}"}, {"id": f"i{n}", "cost": cost(n)}, task=f"t{n}", session=f"t{n}")
        for n in range(40)
    ]


def test_nothing_is_held_against_tasks_it_was_mined_from():
    found = list(bench.samples(calls(lambda n: n + 1), 10))
    assert len(found) == bench.SEEDS
    for sample in found:
        assert not {task_name(call) for call in sample.mined} & {task_name(call) for call in sample.held_out}
        assert len({task_name(call) for call in sample.mined}) == 10
    assert not list(bench.samples(calls(lambda n: n + 1), 40))


def test_a_clause_that_fires_on_held_out_tasks_has_its_price():
    rows = bench.affordable(calls(lambda n: -1 if n % 20 == 0 else n))
    fired = {sold.sort for sold, row in rows.items() if row.fired}
    assert "positive" in fired
    assert all(row.checked for row in rows.values())
    assert not any(row.fired for row in bench.affordable(calls(lambda n: n + 1)).values())


def test_the_command_shows_what_prices_save(tmp_path):
    file = tmp_path / "items.jsonl"
    write_traces(file, calls(lambda n: -1 if n % 20 == 0 else n))
    shown = CliRunner().invoke(bench.main, [str(file)], catch_exceptions=False)
    assert shown.exit_code == 0
    header, *rows = shown.output.splitlines()
    assert header.split() == ["file", "tasks", "results", "free", "affordable"]
    assert [row.split()[:2] for row in rows] == [["items", "10"], ["items", "20"]]
