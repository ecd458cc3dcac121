"""Models run through inspect_ai, here its mock: no endpoint is asked."""

import gc
import json
import shutil

import pytest

from outcome_monitors.exceptions import MissingExtra
from outcome_monitors_study import models
from outcome_monitors_study._ledger import read_ledger
from outcome_monitors_study.design import Design
from outcome_monitors_study.manifest import freeze
from outcome_monitors_study.run import run

# Its streams and its dependencies warn of themselves; a warning raised inside it would fail the episode.
pytestmark = pytest.mark.filterwarnings("ignore")

AGENT = "mockllm/model"
DESIGN = Design(
    environment={"environment": "world", "workflows": 16, "seed": 0, "suites": ["toolmaze"]},
    agents=(AGENT,),
    arms=("baseline", "always-warn", "self-critique", "reviewer"),
    strata=("C1/P0",),
    per_stratum=1,
    profile="paper",
    settings={"prices": {AGENT: {"input": 1.0, "output": 2.0, "date": "2026-11-01"}}},
)


@pytest.fixture(scope="module")
def frozen(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "frozen"
    freeze(folder, DESIGN)
    return folder


@pytest.fixture
def folder(frozen, tmp_path):
    yield shutil.copytree(frozen, tmp_path / "trial")
    gc.collect()  # what it leaves open is closed here, where nobody is told of it


def test_without_the_extra_the_error_says_what_to_install(folder, monkeypatch):
    monkeypatch.setattr(models, "find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"outcome-monitors-study\[models\]"):
        run(folder)


class Mock:
    """A model that calls its first tool once, then answers."""

    def __init__(self, *, calls: int = 1):
        self.calls = calls
        self.prompts: set[str] = set()
        self.reviews: list[str] = []
        self.seen: list[str] = []

    @property
    def model(self):
        inspect_models = pytest.importorskip("inspect_ai.model", reason="the extra `study` is not installed")
        self._api = inspect_models
        return inspect_models.get_model(AGENT, custom_outputs=self._answer)

    def _answer(self, messages, tools, _choice, _config):
        if messages[0].role == "system":
            self.prompts.add(messages[0].text)
        self.seen += [message.text for message in messages if message.role == "tool"]
        if not tools:
            self.reviews.append(messages[0].text)
        if tools and sum(message.role == "tool" for message in messages) < self.calls:
            output = self._api.ModelOutput.for_tool_call(AGENT, tools[0].name, {"nonsense": 1})
        else:
            output = self._api.ModelOutput.from_content(AGENT, "APPROVE" if not tools else "All done.")
        output.usage = self._api.ModelUsage(input_tokens=1000, output_tokens=100, total_tokens=1100)
        return output


def test_episodes_of_every_arm_reach_the_ledger_with_usage_and_cost(folder):
    mock = Mock()
    done = run(folder, models={AGENT: mock.model})
    assert done.done == done.planned == 4
    records = {record["arm"]: record for record in read_ledger(folder / "ledger.jsonl")}
    assert records.keys() == set(DESIGN.arms)
    assert not any(record["scripted"] or record["completed"] for record in records.values())
    base = records["baseline"]
    assert [json.loads(call["delivered"])["code"] for call in base["calls"]] == ["invalid_argument"]
    assert base["usage"]["input_tokens"] == 2000
    assert base["usage"]["cost"] == pytest.approx((2000 * 1 + 200 * 2) / 1e6)
    assert records["self-critique"]["usage"]["input_tokens"] == 3000
    assert records["reviewer"]["usage"]["reviews"] == 1
    assert done.spent == pytest.approx(sum(record["usage"]["cost"] for record in records.values()))
    assert len(mock.prompts) == 1
    assert "contract" not in mock.prompts.pop().lower()
    assert any("outcome_contract" in json.loads(text) for text in mock.seen)


def test_max_cost_stops_and_a_later_run_goes_on(folder):
    some = run(folder, models={AGENT: Mock().model}, max_cost=0.006)
    assert 0 < some.done < 4
    assert (some.spent or 0) <= 0.006
    assert run(folder, models={AGENT: Mock().model}).done == 4


def test_the_reviewer_reads_the_calls_that_were_made(folder):
    mock = Mock(calls=2)
    assert run(folder, models={AGENT: mock.model}).done == 4
    [first, second] = mock.reviews
    assert "assistant calls" not in first
    [made] = [line for line in second.splitlines() if line.startswith("assistant calls")]
    call = json.loads(made.partition("calls ")[2])
    assert call["arguments"] == {"nonsense": 1}
    assert f'"name": "{call["tool"]}"' in second
