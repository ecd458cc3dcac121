"""Names that arguments and fields go by, in short: without case and punctuation (`base.bare`). Those of one rule stand beside it."""


def named(text: str) -> frozenset[str]:
    """Return the names that stand in a text."""
    return frozenset(text.split())


LIMITS = named(
    "limit maxresults maxitems topk perpage pagesize hitsperpage numresults maxcount maxrecords limitednum first"
)
SIZES = LIMITS | named(
    "count length maxlength maxchars head tail lines num n size maxbytes maxtokens depth summary"
)
PLACES = named(
    "page pagenumber pageno pageindex pagenum offset skip start startindex startline endline startposition linerange viewrange range"
)
CURSORS = named(
    "cursor after pagetoken nexttoken nextpagetoken continuationtoken continuation startingafter marker startcursor nextcursor"
)
FILES = named("outputfile outputpath savepath savetofile saveto downloadpath")
PARTS = SIZES | PLACES | CURSORS | FILES
"""Arguments by which a tool gives another part of a long answer."""
MORE = named("hasmore hasnext hasnextpage more morefollows")
NEXT = named("nextcursor nextpagetoken nextpage nexttoken nextoffset nextlink continuationtoken endcursor")
TOTALS = named("total totalcount totalresults totalitems totalhits totalfound")
QUESTIONS = named("query q search keyword keywords question topic term focus section")
"""Last words of arguments that say what the answer should be about."""
