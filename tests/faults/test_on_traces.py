"""Where the faults find a place in real traffic, and what they cost."""

import gzip
import json
import time
from collections import Counter
from collections.abc import Iterator

import pytest
from tests.shared import shared

from outcome_monitors._model import Call
from outcome_monitors.faults import NOT_APPLICABLE, SUITES, Corpus, Subject, faults


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
    for fault in SUITES["toolmaze"]:
        assert hits[fault.name] / len(sample) >= least.get(fault.name, 0.5), fault.name


def test_a_corpus_takes_seconds_and_a_fault_microseconds():
    calls = traces("tau_retail")
    start = time.process_time()
    Corpus.of(calls)
    assert time.process_time() - start < 3
    sample = list(subjects(calls, 40))
    every = faults(SUITES)
    start = time.process_time()
    for subject in sample:
        for fault in every:
            fault.apply(subject)
    # About 90 microseconds on an idle machine; the bound leaves room for a busy one.
    assert (time.process_time() - start) / (len(sample) * len(every)) < 400e-6
