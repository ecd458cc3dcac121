"""Studies, start to finish on the tool world, by scripts; and the statistics that they rest on."""

import json
from typing import Any

import pytest

from outcome_monitors import study
from tests.net.support import lines, run, same_json

ARMS = "baseline,advisory-v2,advisory-note,generic,stripped,always-warn"


@pytest.fixture(scope="module")
def trial(tmp_path_factory):
    """A folder with the study `trial`, frozen and run: four tasks, six arms, two scripts."""
    folder = tmp_path_factory.mktemp("study")
    small = ("--workflows", 16, "--strata", "C3/P4,C4/P4", "--per-stratum", 2)
    run(
        "study",
        "freeze",
        "trial",
        *small,
        "--arms",
        ARMS,
        "--agents",
        "scripted-careful,scripted-follows:0.7",
        cwd=folder,
    )
    done = run("study", "run", "trial", cwd=folder)
    assert done.stdout == b"trial: 48 of 48 episodes done, cost 0.00\n"
    return folder


def test_figures(trial):
    run(
        "study",
        "analyze",
        "trial",
        "--json",
        "figures.json",
        "--html",
        "report.html",
        "--latex",
        "t.tex",
        cwd=trial,
    )
    figures = json.loads((trial / "figures.json").read_text(encoding="utf-8"))
    for name in ("frozen", "manifest"):
        figures["study"][name] = "*"
    same_json("wire/study.json", figures)
    assert (trial / "report.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert "tabular" in (trial / "t.tex").read_text(encoding="utf-8")


def test_a_study_that_is_done_runs_nothing_and_one_that_was_changed_is_refused(trial):
    assert b"48 of 48" in run("study", "run", "trial", cwd=trial).stdout
    contracts = trial / "trial/contracts.json"
    kept = contracts.read_bytes()
    try:
        contracts.write_bytes(kept + b" ")
        done = run("study", "run", "trial", cwd=trial, status=2)
        assert done.stderr.startswith(b"error: ")
    finally:
        contracts.write_bytes(kept)


def test_probes(trial):
    run("study", "probe", "freeze", "trial", cwd=trial)
    run("study", "probe", "export", "trial", "-o", "requests.jsonl", "--model", "m", cwd=trial)
    requests = lines((trial / "requests.jsonl").read_bytes())
    names = [request["custom_id"] for request in requests]
    assert len(set(names)) == len(names)
    assert {tuple(request) for request in requests} == {("custom_id", "method", "url", "body")}
    answers = []
    for number, request in enumerate(requests):
        tool = request["body"]["tools"][number % 3]["function"]["name"]
        called = {"content": "", "tool_calls": [{"function": {"name": tool, "arguments": "{}"}}]}
        body = {"model": "m", "choices": [{"message": called}]}
        answer = {
            "custom_id": request["custom_id"],
            "response": {"status_code": 200, "body": body},
            "error": None,
        }
        answers.append(json.dumps(answer) + "\n")
    (trial / "responses.jsonl").write_text("".join(answers))
    run("study", "probe", "score", "trial", "responses.jsonl", "--json", "score.json", cwd=trial)
    score = json.loads((trial / "score.json").read_text(encoding="utf-8"))
    same_json("wire/probes.json", {"custom_ids": names, "score": _without_hashes(score)})


def _without_hashes(value):
    """Leave out what holds the time of freezing: hashes of manifests, and dates."""
    if isinstance(value, dict):
        return {
            name: "*" if name in {"frozen", "manifest", "probes", "study"} else _without_hashes(v)
            for name, v in value.items()
        }
    return [_without_hashes(item) for item in value] if isinstance(value, list) else value


def test_statistics():
    """Values on record, to twelve digits; those that are drawn are drawn alike each time."""
    differences = {f"t{number}": [1, 0, -1][: 1 + number % 3] for number in range(30)}
    pairs = study.tally(
        [(False, True)] * 15 + [(True, False)] * 2 + [(True, True)] * 20 + [(False, False)] * 3
    )
    whole = study.cluster_bootstrap([1] * 14 + [0] * 36)
    found: dict[str, list[Any]] = {
        "mcnemar": [
            study.mcnemar_exact(wins=wins, losses=losses)
            for wins, losses in ((15, 2), (14, 0), (0, 0), (3, 3))
        ],
        "sign_flip": [
            study.sign_flip([1] * 14 + [0] * 36),
            study.sign_flip(differences),
            study.sign_flip([-1, 1, 1]),
        ],
        "bootstrap": [whole.estimate, whole.low, whole.high],
        "least effect": [
            study.minimum_detectable_effect(80),
            study.minimum_detectable_effect(80, baseline=0.3),
            study.minimum_detectable_effect(3),
        ],
        "power": [study.power(80, 0.5, 0.2), study.power(80, 0.3, 0.1)],
        "intervals": [
            list(study.wilson(3, 40)),
            list(study.wilson(0, 0)),
            list(study.newcombe(12, 40, 5, 40)),
        ],
        "prevalence": [study.prevalence_effect(0.2, -0.01, 0.5), study.break_even(0.1125, -0.0526)],
        "pairs": [pairs.rescue, pairs.harm, pairs.both_pass, pairs.both_fail],
    }
    same_json(
        "wire/statistics.json",
        {name: [_rounded(value) for value in values] for name, values in found.items()},
    )
    drawn = study.cluster_bootstrap(
        {name: [float(d) / 3 for d in values] for name, values in differences.items()}
    )
    assert drawn.low <= drawn.estimate <= drawn.high


def _rounded(value):
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    return float(f"{value:.12g}") if isinstance(value, float) else value
