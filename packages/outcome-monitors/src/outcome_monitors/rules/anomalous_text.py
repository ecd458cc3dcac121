"""`anomalous_text`: text that has no business there: markup, error pages, stack traces, queries, placeholders, broken encodings.

The words are those of `MARKS`, but no word is foreign by itself: a mark counts only where clean texts of the path never had it. A
tool that reads logs or web pages keeps its marks.

Texts come from outside, so every pattern must run in time linear in the text, whatever the text: where a repetition could meet
another or its own start again, it is bounded, possessive, or stops at what begins the next match.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache, lru_cache

from outcome_monitors.jsonvalue.paths import select
from outcome_monitors.model import Clause, Json, Violation
from outcome_monitors.rules.evidence.evidence import LONGEST_TEXT, Evidence, Place, kept_text

from .base.kind import TEXTS, Beside, Bind, Candidate, Fast, ValueKind, named, witnesses
from .base.severity import Severity
from .base.support import NOISE_FROM_TASKS
from .base.texts import Search, search_ends, search_near
from .base.traits import MANY_TOOLS, Cause, Determined, Mining, Tools, Traits
from .domain import spellings

__all__ = ["HINTS", "MARKS", "AnomalousText", "tells_of_failure"]

MARKS: Mapping[str, str] = {
    "markup": r"<(?:!doctype|html|head|body|div|span|title|script|h\d|p|br|pre|table)\b[^<>]*>",
    "http status": r"\bhttp(?:/\d\.\d)?(?: error)?:? ?[1-5]\d\d\b|\b(?:status|error) code:? ?[1-5]\d\d\b"
    r"|\b[45]\d\d:? (?:bad gateway|bad request|not found|forbidden|internal server error|service unavailable|unauthorized"
    r"|gateway time-?out|too many requests)|\b(?:bad gateway|internal server error|service unavailable|gateway time-?out)\b",
    "error": r"\A\W*(?:error|exception|failed|failure|fatal|warning|timeout|timed out)\b\s*[:!\-(]|\b[a-z]+(?:error|exception)\b[:(]"
    r"|\bNullPointerException\b|\berror occurred\b|\brate limit|\baccess denied\b|\bpermission denied\b|\btimed out\b",
    "stack trace": r"traceback \(most recent|^[^\S\n]*at [\w.$<>]+\([\w.]+:\d+\)|file \"[^\"]+\", line \d+|\bstack ?trace\b|core dumped",
    "query": r"\bselect\b.{1,80}\bfrom\b|\binsert into\b|\bdelete from\b|\bdrop table\b|\bupdate \w+ set\b|sql_?query",
    "log line": r"\[(?:debug|info|warn|warning|trace|error|internal|system)\]|\bdebug\b ?[:=]|\btool=\w+|\bargs=\{|\braw response\b"
    r"|\bretry(?:ing)? (?:in|after)\b|\bwaiting \d+s\b",
    "internals": r"/internal/|\bapi endpoint\b|\bendpoint:|\blocalhost\b|\b127\.0\.0\.1\b|/(?:usr|var|etc|home|opt)/\w|\binternal (?:id|use|only)\b"
    r"|\bx-request-id\b|\bobject at 0x[0-9a-f]+|\b__\w+__\b",
    "model": r"\bgpt-\w|\bclaude\b|\bllama[- ]?\d|\bgemini\b|\bas an ai\b|\blanguage model\b|\bsystem prompt\b|<\|",
    "placeholder": r"\A[^\w.]*+(?:n/?a|null|undefined|nil|nan|todo|tbd|unknown|placeholder|string|xxx+|lorem ipsum.*+|9{4,})\W*+\Z"
    r"|\A(?=\W*(?:--|\?))\W*+\Z",
    "none": r"\A\W*+none\W*+\Z",
    "json": r"\A\s*(?:\{\s*(?:\"|'|\})|\[\s*(?:[\[{\"'\d]|\]))",
    "broken encoding": "(?-i:Ã[\u0080-\u00ff]|â€|Â[\u0080-\u00bf]|\ufffd|ï»¿|Å[\u0080-\u00bf]|â[\u0080-\u00bf])",
    "epoch": r"\A(?:1970-01-01|0001-01-01|1900-01-01|9999-12-31)",
    "secret": r"\b(?:api[_-]?key|secret|passw(?:or)?d|bearer|access[_-]?token)\b\s*[:=]|\bsk-[a-z0-9]{16}|\bakia[0-9a-z]{16}",
    "refusal": r"\bfail(?:ed|ure|s)?\b|\bnot (?:found|available|authori[sz]ed|permitted|allowed|exist)\b|\bno (?:match(?:es)?|results?|data|records?|such)\b"
    r"|\bdenied\b|\b(?:un|in)able to\b|\bcould ?n[o']t\b|\bcannot\b|\bunavailable\b|\binvalid\b|\bnothing (?:was|has|to)\b|\bunauthori[sz]ed\b"
    r"|\bforbidden\b|\bexpired\b|\brejected\b|\btemporarily\b|\btry again\b",
    "negative": r"(?:\A|[\s:=(])-\d",
    "hole": r"\b(?:null|none|undefined|nan)\b",
    "bare heading": r"\w:\s*\Z",
    "cut": r"(?:…|\.\.\.|\[truncated\]|\[\.\.\.\])\s*\Z",
}
"""Each sort of foreign text, and the pattern that finds it (case does not matter)."""

HINTS: Mapping[str, tuple[str, ...]] = {
    "markup": ("<",),
    "http status": (
        "http",
        "code",
        "bad ",
        "not found",
        "forbidden",
        "server error",
        "unav",
        "unauth",
        "time",
        "too many",
    ),
    "error": (
        "error",
        "exception",
        "fail",
        "fatal",
        "warning",
        "timeout",
        "timed out",
        "rate limit",
        "denied",
    ),
    "stack trace": ("traceback", "(", '", line ', "stack", "core dumped"),
    "query": ("select", "insert into", "delete from", "drop table", "update ", "sql"),
    "log line": ("[", "debug", "tool=", "args=", "raw response", "retry", "waiting "),
    "internals": (
        "/internal",
        "/usr",
        "/var",
        "/etc",
        "/home",
        "/opt",
        "endpoint",
        "localhost",
        "127.0.0.1",
        "internal",
        "x-request-id",
        "0x",
        "__",
    ),
    "model": ("gpt-", "claude", "llama", "gemini", "as an ai", "language model", "system prompt", "<|"),
    "refusal": (
        "fail",
        "not ",
        "no ",
        "denied",
        "nable to",
        "could",
        "cannot",
        "unavail",
        "invalid",
        "nothing ",
        "unauth",
        "forbid",
        "expired",
        "rejected",
        "temporarily",
        "try again",
    ),
    "negative": ("-",),
    "hole": ("null", "none", "undefined", "nan"),
    "bare heading": (":",),
    "secret": ("key", "secret", "passw", "bearer", "token", "sk-", "akia"),
    "cut": ("…", "...", "[truncated]"),
}
"""For each sort, small letters that every text of it has some of: a quick look before the pattern is tried."""

BEYOND_ASCII = frozenset({"broken encoding"})
"""Marks that no text has which is ASCII alone, and it is known of a text at once whether it is."""

NEAR: Mapping[str, tuple[int, int]] = {"hole": (1, 1), "negative": (1, 1), "refusal": (2, 12)}
"""How many characters a mark has at most before a hint of it, and behind it with one more, where its words are those of its hints."""
ENDS: Mapping[str, tuple[str, ...]] = {"bare heading": (":",), "cut": ("…", "...", "[truncated]", "[...]")}
"""How texts with a mark end, where only their end shows it."""

ODD_LETTERS = "\u0130\u0131\u017f\u212a"
"""Letters beyond ASCII that are the same as one of it but for case, or two in small letters."""

NAMES = frozenset({"model", "placeholder"})
"""Marks that are names somewhere: a service called gemini, a file called todo."""
MOST_FIRED = 0.005
"""The share of clean answers that are texts which may have foreign marks, of tools never seen: there is nothing else to hold such an answer against."""
LEAST_TASKS_TRIED = 3
WORDS = frozenset({"placeholder", "hole"})
"""Sorts that may be a value somewhere: a shirt whose feature is `none`."""
TRIED = ("refusal", "negative", "hole", "bare heading")
"""Sorts that clean texts may well have one day: they are suggested apart from the others, and need trials."""

FILES: Mapping[str, tuple[str, ...]] = {
    "json": ("json",),
    "html": ("markup",),
    "svg": ("markup",),
    "xml": ("markup",),
    "log": ("log line", "error", "stack trace"),
    "sql": ("query",),
    "env": ("secret",),
}
"""The marks that texts of files have, by the ending of their names."""
MOST_ASKED = 20
LEAST_ASKED, LONGEST_ASKED = 3, 300
"""Characters of what is asked for; a longer argument is content."""

SHORT = 64
"""Texts up to this length tend to come again: whether they are clean is kept for a while."""
FEW = 4
"""Texts of a column: to look for all hints in a line of them costs as much as to ask for them one by one."""

_Clean = Callable[[str], bool]
_FLAGS = re.IGNORECASE | re.MULTILINE


@cache
def _pattern(mark: str) -> re.Pattern[str]:
    # When it is first needed: compiling all of them would take a tenth of the time that importing the package does.
    return re.compile(MARKS[mark], _FLAGS)


def _generalized(clause: Clause) -> Clause:
    """Leave it to each tool which words are names there."""
    return replace(clause, params={"marks": [m for m in clause.params["marks"] if m not in NAMES]})


def _generalizes(clause: Clause, checked: int, fired: int) -> bool:
    """Allow a few texts that are a whole answer to have a mark."""
    marks = clause.params["marks"]
    if not clause.path:
        return not NAMES.issuperset(marks) and fired <= MOST_FIRED * checked
    # Where some mark is in use people write what they like, and the others will come.
    return not fired and {*marks} >= MARKS.keys() - {"none"}


class AnomalousText(ValueKind):
    """No text at the path has a mark that clean texts there never had."""

    name = "anomalous_text"
    code = "foreign_text"
    cause = Cause.NO_ANSWER
    traits = Traits(own_words=True)
    mining = Mining(
        trusted=True,
        exact=True,
        budget_weight=3.0,
        pools=True,
        tools=Tools(MANY_TOOLS, MANY_TOOLS),
        of_the_answer=True,
        redundant_given=lambda _: Determined.VALUES | Determined.FORM,
        generalize=_generalized,
        generalizes=_generalizes,
    )
    params = {
        "marks": lambda v: (
            isinstance(v, list) and bool(v) and all(isinstance(mark, str) and mark in MARKS for mark in v)
        ),
    }

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest the marks that no clean text of the path had."""
        for path, place in sorted(evidence.places.items()):
            tasks, texts = evidence.tasks(path), len(place.texts)
            marks = _unused(place) if texts else []
            if path and tasks < NOISE_FROM_TASKS and "none" in marks:
                # As an answer it is no answer; as a field of one, few tasks do not tell: an armrest may be none.
                marks.remove("none")
            sure = [mark for mark in marks if mark not in TRIED]
            if texts:
                clause = Clause(self.name, path, {"marks": sure}, place.count, tasks, "traces")
                yield Candidate(clause, "" if sure else "all are in use", entities=texts)
            for mark in marks if tasks >= LEAST_TASKS_TRIED else ():
                if mark in TRIED:
                    clause = Clause(self.name, path, {"marks": [mark]}, place.count, tasks, "traces")
                    yield Candidate(clause, entities=texts, trusted=False, sort=mark)

    def fires(self, clause: Clause, evidence: Evidence) -> Mapping[int, int]:
        place, marks = evidence.places.get(clause.path), frozenset(clause.params["marks"])
        texts = place.texts.items() if place else ()
        return witnesses(witness for text, witness in texts if not marks.isdisjoint(_marks_of(text)))

    def check(self, clause: Clause, arguments: Mapping[str, Json], result: Json) -> Iterator[Violation]:
        """Leave out what the caller asked for: who searches for an error finds one, and a `.json` is JSON."""
        for violation in super().check(clause, arguments, result):
            found = _marks_at(result, violation.path).intersection(clause.params["marks"])
            if not found <= _asked_for(arguments, _text_at(result, violation.path)):
                yield violation

    def holds(self, params: Mapping[str, Json]) -> Callable[[Json], bool]:
        clean = _finder(tuple(params["marks"]))
        return lambda value: type(value) is not str or clean(value)

    def expected(self, params: Mapping[str, Json]) -> Json:
        return "no " + ", ".join(params["marks"])

    def detail(self, place: str) -> str:
        return f"text {place} has marks that clean results do not have"

    def where(self, params: Mapping[str, Json], text: str) -> int:
        found = (_pattern(mark).search(kept_text(text)) for mark in params["marks"])
        return min((match.start() for match in found if match is not None), default=0)

    def severity(self, clause: Clause, violation: Violation, result: Json) -> Severity:
        """Make little of words that may be a value, and much of what is never one."""
        found = _marks_at(result, violation.path).intersection(clause.params["marks"])
        if found <= WORDS:
            return Severity.LOW
        return (
            Severity.MEDIUM
            if found.issubset(TRIED)
            else Severity.CRITICAL
            if not clause.path
            else Severity.HIGH
        )

    def explain(self, clause: Clause) -> str:
        return f"{named(clause.path)} has no {', '.join(clause.params['marks'])}"

    def together(self, clauses: list[Clause]) -> list[Clause]:
        """Look for all marks at once."""
        marks = dict.fromkeys(mark for clause in clauses for mark in clause.params["marks"])
        return [replace(clauses[0], params={"marks": [*marks]})]

    def speaks_of(self, params: Mapping[str, Json]) -> frozenset[type]:
        return TEXTS

    def fast(self, clause: Clause, bind: Bind, beside: Beside) -> Fast | None:
        """Nothing to look for where the values are listed and none has a mark; else hints first, then marks."""
        domain = beside.get("domain")
        if domain is not None and all(map(self.holds(clause.params), spellings(domain.params["values"]))):
            return Fast("True", "True")
        marks = tuple(clause.params["marks"])
        return Fast(f"{bind(_cached(marks))}({{v}})", f"{bind(_all_clean(marks))}({{c}})")


