"""Environments and arms of one's own: named by import path, frozen with the study, and contained where they raise."""

import gc
import importlib
import json
import re
import sys
from dataclasses import replace

import pytest

from outcome_monitors.cli import commands
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors_study._ledger import read_failures, read_ledger
from outcome_monitors_study.design import Design
from outcome_monitors_study.manifest import amend, freeze, load
from outcome_monitors_study.run import run
from tests.commandline import runner
from tests.places import DOCS

PAGE = (DOCS / "guides" / "studies.md").read_text(encoding="utf-8").partition("\n## Your own")[2]
[SOURCE, *_] = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
LINES = re.findall(r"^outcome-monitors (study (?:freeze|run|analyze) .*)$", PAGE, re.MULTILINE)
DESIGN = Design(
    environment={"environment": "shop.Shop"},
    agents=("scripted-follows:1",),
    arms=("baseline", "shop.Doubt"),
    strata=("negative", "clean"),
    per_stratum=2,
)


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A working directory for the module."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield tmp_path
    sys.modules.pop("shop", None)


def install(site, source=SOURCE):
    """Write the module."""
    (site / "shop.py").write_text(source)
    # Another test's folder may have been at the same place of the path a moment ago.
    importlib.invalidate_caches()
    return site / "shop.py"


def said(*arguments):
    return runner().invoke(commands, arguments, prog_name="outcome-monitors")


def test_the_example_of_the_page_is_short_and_runs(site, tmp_path):
    install(site)
    assert len([line for line in SOURCE.splitlines() if line.strip()]) <= 40
    assert len(LINES) == 3
    frozen, ran, analysed = [said(*line.split()) for line in LINES]
    assert "frozen, 5 tasks, 3 arms, 1 agent, 30 episodes" in frozen.output, frozen.output
    assert (ran.exit_code, ran.output) == (0, "trial: 30 of 30 episodes done, cost 0.00\n")
    first = analysed.output.partition("Each arm against")[2].partition("\n\n")[0]
    rates = dict(re.findall(r"^ (\S+)[ *]+(\d/\d)(?: |$)", first, re.MULTILINE))
    assert rates == {"baseline": "0/5", "advisory-v2": "5/5", "shop.Doubt": "0/5"}
    manifest = json.loads((tmp_path / "trial" / "manifest.json").read_text())
    assert manifest["environment"] == {"environment": "shop.Shop"}
    assert manifest["clean"] == ["clean"]
    assert {"environment shop.Shop", "arm shop.Doubt"} <= manifest["hashes"].keys()


def test_a_plugin_that_has_changed_is_refused_until_it_is_disclosed(site, tmp_path):
    file = install(site)
    freeze(tmp_path / "trial", DESIGN)
    file.write_text(SOURCE.replace("Tools err at times.", "Tools err often."))
    parts = ["environment shop.Shop", "arm shop.Doubt"]
    with pytest.raises(OutcomeMonitorsError, match=f"this differs: {', '.join(parts)}; restore"):
        run(tmp_path / "trial")
    assert amend(tmp_path / "trial", "a word")["changed"] == parts
    assert run(tmp_path / "trial").done == 8


@pytest.mark.parametrize(
    ("whole", "broken", "told", "lost"),
    [
        (
            "        self._looks += 1\n",
            "        raise KeyError('gone')\n",
            r"Purchase raised KeyError: 'gone' \(",
            8,
        ),
        ("        return Delivery(", "        return 1 / 0, Delivery(", r"Doubt raised ZeroDiv", 4),
        ("        said = getattr", "        return None\n        said = getattr", "no EpisodeVerdict", 8),
    ],
)
def test_a_plugin_that_raises_costs_the_episode_and_not_the_run(site, tmp_path, whole, broken, told, lost):
    assert whole in SOURCE
    install(site, SOURCE.replace(whole, broken))
    freeze(tmp_path / "trial", DESIGN)
    done = said("study", "run", "trial")
    failures = read_failures(tmp_path / "trial" / "failures.jsonl")
    assert len(read_ledger(tmp_path / "trial" / "ledger.jsonl")) == 8 - lost
    assert len(failures) == lost
    assert all(re.search(told, failure["error"]) for failure in failures), failures
    if lost:
        assert done.exit_code == 2
        assert re.search(rf"an episode was broken off: .*{told}", done.stderr), done.stderr
        assert f"{8 - lost} of 8 episodes done, cost 0.00, {lost} tries broken off" in done.stdout


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("import nowhere_at_all", "shop.Shop cannot be loaded: ModuleNotFoundError"),
        ("class Shop:\n    def cells(self): ...", "environment 'shop.Shop' is none; derive it"),
        (SOURCE.replace("def cells(self, wanted,", "def cells(self,"), "raised TypeError: "),
        (SOURCE.replace("        return [Cell(", "        return [] and [Cell("), "gave no cells"),
    ],
)
def test_unusable_plugins_are_errors(site, source, told):
    install(site, source)
    done = said("study", "freeze", "trial", "--environment", "shop.Shop", "--strata", "clean:1")
    assert done.exit_code == 2
    assert re.search(told, done.stderr), done.stderr
    assert done.stderr.count("\n") == 1


