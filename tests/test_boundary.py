"""No oracle: what the run time is built from can hold no label, no solution and no evaluator."""

import subprocess
import sys

from outcome_monitors import Call, Clause, Monitor, Registry, Relations, mine
from outcome_monitors.model import Contract

FORBIDDEN = (
    "outcome_monitors.evaluation.faults",
    "outcome_monitors_study.world",
    "outcome_monitors_study",
    "outcome_monitors.evaluation",
)


def test_the_run_time_imports_nothing_that_knows_faults_tasks_or_scores():
    program = "import sys; from outcome_monitors import *; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert "outcome_monitors.checking.monitor" in loaded
    assert not [name for name in loaded if name.startswith(FORBIDDEN)]


def test_nor_does_the_proxy_or_an_sdk_of_mcp():
    modules = "outcome_monitors.cli.proxy, outcome_monitors.mcp.stdio, outcome_monitors.learning.learner"
    program = f"import sys, {modules}; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert "outcome_monitors.events.watch" in loaded
    assert not [
        name for name in loaded if name.startswith((*FORBIDDEN, "mcp", "aiohttp", "opentelemetry", "rich"))
    ]


def test_all_that_a_monitor_holds_is_contracts_relations_an_encoder_and_counts():
    held = vars(Monitor(Registry(), Relations()))
    of_contracts = {"_checks", "_contracts", "_forms", "_misrouted", "_shapes", "session_clauses"}
    assert set(held) == {*of_contracts, "_encoder", "counts", "listing", "profile", "relations"}


def test_a_clause_holds_where_what_how_often_and_whence_and_no_task_by_name():
    assert set(Clause.__dataclass_fields__) == {"kind", "path", "params", "samples", "tasks", "source"}
    assert set(Contract.__dataclass_fields__) == {"tool", "clauses"}


def test_labels_in_a_trace_line_reach_no_contract():
    def calls(label):
        extra = {"fault": label, "solution": label, "reward": label}
        return [Call("t", {}, {"n": i + 1}, task=f"task-{i}", session=label, extra=extra) for i in range(5)]

    assert mine(calls("secret-label"), "paper") == mine(calls("other"), "paper")
    text = mine(calls("secret-label"), "paper").dumps()
    assert "secret-label" not in text
    assert "task-1" not in text
