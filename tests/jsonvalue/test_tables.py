"""Tables in text: what is one, what is none, and that no text is read by halves."""

import csv
import io
import string

import pytest
from hypothesis import given, strategies as st

from outcome_monitors.jsonvalue.canonical import canonical, is_plain
from outcome_monitors.jsonvalue.canonical.texts import LONGEST_TABLE, MOST_CELLS, read_table

ROWS = [{"id": 1, "name": "Ann Lee", "total": 19.9}, {"id": 12, "name": None, "total": 5}]
CELLS = [["id", "name", "total"], ["1", "Ann Lee", "19.90"], ["12", "", "5"]]


def delimited(cells, delimiter=","):
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(cells)
    return text.getvalue()


def padded(cells):
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [[cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in cells], widths


def markdown(cells):
    (names, *rows), widths = padded(cells)
    lines = [names, ["-" * max(width, 1) for width in widths], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def columns(cells):
    (names, *rows), widths = padded(cells)
    return "".join("  ".join(line) + "\n" for line in (names, ["-" * width for width in widths], *rows))


def psql(cells):
    (names, *rows), widths = padded(cells)
    rule = "+".join("-" * (width + 2) for width in widths)
    lines = [f" {' | '.join(line)} " for line in (names, *rows)]
    return "\n".join([lines[0], rule, *lines[1:], f"({len(rows)} row{'s' * (len(rows) != 1)})", ""])


def box(cells, rule="+-|"):
    (names, *rows), widths = padded(cells)
    corner, dash, bar = rule
    between = corner + corner.join(dash * (width + 2) for width in widths) + corner
    lines = [f"{bar} {f' {bar} '.join(line)} {bar}" for line in (names, *rows)]
    return "\n".join([between, lines[0], between, *lines[1:], between])


FORMS = {
    "CSV": delimited,
    "TSV": lambda cells: delimited(cells, "\t"),
    "semicolons": lambda cells: delimited(cells, ";"),
    "bars": lambda cells: delimited(cells, "|"),
    "Markdown": markdown,
    "columns": columns,
    "psql": psql,
    "box": box,
    "drawn box": lambda cells: box(cells, "┼─│").replace("┼", "┌", 1),
    "Windows": lambda cells: delimited(cells).replace("\n", "\r\n"),
}
EVERY = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


@EVERY
def test_a_regular_table_is_records_with_numbers(form):
    assert read_table(form(CELLS)) == ROWS
    assert canonical(form(CELLS)) == ROWS
    assert canonical([{"type": "text", "text": form(CELLS)}]) == ROWS


@pytest.mark.parametrize(
    "row", ["7,Bob\n", "7,Bob,3,4\n", "| 7 | Bob |\n", "| 7 | Bob | 3 | 4 |\n", "total 24.90\n", "\n\n7\n"]
)
@EVERY
def test_a_row_of_another_make_behind_it_makes_it_a_text(form, row):
    assert read_table(form(CELLS).rstrip("\n") + "\n" + row) is None


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["0", "-1", "2.50", "1e3"], [0, -1, 2.5, 1000.0]),
        (["02139", "94110"], ["02139", "94110"]),
        (["1984", "Brave New World"], ["1984", "Brave New World"]),
        (["1,200", "7"], ["1,200", "7"]),
        (["true", "False", ""], [True, False, None]),
        (["NULL", "3"], [None, 3]),
        (["nan", "inf", "1"], ["nan", "inf", "1"]),
    ],
)
def test_a_column_is_of_numbers_where_all_its_cells_are(cells, values):
    """So a title that is a number stays a title, and a post code keeps its zero."""
    found = read_table(markdown([["n", "cell"], *([str(n), cell] for n, cell in enumerate(cells))]))
    assert found is not None
    assert [row["cell"] for row in found] == values
    assert [type(row["cell"]) for row in found] == [type(value) for value in values]


NO_TABLES = {
    "prose with commas": "Dear Ann, thank you for 3 orders\nYours, Bob 2\nPS, see 4\n",
    "no space after commas": "one,two\nthree,four\nfive,six\n",
    "no names": "1,Ann\n2,Bob\n3,Cid\n",
    "a name twice": "id,id\n1,2\n3,4\n",
    "a name that is empty": "id,\n1,2\n3,4\n",
    "a sentence for a name": "The id of it is here,n\n1,2\n3,4\n",
    "text before it": "Here are the rows:\n\nid,total\n1,2\n",
    "text behind it": "id,total\n1,2\n\nThat is all.\n",
    "names alone": "id,total\n",
    "a quote that does not end": 'id,note\n1,"x\n2,y\n',
    "another count than the footer's": psql(CELLS).replace("(2 rows)", "(3 rows)"),
    "a box without its end": box(CELLS).rpartition("\n")[0],
    "half a row of Markdown": markdown(CELLS) + "| 13 | Bo",
    "half a row of CSV": delimited(CELLS) + "13,Bo",
    "code": "def add(a,b):\n    return a+b\n\nadd(1,2)\n",
    "a log": "10:00,INFO,start\n10:01,INFO,stop 1\n",
}


@pytest.mark.parametrize("text", NO_TABLES.values(), ids=NO_TABLES)
def test_what_is_no_table(text):
    assert read_table(text) is None
    assert canonical(text) is text


@given(st.text() | st.text(alphabet='id1,;|\t\n-+ "\\:ab.┌│─', max_size=60))
def test_nothing_raises_and_a_form_is_its_own_form(text):
    found = canonical(text)
    assert is_plain(found)
    assert canonical(found) == found


WORDS = st.text(string.ascii_letters + "éß.'&,|;-", min_size=1, max_size=8)
CELL = st.integers(-(10**9), 10**9).map(str) | WORDS | st.just("")


@EVERY
@given(rows=st.lists(st.tuples(st.integers(0, 999), CELL, CELL), min_size=1, max_size=6), place=st.data())
def test_no_table_is_read_by_halves_but_at_the_end_of_a_row(form, rows, place):
    """What is cut within its last cell looks whole: of all else, each row that is read is a row of the table."""
    cells = [["id", "first", "second"], *([str(n), *rest] for n, *rest in rows)]
    text = form(cells)
    whole = read_table(text)
    part = read_table(text[: place.draw(st.integers(0, len(text)))])
    if whole is not None and part:
        assert [row["id"] for row in part[:-1]] == [row["id"] for row in whole[: len(part) - 1]]
        assert len(part) <= len(whole)


def test_size_is_bounded():
    row = "1,2\n"
    assert read_table("a,b\n" + row * (MOST_CELLS // 2)) is not None
    assert read_table("a,b\n" + row * (MOST_CELLS // 2 + 1)) is None
    assert read_table("a,b\n" + row * (LONGEST_TABLE // len(row))) is None
    assert read_table(",".join(f"n{n}" for n in range(5000)) + "\n" + row) is None


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n" + '1,"' + "x\n" * 10**5,
        "| a |\n|" + "-" * 10**6,
        "a\n" + "- " * (2**19 - 9),
        "a\n" + "|--" * 10**5 + "x",
        "+" + "-+" * 10**5 + "\n" + "| " * 10**5,
        "a b c " * 1600 + ",x\n1,2\n",
        "a;b\n" + ";" * 10**6,
    ],
    ids=range(7),
)
def test_odd_texts_are_none_either(text):
    """Each would keep a reader busy for minutes whose time is not linear in the text."""
    assert read_table(text) is None