def test_options_are_frozen_with_the_defaults_of_the_others(site, tmp_path):
    made = "    def __init__(self, most=0, title=''):\n        pass\n\n"
    install(site, SOURCE.replace("    def cells(", made + "    def cells("))
    freezing = ("study", "freeze", "trial", "--environment", "shop.Shop", "--per-stratum", "1")
    assert said(*freezing, "--option", "most=3").exit_code == 0
    frozen = load(tmp_path / "trial").manifest["environment"]
    assert frozen == {"environment": "shop.Shop", "most": 3, "title": ""}
    assert run(tmp_path / "trial").done == 4


def _counted(inspect_models, output):
    """Say how many tokens it took; inspect_ai would ask the network how to count them."""
    output.usage = inspect_models.ModelUsage(input_tokens=10, output_tokens=1, total_tokens=11)
    return output


TALKING = """
    over = False

    def opening(self, ask):
        return {opening}

    def reply(self, said, ask):
        return {reply}

    def call(self, tool, arguments):
"""


@pytest.mark.filterwarnings("ignore")  # those of inspect_ai and of what it stands on
@pytest.mark.parametrize(
    ("opening", "reply", "before", "blamed"),
    [
        ("1 / 0", "None", "return None", "shop.Purchase raised ZeroDivisionError"),
        ("'hello'", "None", "raise KeyError('gone')", "shop.Doubt raised KeyError"),
    ],
)
def test_what_a_plugin_raises_around_a_model_is_its_own(site, tmp_path, opening, reply, before, blamed):
    """It is told by its name, noted, and not tried again as if an endpoint had failed."""
    inspect_models = pytest.importorskip("inspect_ai.model", reason="the extra `study` is not installed")

    def answer(messages, tools, _choice, _config):
        made = inspect_models.ModelOutput
        if messages[-1].role == "tool":
            return _counted(inspect_models, made.from_content("mockllm/model", "It costs 10."))
        return _counted(
            inspect_models, made.for_tool_call("mockllm/model", tools[0].name, {"item": "item 1"})
        )

    talking = TALKING.format(opening=opening, reply=reply).lstrip("\n")
    source = SOURCE.replace("    def call(self, tool, arguments):\n", talking, 1).replace(
        "    def deliver(",
        f"    def before(self, tool, arguments, said):\n        {before}\n\n    def deliver(",
    )
    install(site, source)
    freeze(tmp_path / "trial", replace(DESIGN, agents=("mockllm/model",)))
    told = []
    mock = inspect_models.get_model("mockllm/model", custom_outputs=answer)
    done = run(
        tmp_path / "trial",
        models={"mockllm/model": mock},
        on_progress=lambda now: told.append((now.fault, now.trouble)),
    )
    gc.collect()  # what inspect_ai leaves open is closed here, where nobody is told of it
    broken = [fault for fault, _ in told if fault]
    assert done.planned - done.done == done.failures == len(broken) > 0
    assert all(blamed in fault for fault in broken)
    assert not any(trouble for _, trouble in told)
    notes = read_failures(tmp_path / "trial" / "failures.jsonl")
    assert len({note["episode"] for note in notes}) == len(notes) == len(broken)
