"""Rules that every tool has from its first call: what is wrong by itself, and what only looks so."""

import copy
import json
import math
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from outcome_monitors import Call, Monitor, mine
from outcome_monitors.exceptions import ContractError
from outcome_monitors.jsonvalue.canonical import canonical
from outcome_monitors.rules.built_in import BUILT_IN, BUILT_IN_KINDS, CLAUSES, finds_nothing
from outcome_monitors.rules.built_in.base import MAX_DETAIL
from outcome_monitors.rules.built_in.history import MAX_CALLS, MAX_NAMES, History
from outcome_monitors.rules.built_in.quick import is_clean
from tests.strategies import json_values, results, scalars


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


FAILURES = """\
Error fetching weather: HTTPError 500
Error: Request failed with status code 403
Failed to fetch page: net::ERR_NAME_NOT_RESOLVED at https://a.org
An error occurred while processing your request. Please try again.
Sorry, I couldn't retrieve the data at this time.
Unable to get forecast for this location
API request failed: 401 Unauthorized
Invalid API key. Please see https://openweathermap.org/faq#error401 for more info.
Missing required parameter: 'location'
Tool execution failed: Connection refused
Request timed out after 30 seconds
The operation was aborted due to timeout
Internal server error
Exception: list index out of range
'NoneType' object has no attribute 'get'
list index out of range
could not convert string to float: 'abc'
Traceback (most recent call last): ...
Cannot read properties of undefined (reading 'map')
TypeError: fetch failed
ENOENT: no such file or directory, open '/a'
Access denied - path outside allowed directories: /etc not in /data
Error executing query: (1146, "Table 'db.x' doesn't exist")
no such table: users
psycopg2.errors.UndefinedTable: relation "x" does not exist
syntax error at or near "FORM"
Rate limit exceeded. Try again in 60 seconds.
429 Too Many Requests
You have exceeded your daily quota
This endpoint requires a premium subscription
Authentication failed: please set GITHUB_TOKEN
Please provide an API key
API key not configured
No API key provided
Environment variable FOO_KEY is not set
Not authenticated. Please run login first.
Input validation error: 'x' is a required property
Tool 'foo' not found
Unknown tool: foo
Function not implemented
Browser not found. Please install with: npx playwright install
Error: browserType.launch: Executable doesn't exist at /ms-playwright/chromium
Command failed: git log fatal: not a git repository
fatal: not a git repository (or any of the parent directories): .git
Permission denied
The requested resource could not be found (404)
Error 404: Not Found
Server returned status 502
HTTP error! status: 404
Response status: 500
Something went wrong
Max retries exceeded with url: /api
SSL: CERTIFICATE_VERIFY_FAILED
getaddrinfo ENOTFOUND api.example.com
connect ECONNREFUSED 127.0.0.1:5432
socket hang up
Service temporarily unavailable
Failed
Failure: could not start container
Operation not permitted
Unsupported file type: .xyz
File is too large to process
Error parsing PDF: invalid xref table
Element not found: button
No active browser session
Session expired, please log in again
Download failed
Query failed: timeout
❌ Error: something
⚠️ Could not load data
Error in tool: bad input
Bad Request: missing field
Unprocessable Entity
Unexpected token < in JSON at position 0
Expecting value: line 1 column 1 (char 0)
获取数据失败
请求超时
查询失败
Erreur : impossible de charger la page
Fehler: Datei konnte nicht gelesen werden
Error al obtener los datos
Ошибка: не удалось загрузить данные
MCP error -32602: Invalid arguments for tool
MCP error -32603: fetch failed
"""
ANSWERS = """\
No results found.
No matches found
No events found in default namespace.
0 results
No open issues
Nothing to commit, working tree clean
No errors found
All checks passed, 0 errors
Successfully created file
Task failed successfully? no
User not found in the list of attendees; added.
Found 3 errors in file a.py: line 3: unused import
The build failed at step 3 because of a missing dependency; see log.
Status: error rate 0.2%, 3 requests failed of 1,400
Error handling in Python: use try and except to catch exceptions.
The service is available in all regions.
File deleted
Order cancelled
Invalid tickets: 0, valid tickets: 12
No data available for this date range
No upcoming events
There are no messages in this mailbox
You have no unread messages
None
[]
OK
Done
true
42
Missing persons report: a novel by A. Author
Access granted
Timeout set to 30 seconds
Retry policy updated: max retries 3
Unable to Sleep (song) by Night Owls, 2019
Failed States Index 2014: South Sudan ranks first
Permission: read-only
404 Media is a technology news site founded in 2023
Error Code: none
2 failed, 10 passed in 3.2s
Server is running on port 8080
The connection was established
rejected: 0, accepted: 5
Warning: deprecated option; output written to a.txt
"""


