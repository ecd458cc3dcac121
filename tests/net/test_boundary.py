"""The net stands outside: it imports what is public, and nothing else of the project."""

import ast
from pathlib import Path

import outcome_monitors
from outcome_monitors import study

HERE = Path(__file__).parent


def imported(tree: ast.AST) -> set[tuple[str, str]]:
    """Return the modules that a program imports, each with the name that it takes from there."""
    found: set[tuple[str, str]] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {(alias.name, "") for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            found |= {(node.module or "", alias.name) for alias in node.names}
    return found


def public(module: str, name: str) -> bool:
    if module.startswith("outcome_monitors.adapters."):
        return module.count(".") == 2 and not name.startswith("_")
    offered = {
        "outcome_monitors": (*outcome_monitors.__all__, "study"),
        "outcome_monitors.study": study.__all__,
    }
    if module in offered:
        return not name or name in offered[module]
    return not module.startswith("outcome_monitors")


def test_only_what_is_public_is_imported():
    for path in sorted(HERE.rglob("*.py")):
        for module, name in imported(ast.parse(path.read_text(encoding="utf-8"))):
            assert public(module, name), f"{path.name}: {module} {name}"
            assert not module.startswith("tests") or module.startswith("tests.net"), f"{path.name}: {module}"


def test_what_is_public():
    """Nothing is taken from the two lists; more may be added."""
    assert set(outcome_monitors.__all__) >= {
        *("Call", "Clause", "Contract", "Counts", "Monitor", "Outcome", "Payloads", "Registry", "Relations"),
        *("Session", "Violation", "Watch", "__version__", "canonical", "exceptions", "explain", "mine"),
        "read_traces",
    }
    assert all(hasattr(outcome_monitors, name) for name in outcome_monitors.__all__)
    assert set(study.__all__) >= {
        *(
            "Bootstrap",
            "Pairs",
            "break_even",
            "cluster_bootstrap",
            "mcnemar_exact",
            "minimum_detectable_effect",
        ),
        *("newcombe", "power", "prevalence_effect", "sign_flip", "tally", "wilson"),
    }
    assert all(hasattr(study, name) for name in study.__all__)
