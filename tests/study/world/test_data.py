"""The world's data files: each is of its notation, and a broken one is refused with file and field."""

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from outcome_monitors.exceptions import SourceError
from outcome_monitors_study import world
from outcome_monitors_study.world import TOOLS
from outcome_monitors_study.world._episodes import episode_from_json, episodes_from_json
from outcome_monitors_study.world._needs import needs_from_json
from outcome_monitors_study.world._parameters import Draw
from outcome_monitors_study.world._schema import Types
from outcome_monitors_study.world._substitutes import NEEDS
from outcome_monitors_study.world._tool import tools_from_json
from outcome_monitors_study.world._world import DOMAINS, first_tables
from outcome_monitors_study.world.data import FieldPlace, document, vocabulary, words_from_json
from tests.strategies import json_values

FOLDER = Path(world.__file__).parent
FILES = [file.relative_to(FOLDER).as_posix() for file in sorted(FOLDER.rglob("*.json"))]


def load(file: str, content: Any) -> int:
    """Read a file's content as the world does, and count what it holds."""
    domain, _, name = file.rpartition("/")
    if name == "vocabulary.json":
        return len(words_from_json(content, file))
    if name == "closing.json":
        return len(episode_from_json(content, NEEDS, {}, FieldPlace(file)).asks)
    if name == "tools.json":
        functions = {tool.name: tool.run for tool in TOOLS.values() if tool.domain == domain}
        return len(tools_from_json(content, domain, vocabulary(domain), functions, file))
    needs = needs_from_json(content, TOOLS, file)
    return len(needs) + len(list(episodes_from_json(content, NEEDS, vocabulary(domain), file)))


def test_every_domain_has_its_three_files_and_no_other_file_is_there():
    expected = {f"{domain}/{name}.json" for domain in DOMAINS for name in ("tasks", "tools", "vocabulary")}
    assert set(FILES) == {"closing.json", "vocabulary.json"} | expected


@pytest.mark.parametrize("file", FILES)
def test_a_file_is_of_its_notation(file):
    assert load(file, json.loads((FOLDER / file).read_text(encoding="utf-8"))) >= 3


