"""Text that is an object or a list: as JSON writes it, as Python prints it, or as a table has it.

A number or a bare word may be JSON by chance, so only what begins with a bracket is read as JSON or as Python's, and what begins with
the name of a field or of a class as a model that Python prints (`total=1.5 state='sent'`, `Order(total=1.5)`). What cannot be read to its
end stays text.

Only a text that is a table from its first line to its last is read as one: names above, and as many cells in each row. A rule of dashes
is no accident, so below one there may be any number of rows, none too. Lines with commas may be anything. There, a row has to follow, two
where names are of several words; no name comes again below; and one column has to show that the first line names the others: digits in
all of its cells, and none in its name. So what has no names is never read, nor is prose. Time is linear in the text.
"""

import ast
import csv
import io
import json
import math
import operator
import re
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from itertools import islice, pairwise
from typing import Any, NamedTuple
from uuid import UUID

LONGEST = 2**23
"""Characters of a text that is read; a longer one is a text and no more."""
LONGEST_PRINTED = 2**18
"""Characters of what Python prints that are read: its parser takes fifty times as long as that of JSON."""

_BEGINS = ("{", "[")


_CALLS: dict[str, Callable[..., Any]] = {
    "Decimal": Decimal,
    "UUID": UUID,
    "datetime.date": date,
    "datetime.datetime": datetime,
    "datetime.time": time,
    "datetime.timedelta": timedelta,
    "datetime.timezone": timezone,
    "uuid.UUID": UUID,
    "decimal.Decimal": Decimal,
}
"""What Python prints as a call, and is read."""
_CONSTANTS = {"datetime.timezone.utc": UTC, "datetime.UTC": UTC}
_NAMES = {"nan": math.nan, "inf": math.inf, "null": None, "true": True, "false": False}


def read_text(text: str) -> Any:
    """Return the object or the list that a text is; the text itself where it is none."""
    if text[:1] not in _BEGINS and text[:200].lstrip()[:1] not in _BEGINS:
        if _MODEL.match(text) is not None:
            return _printed(text, _as_call(text))
        table = read_table(text)
        return text if table is None else table
    if len(text) > LONGEST:
        return text
    try:
        return json.loads(text)
    except ValueError as error:
        if isinstance(error, json.JSONDecodeError) and error.msg == "Extra data":
            return _documents(text)
        return _printed(text, text)
    except RecursionError:
        return text


def scalar_in(text: str) -> Any:
    """Return the number, truth value or nothing that a text is, as JSON or Python writes it; else the text itself."""
    if _NUMBER.fullmatch(text):
        return _number(text)
    return _WORDS_FOR.get(text, text)


_WORDS_FOR = {"true": True, "True": True, "false": False, "False": False, "null": None, "None": None}


def _documents(text: str) -> Any:
    """Return the objects and lists that stand behind each other in a text, a line each for one, as a list."""
    decode, found, at, end = json.JSONDecoder().raw_decode, list[Any](), 0, len(text.rstrip())
    try:
        while at < end:
            if text[at].isspace():
                at += 1
                continue
            if text[at] not in _BEGINS:
                return text
            value, at = decode(text, at)
            found.append(value)
    except (ValueError, RecursionError):
        return text
    return found


_MODEL = re.compile(r"(?!\w*(?:Error|Exception)\b)[A-Za-z_]\w*(?:=[^=\s]|\()")
_PART = re.compile(
    r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<next> )(?=[A-Za-z_]\w*=)"
)
_MEMBER = re.compile(r"<[A-Za-z_][\w.]*: ('(?:[^'\\]|\\.)*'|-?\d+(?:\.\d+)?)>")
"""A member of an enumeration, as it stands in what Python prints, and its value."""


def _as_call(text: str) -> str:
    """Return fields that are printed beside each other as the arguments of a call; what is printed as one already is."""
    text = text.strip()
    if len(text) > LONGEST_PRINTED or "(" in text.partition("=")[0]:
        return text
    depth, pieces, at = 0, list[str](), 0
    for found in _PART.finditer(text):
        depth += (found["open"] is not None) - (found["close"] is not None)
        if found["next"] and not depth:
            pieces.append(text[at : found.start()])
            at = found.end()
    return f"fields({', '.join([*pieces, text[at:]])})"


