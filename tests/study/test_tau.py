"""tau-bench: tools and tasks of a checkout, faults, judge, user, and whole studies."""

import gc
import gzip
import json
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from outcome_monitors import Monitor, Registry
from outcome_monitors.contracts.sources.database import from_records
from outcome_monitors.exceptions import OutcomeMonitorsError, SourceError
from outcome_monitors_study._ledger import read_ledger
from outcome_monitors_study.design import Design
from outcome_monitors_study.environments import environment
from outcome_monitors_study.environments.environment import Cell
from outcome_monitors_study.environments.tau.checkout import TauCheckout, read_tables, read_tasks
from outcome_monitors_study.environments.tau.retail import LOOK, WRITES
from outcome_monitors_study.manifest import freeze
from outcome_monitors_study.run import run
from tests.shared import shared
from tests.study.checkouts import made_tables, make_checkout

STRATA = ("status", "conservation", "clean")


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    return {"environment": "tau-retail", "checkout": str(make_checkout(tmp_path_factory.mktemp("tau")))}


@pytest.fixture(scope="module")
def place(settings):
    return environment(settings)


def opened(place, number=0, stratum="clean"):
    return place.open(Cell(f"retail/{number}/{stratum}", stratum, f"retail/{number}"))


def plan_of(place, number):
    return place._tasks[f"retail/{number}"].actions


# The tools, and the checkout.


def test_tools_are_the_checkouts_own_and_each_episode_has_records_of_its_own(place, settings):
    first, second = opened(place), opened(place)
    cancel = plan_of(place, 0)[-1]
    assert first.call(*cancel).raw["status"] == "cancelled"
    assert first.call(*cancel).raw == "Error: non-pending order cannot be changed"
    assert first.call("burn", {}).raw == "Error: there is no tool burn"
    assert first.call(LOOK, {"order": 1}).raw.startswith("Error: ")
    assert second.call(*plan_of(place, 0)[-2]).raw["status"] == "pending"
    assert [name for name in sys.modules if name.partition(".")[0] == "tau_bench"] == []
    assert TauCheckout(Path(settings["checkout"])).tools.keys() == place._checkout.tools.keys()


def test_tools_that_were_edited_are_another_study(tmp_path):
    folder = make_checkout(tmp_path)
    before = environment({"environment": "tau-retail", "checkout": str(folder)}).fingerprint([])
    file = folder / "tau_bench" / "envs" / "retail" / "tools" / "get_order_details.py"
    file.write_text(file.read_text() + "\n")
    assert environment({"environment": "tau-retail", "checkout": str(folder)}).fingerprint([]) != before
    file.write_text("import json, nothing_of_that_name\n")
    with pytest.raises(
        SourceError, match="tools.* cannot be loaded: No module named 'nothing_of_that_name'; give"
    ):
        environment({"environment": "tau-retail", "checkout": str(folder)}).specs()


def test_tasks_and_descriptions_are_those_of_the_checkout(place):
    tasks = list(place._tasks.values())
    assert [task.name for task in tasks] == [f"retail/{n}" for n in range(6)]
    assert tasks[0].actions[-1].tool == "cancel_pending_order"
    assert tasks[5].outputs
    [spec] = [spec for spec in place.specs() if spec["name"] == "get_order_details"]
    assert spec["description"] == "An order, as the checkout describes it."
    assert spec["annotations"]["readOnlyHint"]
    assert place.system_prompt.startswith("# Policy")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("TASKS = [Task(user_id=f(), instruction='b', actions=[])]", "line 1: not of the form Task"),
        ("TASKS = [", "line 1: not Python"),
    ],
)
def test_task_files_in_python_of_another_form_are_errors(tmp_path, text, said):
    file = tmp_path / "tasks_test.py"
    file.write_text(text)
    with pytest.raises(SourceError, match=said):
        read_tasks(file)


def test_missing_files_and_strata_are_errors(tmp_path, place):
    elsewhere = environment({"environment": "tau-retail", "checkout": str(tmp_path)})
    with pytest.raises(SourceError, match=r"tasks_test.py.*study fetch tau-bench"):
        elsewhere.cells({"status": 1}, 0)
    (tmp_path / "orders.json").write_text('{"#W1": {"order_id": "#W1"}}')
    with pytest.raises(SourceError, match="orders #W1 lacks user_id"):
        read_tables(tmp_path)
    with pytest.raises(OutcomeMonitorsError, match="has 6 tasks, not 50"):
        place.cells({"status": 50}, 0)
    with pytest.raises(OutcomeMonitorsError, match="no stratum 'C3/P3'"):
        place.cells({"C3/P3": 1}, 0)


# Faults, and what contracts say of them.


def test_faults_persist_and_change_what_is_shown_alone(place):
    look = next(step for step in plan_of(place, 0) if step.tool == LOOK)
    for stratum in place.STRATA[:2]:
        episode = opened(place, 0, stratum)
        first, second = (episode.call(*look) for _ in range(2))
        assert first.injected
        assert first.seen == second.seen != first.raw
        assert first.raw == second.raw == opened(place, 0).call(*look).seen
    assert [place.is_clean(stratum) for stratum in place.STRATA] == [False, False, True]


def test_the_contracts_flag_both_faults_and_no_clean_run(place):
    monitor = Monitor(place.contracts(frozenset(place._tasks), "paper"))
    injected = set()
    for number in range(len(place._tasks)):
        for stratum in place.STRATA:
            episode = opened(place, number, stratum)
            for tool, arguments in plan_of(place, number):
                served = episode.call(tool, arguments)
                assert bool(monitor.check(tool, arguments, served.seen)) == served.injected, (stratum, tool)
                injected.add(served.injected)
    assert injected == {True, False}


