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
BLOG = {"url": "https://blog.org/posts/rivers-in-northern-countries"}
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
        (
            {},
            "# Search Failed\n\nError searching for 'x': no such table\n\n## Steps\n" + "1. Try again\n" * 90,
        ),
        ({}, "Es ist ein Fehler aufgetreten: Notiz gesperrt."),
        ({}, "I'm sorry, but I can't assist with that request."),
        ({}, ["lint failed", "java.lang.Error: x\n\tat org.A.run(A.java:88)\n\tat org.A.main(A.java:12)"]),
        ({}, "ValueError: could not convert string to float"),
        ({}, "错误: 无法连接"),
        ({}, {"error": "No presentation is currently loaded"}),
        ({}, {"success": False, "message": "Tracking information not found"}),
        ({}, {"status": "401", "msg": "Authentication required"}),
        ({}, {"status": "error", "message": "template missing", "data": {"slides": 0}}),
        ({}, {"message": "This endpoint is disabled for your subscription"}),
        ({}, {"code": 503, "message": "upstream"}),
        ({}, {"type": "about:blank", "title": "Bad Request", "status": 400, "traceId": "|b1"}),
        ({}, {"message": "Not Found"}),
        ({"genre": "Thriller"}, {"message": "genre must be an integer: Thriller"}),
        ({}, {"data": None, "errors": [{"message": "Cannot query field x"}]}),
        ({"command": "cat a | head"}, "cat: a: No such file or directory"),
        (
            {"command": "tool build | tail"},
            "error: unrecognized subcommand 'build'\n\nUsage: tool [OPTIONS]\n",
        ),
        ({"command": "x"}, 'Traceback (most recent call last):\n  File "a.py", line 1\nKeyError: 1'),
        ({"command": "tests | tail -5"}, "Command exited with code 127\nbash: tests: command not found"),
        ({"command": "x | head"}, {"stdout": "", "stderr": "bash: x: command not found", "exit_code": 0}),
        ({"code": "1/0"}, {"status": "success", "output": "Traceback (most recent call last):\n  ..."}),
        ({}, {"result": "Error executing tool get: 1 validation error"}),
        ({"title": "X"}, {"title": "X", "summary": "Error: Page 'X' does not match any pages."}),
        ({}, {"statusCode": 500, "body": '{"message": "x"}'}),
        ({}, {"total_count": 0, "incomplete_results": True, "items": []}),
        ({}, {"took": 5, "timed_out": True, "hits": {"total": 0, "hits": []}}),
    ],
    "item_failed": [
        ({"ids": [4, 5]}, "- #4: labelled\n- #5: 403 Forbidden"),
        (
            {},
            {
                "/a.md": {"result": "error", "reason": "End before start", "content": ""},
                "/b.md": {"result": "ok"},
            },
        ),
        ({}, {"ms": {"version": "2.1"}, "no-such": {"status": 404, "detail": "Not Found"}}),
        ({}, "Import finished.\nRows processed: 100\nInserted: 61\nErrors: 39"),
        ({"ids": ["a", "b"]}, "Done: 1 succeeded, 1 failed"),
        ({"ids": ["a", "b"]}, {"succeeded": 1, "failed": 1}),
        ({}, {"_shards": {"total": 5, "successful": 4, "failed": 1}, "hits": []}),
        ({}, {"results": [{"id": 1, "success": True}, {"id": 2, "success": False}]}),
        ({}, [{"path": "a", "content": "x"}, {"path": "b", "error": "permission denied"}]),
        ({}, [{"url": "/a", "content": "x"}, {"url": "/b", "content": "Error fetching page: 403"}]),
        ({}, "# A\nText of the first page.\n---\nError: page 2 timed out\n---\n# C\nText of the third."),
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
        (
            ADDRESS,
            "[Home](/) [Shop](/shop) [Sale](/sale)\n\n* [Women](/w)\n\n[Cart](/cart)\n\n[Privacy](/privacy)",
        ),
        (ADDRESS, "Startseite\nPolitik\nAnmelden\nSuche\nImpressum\nDatenschutz"),
        (ADDRESS, "首页\n新闻\n登录\n注册\n搜索\n关于我们"),
        (
            ADDRESS,
            '- Page Snapshot:\n- link "Home" [ref=e1]:\n  - /url: /\n- link "Help" [ref=e2]\n- link "Terms" [ref=e3]',
        ),
        (ADDRESS, "{{ item.name }}\n\n{{ item.price }}\n\nAdd to cart"),
        (ADDRESS, "We use cookies to improve your visit.\n\nAccept all\nReject all"),
        (ADDRESS, "Página no encontrada\n\nLo sentimos, la página que busca no existe."),
        (
            ADDRESS,
            "<html><body><nav><a href=/>Home</a><p><a>About</a><p><a>Contact</a></nav><main></main></body></html>",
        ),
        (
            {"urls": ["https://a.org"]},
            {"results": [{"url": "https://a.org", "raw_content": "Loading..."}], "failed_results": []},
        ),
        (ADDRESS, ""),
        (BLOG, "# Blog\n\n[Posts](/posts) [Tags](/tags)\n\nEverything that we write about, every Tuesday."),
        (BLOG, "Jetzt weiterlesen mit Plus\n\nAlle Inhalte auf einer Seite und jederzeit kündbar"),
        (
            {"url": "https://shop.org/s?q=kettle&ref=nb"},
            "## Results\n\n300 bought this month\n\nDelivery Tue, Jul 29",
        ),
        ({"url": "acme/ferry"}, "# /acme/ferry\n\nacme/ferry | Harbour\n\nLoading..."),
        (
            {"voice": "a"},
            {"audio": "<!DOCTYPE html><html><head><title>503</title></head><body></body></html>"},
        ),
        ({"city": "Quito"}, "Temperature: -- °C\nHumidity: --%\nWind: -- km/h"),
        ({"address": "Plaza 1"}, {"lat": 0, "lng": 0, "formatted": "", "place": ""}),
        ({"prompt": "a cat"}, {"images": [{"url": ""}, {"url": ""}]}),
        (
            {"urls": ["https://a.org", "https://b.org"]},
            [
                {"url": "https://a.org", "text": ARTICLE},
                {"url": "https://b.org", "text": "Just a moment...\nVerifying you are human"},
            ],
        ),
        ({"urls": ["https://a.org"]}, {"results": [{"url": "https://a.org", "content": ""}]}),
        ({"url": "www.example.org"}, "Checking your browser before accessing example.org"),
        ({"ref": "e7"}, "- Page URL: https://example.org/b\n- Page Title: Just a moment...\n"),
        (ADDRESS, "Redirecting..."),
        (ADDRESS, "Title: Rivers\nURL: https://example.org/a\n\nLoading article...\nPlease wait..."),
        (ADDRESS, "Vercel Security Checkpoint\n\nWe're verifying your browser"),
        (ADDRESS, "# Robot or human?\n\nActivate and hold the button to confirm that you're human."),
        (ADDRESS, "404. That's an error.\n\nThe requested URL /a was not found on this server."),
        (ADDRESS, "- Page URL: https://example.org/404\n- Page Title: 404 Not Found\n- Page Snapshot:\n"),
        (ADDRESS, "- Page URL: https://example.org/a\n- Page Title: \n- Page Snapshot\n```yaml\n\n```"),
        (ADDRESS, "Contents of https://example.org/a:\n<html><body><div id=root></div></body></html>"),
        (ADDRESS, {"success": True, "data": {"markdown": "", "metadata": {"statusCode": 200}}}),
        (ADDRESS, {"markdown": ARTICLE, "metadata": {"statusCode": 404, "error": "Not Found"}}),
        ({"path": "a.pdf"}, {"pages": 12, "text": "", "title": "A"}),
        ({"path": "a.pdf"}, {"pages": [{"page": 1, "text": ""}, {"page": 2, "text": "\n"}]}),
        ({"prompt": "a cat"}, {"status": "success", "url": ""}),
        ({"symbol": "X"}, {"symbol": "X", "price": None, "change": None, "volume": None}),
        ({"symbol": "X"}, {"symbol": "X", "price": 0, "open": 0, "high": 0, "low": 0}),
        ({"symbol": "X"}, {"symbol": "X", "name": "N/A", "sector": "Unknown", "price": None}),
        ({}, "Name: N/A\nRating: N/A\nAddress: n/a"),
    ],
    "text_garbled": [
        ({}, "%PDF-1.7\n%âãÏÓ\n1 0 obj"),
        ({}, {"text": "ab\x00c"}),
        ({}, {"name": "Ren\ufffd\ufffd\ufffd"}),
        ({}, {"name": "KÃ¶ln und MÃ¼nchen"}),
        ({}, '{"items": [{"id": 1}, {"id": 2'),
        ({}, {"facts": ["It was about 1.", "5 million years ago.", "Then it rained."]}),
        ({}, {"facts": ["Some are large (e.", ", carbohydrates).", "They bind.", "They mark cells."]}),
    ],
    "request_ignored": [
        ({"order_id": "W1"}, {"order_id": "W2", "total": 3}),
        ({"symbol": "NVDA"}, {"data": {"symbol": "AMD", "price": 3.5}}),
        ({"limit": 3}, {"items": ROWS}),
        ({"issue_id": "API-4F2"}, "# Issue API-4F1\n\nStatus: unresolved"),
        (
            {"author": "mara"},
            "commit 1a\nAuthor: mara\nDate: 2026-03-01\n\ncommit 2b\nAuthor: ivo\nDate: 2026-03-01",
        ),
        ({"units": "metric"}, "Temperature: 71 °F\nWind: 5 mph"),
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
        ({"dateStart": "2026-03-03"}, {"rows": ROWS}),
        ({"published_after": "2026-03-03"}, [{"title": "t", "publishedAt": "2025-12-01T10:00:00Z"}]),
        ({"min_price": 5, "maxPrice": 10}, [{"name": "a", "price": 25}, {"name": "b", "price": 6}]),
        ({"year": 2024}, {"items": [{"name": "a", "year": 2023}, {"name": "b", "year": 2024}]}),
        ({"status_filter": "failure"}, {"rows": [{"status": "success"}, {"status": "success"}]}),
        ({"category": "shoes"}, [{"category": "shoes"}, {"category": "hats"}]),
        ({"amount": 100, "from": "USD", "to": "EUR"}, {"amount": 100, "from": "USD", "to": "GBP", "sum": 78}),
        ({"days": 3}, {"city": "Oslo", "days": 7, "mean": 4.5}),
        ({"max_results": 2}, "1. a\n   URL: x\n2. b\n   URL: y\n3. c\n   URL: z"),
        (
            {"status": "closed"},
            "1. **Door**\n   - Status: open\n   - Age: 3\n2. **Lamp**\n   - Status: closed\n   - Age: 4",
        ),
        ({"end_date": "2026-03-04"}, "Title: a\nDate: 2026-03-02\n\nTitle: b\nDate: 2026-03-09"),
    ],
    "write_not_applied": [
        ({"id": "77", "price": "19.90"}, {"product": {"id": "77", "price": "24.90"}}),
        ({"charge": "ch_1", "amount": 500}, {"charge": "ch_1", "amount": 5000}),
        ({"properties": {"name": "a", "colour": "red", "size": 3}}, {"id": 7, "properties": {"name": "a"}}),
    ],
    "claim_contradicted": [
        ({}, {"count": 2, "items": ROWS}),
        ({}, {"count": 3, "items": []}),
        ({}, {"has_more": False, "total": 120, "items": ROWS}),
        ({}, {"subtotal": 10.0, "tax": 1.0, "total": 14.0}),
        ({}, {"events": [{"start": "2026-03-02T10:00:00", "end": "2026-03-02T09:00:00"}]}),
        ({}, {"min_price": 9, "max_price": 3}),
        ({}, {"returned": 3, "total": 80, "items": ROWS}),
        ({}, "Found 2 results:\n\n1. a\n2. b\n3. c"),
        ({}, "Found 5 results:"),
    ],
    "value_impossible": [
        ({}, "Temperature: undefined°C\nHumidity: 40%"),
        ({}, "Humidity: 140%"),
        ({}, {"wind": "undefined km/h"}),
        ({}, {"symbol": "X", "price": -3.5}),
        ({}, {"items": [{"quantity": -2}]}),
        ({}, {"latitude": 139.7, "longitude": 35.6}),
        ({}, {"total": -62.5, "status": "shipped"}),
        ({}, {"distance_km": -12, "from": "A"}),
        ({}, {"items": [{"id": 1, "title": "Loading..."}]}),
        ({}, "Name: undefined\nPrice: undefined"),
        ({}, "[object Object],[object Object]"),
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
    (BLOG, "Zimmer 3, 61 m², 740 €\n\nZimmer 2, 55 m², 610 € im Monat und noch mehr davon"),
    (BLOG, "# Rivers\n\nThose of the north freeze over in winter, and nobody can cross."),
    ({"url": "https://api.org/v1/currency-exchange/convert"}, "one euro is 1.08 dollars now"),
    ({"path": "a.py"}, {"ok": False, "issues": [{"line": 3, "message": "unused import"}]}),
    (
        {"author": "mara"},
        "commit 1a\nAuthor: ivo\nDate: 2026-03-01\n\ncommit 2b\nAuthor: eva\nDate: 2026-03-01",
    ),
    ({"id": "7", "price": 19.9}, {"product": {"id": "7", "price": 1990}}),
    ({"name": "a", "restricted": False}, {"name": "a", "restricted": False, "phone": None, "fax": None}),
    ({"suite": "unit"}, "Tests run: 12\nPassed: 11\nFailed: 1"),
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
    ({"name": "Ada"}, {"message": "Hello, Ada"}),
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
    ({"job_id": "j7"}, {"job_id": "j7", "status": "failed", "error": "exit 1", "started": "2026-03-01"}),
    ({}, [{"error": "TypeError", "count": 3}, {"error": "KeyError", "count": 1}]),
    ({"code": "x"}, {"valid": False, "errors": ["line 1: missing ;"]}),
    (ADDRESS, "HTTP 404 errors explained\n\n" + ARTICLE),
    (ADDRESS, "<!doctype html><html><head><script>" + "x();" * 900),
    ({"url": "https://example.org/login"}, "Sign in\nUsername\nPassword\nForgot password?"),
    ({"url": "https://example.org/hook", "body": "{}"}, ""),
    ({"symbol": "X"}, {"symbol": "X", "results": []}),
    ({}, {"state": "loading", "id": 3}),
    (ADDRESS, "Loading...\n" + ARTICLE),
    (
        ADDRESS,
        "[Home](/) [Shop](/shop)\n\n[Oak chair](/1) 129.00\n[Pine chair](/2) 89.00\n\n[Privacy](/privacy) [Terms](/terms)",
    ),
    (ADDRESS, "Home\nOpening hours\nMonday to Friday 9 to 17\nContact\nPrivacy"),
    (ADDRESS, "Menu\n\nThe template reads {{ title }} and shows it above the page.\n\nHelp"),
    ({"url": "https://example.org/sitemap"}, "[Home](/)\n[About](/a)\n[Contact](/c)\n[Help](/h)"),
    ({"url": "https://example.org/errors/404"}, "# 404 Not Found\n\n" + ARTICLE * 2),
    ({"ids": ["a", "b"]}, "2 succeeded, 0 failed"),
    ({"job": "x"}, {"succeeded": 10, "failed": 2}),
    ({}, "Growth: 140%\nHumidity: 40%"),
    ({"repo": "x"}, {"url": "https://e.org/issues/1", "body": ""}),
    ({"query": "x"}, [{"url": "https://e.org/a", "text": ""}, {"url": "https://e.org/b", "text": "Sign in"}]),
    ({"symbol": "X"}, {"symbol": "X", "name": "N/A", "sector": "Unknown", "price": 3.5}),
    ({"repo": "x"}, {"repo": "x", "stars": 0, "issues": 0, "forks": 0}),
    ({"country": "Germany"}, [{"country": "DE"}, {"country": "DE"}]),
    ({"category": "electronics"}, [{"category": "Laptops"}, {"category": "Phones"}]),
    ({"max_price": 20}, [{"price": 1950}]),
    ({"limit": 2}, "Found 5 results:\n\n1. a\n2. b"),
    ({"limit": 2}, "## 1. First\n1. a\n2. b\n## 2. Second\n1. c"),
    ({"latitude": 52.52}, {"latitude": 52.55, "temperature": 7}),
    ({"from": "GBP"}, {"from": "British Pound", "rate": 1.2}),
    ({"keyword": "user-profile-import"}, "default  user-profile-import  0/1  Pending  " + "<none> " * 30),
    ({}, "type: undefined | null;\n"),
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
