"""Rules that every tool has from its first call: what is wrong by itself, and what only looks so."""

import json
from typing import Any

import pytest

from outcome_monitors.jsonvalue.canonical import canonical
from outcome_monitors.rules.built_in import BUILT_IN, BUILT_IN_KINDS, CLAUSES


def codes(arguments, result) -> set[str]:
    """Return the codes that the built-in rules flag a result with."""
    value, clauses = canonical(result), (*BUILT_IN, CLAUSES["truncated"])
    return {v.code for c in clauses for v in BUILT_IN_KINDS[c.kind].check(c, arguments, value)}


ADDRESS = {"url": "https://example.org/a"}
ROWS = [{"id": number, "price": 2.5 * number, "date": f"2026-03-0{number}"} for number in range(1, 6)]
ARTICLE = (
    "The rivers of the north carry meltwater from April on, and the ferries stop when the current is too strong. "
    * 3
)

WRONG: dict[str, list[tuple[Any, Any]]] = {
    "failure_reported": [
        ({}, "Tool call timed out."),
        ({}, "Error: ENOENT: no such file or directory, open '/tmp/a'"),
        ({}, "Failed to fetch https://example.org: connection refused"),
        ({}, "An API key is required to access this data and no key was provided"),
        ({}, "Forbidden"),
        ({}, "ValueError: could not convert string to float"),
        ({}, "错误: 无法连接"),
        ({}, {"error": "No presentation is currently loaded"}),
        ({}, {"success": False, "message": "Tracking information not found"}),
        ({}, {"status": "401", "msg": "Authentication required"}),
        ({}, {"status": "error", "message": "template missing", "data": {"slides": 0}}),
        ({}, {"message": "This endpoint is disabled for your subscription"}),
        ({}, {"code": 503, "message": "upstream"}),
        ({}, {"data": None, "errors": [{"message": "Cannot query field x"}]}),
        ({"command": "cat a | head"}, "cat: a: No such file or directory"),
        (
            {"command": "tool build | tail"},
            "error: unrecognized subcommand 'build'\n\nUsage: tool [OPTIONS]\n",
        ),
        ({"command": "x"}, 'Traceback (most recent call last):\n  File "a.py", line 1\nKeyError: 1'),
    ],
    "item_failed": [
        ({}, {"results": [{"id": 1, "success": True}, {"id": 2, "success": False}]}),
        ({}, [{"path": "a", "content": "x"}, {"path": "b", "error": "permission denied"}]),
        ({}, {"verifications": {"zip": {"success": False}}, "id": "adr_1"}),
        ({"paths": ["/a.txt", "/b.txt"]}, "/a.txt:\nhello\n---\n/b.txt: Error - ENOENT: no such file\n"),
    ],
    "content_missing": [
        ({}, "Loading..."),
        ({}, {"title": "Home", "content": "Please wait"}),
        (ADDRESS, {"title": "Home", "content": ""}),
        (ADDRESS, "Title: Error 403\n=======\n## Error 403\n\nEnable JavaScript and cookies to continue"),
        (ADDRESS, "Just a moment...\nChecking your browser before accessing example.org"),
        (
            ADDRESS,
            "<!doctype html><html><head><title>App</title></head><body><div id=root></div><script>x()</script></body></html>",
        ),
        (ADDRESS, "Address: https://example.org/a\nTitle: Video\n=======\n"),
        (ADDRESS, "# Sign in\n\nEmail\nPassword\nForgot your password?"),
    ],
    "text_garbled": [
        ({}, "%PDF-1.7\n%âãÏÓ\n1 0 obj"),
        ({}, {"text": "ab\x00c"}),
        ({}, {"name": "Ren\ufffd\ufffd\ufffd"}),
        ({}, {"name": "KÃ¶ln und MÃ¼nchen"}),
        ({}, '{"items": [{"id": 1}, {"id": 2'),
        ({}, {"facts": ["It was about 1.", "5 million years ago.", "Then it rained."]}),
    ],
    "request_ignored": [
        ({"order_id": "W1"}, {"order_id": "W2", "total": 3}),
        ({"symbol": "NVDA"}, {"data": {"symbol": "AMD", "price": 3.5}}),
        ({"limit": 3}, {"items": ROWS}),
        ({"status": "open"}, [{"id": 1, "status": "open"}, {"id": 2, "status": "closed"}]),
        ({"radius": 1000}, {"places": [{"name": "x", "distance": 1200.5}]}),
        ({"start_date": "2026-03-02"}, {"rows": ROWS}),
        ({"end_date": "2026-03-04"}, {"rows": ROWS}),
        ({"sort_by": "price"}, [ROWS[1], ROWS[0], ROWS[3], ROWS[2]]),
        ({"sort": "-price"}, ROWS),
        ({"fields": ["id", "weight"]}, ROWS),
        (
            {"from": "VNP", "to": "SNH", "fromStation": "VNP", "toStation": "SNH"},
            "VNP -> AOH 06:10, 662 yuan; VNP -> SHH 07:00, 669 yuan; and many more trains today",
        ),
        ({"sortFlag": "startTime"}, "K1 03:59 -> 05:49\nD2 03:41 -> 05:21\nT3 04:43 -> 06:04"),
        ({"query": "graphics processor memory"}, {"summary": ARTICLE}),
    ],
    "write_not_applied": [
        ({"properties": {"name": "a", "colour": "red", "size": 3}}, {"id": 7, "properties": {"name": "a"}}),
    ],
    "claim_contradicted": [
        ({}, {"count": 2, "items": ROWS}),
        ({}, {"count": 3, "items": []}),
        ({}, {"has_more": False, "total": 120, "items": ROWS}),
        ({}, {"subtotal": 10.0, "tax": 1.0, "total": 14.0}),
        ({}, {"events": [{"start": "2026-03-02T10:00:00", "end": "2026-03-02T09:00:00"}]}),
        ({}, {"min_price": 9, "max_price": 3}),
    ],
    "value_impossible": [
        ({}, {"symbol": "X", "price": -3.5}),
        ({}, {"items": [{"quantity": -2}]}),
        ({}, {"latitude": 139.7, "longitude": 35.6}),
        ({}, {"total": -62.5, "status": "shipped"}),
    ],
    "result_truncated": [
        ({}, {"items": ROWS, "has_more": True}),
        ({}, {"items": ROWS, "total": 80}),
        ({}, {"items": ROWS, "next_cursor": "abc"}),
        ({}, "line\n" * 200 + "... [output truncated, 4000 more characters]"),
        ({}, "Showing 1-10 of 80 results\n" + "row\n" * 10),
    ],
}