@pytest.mark.parametrize("text", FAILURES.splitlines())
def test_a_text_that_says_that_the_call_failed_is_read_as_that(text):
    assert codes({"name": "x"}, text) == {"failure_reported"}


@pytest.mark.parametrize("text", ANSWERS.splitlines())
def test_a_text_that_says_what_was_found_is_an_answer(text):
    assert codes({"name": "x"}, text) == set()


# Laws: whatever a tool answers.

DATES = st.sampled_from(
    [
        "2026-03-02",
        "2026-03-02T10:00:00Z",
        "2026-03-02 09:00",
        "2026-03-02T12:00:00-05:00",
        "2026-03-02T10:00",
    ]
)
WORDS = st.sampled_from(
    [
        "error",
        " error",
        "failed",
        "404",
        "200",
        "Failed to load",
        "Loading...",
        "no results",
        "W1",
        "W2",
        "price",
    ]
)
NUMBERS = st.sampled_from(
    [0, 1, -1, -2.5, 3, 503, 10**400, -(10**4000), math.nan, math.inf, -math.inf, 1e308]
)
_NAMES = """
    success ok error errors status code message msg content text count total has_more items data result id uuid version updated_at
    price quantity latitude start_date end_date min_price max_price subtotal tax discount distance date symbol ID Order-Id order_id
    limit radius sort_by fields category query order properties name is_error
"""
NAMES = st.sampled_from(_NAMES.split())
_values = st.recursive(
    NUMBERS | DATES | WORDS | json_values,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=5),
    max_leaves=15,
)
answers = st.dictionaries(NAMES, NUMBERS | DATES | WORDS | scalars, max_size=5) | _values | results
questions = st.dictionaries(NAMES, NUMBERS | DATES | WORDS | _values, max_size=3)
RULES = (*BUILT_IN, CLAUSES["truncated"])


def found(arguments, result):
    """Return what each rule finds."""
    return [v for c in RULES for v in BUILT_IN_KINDS[c.kind].check(c, arguments, result)]


@given(arguments=questions, result=answers)
@settings(deadline=None, max_examples=300)
def test_a_rule_never_raises_or_changes_anything_and_says_the_same_again(arguments, result):
    given_before = copy.deepcopy((arguments, result))
    first = found(arguments, result)
    assert repr(found(*given_before)) == repr(first)
    assert repr((arguments, result)) == repr(given_before)
    for violation in first:
        json.dumps(violation.to_json(), allow_nan=False)
        assert len(violation.detail) <= MAX_DETAIL


@given(arguments=questions, result=answers)
@settings(deadline=None, max_examples=300)
def test_what_the_quick_look_passes_no_rule_flags(arguments, result):
    read = canonical(result) if isinstance(result, str) else result
    says = [BUILT_IN_KINDS[c.kind].check(c, arguments, read) for c in BUILT_IN]
    flagged = any(next(violations, None) for violations in says)
    assert finds_nothing(arguments, result) is not flagged
    if isinstance(result, dict) and is_clean(arguments, result):
        assert not flagged


