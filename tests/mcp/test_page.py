"""The pages on the proxy and on events are true."""

from outcome_monitors.events import OUTCOMES
from outcome_monitors.learning.rollout import STAGES
from outcome_monitors.receipts.mcp import CARRIERS
from tests.page_examples import holds
from tests.pages import keep, table, with_part
from tests.places import DOCS

PROXY, EVENTS = DOCS / "guides" / "proxy.md", DOCS / "guides" / "events.md"


def test_the_outcomes_are_those_of_the_table():
    rows = [(f"`{outcome}`", says) for outcome, says in OUTCOMES.items()]
    keep(
        EVENTS, with_part(EVENTS.read_text(encoding="utf-8"), "outcomes", table(("outcome", "meaning"), rows))
    )


def test_every_way_and_stage_is_on_the_page():
    text = PROXY.read_text(encoding="utf-8")
    assert [carrier for carrier in CARRIERS if f"| `{carrier}` |" not in text] == []
    assert [stage for stage in STAGES if f"| {stage} |" not in text] == []


def test_the_examples_of_events_work(tmp_path):
    holds(EVENTS, tmp_path)
