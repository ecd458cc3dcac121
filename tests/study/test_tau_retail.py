"""tau-bench retail: the tools against recorded traffic, tasks from a checkout, faults, judge, user, and whole studies."""

import gc
import gzip
import json
from collections import defaultdict
from typing import Any

import pytest

from outcome_monitors.exceptions import OutcomeMonitorsError, SourceError
from outcome_monitors_study._ledger import read_ledger
from outcome_monitors_study.arms import ARMS, Bench
from outcome_monitors_study.conversation import EpisodeRecorder
from outcome_monitors_study.environments import Cell, environment
from outcome_monitors_study.environments.tau import TauRetailEnvironment
from outcome_monitors_study.environments.tau.checkout import read_tables, read_tasks
from outcome_monitors_study.environments.tau.domain import Records
from outcome_monitors_study.environments.tau.retail import FAULTS, TAU_RETAIL
from outcome_monitors_study.manifest import Design, freeze
from outcome_monitors_study.run import run
from tests.shared import shared
from tests.study.retail_checkout import made_tables, make_checkout


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    return make_checkout(tmp_path_factory.mktemp("tau"))


@pytest.fixture(scope="module")
def place(checkout):
    return environment({"environment": "tau-retail", "checkout": str(checkout)})


def opened(place, number=0, stratum="clean"):
    return place.open(Cell(f"retail/{number}/{stratum}", stratum, f"retail/{number}"))


def plan_of(place, number):
    return place._tasks[f"retail/{number}"].actions


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
        ("7 // 2", 3.0),
        ("2 ** 3", 8.0),
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


def test_a_refusal_is_a_text_and_changes_nothing():
    tables = made_tables()
    shop = Records(tables)
    cancelled = next(name for name, order in tables["orders"].items() if order["status"] == "cancelled")
    asked = [
        ("cancel_pending_order", {"order_id": cancelled, "reason": "no longer needed"}),
        ("cancel_pending_order", {"order_id": "#W0", "reason": "no longer needed"}),
        ("get_order_details", {"order_id": ["#W7000000"]}),
        ("get_order_details", {}),
        ("modify_user_address", {"user_id": next(iter(tables["users"])), "city": "Averley"}),
        ("sell", {}),
    ]
    results = [TAU_RETAIL.call(shop, tool, arguments) for tool, arguments in asked]
    assert results[0] == "Error: non-pending order cannot be cancelled"
    assert all(result.startswith("Error") for result in results)
    assert shop.changed() == {}


def test_what_an_episode_changes_is_its_own():
    tables = made_tables()
    before = json.dumps(tables)
    shop = Records(tables)
    pending = next(name for name, order in tables["orders"].items() if order["status"] == "pending")
    seen = TAU_RETAIL.call(shop, "get_order_details", {"order_id": pending})
    cancelled = TAU_RETAIL.call(
        shop, "cancel_pending_order", {"order_id": pending, "reason": "no longer needed"}
    )
    cancelled["status"] = seen["status"] = "scribbled over"
    assert TAU_RETAIL.call(shop, "get_order_details", {"order_id": pending})["status"] == "cancelled"
    assert list(shop.changed()) == [f"orders/{pending}"]
    assert json.dumps(tables) == before


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
        ("TASKS = [1]", "line 1: not of the form Task"),
        ("TASKS = [Task(user_id='a', instruction='b')]", "line 1: not of the form Task"),
        ("TASKS = [Task(user_id=f(), instruction='b', actions=[])]", "line 1: not of the form Task"),
        (
            "TASKS = [\nTask(user_id='a', instruction='b', actions=[Action(name='x', kwargs=3)])]",
            "line 2: not of the form Task",
        ),
        ("TASKS = [", "line 1: not Python"),
    ],
)
def test_a_task_file_of_another_form_is_a_sentence(tmp_path, text, said):
    file = tmp_path / "tasks_test.py"
    file.write_text(text)
    with pytest.raises(SourceError, match=said):
        read_tasks(file)


def test_what_is_not_there_is_a_sentence(tmp_path, checkout):
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


def test_every_sampled_task_stands_in_every_stratum(place):
    cells = place.cells({"status": 3, "conservation": 3, "clean": 3}, seed=1)
    tasks = [[cell.task for cell in cells if cell.stratum == stratum] for stratum in FAULTS]
    assert len(set(tasks[0])) == 3
    assert tasks[0] == tasks[1] == tasks[2]
    assert cells == place.cells({"status": 3, "conservation": 3, "clean": 3}, seed=1)


# Faults, and what contracts say of them.