def _printed(text: str, source: str) -> Any:
    """Return what Python has printed: dicts, lists and models of literals, dates and decimals among them; else the text."""
    # JSON that is broken has no single quotes before its keys; nearly all that Python prints has.
    if len(text) > LONGEST_PRINTED or not (
        source is not text or "'" in text or "None" in text or "True" in text or "False" in text
    ):
        return text
    if source.rstrip()[-1:] not in ("}", "]", ")"):
        return text
    try:
        found = _value(ast.parse(_MEMBER.sub(r"\1", source.strip()), mode="eval").body)
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        MemoryError,
        RuntimeError,
        SyntaxError,
        TypeError,
        ValueError,
    ):
        return text
    return found if isinstance(found, (dict, list)) else text


def _value(node: ast.expr) -> Any:
    """Return what a tree of literals is; anything else raises."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Dict):
        return {_key(key): _value(item) for key, item in zip(node.keys, node.values, strict=True)}
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return [_value(item) for item in node.elts]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand)
    if isinstance(node, ast.Name):
        return _NAMES[node.id]
    if isinstance(node, ast.Attribute):
        return _CONSTANTS[ast.unparse(node)]
    if isinstance(node, ast.Call):
        return _called(node)
    raise TypeError


def _called(node: ast.Call) -> Any:
    """Return the value that a call makes; of a class that is not known, its fields."""
    name = ast.unparse(node.func)
    if name.rpartition(".")[2] == "TzInfo":
        # That of pydantic: its offset in seconds, or the letters UTC.
        return timezone(
            timedelta(seconds=_value(node.args[0]) if isinstance(node.args[0], ast.Constant) else 0)
        )
    fields = {str(field.arg): _value(field.value) for field in node.keywords if field.arg}
    if name in _CALLS:
        return _CALLS[name](*map(_value, node.args), **fields)
    if node.args or len(fields) != len(node.keywords):
        raise TypeError
    return fields


def _key(node: ast.expr | None) -> Any:
    if node is None:  # `**more` is no literal
        raise TypeError
    key = _value(node)
    if not isinstance(key, (str, int, float, bool, type(None))):
        raise TypeError
    return key


LONGEST_TABLE = 2**20
"""Characters of a text that is read as a table."""
MOST_CELLS = 100_000
"""Cells of one."""
LONGEST_LINE = 10_000
"""Characters of the line with the names."""
LONGEST_NAME, MOST_WORDS = 64, 4

Cell = str | int | float | bool | None
Records = list[dict[str, Cell]]

_DELIMITERS = "\t;|,"
_NAME = re.compile(r"[^\W\d][\w .\-/#%$€£°]*(?:\([^()]{0,40}\))?|#")
_SENTENCE = re.compile(r"\. |\.\Z")
_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,17})?(?:[eE][+-]?\d{1,2})?")
_TRUTH = {"true": True, "false": False}
_NOTHING = frozenset(("", "NULL", "NaN", "NaT", "None", "null"))
_MARKDOWN_RULE = re.compile(r"\|?(?: *:?-+:? *\|)+(?: *:?-+:? *)?")
_BOX_RULE = re.compile(r"\+(?:[-=]+\+)+")
_COLUMN_RULE = re.compile(r"-+(?: {1,2}-+|\+-+)*")
_DASHES = re.compile(r"-+")
_WORD = re.compile(r"\S+")
_FOOTER = re.compile(r"\((\d{1,9}) rows?\)|(\d{1,9}) rows? in set\b.*")
_BAR = re.compile(r"(?<!\\)\|")
_CORNERS = "┌┬┐├┼┤└┴┘╭╮╰╯"
_DRAWN = str.maketrans("│─" + _CORNERS, "|-" + "+" * len(_CORNERS))


class _Grid(NamedTuple):
    """A table as it is written; where a rule tells it, the names need no further proof."""

    names: list[str]
    rows: list[list[str]]
    ruled: bool = True


def read_table(text: str) -> Records | None:
    """Return the records of a table, numbers as numbers; None where a text is no table, or none that is regular."""
    if len(text) > LONGEST_TABLE or text.find("\n", 0, LONGEST_LINE) < 0:
        return None
    body = text.strip("\r\n")
    try:
        grid = _grid(body.translate(_DRAWN) if body[:1] in ("┌", "╭") else body)
    except csv.Error:
        return None
    return _records(grid) if grid is not None and _is_regular(grid) else None


def _grid(text: str) -> _Grid | None:
    """Return the cells of a table by what its first two lines look like."""
    first, _, rest = text.partition("\n")
    if first[:1] == " " and rest[:1] == "0":
        return _numbered(text)
    second = rest[:LONGEST_LINE].partition("\n")[0].rstrip()
    if _BOX_RULE.fullmatch(first.rstrip()):
        return _boxed(text)
    if _MARKDOWN_RULE.fullmatch(second.lstrip()):
        return _barred(text)
    if _COLUMN_RULE.fullmatch(second):
        return _aligned(text, second)
    return _delimited(text, first)


def _is_regular(grid: _Grid) -> bool:
    """Say whether each row has a cell for each name, and the names are names."""
    names, width = grid.names, len(grid.names)
    if not width or len({name.casefold() for name in names}) < width or not all(map(_is_name, names)):
        return False
    if width * len(grid.rows) > MOST_CELLS or any(len(row) != width for row in grid.rows):
        return False
    return grid.ruled or _is_proven(names, grid.rows)


def _is_proven(names: list[str], rows: list[list[str]]) -> bool:
    """Say whether the first of delimited lines names what is in the others."""
    if len(rows) < (2 if any(" " in name for name in names) else 1):
        return False
    columns = list(zip(*rows, strict=True))
    return not any(map(operator.contains, columns, names)) and any(map(_shows, names, columns))


def _is_name(cell: str) -> bool:
    if not 0 < len(cell) <= LONGEST_NAME or _NAME.fullmatch(cell) is None:
        return False
    return cell.count(" ") < MOST_WORDS and _SENTENCE.search(cell) is None


def _shows(name: str, cells: tuple[str, ...]) -> bool:
    """Say whether a column shows that its first line is a name: all below have digits, and it has none."""
    filled = [cell for cell in cells if cell not in _NOTHING]
    return bool(filled) and not _DIGIT.search(name) and all(map(_DIGIT.search, filled))


def _records(grid: _Grid) -> Records:
    columns = map(column_values, zip(*grid.rows, strict=True))
    return [dict(zip(grid.names, row, strict=True)) for row in zip(*columns, strict=True)]


def column_values(cells: Sequence[str]) -> list[Cell]:
    """Return what the cells of a column say: nothing, numbers or truth values where all that say something are, else texts.

    A column is of one type: a title that is a number stays a title among others.
    """
    filled = [cell for cell in cells if cell not in _NOTHING]
    if all(map(_NUMBER.fullmatch, filled)):
        return [None if cell in _NOTHING else _number(cell) for cell in cells]
    if all(cell.lower() in _TRUTH for cell in filled):
        return [None if cell in _NOTHING else _TRUTH[cell.lower()] for cell in cells]
    return [None if cell in _NOTHING else cell for cell in cells]


def _number(cell: str) -> int | float:
    return float(cell) if "." in cell or "e" in cell.lower() else int(cell)


def _delimited(text: str, first: str) -> _Grid | None:
    """Read lines of cells between delimiters; which one is told by the first line, of names alone."""
    for delimiter in _DELIMITERS:
        if delimiter in first:
            rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
            names = next(rows)
            # Prose has a space after a comma, and programs that write tables have none.
            if all(map(_is_name, names)):
                found = list(islice(rows, MOST_CELLS // len(names) + 1))
                return _Grid(names, found, ruled=False)
    return None


def _barred(text: str) -> _Grid | None:
    """Read Markdown: bars between cells, and around each line or around none."""
    lines = _lines(text)
    framed = _is_framed(lines[0])
    if not all(_is_framed(line) is framed for line in lines):
        return None
    names, *rows = _between_bars([lines[0], *lines[2:]], lines[1])
    return _Grid(names, rows) if len(names) == lines[1].count("|") + 1 - 2 * framed else None


def _boxed(text: str) -> _Grid | None:
    """Read what database clients draw: a rule above, below the names and at the end, or after each row."""
    lines, expected = _without_footer(_lines(text))
    is_rule = [_BOX_RULE.fullmatch(line) is not None for line in lines]
    if len(lines) < 4 or is_rule[:3] != [True, False, True] or not is_rule[-1]:
        return None
    body = is_rule[3:-1]
    rows = [line for line, rule in zip(lines[3:-1], body, strict=True) if not rule]
    apart = any(body)
    if apart and body != [place % 2 == 1 for place in range(len(body))]:
        return None
    if expected not in (None, len(rows)) or not all(map(_is_framed, (lines[1], *rows))):
        return None
    names, *cells = _between_bars([lines[1], *rows], lines[0])
    return _Grid(names, cells)


def _aligned(text: str, rule: str) -> _Grid | None:
    """Read columns that stand under a rule: each row has nothing, or a bar, where the rule is broken."""
    lines, expected = _without_footer(_lines(text))
    spans = [found.span() for found in _DASHES.finditer(rule)]
    if len(spans) == 1 and expected is None:
        # A heading is underlined, too.
        return None
    names, _, *rows = lines
    if expected not in (None, len(rows)) or not all(
        _is_aligned(line, spans, rule) for line in (names, *rows)
    ):
        return None
    ends = [start for start, _ in spans[1:]]
    gap = "+" in rule
    cut = [*zip([0, *ends], [*(end - gap for end in ends), None], strict=True)]
    names_, *cells = ([line[start:end].strip() for start, end in cut] for line in (names, *rows))
    return _Grid(names_, cells)


def _numbered(text: str) -> _Grid | None:
    """Read what pandas prints: rows that are counted from 0, and cells that end where the names above them do."""
    lines = _lines(text)
    ends = [found.end() for found in _WORD.finditer(lines[0])]
    cut = [*pairwise([0, *ends])]
    cells: list[list[str]] = []
    for number, line in enumerate(lines[1:]):
        count, _, _ = line.partition(" ")
        row = " " * len(count) + line[len(count) :]
        if (
            count != str(number)
            or len(row) != ends[-1]
            or any(row[end : end + 1] not in ("", " ") for end in ends)
        ):
            return None
        cells.append([row[start:end].strip() for start, end in cut])
    return _Grid(lines[0].split(), cells)


def _is_aligned(line: str, spans: list[tuple[int, int]], rule: str) -> bool:
    """Say whether a line is broken where the rule is, up to the last column."""
    between = "|" if "+" in rule else ""
    gaps = pairwise(spans)
    return len(line) > spans[-1][0] and all(
        line[end:start].strip(" ") == between for (_, end), (start, _) in gaps
    )


def _lines(text: str) -> list[str]:
    return [line.rstrip() if line.endswith("\r") else line for line in text.split("\n")]


def _without_footer(lines: list[str]) -> tuple[list[str], int | None]:
    """Return the lines without the one that says how many rows there are, and what it says."""
    found = _FOOTER.fullmatch(lines[-1].strip())
    return (lines, None) if found is None else (lines[:-1], int(found[1] or found[2]))


def _is_framed(line: str) -> bool:
    line = line.strip()
    return len(line) > 1 and line[0] == "|" == line[-1] and line[-2] != "\\"


def _between_bars(lines: list[str], rule: str) -> list[list[str]]:
    """Return the cells of each line: between the bars below each other, of which others are no part; else between all of them."""
    bars = [place for place, sign in enumerate(rule) if sign in "|+"]
    if bars[-1:] == [len(rule) - 1] and all(
        len(line) == len(rule) and all(line[bar] == "|" for bar in bars) for line in lines
    ):
        cells = [[line[start + 1 : end] for start, end in pairwise(bars)] for line in lines]
    else:
        cells = [_BAR.split(_unframed(line)) for line in lines]
    return [[cell.strip().replace("\\|", "|") for cell in row] for row in cells]


def _unframed(line: str) -> str:
    return line.strip()[1:-1] if _is_framed(line) else line
