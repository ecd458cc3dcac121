"""`report`: one page, from traces, contracts and what else there is."""

from pathlib import Path

from tests.commandline import Line, Run, Sentence, Write


def _wrong(orders: list[Line]) -> list[Line]:
    first = {**orders[0], "session": "a", "time": "2026-03-01T09:00:00Z"}
    bad = {**first, "result": {**first["result"], "total": -1}}
    return [bad, first, {"tool": "find_order", "result": [], "session": "a"}]


def test_from_traces_to_a_page(run: Run, write: Write, orders: list[Line], contracts: str) -> None:
    traces = write("today.jsonl", _wrong(orders))
    done = run("report", traces, "--contracts", contracts, "-o", "report.html")
    assert (done.exit_code, done.stdout) == (1, "report.html: 3 calls, 1 flagged\n")
    page = Path("report.html").read_text(encoding="utf-8")
    assert "nonpositive_value" in page
    assert "today.jsonl:1" in page
    assert "called the same tool again (get_order), and that result was clean" in page
    assert run("report", traces, "--contracts", contracts, "-o", "again.html").exit_code == 1
    assert Path("again.html").read_text(encoding="utf-8") == page


def test_what_cannot_be_used_is_one_sentence(
    run: Run, write: Write, orders: list[Line], contracts: str, one_sentence: Sentence
) -> None:
    traces = write("t.jsonl", orders)
    most = ("report", traces, "--contracts", contracts)
    assert "it is one of the files to read" in one_sentence(run(*most, "-o", contracts))
    assert "there is no folder" in one_sentence(run(*most, "-o", "no/r.html"))
    assert "is a folder" in one_sentence(run(*most, "-o", "."))
    assert "TRACES" in one_sentence(run("report", "--contracts", contracts, "-o", "r.html"))
    assert "--contracts" in one_sentence(run("report", traces, "-o", "r.html"))
    assert not Path("r.html").exists()
