"""`show`: contracts in plain words."""

from tests.commandline import Line, Run, Write


def test_words_from_elsewhere_cannot_command_the_terminal(run: Run, write: Write, orders: list[Line]) -> None:
    for order in orders:
        order["tool"] = "get\x1b]0;title\x07"
        order["result"]["a\nb\x1b[2J"] = 1
    run("mine", write("t.jsonl", orders), "-o", "c.json", "--profile", "paper")
    shown = run("show", "c.json")
    assert shown.exit_code == 0
    assert "\x1b" not in shown.stdout
    assert "\x07" not in shown.stdout
