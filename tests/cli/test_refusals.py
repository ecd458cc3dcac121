"""What a command cannot do is one sentence and exit status 2, and no file is written or changed."""

import shlex
from pathlib import Path

import pytest

from tests.commandline import Line, Run, Sentence, Write

RELATIONS = b'{"version": 1, "relations": {}}'
LINES_OF_ONE_TOOL = [{"tool": "get", "result": {"n": n}} for n in range(3)]


@pytest.fixture
def folder(run: Run, write: Write, orders: list[Line], tmp_path: Path) -> Path:
    """Traces, contracts, and files that are not what they are taken for."""
    write("clean.jsonl", orders)
    write("failed.jsonl", [{**order, "error": True} for order in orders])
    write("bad.jsonl", b"oops\n")
    write("list.json", b"[]")
    write("half.json", b'{"type": ')
    write("unnamed.json", b'{"tools": [{}]}')
    write("relations.json", RELATIONS)
    write("t.jsonl", LINES_OF_ONE_TOOL)
    write("log.json", b'{"model": "m"}')
    assert run("mine", "t.jsonl", "-o", "c.json").exit_code == 0
    write(".mcp.json", b'{"mcpServers": {"web": {"type": "http", "url": "https://tools.example/mcp"}}}')
    (tmp_path / "empty").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("chekc", "there is no command 'chekc'; did you mean check?"),
        ("zzz", "there is no command 'zzz'; outcome-monitors --help lists them all"),
        ("check", "Missing argument 'TRACES...'; see outcome-monitors check --help"),
        ("check clean.jsonl --contracts c.json --format xml", "'xml' is not one of"),
        ("check bad.jsonl --contracts c.json --strict", "bad.jsonl:1: not JSON"),
        ("replay clean.jsonl --contracts c.json --budget 0", "a budget of 0 would suppress every alert"),
        ("show c.json gte", "c.json has no contract for 'gte'; did you mean get?"),
        ("show c.json zzz", "show c.json without a tool lists all"),
        ("lint c.json c.json --format json", "one contract file at a time"),
        ("check clean.jsonl --contracts c.json --overrides list.json", "list.json is not an overrides file"),
        ("review c.json find --overrides o.json", "has no contract for 'find'"),
        ("review c.json --overrides o.json --mute nonsense", "there is no clause 'nonsense'"),
        ("review c.json --overrides o.json --mute get.n/type --pin get.n/type", "cannot be both"),
        ("review c.json --overrides o.json --undo get.n/type", "nothing was decided"),
        ("review c.json --overrides o.json --note get.n/type", "is not of the form ID=TEXT"),
        ("events none.sqlite", "there is no store"),
        ("mine -o d.json", "name trace files, or a public source such as --openapi"),
        ("mine clean.jsonl -o d.json --schema orders.json", "is not of the form TOOL=FILE"),
        ("mine bad.jsonl -o d.json --strict", "bad.jsonl:1: not JSON; "),
        ("mine failed.jsonl -o d.json", "marked as an open failure"),
        ("mine clean.jsonl -o none/d.json", "there is no folder"),
        ("mine clean.jsonl -o ./clean.jsonl", "it is one of the files to read"),
        ("mine clean.jsonl -o d.json --budget 0.1 --profile paper", "profile paper has no budget"),
        ("mine --schema t=s.json -o d.json --budget 0.1", "--budget is for the clauses that traces suggest"),
        ("mine clean.jsonl -o d.json --budget 2", "2.0 is not in the range 0<=x<=1"),
        ("mine clean.jsonl -o d.json --private a..b", "is not a path"),
        ("mine -o d.json --workers 2 --mcp-tools x", "are for traces"),
        ("mine t.jsonl -o d.json --master local[2]", "add --engine spark"),
        ("mine t.jsonl -o d.json --engine spark --workers 2", "--workers is for --engine local"),
        ("mine - -o d.json --engine spark", "Spark reads files"),
        ("mine postgresql://h/d?fleet=x -o d.json --engine spark", "learn --state ADDRESS"),
        ("mine --schema t=half.json -o d.json", "half.json, line 1"),
        ("mine --schema t=list.json -o d.json", "list.json is not a JSON Schema"),
        ("audit none.jsonl", "cannot read none.jsonl"),
        ("audit clean.jsonl --folds 19", "6 tasks cannot be dealt into 19 folds: use fewer folds, or add `task`"),
        ("audit clean.jsonl --faults toolmaze,nonsense", "there is no suite 'nonsense'; choose from toolmaze, "),
        ("audit clean.jsonl --json no/such/a.json", "there is no folder no/such; make it first"),
        ("audit clean.jsonl --json .", "it is a folder; name a file in it"),
        ("audit clean.jsonl --json clean.jsonl", "it is one of the files to read; choose another name"),
        ("audit clean.jsonl --then failed.jsonl --jobs 1", "no clean calls among the later ones"),
        ("import log.json -o d.jsonl", "no tool calls in log.json: 1 file is of no format that is known"),
        ("import t.jsonl -o t.jsonl", "cannot write t.jsonl: it is one of the files to read"),
        ("relations", "name what to do: build, show, explain or edit"),
        ("relations frob", "No such command 'frob'"),
        ("relations build -o r.json", "name tools with --tools, or traces with --traces"),
        ("relations build --tools unnamed.json -o r.json", "unnamed.json: tools[0] has no `name`"),
        ("relations build --traces clean.jsonl -o clean.jsonl", "it is one of the files to read"),
        ("relations explain relations.json b", "relations.json knows no tool 'b'"),
        ("relations edit relations.json a a --verdict add", "a cannot stand in for itself"),
        ("relations edit relations.json a b --verdict accept", "lists no 'b' for 'a' to accept"),
        ("relations edit relations.json a b --verdict add --argument x", "is not of the form FROM=TO"),
        ("proxy --contracts c.json", "name the server's command behind --"),
        ("proxy --contracts c.json --upstream http://x/mcp", "belong together"),
        ("proxy --mode observe -- server", "mode observe records traces"),
        ("proxy --learn state --record t.jsonl -- server", "leave out --record"),
        ("proxy --learn state --mode loud -- server", "'loud' is not one of"),
        ("demo --out t.jsonl/below", "--out"),
        ("init nowhere", "there is no file"),
        ("init empty --write", "there is no configuration of an MCP client in empty"),
        ("init --server shap", "there is no server 'shap'; there are: web"),
        ("init --write --server web", "--upstream https://tools.example/mcp --listen 127.0.0.1:9001"),
        ("init --undo --write", "--undo goes with --user alone"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_one_sentence_and_changes_nothing(
    run: Run, folder: Path, one_sentence: Sentence, line: str, sentence: str
) -> None:
    def files() -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    before = files()
    assert sentence in one_sentence(run(*shlex.split(line)))
    assert files() == before
