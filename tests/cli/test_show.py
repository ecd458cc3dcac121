"""`show`: contracts in plain words."""

from pathlib import Path

from tests.commandline import Line, Run, Sentence, Write


def test_a_fold_index_names_its_registries(
    run: Run, write: Write, orders: list[Line], one_sentence: Sentence
) -> None:
    run("mine", write("t.jsonl", orders), "-o", "c.json", "--folds", "3")
    shown = run("show", "c.json")
    assert shown.exit_code == 0
    for fold in range(3):
        assert f"c.fold{fold}.json" in shown.stdout
    assert run("show", "c.json", "--json").stdout == Path("c.json").read_text(encoding="utf-8")
    assert one_sentence(run("show", "c.json", "get_order")).endswith("show one of them: c.fold0.json")


def test_words_from_elsewhere_cannot_command_the_terminal(run: Run, write: Write, orders: list[Line]) -> None:
    for order in orders:
        order["tool"] = "get\x1b]0;title\x07"
        order["result"]["a\nb\x1b[2J"] = 1
    run("mine", write("t.jsonl", orders), "-o", "c.json", "--profile", "paper")
    shown = run("show", "c.json")
    assert shown.exit_code == 0
    assert "\x1b" not in shown.stdout
    assert "\x07" not in shown.stdout
