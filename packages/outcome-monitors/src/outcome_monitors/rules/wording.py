"""`wording`: an answer that is a text reads as clean ones do: it opens with their words, ends as they do and is in their language.

Of open content little can be learned, but this much: that clean answers never asked to sign in, never begged pardon, had no unfilled
places, and were all of one script. Each sort is a clause of its own, and is suggested of the answer as a whole alone.

As in `foreign`, patterns run in time linear in the text.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache

from outcome_monitors.evidence.evidence import Evidence, kept_text
from outcome_monitors.model import Clause, Json, Violation
from outcome_monitors.values.language import language_of, script_of
from outcome_monitors.values.paths import ROOT

from .base.gravity import Gravity
from .base.kind import TEXTS, Candidate, ValueKind, named
from .base.traits import Told

__all__ = ["PATTERNS", "Wording"]

PATTERNS: Mapping[str, str] = {
    "apology": r"\bsomething went wrong\b|\b(?:i'?m|we(?:'re| are)|i am) (?:very |so )?sorry\b|\A\W*sorry\b|\bapologi[sz]e\b"
    r"|\bcan(?:no|')t (?:help|assist|comply|process|complete)\b|\bcould not be (?:completed|processed)\b|\bunexpected error\b"
    r"|\btry (?:again )?later\b|\btoo many requests\b|\bslow down\b|\b(?:quota|limit) (?:was |has been )?exceeded\b"
    r"|\bunder maintenance\b|\bi don'?t have access\b",
    "login": r"\b(?:please|must|to) (?:sign|log)[ -]?in\b|\b(?:sign|log) ?in (?:to|required|first)\b|\bsession (?:has |is )?(?:expired|timed out)\b"
    r"|\bauthentication (?:is )?required\b|\bnot logged in\b|\bverify (?:that )?you(?:'re| are) (?:a )?human\b|\bcaptcha\b|type=.?password\b",
    "template": r"\{\{ ?[\w.]{1,60} ?\}\}|\$\{[\w.]{1,60}\}|<%=? ?[\w.]{1,60} ?%>|%\(\w{1,60}\)s|\{%-? ?\w{1,20}|\[(?:INSERT|YOUR|NAME|TODO)[ \]]",
    "blank": r"\A\s*+\Z",
    "unset": r"\bundefined\b|\bNaN\b|\[object Object\]|<function \w|<\w+ object at 0x",
}
"""Each sort of word that clean answers may never have had, and what finds it."""
LEAST_TASKS = 5
LEAST_FORMED, LEAST_TEXTS = 10, 3
"""Tasks, and distinct texts, that show how texts open and end, and their language."""
MOST = {"script": 0.5, "language": 0.8}
"""The share of texts that must tell their script, or their language, for it to be the one of all."""
SHORTEST_OPENING, LONGEST_OPENING = 4, 60
_ENDS = {"stop": ".!?…\N{IDEOGRAPHIC FULL STOP}", "bracket": ")]}>\"'`", "line": "\n", "sign": ",;:-_/|=*#+"}
_LEARNED = ("opening", "ending", "script", "language")
_GRAVE = frozenset(("apology", "blank", "login", "template"))
_KNOWN = (*PATTERNS, *_LEARNED)


class Wording(ValueKind):
    """The answer has the words, the script, the opening and the end of clean ones."""

    name = "wording"
    code = "unusual_wording"
    profiles = frozenset({"full"})
    of_the_answer = True
    identity = ("sort",)
    params = {
        "sort": lambda v: isinstance(v, str) and v in _KNOWN,
        "said": lambda v: isinstance(v, str) or (isinstance(v, list) and all(isinstance(x, str) for x in v)),
    }

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest what all clean texts have, or none has, of answers that are texts."""
        place, tasks = evidence.places.get(ROOT), evidence.tasks(ROOT)
        texts = [text for text, _ in place.texts.items()] if place is not None else []
        if place is None or not texts or tasks < LEAST_TASKS:
            return
        never = [(sort, "") for sort in PATTERNS if not any(map(_pattern(sort).search, texts))]
        filled = [text for text in texts if text.strip()]
        learned = _learned(filled) if tasks >= LEAST_FORMED and len(filled) >= LEAST_TEXTS else ()
        for sort, said in (*never, *learned):
            clause = Clause(self.name, ROOT, {"sort": sort, "said": said}, place.count, tasks, "traces")
            yield Candidate(clause, entities=len(texts), trusted=sort in _GRAVE, sort=sort)

    def holds(self, params: Mapping[str, Json]) -> Callable[[Json], bool]:
        """Look at what is kept of a text."""
        test = _test(
            params["sort"], tuple(params["said"]) if isinstance(params["said"], list) else params["said"]
        )
        return lambda value: type(value) is not str or test(kept_text(value))

    def expected(self, params: Mapping[str, Json]) -> Json:
        """Name what there was, or was not."""
        return _said(params)

    def detail(self, place: str) -> str:
        """Say what is wrong."""
        return f"text {place} is not worded as clean results are"

    def where(self, params: Mapping[str, Json], text: str) -> int:
        """Find the words; of an end, show that."""
        if params["sort"] not in PATTERNS:
            return len(text) - 1 if params["sort"] == "ending" else 0
        found = _pattern(params["sort"]).search(kept_text(text))
        return found.start() if found is not None else 0

    def gravity(self, clause: Clause, violation: Violation, result: Json) -> Gravity:
        """Make much of words that are no answer, and little of an end."""
        sort = clause.params["sort"]
        return Gravity.GRAVE if sort in _GRAVE else Gravity.SLIGHT if sort == "ending" else Gravity.FAIR

    def needless_where(self, params: Mapping[str, Json]) -> Told:
        """Add nothing where texts are listed, or their form is known."""
        return Told.VALUES | Told.FORM

    def sort(self, clause: Clause) -> str:
        """Tell the sorts apart: some fire on clean results more often than others."""
        return f"{self.name} {clause.params['sort']}"

    def explain(self, clause: Clause) -> str:
        """Say it in words."""
        return f"{named(clause.path)}: {_said(clause.params)}"

    def speaks_of(self, params: Mapping[str, Json]) -> frozenset[type]:
        """Speak of texts alone."""
        return TEXTS


