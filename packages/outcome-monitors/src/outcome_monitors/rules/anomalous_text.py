"""`anomalous_text`: text that has no business there: markup, error pages, stack traces, queries, placeholders, broken encodings.

The words are those of `MARKS`, but no word is foreign by itself: a mark counts only where clean texts of the path never had it. A
tool that reads logs or web pages keeps its marks.

Texts come from outside, so every pattern must run in time linear in the text, whatever the text: where a repetition could meet
another or its own start again, it is bounded, possessive, or stops at what begins the next match.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache

from outcome_monitors.jsonvalue.paths import select
from outcome_monitors.model import Clause, Json, Violation
from outcome_monitors.rules.evidence.evidence import Evidence, Place, stored_text

from .base.kind import TEXTS, Beside, Bind, Candidate, ValueKind, witnesses
from .base.severity import Severity
from .base.traits import Cause, Determined, Mining, Tools, Traits
from .config import CONFIG
from .domain import spellings

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

HINTS: Mapping[str, Sequence[str]] = {
    mark: hints.split("~")
    for mark, hints in {
        "markup": "<",
        "http status": "http~code~bad ~not found~forbidden~server error~unav~unauth~time~too many",
        "error": "error~exception~fail~fatal~warning~timeout~timed out~rate limit~denied",
        "stack trace": 'traceback~(~", line ~stack~core dumped',
        "query": "select~insert into~delete from~drop table~update ~sql",
        "log line": "[~debug~tool=~args=~raw response~retry~waiting ",
        "internals": "/internal~/usr~/var~/etc~/home~/opt~endpoint~localhost~127.0.0.1~internal~x-request-id~"
        "0x~__",
        "model": "gpt-~claude~llama~gemini~as an ai~language model~system prompt~<|",
        "refusal": "fail~not ~no ~denied~nable to~could~cannot~unavail~invalid~nothing ~unauth~forbid~"
        "expired~rejected~temporarily~try again",
        "negative": "-",
        "hole": "null~none~undefined~nan",
        "bare heading": ":",
        "secret": "key~secret~passw~bearer~token~sk-~akia",
        "cut": "…~...~[truncated]",
    }.items()
}
"""For each sort, small letters that every text of it has some of: a quick look before the pattern is tried."""

ODD_LETTERS = frozenset("\u0130\u0131\u017f\u212a")
"""Letters beyond ASCII that are the same as one of it but for case, or two in small letters: hints do not know them."""

NAMES = frozenset({"model", "placeholder"})
"""Marks that are names somewhere: a service called gemini, a file called todo."""
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
"""Items of a list argument that are looked at."""

SHORT = 64
"""Texts up to this length tend to come again: whether they are clean is kept for a while."""
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
        return not NAMES.issuperset(marks) and fired <= CONFIG.anomalous_text_fired * checked
    # Where some mark is in use people write what they like, and the others will come.
    return not fired and {*marks} >= MARKS.keys() - {"none"}


class AnomalousText(ValueKind):
    """No text at the path has a mark that clean texts there never had."""

    name = "anomalous_text"
    code = "foreign_text"
    cause = Cause.NO_ANSWER
    identity = ("marks",)
    former_identity = ()
    traits = Traits(types=TEXTS, own_words=True)
    mining = Mining(
        trusted=True,
        budget_weight=3.0,
        pools=True,
        tools=Tools(CONFIG.anything_tools, CONFIG.anything_tools),
        of_the_answer=True,
        redundant_given=lambda _: Determined.VALUES | Determined.FORM,
        generalize=_generalized,
        generalizes=_generalizes,
    )
    sentence = "{path} has {expected}"
    wrong = "text {place} has marks that clean results do not have"
    params = {
        "marks": lambda v: (
            isinstance(v, list) and bool(v) and all(isinstance(mark, str) and mark in MARKS for mark in v)
        ),
    }

    def identified_by(self, params: Mapping[str, Json]) -> dict[str, Json]:
        """Return the sort that is suggested apart from the others; none of the clause that has all these."""
        return {"marks": params["marks"] if len(params["marks"]) == 1 and params["marks"][0] in TRIED else []}

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest the marks that no clean text of the path had."""
        for path, place in sorted(evidence.places.items()):
            tasks, texts = evidence.tasks(path), len(place.texts)
            marks = _unused(place) if texts else []
            if path and tasks < CONFIG.label_noise_tasks and "none" in marks:
                # As an answer it is no answer; as a field of one, few tasks do not tell: an armrest may be none.
                marks.remove("none")
            sure = [mark for mark in marks if mark not in TRIED]
            if texts:
                clause = Clause(self.name, path, {"marks": sure}, place.count, tasks, "traces")
                yield Candidate(clause, "" if sure else "all are in use", entities=texts)
            for mark in marks if tasks >= CONFIG.min_tasks else ():
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
            if not found <= _requested_words(arguments, _text_at(result, violation.path)):
                yield violation

    def holds(self, params: Mapping[str, Json]) -> Callable[[Json], bool]:
        clean = _clean(tuple(params["marks"]))
        return lambda value: type(value) is not str or clean(value)

    def expected(self, params: Mapping[str, Json]) -> Json:
        return "no " + ", ".join(params["marks"])

    def where(self, params: Mapping[str, Json], text: str) -> int:
        found = (_pattern(mark).search(stored_text(text)) for mark in params["marks"])
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

    def together(self, clauses: list[Clause]) -> list[Clause]:
        """Look for all marks at once."""
        marks = dict.fromkeys(mark for clause in clauses for mark in clause.params["marks"])
        return [replace(clauses[0], params={"marks": [*marks]})]

    def fast(self, clause: Clause, bind: Bind, beside: Beside) -> str | None:
        """Nothing to look for where the values are listed and none has a mark; else hints first, then marks."""
        domain = beside.get("domain")
        if domain is not None and all(map(self.holds(clause.params), spellings(domain.params["values"]))):
            return "True"
        marks = tuple(clause.params["marks"])
        return f"{bind(_clean(marks))}({{v}})"


