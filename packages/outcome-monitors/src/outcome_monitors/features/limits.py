"""Bounds of what is looked at and kept of a call, whatever its result: no experiment moves them, and contracts depend on them."""

RESULT_DEPTH = 12
"""Levels of nesting of a result that are looked at."""
RESULT_VALUES = 20_000
"""Values of one result that are looked at."""

RECORD_DEPTH = 3
"""Levels of plain inner objects whose fields are features of a record."""
RECORD_FEATURES = 96
"""Features of one record."""
TEXT_LENGTH = 200
"""Longer texts are known by their hash."""
COUNTED_TEXT = 40
"""Characters of a text that is long enough for someone to have counted them."""

LIST_ROWS = 1000
"""Longer lists have a length and a hash, but no sums and no order."""
LIST_ENDS = 12
"""Columns whose first and last value are kept."""
LIST_MEMBERS = 64
"""Of a longer list nothing is known by its members."""
MEMBER_LENGTH = 64
"""Longer names of members are known by their hash."""
ARGUMENT_ITEMS = 32
"""Items of an argument that are kept; a longer list has a length alone."""

SESSION_RECORDS = 24
"""Records of one path and call that a session remembers."""
SESSION_IDENTITIES = 512
"""Things that a session remembers; those not mentioned for longest are forgotten first."""
SESSION_ANSWERS = 256
"""Answers that a session remembers."""