def _text_at(result: Json, path: str) -> str:
    """Return the text at a place, as much of it as is looked at."""
    return kept_text(str(next((value for _, value in select(result, path)), "")))


def _marks_at(result: Json, path: str) -> frozenset[str]:
    return _marks_of(_text_at(result, path))


def _asked_for(arguments: Mapping[str, Json], text: str) -> frozenset[str]:
    """Return the marks that a text has by what was asked: by the caller's own words in it, or as a file whose name ends so."""
    words = [word for word in _words(arguments) if LEAST_ASKED <= len(word) <= LONGEST_ASKED]
    by_name = {
        mark for word in words if "." in word for mark in FILES.get(word.lower().rpartition(".")[2], ())
    }
    said = [re.escape(word) for word in words if word.lower() in text.lower()]
    left = re.sub("|".join(said), " ", text, flags=re.IGNORECASE) if said else text
    return (_marks_of(text) - _marks_of(left)) | by_name


def _words(arguments: Mapping[str, Json]) -> Iterator[str]:
    """Yield the texts among arguments, and those in their lists."""
    for value in arguments.values():
        for text in value[:MOST_ASKED] if isinstance(value, list) else (value,):
            if type(text) is str:
                yield text


@lru_cache(maxsize=1024)
def _finder(marks: tuple[str, ...]) -> _Clean:
    """Return the function that says whether a text has none of these marks."""
    tests = [(HINTS.get(mark, ("",)), _pattern(mark).search) for mark in marks]
    searches = [_search(mark) for mark in marks]

    def clean(text: str) -> bool:
        text = kept_text(text)
        small = text.lower()
        if text.isascii() or not any(letter in text for letter in ODD_LETTERS):
            return not any(search(text, small) for search in searches)
        return not any(search(text) for hints, search in tests if any(hint in small for hint in hints))

    return clean


