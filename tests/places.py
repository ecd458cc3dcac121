"""Where things stand in the repository, whatever folder a test is in."""

from pathlib import Path

TESTS = Path(__file__).parent
ROOT = TESTS.parent
DOCS = ROOT / "docs"
FIXTURES = TESTS / "fixtures"
GOLDEN = TESTS / "golden"
