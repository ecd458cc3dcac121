"""The statistics need nothing; nothing outside needs inspect_ai."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "modules", ["outcome_monitors_study", "outcome_monitors_study.cli", "outcome_monitors_study.models"]
)
def test_neither_inspect_ai_nor_numpy_is_imported(modules):
    program = f"import sys, {modules}; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert "outcome_monitors" in loaded
    assert not loaded & {"inspect_ai", "numpy", "anyio"}


def test_the_statistics_bring_no_world_and_no_fault():
    program = "import sys, outcome_monitors_study; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    far = (
        "outcome_monitors_study.world",
        "outcome_monitors.audit.faults",
        "outcome_monitors_study.environments",
    )
    assert not [name for name in done.stdout.split() if name.startswith(far)]