RIGHT: list[tuple[Any, Any]] = [
    ({}, {"error": None, "items": []}),
    ({}, {"errors": [], "success": True}),
    ({}, {"course_progress": {"error": 0.2}, "name": "x"}),
    ({}, {"error": "none", "value": 3}),
    ({}, "No results found for 'error handling'."),
    ({}, "No matches found"),
    ({"path": "/tmp"}, ""),
    ({}, []),
    ({}, None),
    ({}, "Successfully fixed: the request failed because of a timeout"),
    ({}, {"id": "job_7", "status": "failed", "message": "exit code 1"}),
    ({"command": "grep error log"}, "10:02 error: disk full\n10:03 retried\n"),
    ({"command": "ls a b"}, "a.txt\nls: b: No such file or directory\nc.txt"),
    ({"path": "/app/login.html"}, "<html><body><h1>Sign in</h1><input type='password'></body></html>"),
    (ADDRESS, ARTICLE + "What an error 404 means, and how to enable JavaScript in your browser. " + ARTICLE),
    ({"query": "loading"}, {"title": "Loading", "body": ARTICLE}),
    ({}, {"text": "Zażółć gęślą jaźń, Ελληνικά, 日本語, Ünïcode"}),
    ({}, {"chapters": ["1.", "2.", "3."]}),
    ({}, ["Version 1.", "Version 2.", "Version 3."]),
    ({"order_id": "#W1"}, {"order_id": "W1"}),
    ({"limit": 5}, {"items": ROWS}),
    ({"status": "all"}, [{"status": "open"}, {"status": "closed"}]),
    ({"category": "shoe"}, [{"category": "Shoes"}, {"category": "shoes"}]),
    ({"radius": 5}, {"places": [{"distance": 1200.5}]}),
    ({"sort_by": "price"}, ROWS),
    ({"sort_by": "price"}, ROWS[::-1]),
    ({"query": "mining hardware costs"}, {"summary": ARTICLE + " Miners paid more."}),
    ({"details": {"name": "a", "secret_key": "x"}}, {"details": {"name": "a"}}),
    ({"page": 2}, {"count": 80, "page": 2, "items": []}),
    ({}, {"total": 5, "items": ROWS}),
    ({}, {"subtotal": 10.0, "tax": 1.0, "discount": 2.0, "total": 9.0}),
    ({}, {"type": "refund", "total": -20.0}),
    ({}, {"price_change": -3.5, "balance": -10}),
    ({}, {"size": -1, "duration": -1}),
    ({"limit": 5}, {"items": ROWS, "has_more": True}),
    ({}, {"items": ROWS, "total": 5, "has_more": False}),
]


@pytest.mark.parametrize(
    ("code", "arguments", "result"), [(code, *case) for code, cases in WRONG.items() for case in cases]
)
def test_what_is_wrong_by_itself_is_flagged(code, arguments, result):
    assert code in codes(arguments, result)


@pytest.mark.parametrize(("arguments", "result"), RIGHT)
def test_what_only_looks_wrong_is_not_flagged(arguments, result):
    assert codes(arguments, result) - {"result_truncated"} == set()


@pytest.mark.parametrize(("arguments", "result"), [case for cases in WRONG.values() for case in cases])
def test_a_result_gets_the_same_verdict_as_an_object_and_as_its_text(arguments, result):
    if isinstance(result, (dict, list)):
        assert codes(arguments, json.dumps(result)) == codes(arguments, result)
