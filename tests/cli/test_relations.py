"""`outcome-monitors relations`, end to end."""

import json
from pathlib import Path
from typing import Any

import pytest

from outcome_monitors import Relations
from tests.commandline import Run, Sentence, Write
from tests.recovery.mining.examples import quotes, tool


@pytest.fixture
def traces(write: Write) -> str:
    lines = [
        {"tool": c.tool, "arguments": c.arguments, "result": c.result, "session": c.session} for c in quotes()
    ]
    return write("traces.jsonl", lines)


@pytest.fixture
def tools(write: Write) -> str:
    entries = [
        tool("get_stock", "Get the price of a share.", symbol="string"),
        tool("quote", "Quote a share.", ticker="string"),
        tool("buy_stock", "Buy a share; each call buys another.", symbol="string"),
    ]
    return write("tools.json", json.dumps({"tools": entries}).encode())


def test_effects_that_someone_wrote_down_survive_the_next_build(
    run: Run, tools: str, write: Write, tmp_path: Path
) -> None:
    by_hand = {tool: {"writes": True, "idempotent": False, "source": "declared"} for tool in ("quote", "zap")}
    by_hand["get_stock"] = {"writes": True, "idempotent": None, "source": "name"}
    write("r.json", json.dumps({"version": 1, "relations": {}, "effects": by_hand}).encode())
    also = {"frob": {"writes": False, "idempotent": True, "source": "asked the vendor"}}
    more = write("more.json", json.dumps({"version": 1, "relations": {}, "effects": also}).encode())
    for _ in range(2):
        assert run("relations", "build", "--tools", tools, "--declared", more, "-o", "r.json").exit_code == 0
    built = Relations.load(tmp_path / "r.json").effects
    assert {tool: (effect.writes, effect.source) for tool, effect in built.items()} == {
        "buy_stock": (True, "name"),
        "frob": (False, "asked the vendor"),
        "get_stock": (False, "name"),
        "quote": (True, "declared"),
        "zap": (True, "declared"),
    }


def test_edits_survive_the_next_build(run: Run, tools: str, traces: str, tmp_path: Path) -> None:
    build = ("relations", "build", "--tools", tools, "--traces", traces, "-o", "r.json")
    run(*build)
    assert run("relations", "edit", "r.json", "get_stock", "quote", "--verdict", "reject").exit_code == 0
    edit = ("relations", "edit", "r.json", "quote", "price", "--verdict", "add", "--argument", "ticker=sku")
    assert run(*edit, "--why", "asks the same desk").exit_code == 0
    edited = Relations.load(tmp_path / "r.json")
    assert "get_stock" not in edited
    done = run(*build)
    assert "2 edits kept" in done.output
    again = Relations.load(tmp_path / "r.json")
    assert again == edited
    assert again.edits == edited.edits
    assert next((found.tool, found.why) for found in again["quote"]) == ("price", "asks the same desk")


def test_show_lists_the_relations(run: Run, traces: str) -> None:
    run("relations", "build", "--traces", traces, "-o", "r.json")
    done = run("relations", "show", "r.json")
    assert done.exit_code == 0
    assert "symbol -> ticker" in done.output


HOSTILE: list[tuple[dict[str, Any], str]] = [
    ({"checks": []}, "`checks` is not an object of tool names"),
    ({"effects": {"a": {"writes": 1}}}, '["a"]: `writes` is not true or false'),
    ({"edits": {}}, "`edits` is not a list"),
    (
        {"edits": [{"tool": "a", "substitute": "b", "verdict": "maybe", "why": ""}]},
        "edits[0]: `verdict` is not one of accept, reject, add",
    ),
]


@pytest.mark.parametrize(("document", "said"), HOSTILE, ids=range(len(HOSTILE)))
def test_a_wrong_file_is_refused_in_one_sentence(
    run: Run, write: Write, traces: str, one_sentence: Sentence, document: Any, said: str
) -> None:
    name = write("r.json", json.dumps({"version": 1, "relations": {}, **document}).encode())
    for words in (
        ("show", name),
        ("explain", name, "a"),
        ("edit", name, "a", "b", "--verdict", "add"),
        ("build", "--traces", traces, "-o", name),
    ):
        assert said in one_sentence(run("relations", *words))