BROKEN = [
    ("retail/vocabulary.json", ["tiers"], [], "`tiers` is neither a list"),
    ("retail/vocabulary.json", ["tiers", 1], "bronze", "`tiers` holds a word twice"),
    ("retail/vocabulary.json", ["tiers", 1], 7, "`tiers[1]` is empty, or not of the form"),
    ("vocabulary.json", ["cities", 2], {"name": "Caldmoor"}, "`cities[2]` is empty, or not of the form"),
    ("retail/tools.json", ["types", "line"], "@payment", "`types.line` is no type: '@payment'"),
    (
        "retail/tools.json",
        ["tools", "get_order", "takes", "order_id"],
        "idd ORD",
        "get_order.takes.order_id`",
    ),
    ("retail/tools.json", ["tools", "get_order", "gives", "items"], ["@line", "some"], "gives.items[1]` is"),
    (
        "retail/tools.json",
        ["tools", "get_order", "gives", "..."],
        "text",
        "get_order.gives....` has no fields",
    ),
    ("retail/tools.json", ["tools", "get_order", "category"], "lookup", "get_order.category` is 'lookup'"),
    ("retail/tools.json", ["tools", "get_order", "takes"], {"id": "text"}, "takes` is id, and its function"),
    ("retail/tools.json", ["tools", "get_order", "colour"], "red", "get_order.colour` is not known here"),
    ("retail/tools.json", ["tools", "new_tool"], {}, "`tools.new_tool` has no function of its name"),
    ("retail/tools.json", ["tools"], {}, "`tools` does not define article_card"),
    ("travel/tools.json", ["types", "cabin"], "among cabin", "`types.cabin` is among cabin, and the vocab"),
    ("travel/tools.json", ["tools", "book_flight", "idempotent"], "yes", "idempotent` is neither true"),
    ("retail/tasks.json", ["needs", "stock", 0, "calls"], [], "`needs.stock[0].calls` is empty"),
    (
        "retail/tasks.json",
        ["needs", "stock", 0, "calls", 0, 0],
        "count",
        "calls[0]` calls count, which is no",
    ),
    ("retail/tasks.json", ["needs", "stock", 0, "calls", 0, 1], {"id": 1}, "arguments of check_stock: id"),
    ("retail/tasks.json", ["needs", "stock", 0, "facts"], {"left": "$r1.n"}, "`needs.stock` has ways that"),
    ("retail/tasks.json", ["needs", "stock", 0, "facts"], {"available": "$r2.n"}, "'r2' is not known there"),
    ("retail/tasks.json", ["needs", "stock", 0, "facts"], {"available": "$r1.n|pct"}, "as 'pct', and there"),
    ("retail/tasks.json", ["episodes", "follow", "says"], "Where is {sentt.id}?", "follow.says` refers to"),
    ("retail/tasks.json", ["episodes", "follow", "asks", 0, 1], "buyer", "follow.asks[0]` is not a name, a"),
    (
        "retail/tasks.json",
        ["episodes", "follow", "asks", 0, 0],
        "sent",
        "asks[0]` gives the name sent a second",
    ),
    (
        "retail/tasks.json",
        ["episodes", "follow", "asks", 0, 2],
        {},
        "asks[0]` does not fit what customer wants",
    ),
    (
        "retail/tasks.json",
        ["episodes", "follow", "report", "sent"],
        "$sent.id",
        "follow.report.sent` refers to",
    ),
    (
        "retail/tasks.json",
        ["episodes", "follow", "report", "points"],
        ["$who.points", 3],
        "is neither a fact nor a list",
    ),
    (
        "office/tasks.json",
        ["episodes", "meet", "letters", "told"],
        "$date",
        "letters.told` is not a list of facts",
    ),
    ("office/tasks.json", ["episodes", "meet", "letters", "lost"], ["$date"], "letters.lost` is no ask"),
    (
        "office/tasks.json",
        ["episodes", "meet", "letters", "told"],
        ["$nobody.x"],
        "letters.told` refers to 'nobody.x'",
    ),
    (
        "retail/tasks.json",
        ["episodes", "follow", "drawn", "sent"],
        {"row": "orders"},
        "drawn.sent` draws nothing",
    ),
    (
        "retail/tasks.json",
        ["episodes", "reorder", "drawn", "quantity", "whole"],
        [6, 1],
        "quantity.whole` is not",
    ),
    (
        "retail/tasks.json",
        ["episodes", "reorder", "drawn", "category", "one of"],
        "sorts",
        "category.one of` is",
    ),
    (
        "retail/tasks.json",
        ["episodes", "reorder", "drawn", "limit", "if"],
        "$x",
        "drawn.limit` refers to 'x'",
    ),
    ("closing.json", ["given"], [], "`asks[2]` refers to 'results'"),
]


@pytest.mark.parametrize(("file", "path", "value", "said"), BROKEN)
def test_a_broken_file_is_refused_with_file_and_field(file, path, value, said):
    content = copy.deepcopy(document(*file.split("/")))
    *way, last = path
    inner = content
    for step in way:
        inner = inner[step]
    inner[last] = value
    with pytest.raises(SourceError) as refusal:
        load(file, content)
    assert str(refusal.value).startswith(f"{file}: `")
    assert said in str(refusal.value)


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Return every container below a value with each of its keys."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else []
    return [place for key in keys for place in ((value, key), *_places(value[key]))]


@given(st.sampled_from(FILES), st.data())
def test_no_value_whatsoever_at_any_place_is_more_than_refused(file, data):
    content = copy.deepcopy(document(*file.split("/")))
    places = _places(content)
    container, key = places[data.draw(st.integers(0, len(places) - 1))]
    container[key] = data.draw(json_values)
    said = _refusal(file, content)
    assert said is None or said.startswith(f"{file}: ")


