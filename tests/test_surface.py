"""The public surface, and what importing it loads."""

import subprocess
import sys

import outcome_monitors


def test_the_public_names_are_sorted_and_there():
    assert sorted(outcome_monitors.__all__) == outcome_monitors.__all__
    for name in outcome_monitors.__all__:
        assert hasattr(outcome_monitors, name)


def test_importing_the_library_loads_no_dependency():
    program = "import sys; from outcome_monitors import *; print(sorted(m for m in sys.modules if m in ('click', 'rich', 'yaml', 'mcp')))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
