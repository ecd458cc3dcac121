"""What takes seconds to import is loaded by whom it is for alone."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("outcome_monitors_study.cli", ("inspect_ai", "anyio")),
        ("outcome_monitors_study.models", ("inspect_ai", "anyio")),
        ("outcome_monitors_study", ("outcome_monitors_study.world", "outcome_monitors.audit.faults")),
    ],
)
def test_it_is_imported_without(module, absent):
    program = f"import sys, {module}; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not [name for name in done.stdout.split() if name.startswith(absent)]
