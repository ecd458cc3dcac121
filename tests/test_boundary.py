"""No oracle: what the run time is built from can hold no label, no solution and no evaluator."""

import subprocess
import sys

import pytest

from outcome_monitors import Call, mine

FORBIDDEN = ("outcome_monitors.evaluation", "outcome_monitors_study")


@pytest.mark.parametrize(
    ("imports", "more"),
    [
        ("from outcome_monitors import *", ()),
        (
            "import outcome_monitors.cli.proxy, outcome_monitors.mcp.stdio, outcome_monitors.learning.learner",
            ("mcp", "aiohttp", "opentelemetry", "rich"),
        ),
    ],
    ids=["library", "proxy"],
)
def test_the_run_time_imports_nothing_that_knows_faults_tasks_or_scores(imports, more):
    program = f"import sys\n{imports}\nprint('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert "outcome_monitors.checking.monitor" in loaded
    assert [name for name in loaded if name.startswith((*FORBIDDEN, *more))] == []


def test_labels_in_a_trace_line_reach_no_contract():
    def calls(label):
        extra = {"fault": label, "solution": label, "reward": label}
        return [Call("t", {}, {"n": i + 1}, task=f"task-{i}", session=label, extra=extra) for i in range(5)]

    assert mine(calls("secret-label"), "paper") == mine(calls("other"), "paper")
    text = mine(calls("secret-label"), "paper").dumps()
    assert "secret-label" not in text
    assert "task-1" not in text
