"""tau-bench retail: the tools against recorded traffic, tasks from a checkout, faults, judge, user, and whole studies."""

import gc
import gzip
import json
from collections import defaultdict
from typing import Any

import pytest

from outcome_monitors.exceptions import OutcomeMonitorsError, SourceError
from outcome_monitors_study._ledger import read_ledger
from outcome_monitors_study.design import Design
from outcome_monitors_study.environments import environment
from outcome_monitors_study.environments.tau import TauRetailEnvironment
from outcome_monitors_study.environments.tau.checkout import read_tables, read_tasks
from outcome_monitors_study.environments.tau.domain import Records
from outcome_monitors_study.environments.tau.retail import TAU_RETAIL
from outcome_monitors_study.manifest import freeze
from outcome_monitors_study.run import run
from tests.shared import shared
from tests.study.checkouts import made_tables, make_checkout


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    return make_checkout(tmp_path_factory.mktemp("tau"))


@pytest.fixture(scope="module")
def place(checkout):
    return environment({"environment": "tau-retail", "checkout": str(checkout)})


# The tools.


def test_the_tools_answer_as_the_recorded_ones_did():
    tables = read_tables(shared("data/tau_bench_retail"), TAU_RETAIL.needed)
    sessions = defaultdict(list)
    with gzip.open(shared("data/traces/tau_retail.jsonl.gz"), "rt") as lines:
        for line in lines:
            call = json.loads(line)
            sessions[call["session"]].append(call)
    differing = []
    for calls in sessions.values():
        shop = Records(tables)
        differing += [
            call for call in calls if TAU_RETAIL.call(shop, call["tool"], call["arguments"]) != call["result"]
        ]
    assert sum(map(len, sessions.values())) == 4504
    assert differing == []


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("2 + 2", 4.0),
        ("(1.005 - 3) * 2 / 4", -1.0),
        ("1 / 0", "Error: division by zero"),
        ("__import__", "Error: invalid characters in expression"),
        ("9 ** 9 ** 9", "Error: the power is too large"),
        ("2 +", "Error: invalid syntax"),
        ("(" * 3000 + ")" * 3000, "Error: "),
    ],
)
def test_the_calculator_works_out_numbers_and_nothing_else(expression, expected):
    found = TAU_RETAIL.call(Records(made_tables()), "calculate", {"expression": expression})
    assert found == expected if isinstance(expected, float) else found.startswith(expected)


# The checkout.


def test_tasks_are_read_and_no_code_of_the_checkout_is_run(place):
    tasks = list(place._tasks.values())
    assert [task.name for task in tasks] == [f"retail/{n}" for n in range(6)]
    assert tasks[0].actions[-1].tool == "cancel_pending_order"
    assert tasks[5].outputs
    [spec] = [spec for spec in place.specs() if spec["name"] == "get_order_details"]
    assert spec["description"] == "An order, as the checkout describes it."
    assert {spec["name"] for spec in place.specs()} == set(TAU_RETAIL.tools)
    assert place.system_prompt.startswith("# Policy")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("TASKS = []", "holds no list of Task"),
        ("TASKS = [Task(user_id=f(), instruction='b', actions=[])]", "line 1: not of the form Task"),
        (
            "TASKS = [\nTask(user_id='a', instruction='b', actions=[Action(name='x', kwargs=3)])]",
            "line 2: not of the form Task",
        ),
        ("TASKS = [", "line 1: not Python"),
    ],
)
def test_task_files_of_another_form_are_errors(tmp_path, text, said):
    file = tmp_path / "tasks_test.py"
    file.write_text(text)
    with pytest.raises(SourceError, match=said):
        read_tasks(file)


def test_missing_files_and_strata_are_errors(tmp_path, checkout):
    elsewhere = environment({"environment": "tau-retail", "checkout": str(tmp_path)})
    with pytest.raises(SourceError, match=r"tasks_test.py.*study fetch tau-bench"):
        elsewhere.cells({"status": 1}, 0)
    (tmp_path / "orders.json").write_text('{"#W1": {"order_id": "#W1"}}')
    with pytest.raises(SourceError, match="orders #W1 lacks user_id"):
        read_tables(tmp_path, TAU_RETAIL.needed)
    place = environment({"environment": "tau-retail", "checkout": str(checkout)})
    with pytest.raises(OutcomeMonitorsError, match="has 6 tasks, not 50"):
        place.cells({"status": 50}, 0)
    with pytest.raises(OutcomeMonitorsError, match="no stratum 'C3/P3'"):
        place.cells({"C3/P3": 1}, 0)


# Faults, and what contracts say of them.


# The judge.


# The user.


# Whole studies.

DESIGN: dict[str, Any] = {
    "agents": ("scripted-naive", "scripted-careful", "scripted-follows:1"),
    "arms": ("baseline", "advisory-v1", "generic", "always-warn", "hard-guard", "always-verify"),
    "strata": ("status", "conservation", "clean"),
    "per_stratum": 6,
    "profile": "paper",
}


@pytest.mark.filterwarnings("ignore")
def test_two_models_talk_one_of_them_as_the_user(tmp_path, checkout):
    models = pytest.importorskip("inspect_ai.model", reason="the extra `study` is not installed")
    agent, user = "mockllm/agent", "mockllm/user"
    prices = {name: {"input": 1.0, "output": 1.0, "date": "2026-11-01"} for name in (agent, user)}
    study = freeze(
        tmp_path / "trial",
        Design(
            environment={"environment": "tau-retail", "checkout": str(checkout)},
            **{**DESIGN, "agents": (agent,), "arms": ("baseline", "advisory-v1"), "per_stratum": 1},
            settings={"user_model": user, "prices": prices},
        ),
    )
    place = TauRetailEnvironment(str(checkout))
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