def _said(params: Mapping[str, Json]) -> str:
    sort, said = params["sort"], params["said"]
    if sort == "opening":
        return f"opens with {said!r}"
    if sort == "ending":
        return f"ends with a {' or a '.join(said)}"
    return f"is in {sort} {said}" if sort in _LEARNED else f"has no {sort}"


def _learned(texts: list[str]) -> Iterator[tuple[str, Json]]:
    """Yield what texts have in common: how they open and end, their script and language."""
    opening = _opening(texts)
    if opening:
        yield "opening", opening
    ends = sorted({_end(text) for text in texts})
    if "letter" not in ends:
        yield "ending", ends
    for sort, told in (("script", script_of), ("language", language_of)):
        found = [name for name in map(told, texts) if name]
        if len({*found}) == 1 and len(found) >= MOST[sort] * len(texts):
            yield sort, found[0]


def _opening(texts: list[str]) -> str:
    """Return the words that all texts begin with, whole ones alone."""
    first, last = min(texts), max(texts)
    alike = next(
        (place for place, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), len(first)
    )
    # Not into the second line: what stands there is the matter at hand.
    common = first[: min(alike, LONGEST_OPENING)].partition("\n")[0]
    whole = re.match(r".*[^\w\s]|.*\w(?=\s)|.*\Z", common)
    found = whole.group().rstrip() if whole is not None and alike > len(whole.group()) - 1 else ""
    return found if len(found) >= SHORTEST_OPENING and any(map(str.isalpha, found)) else ""


def _end(text: str) -> str:
    return next((name for name, signs in _ENDS.items() if text[-1:] in signs), "letter")


@cache
def _pattern(sort: str) -> re.Pattern[str]:
    return re.compile(PATTERNS[sort], re.IGNORECASE if sort != "unset" else 0)


@lru_cache(maxsize=1024)
def _test(sort: str, said: str | tuple[str, ...]) -> Callable[[str], bool]:
    """Return the test of one text."""
    if sort in PATTERNS:
        find = _pattern(sort).search
        return lambda text: find(text) is None
    if sort == "opening":
        return lambda text: text.startswith(str(said)) or not text.strip()
    if sort == "ending":
        # What ends with its line was not cut.
        return lambda text: text.endswith("\n") or _end(text) in said or not text.strip()
    told = script_of if sort == "script" else language_of
    return lambda text: told(text) in ("", said)
