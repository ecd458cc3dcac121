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
from outcome_monitors_study.sent import CONVERSATION
from outcome_monitors_study.study_tables import title
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


@pytest.mark.parametrize("how", [["hang"], ["garbage"], ["half"], ["limit"] * 3, ["broken", "drop", "limit"]])
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


DEEPSEEK, ANTHROPIC = "deepseek/deepseek-v4-flash", "anthropic/claude-sonnet-4-5"
BUDGET = {"type": "enabled", "budget_tokens": 8192}


@pytest.mark.parametrize(
    ("agent", "settings", "sent"),
    [
        (AGENT, {"temperature": 0.5, "max_tokens": 77}, {"temperature": 0.5, "max_tokens": 77}),
        (AGENT, {"reasoning": "off"}, {"temperature": 0, "reasoning_effort": "none"}),
        (DEEPSEEK, {"reasoning": "off"}, {"temperature": 0, "thinking": {"type": "disabled"}}),
        (DEEPSEEK, {"request": {"thinking": BUDGET}}, {"temperature": 0, "thinking": BUDGET}),
        (ANTHROPIC, {"reasoning_tokens": 1024, "max_tokens": 2048}, {}),
    ],
)
def test_settings_are_frozen_as_they_are_sent(frozen, tmp_path, agent, settings, sent, monkeypatch):
    # A model that was asked with the same arguments is kept, with the address of its server.
    other = {} if agent == ANTHROPIC else {"model_args": {"default_query": {"tried": str(settings)}}}
    folder = frozen_with(frozen, tmp_path, agent, {**settings, **other})
    body = load(folder).manifest["sent"][agent]
    assert sent.items() <= body.items()
    assert "max_tokens" in settings or "max_tokens" not in body
    with Server() as server:
        for provider in ("LOCAL", "DEEPSEEK", "ANTHROPIC"):
            monkeypatch.setenv(f"{provider}_API_KEY", "none")
            monkeypatch.setenv(f"{provider}_BASE_URL", server.address)
        assert run(folder, effort=AT_ONCE).done == 2
    gc.collect()
    assert len(server.asked) == 4
    for request in server.asked:
        assert {name: value for name, value in request.items() if name not in CONVERSATION} == body
    if agent == ANTHROPIC:
        assert body["thinking"]["budget_tokens"] == 1024


@pytest.mark.parametrize(
    ("agent", "settings", "said"),
    [
        (
            DEEPSEEK,
            {"reasoning_tokens": 8192},
            "--reasoning-tokens 8192 does not reach .*: it is not sent at all",
        ),
        (AGENT, {"reasoning_tokens": 8192}, "it is not sent at all"),
        (DEEPSEEK, {"reasoning": "minimal"}, '"reasoning_effort":"low"'),
        (ANTHROPIC, {"reasoning": "off"}, "--reasoning off does not reach"),
    ],
)
def test_what_cannot_be_sent_is_not_frozen(frozen, tmp_path, agent, settings, said):
    with pytest.raises(OutcomeMonitorsError, match=said):
        frozen_with(frozen, tmp_path, agent, settings)
    assert not (tmp_path / "settings").exists()


def test_another_request_than_the_frozen_one_is_not_sent(frozen, tmp_path, monkeypatch):
    monkeypatch.setenv("LOCAL_API_KEY", "none")
    folder = frozen_with(frozen, tmp_path, AGENT, {})
    monkeypatch.setattr("outcome_monitors_study.sent.generation", lambda _settings: {"temperature": 1.0})
    with pytest.raises(OutcomeMonitorsError, match=f"{AGENT} would be sent .*, and frozen is .*study amend"):
        run(folder)
    assert read_ledger(folder / "ledger.jsonl") == []


def test_a_rejected_request_is_not_sent_again(folder, monkeypatch):
    server = Server("rejected")
    with pytest.raises(OutcomeMonitorsError, match="does not take the first request: .*for rejected"):
        asked(folder, server, monkeypatch, PATIENT)
    assert server.requests == 1
    again = Server("answer", "rejected")
    done = asked(folder, again, monkeypatch, PATIENT)
    assert (done.done, done.planned, done.failures) == (1, 2, 2)
    assert again.requests == 4
