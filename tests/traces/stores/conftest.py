"""The fixtures of the command line serve here too."""

from tests.cli.conftest import one_sentence, run

__all__ = ["one_sentence", "run"]