def _refusal(file: str, content: Any) -> str | None:
    try:
        load(file, content)
    except SourceError as refusal:
        return str(refusal)
    return None


@pytest.mark.parametrize(
    ("notation", "schema"),
    [
        ("id ORD: Number", {"type": "string", "pattern": "^ORD-[0-9]+$", "description": "Number"}),
        ("among cities.code", {"type": "string", "enum": ["A", "B"]}),
        ("maybe whole 1 5", {"anyOf": [{"type": "integer", "minimum": 1, "maximum": 5}, {"type": "null"}]}),
        ("number 0.5", {"type": "number", "minimum": 0.5}),
        (["flag", "1..8"], {"type": "array", "items": {"type": "boolean"}, "minItems": 1, "maxItems": 8}),
        ({"<id>": "flag"}, {"type": "object", "additionalProperties": {"type": "boolean"}}),
        (
            {"...": "@pair", "c": "flag"},
            {
                "type": "object",
                "properties": {key: {"type": "boolean"} for key in "abc"},
                "required": ["a", "b", "c"],
                "additionalProperties": False,
            },
        ),
    ],
)
def test_a_type_is_read_as_json_schema(notation, schema):
    types = Types({"cities": [{"code": "A"}, {"code": "B"}]})
    types.define("pair", {"a": "flag", "b": "flag"}, FieldPlace("tools.json"))
    assert types.schema(notation, FieldPlace("tools.json")) == schema


def sources_of(domain):
    """Yield what the episodes of a domain draw from tables: the table, with what is said of its records."""
    for episode in document(domain, "tasks.json")["episodes"].values():
        for form in episode["drawn"].values():
            for source in (form, form.get("whose", {})) if isinstance(form, dict) else ():
                name = next((source[k] for k in ("record", "records", "look up") if k in source), None)
                if name is not None:
                    yield name, source


def test_every_table_and_field_that_an_episode_draws_from_is_there():
    tables = first_tables(0)
    drawn = [found for domain in DOMAINS for found in sources_of(domain)]
    assert len(drawn) > len(DOMAINS)
    for name, source in drawn:
        fields = {key for record in tables[name].values() for key in record}
        assert set(source.get("where", {})) | {source.get("by")} <= fields | {None}


class _FirstOfAll(random.Random):
    """A source of chance that takes the first or the lowest, and keeps what there was to choose from."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Any] = []

    def choice(self, items):
        self.seen.append(len(items))
        return items[0]

    def randint(self, low, high):
        self.seen.append((low, high))
        return low


def test_an_episode_is_drawn_in_the_order_of_the_file_and_leaves_facts_for_later():
    content = {
        "drawn": {
            "order": {"record": "orders", "where": {"status": "shipped"}},
            "day": {"day": "$order.placed_on", "after": [1, 3]},
            "half": {"whole": [3, 9], "over": 2},
            "hour": {"whole": [5, 9], "digits": 2},
            "limit": {"one of": [None, "$half"]},
            "said": {"if": "$limit", "then": "few", "else": "all"},
        },
        "says": "Show {said} of {order.id} at {hour}:00.",
        "asks": [
            ["before", "order", {"order": "$order.id"}],
            ["left", "stock", {"sku": "$before.sku"}],
            ["list", "orders_of", {"customer": "{order.id} {left.available}", "limit": "$limit"}],
        ],
        "report": {"left": "$left.available"},
    }
    chance = _FirstOfAll()
    episode = episode_from_json(content, NEEDS, {}, FieldPlace("tasks.json")).episode(Draw(chance, 0))
    key, _ = next(p for p in first_tables(0)["orders"].items() if p[1]["status"] == "shipped")
    assert episode.sentence == f"Show all of {key} at 05:00."
    assert [dict(ask.want) for ask in episode.asks] == [
        {"order": key},
        {"sku": "$before.sku"},
        {"customer": f"{key} {{left.available}}", "limit": None},
    ]
    assert chance.seen[1:] == [(1, 3), (3, 9), (5, 9), 2]
