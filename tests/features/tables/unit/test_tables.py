"""Pasted tables of numbers, and what is wrong with those that are none."""

import json
import re
from contextlib import suppress
from pathlib import Path

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attnviz.features.tables.handout import sorted_tables
from attnviz.features.tables.reading import MAX_TABLE_CHARACTERS, parse_table, read_table
from tests.examples import examples

finite = st.floats(allow_nan=False, allow_infinity=False)
tables = st.integers(1, 5).flatmap(lambda n: st.lists(st.lists(finite, min_size=n, max_size=n), min_size=1, max_size=5))


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("0.5166\t1\n-2\t.5", [[0.5166, 1], [-2, 0.5]]),
        ("1e-3 +2E4", [[0.001, 20000]]),
        ("1, 2,\n3, 4,", [[1, 2], [3, 4]]),
        ("\ufeff1, 2", [[1, 2]]),
        ("\u00a01\u00a02", [[1, 2]]),
        ("5", [[5]]),
        ("0,57\t0,81\n−1,5\t2", [[0.57, 0.81], [-1.5, 2]]),
        ("0,57 0,81\n1,05 2", [[0.57, 0.81], [1.05, 2]]),
        ('"0,5","0,75"', [[0.5, 0.75]]),
        ('"0.5","0.75"', [[0.5, 0.75]]),
        ("42.2%\t15.5 %", [[0.422, 0.155]]),
        ("42,2 %;15,5%", [[0.422, 0.155]]),
        ("25 % 75 %\n10 \\% 90%", [[0.25, 0.75], [0.1, 0.9]]),
        ("2,5 % 7,5 %", [[0.025, 0.075]]),
        ("[1 2]", [[1, 2]]),
        ("q = np.array([[1., -2.], [3., 4.],])", [[1, -2], [3, 4]]),
        ("array([[1.5, 2. ]], dtype=float32)", [[1.5, 2]]),
        ("Parameter containing:\ntensor([[ 0.2961,  0.5166]], requires_grad=True)", [[0.2961, 0.5166]]),
        ("tensor([[1.0000e+00, 2.0000e-03]], device='cuda:0', grad_fn=<MmBackward0>)", [[1, 0.002]]),
        ("$$Q = \\begin{bmatrix} 0.57 & -1 \\\\ {-}2 & \\mathbf{3} \\\\[2pt] \\end{bmatrix}$$", [[0.57, -1], [-2, 3]]),
        ("\\begin{array}{cc}\\hline 1 & 42.2\\% \\\\ \\hline\\end{array}", [[1, 0.422]]),
        ("1 & 2 \\\\ 3 & 4", [[1, 2], [3, 4]]),
        (
            "\\begin{bmatrix} 0{,}5 & -\\frac{1}{4} \\\\ 0,25 & 5\\cdot 10^{-1} \\end{bmatrix}",
            [[0.5, -0.25], [0.25, 0.5]],
        ),
        ("[1/2, ½]", [[0.5, 0.5]]),
        ("| 0,5 | −1 |\n|---|---|\n| 1,234 | 2 |", [[0.5, -1], [1.234, 2]]),
        ("|    | 0 | 1 |\n|---:|---:|---:|\n| I | 0.5 | 1 |\n| love | 2 | 3 |", [[0.5, 1], [2, 3]]),
        ("1 | 2\n3 | 4", [[1, 2], [3, 4]]),
    ],
)
def test_numbers_as_people_write_them(text: str, rows: list[list[float]]) -> None:
    table = parse_table(text)
    assert table.dtype == torch.float64
    assert table.tolist() == rows


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\t2\n3\tabc", "Line 2: “abc” isn't a number"),
        ("1, 2\n\n3, x", "Line 3: “x” isn't a number"),
        ("1;2;3\n4;;6", "Line 2 has an empty cell after “4”"),
        ("\t2\t3", "Line 1 begins with an empty cell"),
        (",2 1\n,3", "Line 1 begins with an empty cell"),
        ("1\t2\t\n3\t\t", "Line 2 has an empty cell after “3”"),
        ("nan 1", "Line 1: “nan” isn't a number"),
        ("1 inf", "Line 1: “inf” isn't a number here: only masked scores are infinite"),
        ("1 −∞", "Line 1: “−∞” isn't a number here: only masked scores are infinite"),
        ("1 1e400", "Line 1: “1e400” is too large"),
        ("1;2,345,6", "Line 1: “2,345,6” isn't a number"),
        ("50%;x%", "Line 1: “x%” isn't a number"),
        ("\n".join(["1 2"] * 10_000), "There are 10,000 rows; at most 1,024 fit here. Line 1025 is the first"),
        ("1 " * 2000, "Line 1 has 2,000 numbers; at most 1,024 fit in a row"),
        # print-outs
        ("[[1, 2],\n [3, x]]", "Line 2: “x” isn't a number"),
        ("[[1, 2],\n [3]]", "The row on line 2 has 1 number, but the first row has 2"),
        ("[[1, 2],\n [3, 4]", "Line 2: a bracket is opened and never closed"),
        ("[[1.  2. ... 3. 4.]]", "Line 1: this print-out is shortened"),
        ("[[1. 2.]\n ...\n [3. 4.]]", "Line 2: this print-out is shortened"),
        ("[[1,,2]]", "Line 1 has an empty cell after “1”"),
        ("[[1, 2]] and more", "Line 1: “and more” stands after the table"),
        ("import os\n[[1]]", "Line 1: “import os” stands before the brackets"),
        ("[[1, nan]]", "Line 1: “nan” isn't a number"),
        ("[1, [2, 3]]", "Line 1: “1” stands between the rows"),
        # LaTeX
        ("\\begin{bmatrix}\n1 & 2 \\\\\n3 & a\n\\end{bmatrix}", "Line 3: “a” isn't a number"),
        ("\\begin{bmatrix} 1 & 2 \\\\ 3 \\end{bmatrix}", "The row on line 1 has 1 number, but the first row has 2"),
        ("\\begin{bmatrix}\n1 & 2", "Line 1: a matrix begins and has no"),
        ("\\begin{pmatrix}1\\end{pmatrix}\n\\begin{pmatrix}2\\end{pmatrix}", "Line 2: a second matrix begins"),
        # Markdown
        ("| a | b |\n|---|---|\n| 1 | two |", "Line 3: “two” isn't a number"),
        ("| 1 | 2 |\n| 3 |", "Line 2 has 1 number, but the first line has 2"),
        ("1 - 2", "Line 1: “-” isn't a number"),
        ("a\0b", "Line 1: "),
        ("1 2\n3", "Line 2 has 1 number, but the first line has 2"),
        ("1\n2, 3", "Line 2 has 2 numbers, but the first line has 1"),
        ("", "There's no table here"),
        (" \n\t\n", "There's no table here"),
        (
            "1 " * MAX_TABLE_CHARACTERS,
            "There are 4,000,000 characters; at most 2,000,000 fit here. They end in line 1, at character 2000001",
        ),
        ("1 " * (MAX_TABLE_CHARACTERS // 2), "Line 1 has 1,000,000 numbers"),
        ("1\n" * MAX_TABLE_CHARACTERS, "at most 2,000,000 fit here. They end in line 1000001, at character 1"),
    ],
    ids=lambda value: value[:20],
)
def test_what_is_no_table_is_told_by_its_line_and_text(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_table(text)


PIECES = (
    *"1,;\t\n |[]()%x?=-…{}:#\\'\"", "0.5", "-2", "e5", "nan", "inf", "1/2", "1,234", "0,5", ", ", "Q", "tensor(",
    "\\\\", "\\begin{bmatrix}", "<table><td>", "</td>", "²", "±", "−", "...", "Head 0\n", "Columns 1 through 2:\n\n",
    "K =\n", "<h2>V</h2>", "\r\n", "\x1c", "\u2028", "1e400", "9" * 400, "---", "|---|", "٣", "**", "dtype=float16",
)  # fmt: skip
any_text = st.text(max_size=60) | st.lists(st.sampled_from(PIECES), max_size=20).map("".join)


@given(any_text, st.booleans(), st.booleans(), st.none() | st.integers(1, 3), st.none() | st.integers(1, 3))
@example(", ,", False, False, None, None)
@example("0,5, \n, ,", False, True, None, None)
@example("1" * 400 + " 2", False, False, None, None)
@settings(max_examples=examples(1500))
def test_whatever_is_pasted_is_a_table_or_refused_in_a_sentence(
    text: str, infinite: bool, blanks: bool, columns: int | None, rows: int | None
) -> None:
    for part in sorted_tables(text).tables.values():  # which can be read, too, or is told
        with suppress(ValueError):
            read_table(part)
    try:
        read = read_table(text, infinite=infinite, blanks=blanks, columns=columns, expected_rows=rows)
    except ValueError as error:
        refused = str(error)
    else:
        assert len({len(row) for row in read.rows}) == 1
        assert infinite or blanks or torch.tensor(read.rows).isfinite().all()
        return
    assert re.fullmatch(r"[A-Z“].*[.?]", refused, re.DOTALL), refused


# Commas that begin decimals, or part numbers; the page's script is held to the same file

BLOCKS = json.loads((Path(__file__).parents[3] / "typed_numbers.json").read_text(encoding="utf-8"))["blocks"]
REFUSED = {"one_or_two": "could be one number or two. Write", "two_ways": "could mean .* or .*. Type the one you mean"}


@pytest.mark.parametrize(("text", "rows"), BLOCKS)
def test_a_comma_is_what_it_can_only_mean(text: str, rows: list[list[float]] | str) -> None:
    if isinstance(rows, str):
        with pytest.raises(ValueError, match=REFUSED[rows]):
            read_table(text)
    else:
        assert parse_table(text).tolist() == rows


@given(st.lists(st.lists(st.integers(-99, 99), min_size=2, max_size=2), min_size=1, max_size=4))
def test_a_column_of_decimal_commas_is_no_table_of_two_columns(rows: list[list[int]]) -> None:
    """What is read is what was meant, or it is asked for: never the other one."""
    as_csv = "\n".join(f"{a},{b}" for a, b in rows)
    in_decimals = [[float(f"{a}.{b}")] for a, b in rows] if all(b >= 0 for _, b in rows) else rows
    try:
        assert parse_table(as_csv).tolist() in (rows, in_decimals)
    except ValueError as error:
        assert "could be one number or two" in str(error)  # noqa: PT017  a table of integers may be either
    assert parse_table(as_csv, columns=2).tolist() == rows
    assert parse_table("\n".join(f"{a}, {b}" for a, b in rows)).tolist() == rows
    decimals = [[a / 100 + 0.0] for a, _ in rows]
    column = "\n".join(f"{a / 100:.2f}" for a, _ in rows).replace(".", ",")
    assert parse_table(column).tolist() == decimals
    assert parse_table(column, columns=1).tolist() == decimals
