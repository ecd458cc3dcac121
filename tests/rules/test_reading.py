"""What a text states is read as JSON is, and every rule of JSON sees it."""

import pytest

from outcome_monitors import Monitor
from outcome_monitors.rules.built_in.forms import another_language, another_unit
from outcome_monitors.rules.built_in.reading import data_of

OPEN_AND_CLOSED = [{"name": "door", "status": "open"}, {"name": "lamp", "status": "closed"}]

TEXTS = {
    "a table with bars": "Found these:\n\n| name | status |\n|---|---|\n| door | open |\n| lamp | closed |\n",
    "a table of a database": "name | status\n-----+-------\ndoor | open\nlamp | closed\n(2 rows)",
    "columns under capitals": "NAME  STATUS  AGE\ndoor  open    3d\nlamp  closed  4d",
    "commas": "name,status,age\ndoor,open,3\nlamp,closed,4",
    "blocks of lines": "name: door\nstatus: open\n\nname: lamp\nstatus: closed",
    "blocks under a name": "A-1: door\nstatus: open\n\nA-2: lamp\nstatus: closed",
    "a numbered list": "Things:\n1. door\n   - Status: open\n2. lamp\n   - Status: closed",
    "headings": "## door\nStatus: open\n\n## lamp\nStatus: closed",
    "JSON under a line": 'Here is the list:\n[{"name": "door", "status": "open"}, {"name": "lamp", "status": "closed"}]',
    "fenced JSON": '```json\n{"rows": [{"status": "open"}, {"status": "closed"}]}\n```',
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_text_is_held_against_what_was_asked_as_rows_are(text):
    monitor = Monitor()
    codes = {one.code for one in monitor.check("things.list", {"status": "open"}, text)}
    assert codes == {one.code for one in monitor.check("things.list", {"status": "open"}, OPEN_AND_CLOSED)}
    assert codes == {"request_ignored"}
    assert not monitor.check("things.list", {"colour": "open"}, text)


@pytest.mark.parametrize(
    "text",
    [
        "The committee met on Tuesday: nobody spoke.\nIt will meet again.",
        "Dear all,\n\nthe office, and the shop, stay shut.\n\nRegards,\nA",
        "spec:\n  status: open\nother:\n  status: closed",
    ],
)
def test_prose_and_what_is_set_in_state_no_rows(text):
    assert "rows" not in (data_of(text) or {})
    assert not Monitor().check("things.get", {"status": "open"}, text)


def test_numbers_and_signs_are_kept():
    assert data_of("Total: -14.00\nShare: 40%\nPaid: true\nNote: n/a") == {
        "Total": -14.0,
        "Share": 40,
        "Paid": True,
        "Note": "n/a",
    }


@pytest.mark.parametrize(
    ("asked", "text", "found"),
    [
        ("es", "The climate of the city is mild and it rains in winter", "en"),
        ("en-US", "Das Klima der Stadt ist mild und es regnet im Winter", "de"),
        ("Japanese", "The climate of the city is mild and it rains", "another script"),
        ("es", "El clima de la ciudad es suave y llueve en invierno", ""),
        ("python", "The climate of the city is mild and it rains", ""),
        ("es", "Lisboa Porto Braga Faro Évora", ""),
    ],
)
def test_the_language_of_a_text(asked, text, found):
    assert another_language(asked, text) == found


def test_units():
    assert another_unit("metric", "71 °F, wind 5 mph") == "71 °F"
    assert not another_unit("metric", "22 °C (71 °F)")
    assert not another_unit("kelvin", "71 °F")


def test_a_query_asks_for_what_is_written_in_it():
    check = Monitor().check
    query = {"sql": "SELECT id, total FROM orders ORDER BY total DESC LIMIT 3"}
    falling, rising = ("id | total\n---+---\n1 | 9\n2 | 7\n3 | 8", "id | total\n---+---\n1 | 9\n2 | 8\n3 | 7")
    assert [one.code for one in check("db.query", query, falling)] == ["request_ignored"]
    assert not check("db.query", query, rising)
    jql = {"jql": "project = OPS AND status = Done"}
    assert check("jira.search", jql, [{"status": "Done"}, {"status": "Open"}])
    assert not check(
        "jira.search", {"jql": "status = Done OR status = Open"}, [{"status": "Done"}, {"status": "Open"}]
    )


def test_the_last_write_to_a_thing_is_what_a_later_read_shows():
    for shown, codes in ((18, ["write_lost"]), (21, [])):
        session = Monitor().session()
        assert not session.check("home.set_target", {"room": "office", "target": 21}, "OK")
        found = session.check(
            "home.get_target", {"room": "office"}, f"room: office\ntarget: {shown}\nmode: heat"
        )
        assert [one.code for one in found] == codes
        assert all(one.about == 0 for one in found)


def test_a_list_in_a_text_shows_what_a_search_did_not_find():
    session = Monitor().session()
    assert not session.check("mail.search", {"query": "from:lena invoice"}, "No messages found.")
    inbox = (
        "1. From: lena@example.org\n   Subject: Invoice March\n2. From: bot@example.org\n   Subject: Digest"
    )
    [found] = session.check("mail.list_messages", {"folder": "inbox"}, inbox)
    assert (found.code, found.about) == ("empty_contradicted", 0)