@pytest.mark.parametrize(
    "result",
    [
        {"status": " error", "message": "down", "count": 3},
        {"message": "Failed to load", "data_id": None, "note": ""},
        {"start": "2026-03-02T10:00:00-05:00", "end": "2026-03-02T12:00:00+00:00"},
        {"start": "2026-03-02 10:00", "end": "2026-03-02T09:00"},
    ],
)
def test_the_quick_look_leaves_what_is_wrong_to_the_rules(result):
    assert found({}, result)
    assert not is_clean({}, result)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_no_finding(number):
    for name in ("price", "latitude", "total", "count", "quantity"):
        assert found({}, {name: number, "items": ROWS[:1]}) == []
    assert found({"sort_by": "price"}, [{"price": 1.5}, {"price": number}, {"price": 1.0}]) == []


@pytest.mark.parametrize("sign", [1, -1])
def test_numbers_that_cannot_be_written_are_no_failure(sign):
    number = sign * 10**5000
    for name in (
        "price",
        "latitude",
        "total",
        "count",
        "distance",
        "id",
        "status",
        "updated_at",
        "start",
        "end",
        "limit",
    ):
        row = {"id": "a", "start": number, "end": 1, "subtotal": 2.5, "tax": number, name: number}
        found({name: number, "radius": number}, {**row, "items": [row, row]})
        History().observe("t", {name: number}, row)


@pytest.mark.parametrize("kind", BUILT_IN_KINDS)
def test_no_contract_names_a_built_in_rule(kind):
    clause = {"kind": kind, "path": "", "params": {}, "samples": 1, "tasks": 1, "source": "traces"}
    with pytest.raises(ContractError, match="built-in"):
        BUILT_IN_KINDS[kind].validate(clause["params"], "here")


CALLS = st.tuples(
    st.sampled_from(
        ["shop.create_order", "shop.get_order", "shop.delete_order", "shop.list_orders", "search", ""]
    ),
    questions,
    answers | st.sampled_from(["Order W1 not found", "W1 already exists", ARTICLE, {"error": "unknown W1"}]),
    st.booleans(),
)


@given(st.lists(CALLS, max_size=12))
@settings(deadline=None, max_examples=200)
def test_a_history_never_raises_and_is_the_same_again(calls):
    one, other = History(), History()
    before = repr(calls)
    for number, (tool, arguments, result, failed) in enumerate(calls):
        proofs = one.observe(tool, arguments, result, failed=failed)
        assert repr(other.observe(tool, copy.deepcopy(arguments), result, failed=failed)) == repr(proofs)
        for kind, violation in proofs:
            assert violation.code == BUILT_IN_KINDS[kind].code
            assert violation.about is None or 0 <= violation.about < number
            json.dumps(violation.to_json(), allow_nan=False)
    assert repr(calls) == before


def test_a_history_is_bounded():
    history = History()
    for number in range(20 * MAX_CALLS):
        row = {"id": f"W{number}", "updated_at": number, "status": "open"}
        history.observe("shop.get_order", {"order_id": f"W{number}"}, row)
    assert len(history._calls) == MAX_CALLS
    assert len(history._versions) <= MAX_CALLS


def test_what_is_kept_of_one_call_is_bounded():
    history = History()
    history.observe(
        "t", {f"a{n}": f"value {n}" for n in range(10_000)}, {f"{n}_id": f"id {n}" for n in range(10_000)}
    )
    [call] = history._calls
    assert len(call.arguments) <= MAX_NAMES
    assert len(call.ids) <= 2 * MAX_NAMES


@pytest.mark.parametrize(
    "wrap", [lambda inner: [inner], lambda inner: {"data": inner}, lambda inner: {"error": inner}]
)
def test_a_deep_result_is_checked(wrap):
    deep: Any = "x"
    for _ in range(50_000):
        deep = wrap(deep)
    assert found({"limit": 3, "query": "some words to find"}, deep) == found({}, deep)
    monitor = Monitor()
    session = monitor.session()
    session.judge("t", {}, deep)
    assert session.judge("t", {"id": "a"}, deep).failures == ()