def test_contracts_know_nothing_of_the_customers_under_study(place):
    task = "retail/0"
    owner = place._tasks[task].user_id
    own = [order for order in made_tables()["orders"].values() if order["user_id"] == owner]

    def orders(without):
        clauses = place.contracts(frozenset(without), "paper").contracts[LOOK].clauses
        return next(clause.samples for clause in clauses if clause.path == "status")

    assert orders(()) - orders((task,)) == len(own) > 0


def test_the_papers_contracts_hold_of_nearly_all_recorded_looks():
    """Nine in a thousand show a status that only a tool's change brings about."""
    tables = read_tables(shared("data/tau_bench_retail"))
    accepted = from_records(list(tables["orders"].values()), LOOK, "retail").accepted
    kinds = [clause.kind for clause in accepted[0].clauses]
    assert kinds == ["positive", "positive", "domain", "domain", "conservation"]
    monitor = Monitor(Registry({LOOK: accepted[0]}, "paper"))
    with gzip.open(shared("data/traces/tau_retail.jsonl.gz"), "rt") as lines:
        looks = [each for each in map(json.loads, lines) if each["tool"] == LOOK]
    found = [monitor.check(LOOK, each["arguments"], each["result"]) for each in looks]
    flagged = [violation.observed for violations in found for violation in violations]
    assert set(flagged) == {"return requested", "pending (item modified)"}
    assert len(flagged) == 13


# The judge, and the user.


def test_tasks_are_completed_by_their_actions_and_not_by_less_or_more(place):
    for number in range(len(place._tasks)):
        task = place._tasks[f"retail/{number}"]
        episode, idle, mute = (opened(place, number) for _ in range(3))
        for each in (episode, mute):
            for step in task.actions:
                each.call(*step)
        for each in (episode, idle):
            each.reply(f"Done: {', '.join(task.outputs)}.", None)
        changes = any(step.tool in WRITES for step in task.actions)
        assert episode.judge("").completed
        assert idle.judge("").completed != changes
        assert mute.judge("").completed != bool(task.outputs)
    over = opened(place, 0)
    for step in (*plan_of(place, 0), *plan_of(place, 1)):
        over.call(*step)
    assert not over.judge("").completed


# Whole studies.


def test_a_study_by_scripts_from_end_to_end(tmp_path, settings):
    design = Design(
        environment=settings,
        agents=("scripted-careful", "scripted-follows:1"),
        arms=("baseline", "advisory-v1"),
        strata=STRATA,
        per_stratum=3,
        profile="paper",
    )
    study = freeze(tmp_path / "trial", design)
    assert study.manifest["clean"] == ["clean"]
    done = run(study.folder)
    assert done.done == done.planned == 3 * 3 * 2 * 2
    completed: defaultdict[tuple[str, str], list[bool]] = defaultdict(list)
    for record in read_ledger(study.ledger):
        met = record["stratum"] != "clean" and record["score"]["hit"]
        completed[record["arm"], "met" if met else "clean"].append(record["completed"])
        assert any("violations" in each for each in record["calls"]) == (met and record["arm"] != "baseline")
    assert all(completed["baseline", "clean"])
    assert all(completed["advisory-v1", "clean"])
    assert sum(completed["advisory-v1", "met"]) > sum(completed["baseline", "met"])


@pytest.mark.filterwarnings("ignore")
def test_two_models_talk_one_of_them_as_the_user(tmp_path, settings, place):
    models = pytest.importorskip("inspect_ai.model", reason="the extra `study` is not installed")
    agent, user = "mockllm/agent", "mockllm/user"
    prices = {name: {"input": 1.0, "output": 1.0, "date": "2026-11-01"} for name in (agent, user)}
    study = freeze(
        tmp_path / "trial",
        Design(
            environment=settings,
            agents=(agent,),
            arms=("baseline", "advisory-v1"),
            strata=STRATA,
            per_stratum=1,
            profile="paper",
            settings={"user_model": user, "prices": prices},
        ),
    )
    plans = {task.instruction: task for task in place._tasks.values()}
    systems = set()

    def counted(output):
        output.usage = models.ModelUsage(input_tokens=100, output_tokens=10, total_tokens=110)
        return output

    def as_user(messages, *_):
        asked = sum(message.role == "user" for message in messages)
        instruction = messages[0].text.split("Instruction: ")[1].split("\n")[0]
        line = (instruction, "Yes, please.", "###STOP###")[asked - 1]
        return counted(models.ModelOutput.from_content(user, line))

    def as_agent(messages, *_):
        systems.add(messages[0].text)
        task = plans[messages[1].text]
        if len(messages) == 2:
            return counted(models.ModelOutput.from_content(agent, "Shall I?"))
        done = sum(message.role == "tool" for message in messages)
        if done < len(task.actions):
            tool, arguments = task.actions[done]
            return counted(models.ModelOutput.for_tool_call(agent, tool, dict(arguments)))
        return counted(models.ModelOutput.from_content(agent, f"Done: {task.outputs}"))

    done = run(
        study.folder,
        models={
            agent: models.get_model(agent, custom_outputs=as_agent),
            user: models.get_model(user, custom_outputs=as_user),
        },
    )
    gc.collect()
    records = read_ledger(study.ledger)
    assert done.done == done.planned == 6
    assert all(record["completed"] for record in records)
    assert systems == {place.system_prompt}
    usage = records[0]["usage"]
    assert usage["user_input_tokens"] == 300
    assert usage["cost"] == pytest.approx((usage["input_tokens"] + usage["output_tokens"] + 330) / 1e6)
