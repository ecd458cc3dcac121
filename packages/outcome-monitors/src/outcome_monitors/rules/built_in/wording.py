"""How failures are worded: in the place of an answer, at its start, and in few words.

Structure comes first: a text is read as a failure only if it is short, or begins as one. "No results" is an answer, and a page
that speaks of errors is a page.
"""

import re
from collections.abc import Mapping
from http import HTTPStatus

from outcome_monitors.model import Json

from .vocabulary import named

LONGEST = 600
"""Characters of a text that says no more than that it failed."""
LONGEST_ANYWHERE = 300
"""Characters of a text in which the failure may stand elsewhere than at the start."""

_START = re.compile(
    r"""^\W*(?:
      (?:[\w.']+\s){0,2}?[\w.]*(?:error|exception|failure)s?\b(?=\s*(?:[:(\-\u2013\u2014.!]|$|[45]\d\d\b|while|when|during|in|at|occurred|executing|calling|fetching|reading|loading|parsing|processing|from))
     |(?:[\w.]+\s){0,3}?(?:has\s|was\s|were\s|is\s)?(?:failed|timed\sout|aborted|refused|denied|rejected)\b(?=\s*(?:[:.!,(]|$|to\b|with\b|after\b|because\b|by\b|due\b))
     |(?:failed\sto|unable\sto|not\sable\sto|could\snot|couldn't|cannot|can't|can\snot)\s(?!find\b|locate\b|be\sfound)(?-i:[a-z])\w+|failed\s(?-i:[a-z])\w+ing\b
     |unauthorized\b|unauthenticated\b|forbidden\b|access\s(?:is\s)?denied|permission\sdenied|bad\s(?:request|gateway)|unprocessable\b
     |(?:gateway|request|connection|read|operation)\stime-?out|time-?out(?=\s*(?:[:.!,(]|$|after\b|while\b|waiting\b|reading\b|exceeded\b|expired\b|error\b|of\b))|timed\sout
     |(?:service|server|api|resource)\s(?:is\s)?(?:temporarily\s|currently\s)?unavailable|too\smany\srequests|(?:rate|usage)\slimit|quota\sexceeded
     |(?:authentication|authorization|login|api\skey|subscription|token)\s(?:is\s)?(?:required|failed|needed|expired|missing|invalid)
     |invalid\s(?:\w+\s){0,3}(?:key|token|arguments?|parameters?|params|requests?|inputs?|id|credentials?|format|values?|path|url|syntax|option|range|type|json)\b
     |missing\s(?:required\s)?(?:\w+\s){0,2}(?:arguments?|parameters?|params|fields?|inputs?|keys?|headers?|tokens?)\b
     |(?:unknown|unsupported|unrecognized|unexpected)\s(?:\w+\s)?(?:tool|argument|option|parameter|command|subcommand|method|operation|format|token|type|symbol)\b
     |traceback\s\(most\srecent\scall|fatal:|panic:|npm\serr!|\[?error\]?\s(?=\W)|(?:http\s)?[45]\d\d\s(?:client\s|server\s)?(?:error|not\sfound|forbidden|unauthorized|bad|internal|service|too|gone|method)\b
     |something\swent\swrong|oops\b|please\s(?:provide|set|configure|install|log\s?in|sign\sin|authenticate|specify)\b|(?:i'm|i\sam|we're|we\sare)?\s?(?:sorry|afraid)\b.{0,40}\b(?:can't|cannot|can\snot|couldn't|unable|not)\b|i\s(?:can't|cannot|am\sunable\sto)\s(?:assist|help|comply|do)\b|error\sal\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_ANYWHERE = re.compile(
    r"""(?:
      \btimed\sout\b|\btry\sagain\slater\b|\bmax(?:imum)?\sretries\sexceeded\b|\bconnection\s(?:refused|reset|aborted|timed\sout|error)\b
     |\b(?:authentication|authorization|api\skey|subscription|login)\s(?:is\s)?(?:required|needed|expired|missing)\b|\brequires\sa\s(?:\w+\s){0,2}(?:subscription|plan|account|login|key|token)\b
     |\bno\s(?:api\s|access\s)?(?:key|token|credentials?)\s(?:was\s|were\s|is\s)?(?:provided|supplied|configured|set|found)\b
     |\b(?:key|token|limit|quota|subscription|session)\s(?:has\s|is\s)?(?:been\s)?(?:expired|exceeded|reached|invalid|exhausted)\b|\bexceeded\s(?:your|the)\s(?:\w+\s){0,3}(?:quota|limit)\b
     |\bnot\s(?:yet\s|currently\s|been\s)?(?:allowed|permitted|supported|authorized|authenticated|enabled|configured|installed|implemented|initiali[sz]ed|reachable|recogni[sz]ed)\b
     |\b(?:is|are|was|were|has\sbeen)\s(?:currently\s|temporarily\s)?(?:not\s(?:available|loaded|valid|connected|running|set)|disabled|unavailable|unreachable|unsupported|denied|refused|rejected|blocked|malformed)\b
     |\b(?:endpoint|tool|method|function|command|api|route|resource|file|directory|path|module|table|column)\b.{0,80}\b(?:does\snot|doesn'?t|do\snot|don'?t)\sexists?\b
     |^\W*(?:tool|function|method|command|endpoint|module|element|selector|browser|executable)\s(?:\S+\s)?(?:was\s)?not\sfound\b
     |\b(?:api|endpoint)\s(?:does\snot|doesn'?t|do\snot|don'?t)\sexists?\b|\bno\ssuch\s(?:file|tool|method|table|column|command|host|option|module|function)\b
     |\bno\s(?:\w+\s){1,3}(?:is|are)\s(?:currently\s)?(?:loaded|open|connected|configured|selected|active|available)\b|\bno\s(?:\w+\s){1,2}(?:was\s)?(?:provided|supplied|specified|generated|initiali[sz]ed|loaded)\b|\bno\sactive\s(?:\w+\s)?(?:session|connection|browser|page|document)\b
     |\bno\s\w+\s(?:could|can)\sbe\s\w+|\b(?:failed|unable)\sto\s(?-i:[a-z])|\b(?:could\snot|couldn't)\s(?:be\s(?:loaded|opened|read|parsed|processed|resolved|retrieved|fetched|completed|extracted)|(?:retrieve|load|open|read|parse|process|resolve|fetch|complete|extract|connect|access)\b)
     |\b(?:unexpected\sargument|unrecogni[sz]ed\s(?:argument|option|subcommand)|illegal\soption|command\snot\sfound|permission\sdenied)\b
     |\b(?:error|exception)\s*:\s|\b(?:http|status|error)(?:\s(?:code|status))?\s*[:=]?\s*[45]\d\d\b|\b[45]\d\d\s(?:client|server)\serror\b|\((?:http\s)?[45]\d\d\)|\bvalidation\serrors?\s(?:for|in)\b
     |\btoo\slarge\sto\b|\bhas\sno\sattribute\s'|\bindex\sout\sof\srange\b|\bcannot\sread\sprop|\bsocket\shang\sup\b|^expecting\s.{1,40}:\sline\s\d|(?-i:\bE(?:NOENT|ACCES|PERM|EXIST|ISDIR|NOTDIR|CONN[A-Z]+|TIMEDOUT|NOTFOUND|PIPE|AI_[A-Z]+|HOSTUNREACH|NETUNREACH)\b|\b[A-Z]{3,}(?:_[A-Z]+)*_(?:FAILED|ERROR|INVALID|DENIED)\b)
     |失败|错误[:\uff1a]|超时|无法|エラー|失敗|오류|실패
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_COUNTED = re.compile(
    r"^\W*(?:\w+\s){0,3}(?:\d+\s(?:\w+\s)?(?:errors?|exceptions?|failures?|failed|rejected)\b|(?:errors?|failures?|failed|rejected|denied|aborted)(?:\s(?:code|count))?\s*[:=]\s*(?:0|none|null|no|ok|false)\s*(?:[,.;|]|$))",
    re.IGNORECASE,
)
"""How many there were: that is what was found."""
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


_ERRORS = named(
    "fehler erreur erreurs error errores errore errori erro erros fout fouten fel błąd chyba hata lỗi kesalahan virhe feil fejl hiba"
    " eroare ошибка помилка грешка σφάλμα خطأ שגיאה त्रुटि"
)
"""What an error is called; where a short text begins with one, it is not in English and there is none to count."""
_TITLE = re.compile(r"#{0,4}\W{0,4}(?:\w+\s){0,2}(?:failed|error|failure)\W*\n", re.IGNORECASE)
_FIRST = re.compile(r"[^\W\d_]+")
FIRST_WORDS = 6


def _names_an_error(text: str) -> bool:
    first = _FIRST.findall(text[:80].casefold())[:FIRST_WORDS]
    return not _ERRORS.isdisjoint(first[1:] if first[:1] == ["error"] else first) and "error" not in first


def is_negative(text: str) -> bool:
    """Say whether a text says that there is nothing: that is an answer."""
    return _NEGATIVE.search(text[:LONGEST_ANYWHERE]) is not None


def begins_as_failure(text: str) -> bool:
    """Say whether a short text begins as a failure does."""
    return len(text) <= LONGEST_ANYWHERE and _START.match(text) is not None and not is_negative(text)


def says_failure(text: str) -> bool:
    """Say whether a text says that the call failed, and no more than that."""
    text = text.strip()
    if _TITLE.match(text):
        # Under such a title, advice may be long; what went wrong stands at its start.
        text = text.partition("\n")[2].strip().partition("\n")[0]
    if not text or len(text) > LONGEST or is_negative(text) or _COUNTED.match(text):
        return False
    if _START.match(text) or text.rstrip(".!").casefold() in PHRASES:
        return True
    if len(text) <= LONGEST_ANYWHERE and _names_an_error(text):
        return True
    short = len(text) <= LONGEST_ANYWHERE and text.count("\n") < 4
    return short and _ANYWHERE.search(text) is not None and _SUCCESS.search(text) is None