def test_a_refusal_is_held_against_no_contract(place):
    bench = Bench(place.contracts(frozenset(), "paper"), place.schema_contracts(), place.relations())
    for arm, warned in (("advisory-v2", False), ("generic", False), ("always-warn", True)):
        recorder = EpisodeRecorder(opened(place), ARMS[arm], bench)
        recorder("get_order_details", {"order_id": "#W0"})
        assert ("receipt" in recorder.calls[0]) == warned


# The judge.


def test_what_had_to_be_said_may_have_commas_and_stand_in_any_line(place):
    episode = opened(place, 5)
    [price] = place._tasks["retail/5"].outputs
    episode.reply(f"It was ${price[:1]},{price[1:]}.", None)
    assert episode.judge("Goodbye.").completed
    assert opened(place, 5).judge("Goodbye.").details["unsaid"] == [price]


# The user.


def test_a_model_plays_the_user_with_the_prompt_of_the_checkout(place):
    heard = []

    def ask(lines):
        heard.append(list(lines))
        return ("Hello.", "Yes.", "###STOP###")[len(heard) - 1]

    episode = opened(place)
    assert episode.opening(ask) == "Hello."
    assert episode.reply("Shall I?", ask) == "Yes."
    assert episode.reply("Done.", ask) is None
    assert episode.over
    assert heard[0][0] == ("system", f"You are somebody.\n\nInstruction: {episode.query}\n\nRules: be brief.")
    assert [role for role, _ in heard[2]] == ["system", "user", "assistant", "user", "assistant", "user"]


def test_who_is_handed_over_is_gone(place):
    episode = opened(place)
    episode.call("transfer_to_human_agents", {"summary": "angry"})
    assert episode.over


# Whole studies.

DESIGN: dict[str, Any] = {
    "agents": ("scripted-naive", "scripted-careful", "scripted-follows:1"),
    "arms": ("baseline", "advisory-v1", "generic", "always-warn", "hard-guard", "always-verify"),
    "strata": ("status", "conservation", "clean"),
    "per_stratum": 6,
    "profile": "paper",
}


def test_a_study_on_the_public_database_with_tasks_made_of_recorded_runs(tmp_path):
    """Each task's actions are the calls of a real run of it."""
    runs: dict[str, dict[str, list[tuple[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    tables = shared("data/tau_bench_retail")
    with gzip.open(shared("data/traces/tau_retail.jsonl.gz"), "rt") as lines:
        for call in map(json.loads, lines):
            runs[call["task"]][call["session"]].append((call["tool"], call["arguments"]))
    owners = {
        name: order["user_id"] for name, order in read_tables(tables, TAU_RETAIL.needed)["orders"].items()
    }
    tasks = []
    for name, sessions in runs.items():
        calls = next(iter(sessions.values()))
        orders = [given.get("order_id") for _, given in calls]
        user = next((owners[order] for order in orders if order in owners), "nobody")
        actions = ", ".join(f"Action(name={tool!r}, kwargs={given!r})" for tool, given in calls)
        tasks.append(f"Task(user_id={user!r}, instruction={name!r}, actions=[{actions}], outputs=[])")
    (tmp_path / "tasks_test.py").write_text(f"TASKS_TEST = [{', '.join(tasks)}]")
    settings = {"environment": "tau-retail", "checkout": str(tmp_path), "data": str(tables)}
    design = {
        **DESIGN,
        "agents": ("scripted-follows:1",),
        "arms": ("baseline", "advisory-v1"),
        "per_stratum": 20,
    }
    study = freeze(tmp_path / "trial", Design(environment=settings, **design))
    run(study.folder)
    records = list(read_ledger(study.ledger))
    assert records
    for record in records:
        flagged = [call for call in record["calls"] if "violations" in call]
        injected = [call for call in record["calls"] if "injection" in call]
        assert flagged == (injected if record["arm"] == "advisory-v1" else [])
        assert bool(injected) == record["score"]["hit"]
        assert record["stratum"] != "clean" or record["completed"]


def test_a_changed_table_is_noticed(tmp_path):
    root = make_checkout(tmp_path / "tau")
    design = {**DESIGN, "agents": ("scripted-naive",), "arms": ("baseline", "generic"), "per_stratum": 1}
    study = freeze(
        tmp_path / "trial", Design(environment={"environment": "tau-retail", "checkout": str(root)}, **design)
    )
    file = root / "tau_bench" / "envs" / "retail" / "data" / "orders.json"
    file.write_text(file.read_text().replace("Mill Street", "Mill Lane", 1))
    with pytest.raises(OutcomeMonitorsError, match="this differs: tasks"):
        run(study.folder)


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
