"""Where the faults find a place in real traffic, and what they cost."""

import gzip
import json
from collections import Counter
from collections.abc import Iterator

import pytest

from outcome_monitors.evaluation.faults import NOT_APPLICABLE, SUITES, Corpus, Subject
from outcome_monitors.model import Call
from tests.shared import shared


def traces(name: str) -> list[Call]:
    with gzip.open(shared(f"data/traces/{name}.jsonl.gz"), "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [
        Call(
            row["tool"],
            row.get("arguments", {}),
            row["result"],
            row.get("task"),
            row.get("session"),
            row.get("error", False),
        )
        for row in rows
    ]


def subjects(calls: list[Call], stride: int) -> Iterator[Subject]:
    corpus = Corpus.of(calls)
    sessions: dict[str | None, list[Call]] = {}
    for index, call in enumerate(calls):
        history = sessions.setdefault(call.session, [])
        if index % stride == 0 and not call.error:
            yield Subject(call, tuple(history), corpus)
        history.append(call)


@pytest.mark.parametrize(
    ("name", "least"),
    [
        # Retail results hold no date at all.
        ("tau_retail", {"temporal_contradiction": 0.0, "statistical_inconsistency": 0.25}),
        ("tau_airline", {"internal_contradiction": 0.2, "statistical_inconsistency": 0.3}),
    ],
)
def test_toolmaze_faults_apply_to_a_good_share_of_calls(name: str, least: dict[str, float]):
    sample = list(subjects(traces(name), 16))
    hits = Counter(
        fault.name for fault in SUITES["toolmaze"] for s in sample if fault.apply(s) is not NOT_APPLICABLE
    )
    assert hits
    for fault in SUITES["toolmaze"]:
        assert hits[fault.name] / len(sample) >= least.get(fault.name, 0.5), fault.name
