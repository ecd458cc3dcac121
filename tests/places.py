"""Where things stand in the repository, whatever folder a test is in."""

from pathlib import Path

TESTS = Path(__file__).parent
ROOT = TESTS.parent
DOCS = ROOT / "docs"
FIXTURES = TESTS / "fixtures"
GOLDEN = TESTS / "golden"
PACKAGES = ROOT / "packages"
CORE = PACKAGES / "outcome-monitors" / "src" / "outcome_monitors"
SERVER = PACKAGES / "outcome-monitors-server" / "src" / "outcome_monitors_server"
STUDY = PACKAGES / "outcome-monitors-study" / "src" / "outcome_monitors_study"
PROJECT = PACKAGES / "outcome-monitors" / "pyproject.toml"
SOURCES = (CORE.parent, SERVER.parent, STUDY.parent)
