"""Small checkouts of tau-bench and tau2-bench, with made-up customers, orders, flights and tasks (tests/fixtures)."""

import json
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).parents[1] / "fixtures"
RETAIL = FIXTURES / "tau_bench" / "tau_bench" / "envs" / "retail" / "data"
DOMAINS = Path("data", "tau2", "domains")
DAYS = tuple(f"2024-05-{day}" for day in range(16, 22))


def make_checkout(root: Path) -> Path:
    """Write the files of a checkout of tau-bench and return its folder."""
    return _copied(FIXTURES / "tau_bench", root)


def make_tau2_checkout(root: Path) -> Path:
    """Write the files of a checkout of tau2-bench, whose shop is tau-bench's, and return its folder."""
    _copied(FIXTURES / "tau2_bench", root)
    (root / DOMAINS / "retail" / "db.json").write_text(json.dumps(made_tables()))
    return root


def made_tables() -> dict[str, Any]:
    """Return the shop's tables."""
    return {file.stem: json.loads(file.read_bytes()) for file in sorted(RETAIL.glob("*.json"))}


def made_airline() -> dict[str, Any]:
    """Return the airline's tables."""
    tables: dict[str, Any] = json.loads(
        (FIXTURES / "tau2_bench" / DOMAINS / "airline" / "db.json").read_bytes()
    )
    return tables


def _copied(origin: Path, root: Path) -> Path:
    """Copy files; Python's have a second ending here, so that no tool takes them for the project's."""
    for file in origin.rglob("*"):
        if file.is_file():
            target = root / file.relative_to(origin)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.with_name(file.name.removesuffix(".txt")).write_bytes(file.read_bytes())
    return root