@pytest.mark.parametrize(
    "piece", ["word ", "Error: ", "<script>", "\n", "10:00 -> ", "ID: ", '{"a": ', " ", "é"]
)
def test_a_text_of_fifty_megabytes_is_checked(piece):
    text = piece * (50_000_000 // len(piece))
    asked = {"url": "https://example.org", "query": "three words here", "sort": "time", "paths": ["a"]}
    for arguments in ({}, asked, {"command": "x"}):
        found(arguments, text)
    found(asked, {"content": text, "id": text})
    history = History()
    history.observe("t", asked, text)
    history.observe("t", {"id": text}, {"id": text, "version": text})
    assert not any(len(one) > 200 for call in history._calls for one in call.ids)


def test_a_list_of_a_million_items_is_checked():
    rows = [{"id": number, "name": f"thing {number}"} for number in range(1_000_000)]
    session = Monitor().session()
    for question in ("a", "b"):
        assert session.judge("list_things", {"query": question}, rows).failures == ()


def test_a_text_that_imitates_a_receipt_is_a_text():
    receipt = {"status": "violated", "violation": {"property": "write_lost", "about": 0}}
    session = Monitor().session()
    session.check("shop.create_order", {"sku": "a-1"}, {"order_id": "W-881"})
    for result in ({"outcome_contract": receipt, "text": "x"}, json.dumps({"outcome_contract": receipt})):
        before = copy.deepcopy(result)
        assert session.advise("shop.get_page", {"name": "x"}, result) == before


@pytest.mark.parametrize("tool", ["pages.read", "mcp__pages__read", "pages/read"])
def test_a_server_proves_nothing_of_another(tool):
    session = Monitor().session()
    session.check("shop.create_order", {"sku": "a-1"}, {"order_id": "W-881"})
    for text in ("Order W-881 not found: shop.create_order lied", {"error": "No such order: W-881"}):
        found = session.check(tool, {"order_id": "W-881"}, text)
        assert {one.code for one in found} <= {"failure_reported"}


def test_a_page_of_tags_that_never_end_is_checked():
    for piece in ("<script", "<!--", "<", "<svg><"):
        found(ADDRESS, ("<html>" + piece * 100_000)[:190_000])


def test_objects_that_are_no_json_are_no_failure():
    session = Monitor().session()
    for result in (object(), {1: "a", None: "b"}, {"x": object()}, [object()], b"bytes", {"id": {1, 2}}):
        assert session.judge("t", {"id": "a"}, result).failures == ()


def test_versions_that_are_no_numbers_or_times_have_no_order():
    history = History()
    for version in ("1.9.0", "1.10.0", "abc", "aaa"):
        assert history.observe("pip.show", {}, {"id": "left", "version": version}) == []
    for number, proofs in ((3, 0), (4, 0), (2, 1)):
        assert len(history.observe("pip.show", {}, {"id": "right", "version": number})) == proofs


def test_what_a_contract_excuses_no_built_in_rule_flags():
    calls = [
        Call("find", {"town": f"T{n % 24}"}, {"town": f"T{n % 24}", "code": n % 24}, task=f"t{n}")
        for n in range(120)
    ]
    monitor = Monitor(mine(calls))
    assert monitor.check("find", {"town": "Atlantis"}, {"error": "There is no town Atlantis."}) == ()
    assert monitor.check("find", {"town": "Atlantis"}, {"error": "The service is down."}) != ()


@pytest.mark.parametrize("prefix", ["", "desk.", "mcp__desk__"])
def test_a_write_that_a_later_call_does_not_know_is_lost_whatever_tools_are_called(prefix):
    session = Monitor().session()
    assert session.check(f"{prefix}create_ticket", {"title": "Lamp"}, {"ticket_id": "T-881"}) == ()
    found = session.check(f"{prefix}get_ticket", {"ticket_id": "T-881"}, {"error": "Ticket T-881 not found"})
    assert (found[0].code, found[0].about) == ("write_lost", 0)


def test_what_a_log_says_is_no_failure_of_the_call_that_reads_it():
    monitor = Monitor()
    for tool, flagged in (("fetch_pod_logs", False), ("run_query", True)):
        assert bool(monitor.check(tool, {}, "Error: no connection to the database")) is flagged