def _text_at(result: Json, path: str) -> str:
    """Return the text at a place, as much of it as is looked at."""
    return stored_text(str(next((value for _, value in select(result, path)), "")))


def _marks_at(result: Json, path: str) -> frozenset[str]:
    return _marks_of(_text_at(result, path))


def _requested_words(arguments: Mapping[str, Json], text: str) -> frozenset[str]:
    """Return the marks that a text has by what was asked: by the caller's own words in it, or as a file whose name ends so."""
    words = [word for word in _words(arguments) if CONFIG.argument_text <= len(word) <= CONFIG.asked_length]
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


def _finder(marks: Iterable[str]) -> Callable[[str], Iterator[str]]:
    """Return the function that yields those of some marks that a text has; only likely ones are searched for."""
    tests = [(mark, HINTS.get(mark), _search(mark)) for mark in marks]

    def found(text: str) -> Iterator[str]:
        small = text.lower() if text.isascii() or ODD_LETTERS.isdisjoint(text) else None
        for mark, hints, search in tests:
            likely = small is None or hints is None or any(hint in small for hint in hints)
            if likely and search(text):
                yield mark

    return found


@lru_cache(maxsize=1024)
def _clean(marks: tuple[str, ...]) -> Callable[[str], bool]:
    """Return the function that says whether a text has none of these marks, with a memory for short texts."""
    find = _finder(marks)
    known = lru_cache(maxsize=4096)(lambda text: next(find(text), None) is None)
    return lambda text: known(text) if len(text) <= SHORT else next(find(stored_text(text)), None) is None


@cache
def _search(mark: str) -> Callable[[str], re.Match[str] | None]:
    """Return the search for a mark; one that speaks of how a text begins need not be looked for further on."""
    begins = mark not in HINTS and MARKS[mark].startswith(r"\A")
    return _pattern(mark).match if begins else _pattern(mark).search


def reports_failure(text: str) -> bool:
    """Say whether a text as a whole tells of a failure: an error, a page, a stack trace, a refusal."""
    return not _FAILURES.isdisjoint(_marks_of(stored_text(text)))


_FAILURES = frozenset(("markup", "http status", "error", "stack trace", "refusal", "placeholder", "none"))


def _unused(place: Place) -> list[str]:
    """Return the marks that no text of a place has."""
    used = frozenset().union(*{_marks_of(text) for text, _ in place.texts.items()})
    return [mark for mark in MARKS if mark not in used]


# The same text stands in the evidence of a tool, of its family, and of every part that is not left out.
@lru_cache(maxsize=65536)
def _marks_of(text: str) -> frozenset[str]:
    return frozenset(_finder(MARKS)(text))
