"""Episodes that are run several times: each by itself in the ledger, paired run by run, and pass^k over them."""

from itertools import combinations

import pytest

from outcome_monitors_study._ledger import read_ledger
from outcome_monitors_study.analysis import analyse
from outcome_monitors_study.design import Design
from outcome_monitors_study.manifest import freeze, load
from outcome_monitors_study.run import run

AGENT = "scripted-follows:0.5"
DESIGN = Design(
    environment={"environment": "world", "workflows": 16, "seed": 0, "suites": ["toolmaze"]},
    agents=(AGENT,),
    strata=("C3/P3", "C3/P0"),
    per_stratum=2,
    repeats=3,
    profile="paper",
)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("repeats") / "trial"
    freeze(folder, DESIGN)
    assert run(folder).done == 4 * 2 * 3
    return folder


def test_arms_are_paired_run_by_run_and_pass_k_is_of_the_cells_with_a_fault(finished):
    study = load(finished)
    found = analyse(study)
    [contrast] = found.contrasts
    assert contrast.clean
    assert (contrast.pairs.count, contrast.clean.pairs.count) == (6, 6)
    runs: dict[str, list[bool]] = {}
    for record in read_ledger(study.ledger):
        if record["arm"] == "baseline" and record["stratum"] == "C3/P3":
            runs.setdefault(record["cell"], []).append(record["completed"])
    assert sorted(map(len, runs.values())) == [3, 3]
    passed = found.repeated["baseline"][AGENT]
    # All ways to choose k of a task's runs, and how many of them are completed throughout.
    chosen = [[list(combinations(outcomes, k)) for outcomes in runs.values()] for k in (1, 2, 3)]
    shares = [[sum(map(all, each)) / len(each) for each in of_k] for of_k in chosen]
    assert passed == tuple(sum(of_k) / len(of_k) for of_k in shares)