@cache
def _search(mark: str) -> Search:
    """Return the search for a mark in a text without odd letters."""
    if mark in NEAR:
        return search_near(_pattern(mark), HINTS[mark], *NEAR[mark])
    if mark in ENDS:
        return search_ends(_pattern(mark), ENDS[mark])
    hints, find = HINTS.get(mark), _cheap(mark) if mark not in HINTS else _pattern(mark).search
    if mark in BEYOND_ASCII:
        return lambda text, _small: not text.isascii() and find(text)
    if hints is None:
        return lambda text, _small: find(text)
    return lambda text, small: any(hint in small for hint in hints) and find(text)


def _cached(marks: tuple[str, ...]) -> _Clean:
    """Return the same, with a memory for short texts."""
    clean = _finder(marks)
    known = lru_cache(maxsize=4096)(clean)
    return lambda text: known(text) if len(text) <= SHORT else clean(text)


def _all_clean(marks: tuple[str, ...]) -> Callable[[list[str]], bool]:
    """Return the function that says whether all texts of a column are clean.

    It looks for hints in all of them together; a mark that has none is cheap to look for in each. Few are asked one by one.
    """
    clean, known = _finder(marks), _cached(marks)
    hinted = [(HINTS[mark], _pattern(mark).search) for mark in marks if mark in HINTS]
    without = [_cheap(mark) for mark in marks if mark not in HINTS and mark not in BEYOND_ASCII]
    beyond = [_cheap(mark) for mark in marks if mark in BEYOND_ASCII]

    def all_clean(column: list[str]) -> bool:
        if len(column) <= FEW:
            return all(map(known, column))
        # Of a long text only the ends are looked at, put together: there may be a hint where they meet.
        if max(map(len, column)) > LONGEST_TEXT:
            return all(map(clean, column))
        small = "\n".join(column).lower()
        for hints, search in hinted:
            found = [hint for hint in hints if hint in small]
            if found and any(map(search, _with_any(found, column))):
                return False
        # What is ASCII in small letters has no letter that these look for.
        finders = without if small.isascii() else without + beyond
        return not any(any(map(find, column)) for find in finders)

    return all_clean


