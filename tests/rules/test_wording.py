"""How failures are worded, and what only sounds like one."""

import pytest

from outcome_monitors.jsonvalue.canonical import canonical
from outcome_monitors.rules.built_in import BUILT_IN, BUILT_IN_KINDS, CLAUSES


def codes(arguments, result) -> set[str]:
    """Return the codes that the built-in rules flag a result with."""
    value, clauses = canonical(result), (*BUILT_IN, CLAUSES["truncated"])
    return {v.code for c in clauses for v in BUILT_IN_KINDS[c.kind].check(c, arguments, value)}


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
