"""`proxy` on the command line; what it does is tested in tests/mcp."""

import pytest

from tests.commandline import Run, Sentence


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--contracts", "c.json"], "name the server's command behind --"),
        (
            ["--contracts", "c.json", "--upstream", "http://x/mcp", "--", "server"],
            "name the server's command behind --",
        ),
        (["--contracts", "c.json", "--upstream", "http://x/mcp"], "belong together"),
        (["--", "server"], "name the contracts with --contracts"),
        (["--mode", "observe", "--", "server"], "mode observe records traces"),
        (["--learn", "state", "--record", "t.jsonl", "--", "server"], "leave out --record"),
        (["--learn", "state", "--mode", "loud", "--", "server"], "'loud' is not one of"),
    ],
)
def test_usage_errors_are_one_sentence(
    run: Run, one_sentence: Sentence, arguments: list[str], told: str
) -> None:
    assert told in one_sentence(run("proxy", *arguments))
