"""Values as people write them: `$1,200.50`, `1200.5`, `14 March 2031`, `2:30 pm`, `three`.

A text is read once; the same value is the same however it is written.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cached_property, lru_cache

from .state import TODAY

MOST = 100_000
"""Signs of a text that are read; nobody has so much to tell."""
NEAR = 80
"""Signs before and after a value within which a word is near it."""

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WORDS = {
    **dict.fromkeys(("no", "none", "zero", "nothing", "on time", "punctual"), 0),
    **dict.fromkeys(("one", "single"), 1),
    **{
        word: number
        for number, word in enumerate(
            ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"), 2
        )
    },
}
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_VALUE = re.compile(
    rf"""
      (?P<address>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)
    | (?P<day>\b\d{{4}}[-/]\d{{2}}[-/]\d{{2}}(?!\d))
    | (?P<month>\b\d{{4}}-\d{{2}}(?![\d-]))
    | \b(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<m1>{_MONTH})\b\.?(?:,?\s+(?P<y1>\d{{4}})\b)?
    | \b(?P<m2>{_MONTH})\.?\s+(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\b(?![:.,]?\d)(?:,?\s+(?P<y2>\d{{4}})\b)?
    | (?P<code>\b[a-z]{{2,5}}-\d+(?![\w-]))
    | \b(?P<hour>\d{{1,2}})(?::(?P<minute>\d{{2}})(?::\d{{2}})?\s*(?P<half>[ap]\.?m\b)?|\s*(?P<whole>[ap]\.?m\b))
    | (?<![\w.])(?P<minus>-\s?)?(?:[$€£]\s?|usd\s)?(?P<sign>-)?
      (?P<number>\d{{1,3}}(?:,\d{{3}})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?)(?!\w*-\d|st\b|nd\b|rd\b|th\b)
    | \b(?P<word>{"|".join(_WORDS)})\b
    """,
    re.VERBOSE,
)
_GROUPED = re.compile(r"(?<=\d)[\u00a0\u2009\u202f'](?=\d{3}(?!\d))")
_MARKER = re.compile(r"(?m)^[ \t>]*(?:\(?\d{1,2}[.)]|(?:step|part) \d+[.:)]?)[ \t]+")
_DECORATION = re.compile(r"[*`]+|\\(?=[$_])|(?<!\w)_+|_+(?!\w)")


@dataclass(frozen=True, slots=True)
class Written:
    """A value, as it stands in a text."""

    kind: str
    """`address`, `code`, `day`, `month`, `time`, `number` or `text`."""
    value: str | Decimal
    start: int
    end: int
    in_words: bool = False


class WrittenText:
    """A text, and the values that stand in it."""

    def __init__(self, text: str) -> None:
        cut = _GROUPED.sub(",", text[:MOST]).replace("\u2212", "-").replace("\u2019", "'")
        plain = _DECORATION.sub("", unicodedata.normalize("NFKC", cut))
        self.text = re.sub(r"[ \t]+", " ", _MARKER.sub("", plain)).casefold()

    @cached_property
    def values(self) -> tuple[Written, ...]:
        """All values, in their order."""
        return tuple(_values(self.text))

    def texts(self, words: str) -> Iterator[Written]:
        """Yield where words stand in the text, whatever their case and the space between them."""
        wanted = read(words).text.split()
        if not wanted:
            return
        pattern = r"\s+".join(map(re.escape, wanted))
        # `rain` is said by `rainy` as well.
        ending = r"\w{0,2}" if len(wanted) == 1 and wanted[0].isalpha() else ""
        for found in re.finditer(rf"(?<!\w){pattern}{ending}(?!\w)", self.text):
            yield Written("text", found[0], found.start(), found.end())

    def near(self, written: Written, beginnings: tuple[str, ...]) -> bool:
        """Say whether a word with one of these beginnings stands near a value."""
        around = self.text[max(0, written.start - NEAR) : written.end + NEAR]
        return any(
            re.search((r"(?<!\w)" if word[0].isalnum() else "") + re.escape(word), around)
            for word in beginnings
        )


@lru_cache(maxsize=256)
def read(text: str) -> WrittenText:
    """Read a short text that is read again and again: a request, a fact."""
    return WrittenText(text)


def _values(text: str) -> Iterator[Written]:
    for found in _VALUE.finditer(text):
        kind, value = _read(found)
        if value is not None:
            yield Written(kind, value, found.start(), found.end(), in_words=found["word"] is not None)


def _read(found: re.Match[str]) -> tuple[str, str | Decimal | None]:
    if found["number"]:
        return "number", _number(found)
    if found["word"]:
        return "number", Decimal(_WORDS[found["word"]])
    if found["hour"]:
        return "time", _clock(found)
    if found["m1"] or found["m2"]:
        return "day", _day(found)
    if found["day"]:
        return "day", found["day"].replace("/", "-")
    return next((kind, found[kind]) for kind in ("address", "code", "month") if found[kind])


def _number(found: re.Match[str]) -> Decimal | None:
    try:
        value = Decimal(found["number"].replace(",", ""))
    except InvalidOperation:  # digits of another script
        return None
    return -value if found["minus"] or found["sign"] else value


def _day(found: re.Match[str]) -> str:
    day, month, year = (found[f"{part}1"] or found[f"{part}2"] for part in "dmy")
    return f"{year or TODAY[:4]}-{1 + _MONTHS.index(month[:3]):02d}-{int(day):02d}"


def _clock(found: re.Match[str]) -> str:
    hour, half = int(found["hour"]), (found["half"] or found["whole"] or "")[:1]
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    return f"{hour:02d}:{found['minute'] or '00'}"
