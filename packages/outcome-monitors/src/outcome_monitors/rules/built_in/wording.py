"""How failures are worded: in the place of an answer, at its start, and in few words.

Structure comes first: a text is read as a failure only if it is short, or begins as one. "No results" is an answer, and a page
that speaks of errors is a page.
"""

import re
from collections.abc import Mapping
from http import HTTPStatus

from outcome_monitors.model import Json

__all__ = ["LONGEST", "begins_as_failure", "is_negative", "refuses", "says_failure"]

LONGEST = 600
"""Characters of a text that says no more than that it failed."""
LONGEST_ANYWHERE = 300
"""Characters of a text in which the failure may stand elsewhere than at the start."""

_START = re.compile(
    r"""^\W*(?:
      (?:[\w.]+\s){0,2}?[\w.]*(?:error|exception|failure)s?\b(?=\s*(?:[:(\-\u2013\u2014.!]|$|[45]\d\d\b|while|when|during|in|at|occurred|executing|calling|fetching|reading|loading|from))
     |(?:[\w.]+\s){0,3}?(?:has\s|was\s|were\s|is\s)?(?:failed|timed\sout|aborted|refused|denied|rejected)\b(?=\s*(?:[:.!,(]|$|to\b|with\b|after\b|because\b|by\b|due\b))
     |(?:failed|unable|not\sable|could\snot|couldn't|cannot|can't|can\snot)\s(?:to\s)?(?!find\b|locate\b|be\sfound)\w+
     |unauthorized\b|unauthenticated\b|forbidden\b|access\s(?:is\s)?denied|permission\sdenied|bad\s(?:request|gateway)
     |(?:gateway|request|connection|read|operation)\stime-?out|time-?out\b|timed\sout
     |(?:service|server|api|resource)\s(?:is\s)?(?:temporarily\s|currently\s)?unavailable|too\smany\srequests|(?:rate|usage)\slimit|quota\sexceeded
     |(?:authentication|authorization|login|api\skey|subscription|token)\s(?:is\s)?(?:required|failed|needed|expired|missing|invalid)
     |invalid\s(?:\w+\s){0,3}(?:key|token|arguments?|parameters?|params|requests?|inputs?|id|credentials?|format|values?|path|url|syntax|option|range|type|json)\b
     |missing\s(?:required\s)?(?:\w+\s){0,2}(?:arguments?|parameters?|params|fields?|inputs?|keys?|headers?|tokens?)\b
     |(?:unknown|unsupported|unrecognized|unexpected)\s(?:tool|argument|option|parameter|command|subcommand|method|operation|format|token|type|symbol)
     |traceback\s\(most\srecent\scall|fatal:|panic:|npm\serr!|\[?error\]?\s|(?:http\s)?[45]\d\d\s(?:client\s|server\s)?(?:error|not\sfound|forbidden|unauthorized|bad|internal|service|too|gone|method)\b
     |something\swent\swrong|oops\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_ANYWHERE = re.compile(
    r"""(?:
      \btimed\sout\b|\btry\sagain\slater\b|\bmax(?:imum)?\sretries\sexceeded\b|\bconnection\s(?:refused|reset|aborted|timed\sout|error)\b
     |\b(?:authentication|authorization|api\skey|subscription|login)\s(?:is\s)?(?:required|needed|expired|missing)\b
     |\bno\s(?:api\s|access\s)?(?:key|token|credentials?)\s(?:was\s|were\s|is\s)?(?:provided|supplied|configured|set|found)\b
     |\b(?:key|token|limit|quota|subscription|session)\s(?:has\s|is\s)?(?:been\s)?(?:expired|exceeded|reached|invalid|exhausted)\b
     |\b(?:is|are|was|were|has\sbeen)\s(?:currently\s|temporarily\s)?(?:not\s(?:allowed|permitted|supported|authorized|available|enabled|configured|installed|loaded|valid|initiali[sz]ed|reachable|recogni[sz]ed|connected)|disabled|unavailable|unreachable|unsupported|denied|refused|rejected|blocked|malformed)\b
     |\b(?:endpoint|tool|method|function|command|api|route|resource|file|directory|path|module|table|column)\b.{0,80}\b(?:does\snot|doesn'?t|do\snot|don'?t)\sexists?\b
     |\b(?:api|endpoint)\s(?:does\snot|doesn'?t|do\snot|don'?t)\sexists?\b|\bno\ssuch\s(?:file|tool|method|table|column|command|host|option|module|function)\b
     |\bno\s(?:\w+\s){1,3}(?:is|are)\s(?:currently\s)?(?:loaded|open|connected|configured|selected|active|available)\b|\bno\s(?:\w+\s){1,2}(?:was\s)?(?:provided|supplied|specified|generated|initiali[sz]ed|loaded)\b
     |\bno\s\w+\s(?:could|can)\sbe\s\w+|\b(?:failed|unable)\sto\b|\b(?:could\snot|couldn't)\sbe\s(?:loaded|opened|read|parsed|processed|resolved|retrieved|fetched|completed|extracted)\b
     |\b(?:unexpected\sargument|unrecogni[sz]ed\s(?:argument|option|subcommand)|illegal\soption|command\snot\sfound|permission\sdenied)\b
     |\b(?:error|exception)\s*:\s|\b(?:http|status|error)(?:\s(?:code|status))?\s*[:=]?\s*[45]\d\d\b|\b[45]\d\d\s(?:client|server)\serror\b
     |失败|错误[:\uff1a]|超时|无法|エラー|失敗|오류|실패
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_NEGATIVE = re.compile(
    r"\bno\s(?:\w+\s){0,3}(?:results?|match(?:es|ing)?|hits?|items?|records?|entries|rows?|data|events?|orders?|articles?|documents?"
    r"|messages?|issues?|errors?|changes?|updates?)\b|\bnothing\s(?:was\s|to\b)?|\b0\s(?:results|matches|errors|failed|failures)\b"
    r"|\bwithout\s(?:any\s)?(?:errors?|problems|failures?)\b|\bnone\sfound\b|没有找到|未找到|見つかりません",
    re.IGNORECASE,
)
_SUCCESS = re.compile(
    r"\bsuccess(?:fully|ful)?\b|\b(?:has|have|was|were|been)\s(?:created|updated|saved|deleted|added|sent|completed|fixed|resolved)\b|\bcompleted\b|成功",
    re.IGNORECASE,
)


PHRASES = frozenset(status.phrase.casefold() for status in HTTPStatus if status >= HTTPStatus.BAD_REQUEST)
"""What HTTP calls its failures."""
_REFUSES = re.compile(
    r"\b(?:must|should|unknown|unrecogni[sz]ed|unsupported|unexpected|invalid|illegal|missing|exceeds?|expected|out\sof\srange|not\sa\svalid)\b",
    re.IGNORECASE,
)
MIN_VALUE = 3
"""Characters of a value that a text does not have by chance."""


def refuses(arguments: Mapping[str, Json], text: str) -> bool:
    """Say whether a short text says what is wrong with an argument, by its name or its value."""
    if len(text) > LONGEST_ANYWHERE or not _REFUSES.search(text):
        return False
    low = text.casefold()
    values = [
        value
        for value in arguments.values()
        if isinstance(value, str) and MIN_VALUE <= len(value) <= len(text)
    ]
    return any(named.casefold() in low for named in (*values, *filter(_is_name, arguments)))


def _is_name(name: str) -> bool:
    return isinstance(name, str) and len(name) > MIN_VALUE


def is_negative(text: str) -> bool:
    """Say whether a text says that there is nothing: that is an answer."""
    return _NEGATIVE.search(text[:LONGEST_ANYWHERE]) is not None


def begins_as_failure(text: str) -> bool:
    """Say whether a short text begins as a failure does."""
    return len(text) <= LONGEST_ANYWHERE and _START.match(text) is not None and not is_negative(text)


def says_failure(text: str) -> bool:
    """Say whether a text says that the call failed, and no more than that."""
    text = text.strip()
    if not text or len(text) > LONGEST or is_negative(text):
        return False
    if _START.match(text) or text.rstrip(".!").casefold() in PHRASES:
        return True
    short = len(text) <= LONGEST_ANYWHERE and text.count("\n") < 4
    return short and _ANYWHERE.search(text) is not None and _SUCCESS.search(text) is None
