"""The matrix judges what it is shown, and its page says nothing that was not tried."""

import pytest

from compat.__main__ import TABLES
from compat._extras import EXTRAS
from compat._matrix import ADAPTERS, CLIENTS, SERVERS, TALKERS
from compat._pairs import _judged_exchanges, _judged_results
from tests.places import DOCS

SHOP = SERVERS[0]
RIGHT, TOLD = '{"id": "W1"}', '{"id": "W1"} This result is inconsistent.'


@pytest.mark.parametrize(
    ("shown", "outcome"),
    [
        ([RIGHT, RIGHT, TOLD], "passed"),
        ([RIGHT, RIGHT, RIGHT], "failed: no receipt is shown"),
        ([RIGHT, TOLD, TOLD], "failed: a right result is not what it is without the proxy"),
        ([RIGHT, RIGHT, "This result is inconsistent."], "failed: the result is not the server's"),
        ([TOLD, TOLD, TOLD], "failed: the result is not the server's"),
    ],
)
def test_a_pair_is_judged_by_what_the_client_shows(shown, outcome):
    assert _judged_results(SHOP, {"shown": shown}) == outcome


def exchanges(*, receipts, heard=("How is the order?",), era="2025-11-25", **more):
    called = {"said": {"total": -5}, "texts": ["{}"], "receipts": receipts}
    return {"era": era, "heard": {"sampling": [called, list(heard)], **more}}


DIRECT = exchanges(receipts=0, roots={"error": "no"}, cancellation=True)


@pytest.mark.parametrize(
    ("proxied", "outcome"),
    [
        (
            exchanges(receipts=2, roots={"error": "no"}, cancellation=True),
            "passed (2, 2025-11-25); not offered: roots",
        ),
        (exchanges(receipts=1, roots=None, cancellation=True), "failed: sampling"),
        (exchanges(receipts=2, heard=(), roots=None, cancellation=True), "failed: sampling"),
        (exchanges(receipts=2, roots=None, cancellation=False), "failed: cancellation"),
        (exchanges(receipts=2, era="2026-07-28"), "failed: 2025-11-25 became 2026-07-28"),
    ],
)
def test_exchanges_are_judged_by_what_they_are_without_the_proxy(proxied, outcome):
    assert _judged_exchanges(SHOP, [DIRECT, proxied]) == outcome


def rows(part):
    text = (DOCS / "reference" / "compatibility.md").read_text(encoding="utf-8")
    inside = text.partition(f"<!-- {part}: begin -->\n")[2].partition(f"<!-- {part}: end -->")[0]
    return [line.strip("| ").split(" | ") for line in inside.splitlines() if line.startswith("| ")][2:]


@pytest.mark.parametrize(("part", "names"), [("adapters", ADAPTERS), ("extras", EXTRAS)])
def test_the_page_has_every_adapter_and_extra_with_its_outcome(part, names):
    assert [row[0] for row in rows(part)] == list(names)
    assert all(row[-1].startswith(("passed", "failed", "not run")) for row in rows(part))


@pytest.mark.parametrize("part", TABLES)
def test_the_page_has_every_client_and_every_server(part):
    clients = TALKERS if part.startswith("exchanges") else CLIENTS
    assert clients
    named = {name.rpartition(" (")[0] for row in rows(part) for name in row[0].split("<br>")}
    assert named == {client.name for client in clients}
    for _, outcome in rows(part):
        lines = [line.partition(": ") for line in outcome.split("<br>")]
        assert all(said.startswith(("passed", "failed", "not run")) for _, _, said in lines)
        assert lines[-1][0] in {"the others", f"all {len(TABLES[part][1])}"}
