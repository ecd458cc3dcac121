"""Studies side by side: rows by baseline rate, contrasts by what becomes of the list, and nothing pooled."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from outcome_monitors.cli import commands
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors_study.analysis import analyse
from outcome_monitors_study.compare import compare, compare_tables
from outcome_monitors_study.design import Design
from outcome_monitors_study.manifest import freeze, load
from outcome_monitors_study.run import run
from tests.study.checkouts import make_checkout

WORLD = Design(
    environment={"environment": "world", "workflows": 24, "seed": 0, "suites": ["toolmaze"]},
    agents=("scripted-follows:1",),
    arms=("always-warn-stripped", "always-warn", "stripped"),
    contrasts=("stripped:always-warn",),
    strata=("C3/P4", "C3/P0"),
    per_stratum=2,
    profile="paper",
)


@pytest.fixture(scope="module")
def studies(tmp_path_factory) -> list[Path]:
    root = tmp_path_factory.mktemp("compare")
    shop = replace(
        WORLD,
        environment={"environment": "tau-retail", "checkout": str(make_checkout(root / "tau"))},
        arms=("baseline", "advisory-v2"),
        contrasts=(),
        strata=("status", "conservation", "clean"),
        status="development",
    )
    for name, design in (("world", WORLD), ("shop", shop)):
        freeze(root / name, design)
        run(root / name)
    return [root / "world", root / "shop"]


def test_rows_are_by_baseline_rate_and_say_what_is_clean(studies):
    found = compare(studies)
    rates = [row.effect.pairs.baseline / row.effect.pairs.count for row in found.rows]
    assert rates == sorted(rates)
    assert {row.name: row.tags for row in found.rows} == {
        "world": (),
        "world, clean": ("clean",),
        "shop, status": ("development",),
        "shop, conservation": ("development",),
        "shop, clean": ("clean", "development"),
    }
    [world] = [row for row in found.rows if row.name == "world"]
    assert world.effect == analyse(load(studies[0])).contrasts[0].whole


def test_contrasts_stand_by_what_becomes_of_the_list(studies):
    told = [(how, each.treatment, each.baseline) for how, _, each in compare(studies).contrasts]
    assert told == [
        ("tools added", "always-warn", "always-warn-stripped"),
        ("tools added", "advisory-v2", "baseline"),
        ("tools unchanged", "stripped", "always-warn-stripped"),
        ("tools removed", "stripped", "always-warn"),
    ]


def test_the_command_writes_figures_tables_and_json(studies, tmp_path):
    files = [tmp_path / name for name in ("figures.html", "rows.json", "tables.tex")]
    options = [
        text for pair in zip(("--html", "--json", "--latex"), map(str, files), strict=True) for text in pair
    ]
    done = CliRunner().invoke(commands, ["study", "compare", *map(str, studies), *options])
    assert done.exit_code == 0, done.output
    assert files[0].read_text().count("<svg") == 2
    rows = json.loads(files[1].read_text())
    rows = rows["tables"]
    assert len(rows["rows"]) == 5
    assert len(rows["contrasts"]) == 4
    assert [row["study"] for row in rows["prevalence"]] == [
        "world, world",
        "world, shop",
        "shop, world",
        "shop, shop",
    ]
    assert {row["study"]: row["manifest"] for row in rows["studies"]} == {
        folder.name: load(folder).manifest["digest"][:16] for folder in studies
    }
    assert files[2].read_text().count(r"\begin{tabular}") == len(compare_tables(compare(studies))) == 4
    assert "development" in done.output


def test_a_study_given_twice_and_one_that_was_not_run_are_refused(studies, tmp_path):
    with pytest.raises(OutcomeMonitorsError, match="named twice"):
        compare([studies[0], studies[0]])
    freeze(tmp_path / "fresh", WORLD)
    with pytest.raises(OutcomeMonitorsError, match="fresh has no pair of episodes yet"):
        compare([studies[0], tmp_path / "fresh"])
