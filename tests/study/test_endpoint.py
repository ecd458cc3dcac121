"""Endpoints that fail, through inspect_ai's own client and a server on this machine that speaks OpenAI's form."""

import gc
import shutil

import pytest

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors_study._ledger import read_failures, read_ledger
from outcome_monitors_study.analysis import analyse
from outcome_monitors_study.design import Design
from outcome_monitors_study.manifest import freeze, load
from outcome_monitors_study.run import Effort, run
from outcome_monitors_study.tables import title
from tests.study.endpoint import Server

# Its streams and its dependencies warn of themselves; a warning raised inside it would fail the episode.
pytestmark = pytest.mark.filterwarnings("ignore")

AGENT = "openai-api/local/any"
AT_ONCE = Effort(timeout=3, retries=0)
"""A request that OpenAI's client has sent three times breaks its episode off; that is tried again without a pause."""
PATIENT = Effort(timeout=3, retries=1, pause=0.01)


@pytest.fixture(scope="module")
def frozen(tmp_path_factory):
    pytest.importorskip("inspect_ai", reason="the extra `study` is not installed")
    pytest.importorskip("openai", reason="inspect_ai asks endpoints of OpenAI's form with openai")
    folder = tmp_path_factory.mktemp("endpoint") / "frozen"
    design = Design(
        environment={"environment": "world", "workflows": 16, "seed": 0, "suites": ["toolmaze"]},
        agents=(AGENT,),
        strata=("C1/P0",),
        per_stratum=1,
        profile="paper",
        settings={"prices": {AGENT: {"input": 1.0, "output": 2.0, "date": "2026-11-01"}}},
    )
    freeze(folder, design)
    return folder


@pytest.fixture
def folder(frozen, tmp_path, monkeypatch):
    monkeypatch.setenv("LOCAL_API_KEY", "none")
    yield shutil.copytree(frozen, tmp_path / "trial")
    gc.collect()  # what the client leaves open is closed here, where nobody is told of it


def asked(folder, server, monkeypatch, effort=AT_ONCE, **more):
    monkeypatch.setenv("LOCAL_BASE_URL", server.address)
    inspect_models = pytest.importorskip("inspect_ai.model")
    with server:
        # Kept models would keep the address of another test's server.
        model = inspect_models.get_model(AGENT, memoize=False)
        return run(folder, effort=effort, models={AGENT: model}, **more)


@pytest.mark.parametrize("how", [["hang"], ["garbage"], ["limit"] * 3, ["broken", "drop", "limit"]])
def test_aborted_episodes_are_retried_and_counted(folder, how, monkeypatch):
    done = asked(folder, Server("answer", *how), monkeypatch)
    assert (done.done, done.planned, done.failures) == (2, 2, 1)
    [failure] = read_failures(folder / "failures.jsonl")
    assert failure["error"]
    assert failure["usage"]["input_tokens"] == 1000
    records = read_ledger(folder / "ledger.jsonl")
    assert [record["usage"]["input_tokens"] for record in records] == [2000, 2000]
    paid = sum(record["usage"]["cost"] for record in (*records, failure))
    assert done.spent == pytest.approx(paid)
    assert sum(analyse(load(folder)).failures.values()) == 1


@pytest.mark.parametrize("how", ["limit", "broken", "drop"])
def test_retried_requests_abort_no_episode(folder, how, monkeypatch):
    done = asked(folder, Server(how), monkeypatch)
    assert (done.done, done.failures) == (2, 0)
    found = analyse(load(folder))
    assert found.sent_again == 1
    assert title(found) == "2 of 2 episodes; 0 tries broken off, 1 requests sent again"


def test_a_tool_call_that_cannot_be_read_is_answered_and_counted(folder, monkeypatch):
    done = asked(folder, Server("malformed"), monkeypatch)
    assert (done.done, done.failures) == (2, 0)
    usages = [record["usage"] for record in read_ledger(folder / "ledger.jsonl")]
    assert sum(usage["malformed"] for usage in usages) == 1


def test_tokens_of_a_cache_are_counted_and_paid_for(folder, monkeypatch):
    assert asked(folder, Server(then="cached"), monkeypatch).done == 2
    for record in read_ledger(folder / "ledger.jsonl"):
        usage = record["usage"]
        assert (usage["input_tokens"], usage["cached_tokens"]) == (1000, 900)
        assert usage["cost"] == pytest.approx((1000 * 1.0 + 100 * 2.0) / 1e6)


@pytest.mark.parametrize(("how", "status"), [("key", 401), ("forbidden", 403), ("money", 402)])
def test_refusals_stop_the_run_after_one_request(folder, how, status, monkeypatch):
    server = Server(then=how)
    with pytest.raises(OutcomeMonitorsError, match=rf"{AGENT} cannot be asked \({status}, .*for {how}"):
        asked(folder, server, monkeypatch, PATIENT)
    assert server.requests == 1
    assert read_ledger(folder / "ledger.jsonl") == []


def frozen_with(frozen, tmp_path, agent, settings):
    design = Design(
        environment=dict(load(frozen).manifest["environment"]),
        agents=(agent,),
        strata=("C1/P0",),
        per_stratum=1,
        profile="paper",
        settings=settings,
    )
    return freeze(tmp_path / "settings", design).folder


def test_settings_are_frozen_and_reach_the_endpoint(frozen, tmp_path, monkeypatch):
    monkeypatch.setenv("LOCAL_API_KEY", "none")
    settings = {
        "temperature": 0.5,
        "max_tokens": 77,
        "reasoning": "off",
        "model_args": {"default_query": {"tried": "1"}},
    }
    folder = frozen_with(frozen, tmp_path, AGENT, settings)
    assert settings.items() <= load(folder).manifest["settings"].items()
    with Server() as server:
        monkeypatch.setenv("LOCAL_BASE_URL", server.address)
        assert run(folder, effort=AT_ONCE).done == 2
    gc.collect()
    assert len(server.asked) == 4
    for request in server.asked:
        assert (request["temperature"], request["max_tokens"]) == (0.5, 77)
        assert request["reasoning_effort"] == "none"
