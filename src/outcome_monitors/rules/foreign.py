"""`foreign`: text that has no business there: markup, error pages, stack traces, queries, placeholders, broken encodings.

The words are those of `MARKS`, but no word is foreign by itself: a mark counts only where clean texts of the tool never had it. A
tool that reads logs or web pages keeps its marks.
"""

import re
from collections.abc import Callable, Iterator, Mapping

from .._evidence import Evidence
from .._model import Clause, Json
from ._kind import Beside, Bind, Candidate, Fast, ValueKind, named

__all__ = ["MARKS", "Foreign"]

MARKS: Mapping[str, str] = {
    "markup": r"<(?:!doctype|html|head|body|div|span|title|script|h\d|p|br|pre|table)\b[^>]*>",
    "http status": r"\bhttp(?:/\d\.\d)?(?: error)?:? ?[1-5]\d\d\b|\b(?:status|error) code:? ?[1-5]\d\d\b"
    r"|\b[45]\d\d:? (?:bad gateway|bad request|not found|forbidden|internal server error|service unavailable|unauthorized"
    r"|gateway time-?out|too many requests)|\b(?:bad gateway|internal server error|service unavailable|gateway time-?out)\b",
    "error": r"\A\W*(?:error|exception|failed|failure|fatal|warning|timeout|timed out)\b\s*[:!\-(]|\b[a-z]+(?:error|exception)\b[:(]"
    r"|\bNullPointerException\b|\berror occurred\b|\brate limit|\baccess denied\b|\bpermission denied\b|\btimed out\b",
    "stack trace": r"traceback \(most recent|^\s*at [\w.$<>]+\([\w.]+:\d+\)|file \"[^\"]+\", line \d+|\bstack ?trace\b|core dumped",
    "query": r"\bselect\b.{1,80}\bfrom\b|\binsert into\b|\bdelete from\b|\bdrop table\b|\bupdate \w+ set\b|sql_?query",
    "log line": r"\[(?:debug|info|warn|warning|trace|error|internal|system)\]|\bdebug\b ?[:=]|\btool=\w+|\bargs=\{|\braw response\b"
    r"|\bretry(?:ing)? (?:in|after)\b|\bwaiting \d+s\b|\b\d{4}-\d\d-\d\d[ t]\d\d:\d\d:\d\d[,.]\d{3} \w+",
    "internals": r"/internal/|\bapi endpoint\b|\bendpoint:|\blocalhost\b|\b127\.0\.0\.1\b|/(?:usr|var|etc|home|opt)/\w|\binternal (?:id|use|only)\b"
    r"|\bx-request-id\b|\bobject at 0x[0-9a-f]+|\b__\w+__\b",
    "model": r"\bgpt-\w|\bclaude\b|\bllama[- ]?\d|\bgemini\b|\bas an ai\b|\blanguage model\b|\bsystem prompt\b|<\|",
    "placeholder": r"\A\W*(?:n/?a|null|none|undefined|nil|nan|todo|tbd|unknown|placeholder|string|xxx+|lorem ipsum.*|-?9{4,}|-{2,}|\?+)\W*\Z",
    "json": r"\A\s*(?:\{\s*(?:\"|'|\})|\[\s*(?:[\[{\"'\d]|\]))",
    "broken encoding": "Ã[\u0080-\u00ff]|â€|Â[\u0080-\u00bf]|\ufffd|ï»¿|Å[\u0080-\u00bf]|â[\u0080-\u00bf]",
    "epoch": r"\A(?:1970-01-01|0001-01-01|1900-01-01|9999-12-31)",
    "secret": r"\b(?:api[_-]?key|secret|passw(?:or)?d|bearer|access[_-]?token)\b\s*[:=]|\bsk-[a-z0-9]{16}|\bakia[0-9a-z]{16}",
    "cut": r"(?:…|\.\.\.|\[truncated\]|\[\.\.\.\])\s*\Z",
}
"""Each sort of foreign text, and the pattern that finds it (case does not matter)."""

FARTHEST = 20_000
"""Characters of a text that are looked at."""

_PATTERNS = {name: re.compile(pattern, re.IGNORECASE | re.MULTILINE) for name, pattern in MARKS.items()}


class Foreign(ValueKind):
    """No text at the path has a mark that clean texts of the tool never had."""

    name = "foreign"
    code = "foreign_text"
    profiles = frozenset({"full"})
    pools = True
    of_the_answer = True
    trusted = True
    params = {"marks": lambda v: isinstance(v, list) and bool(v) and all(mark in MARKS for mark in v)}

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest the marks that no clean text of the path had, nor two tasks of the tool."""
        seen = {
            path: _marks_of(place.texts.items())
            for path, place in sorted(evidence.places.items())
            if len(place.texts)
        }
        for path, found in seen.items():
            place = evidence.places[path]
            marks = [mark for mark in MARKS if mark not in found]
            clause = Clause(self.name, path, {"marks": marks}, place.count, evidence.tasks(path), "traces")
            yield Candidate(clause, "" if marks else "all are in use", entities=len(place.texts))

    def holds(self, params: Mapping[str, Json]) -> Callable[[Json], bool]:
        """Look for each mark."""
        patterns = [_PATTERNS[mark] for mark in params["marks"]]

        def holds(value: Json) -> bool:
            if type(value) is not str:
                return True
            text = value[:FARTHEST]
            return not any(pattern.search(text) for pattern in patterns)

        return holds

    def expected(self, params: Mapping[str, Json]) -> Json:
        """Name what is not there."""
        return "no " + ", ".join(params["marks"])

    def detail(self, place: str) -> str:
        """Say what is wrong."""
        return f"text {place} has marks that clean results do not have"

    def explain(self, clause: Clause) -> str:
        """Say it in words."""
        return f"{named(clause.path)} has no {', '.join(clause.params['marks'])}"

    def fast(self, clause: Clause, bind: Bind, beside: Beside) -> Fast | None:
        """Nothing to look for where the values are listed; else one search for all marks."""
        if "domain" in beside:
            return Fast("True", "True")
        together = "|".join(f"(?:{MARKS[mark]})" for mark in clause.params["marks"])
        search = bind(re.compile(together, re.IGNORECASE | re.MULTILINE).search)
        return Fast(f"{search}({{v}}) is None", f"not any(map({search}, {{c}}))")


def _marks_of(texts: list) -> set[str]:  # type: ignore[type-arg]
    return {name for name, pattern in _PATTERNS.items() for text, _ in texts if pattern.search(text)}