def _with_any(hints: list[str], column: list[str]) -> Iterator[str]:
    """Yield the texts that have one of these hints."""
    return (text for text in column if any(hint in small for small in (text.lower(),) for hint in hints))


def _cheap(mark: str) -> Callable[[str], re.Match[str] | None]:
    """Return the search for a mark; one that speaks of how a text begins need not be looked for further on."""
    pattern = _pattern(mark)
    return pattern.match if MARKS[mark].startswith(r"\A") else pattern.search


def tells_of_failure(text: str) -> bool:
    """Say whether a text as a whole tells of a failure: an error, a page, a stack trace, a refusal."""
    return not _FAILURES.isdisjoint(_marks_of(kept_text(text)))


_FAILURES = frozenset(("markup", "http status", "error", "stack trace", "refusal", "placeholder", "none"))


def _unused(place: Place) -> list[str]:
    """Return the marks that no text of a place has."""
    used = frozenset().union(*{_marks_of(text) for text, _ in place.texts.items()})
    return [mark for mark in MARKS if mark not in used]


# The same text stands in the evidence of a tool, of its family, and of every part that is not left out.
@lru_cache(maxsize=65536)
def _marks_of(text: str) -> frozenset[str]:
    # There are letters beyond ASCII that are the same as one of it but for case, and that hints do not know.
    small = text.lower() if text.isascii() else None
    likely = (
        mark
        for mark in MARKS
        if small is None
        or (mark not in BEYOND_ASCII and any(hint in small for hint in HINTS.get(mark, ("",))))
    )
    return frozenset(mark for mark in likely if _pattern(mark).search(text))
