"""Pasted tables of numbers, and what is wrong with those that are none."""

import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

from attnviz.tables import MAX_TABLE_CHARACTERS, parse_table

finite = st.floats(allow_nan=False, allow_infinity=False)
tables = st.integers(1, 5).flatmap(lambda n: st.lists(st.lists(finite, min_size=n, max_size=n), min_size=1, max_size=5))


@pytest.mark.parametrize("separator", ["\t", ";", ",", ", ", " ", "   ", " ; ", " \t "])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\n\n"])
@given(tables)
def test_a_table_comes_back_from_its_text(separator: str, line_end: str, rows: list[list[float]]) -> None:
    text = line_end.join(separator.join(map(repr, row)) for row in rows)
    assert parse_table(text).tolist() == rows
    assert parse_table(f"\n{text}{line_end} \n").tolist() == rows


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("0.5166\t1\n-2\t.5", [[0.5166, 1], [-2, 0.5]]),
        ("1e-3 +2E4", [[0.001, 20000]]),
        ("−0.5\t–1\t‒2", [[-0.5, -1, -2]]),
        ("1e−3", [[0.001]]),
        ("1, 2,\n3, 4,", [[1, 2], [3, 4]]),
        ("\ufeff1,2", [[1, 2]]),
        ("\u00a01\u00a02", [[1, 2]]),
        ("5", [[5]]),
    ],
)
def test_numbers_as_people_write_them(text: str, rows: list[list[float]]) -> None:
    table = parse_table(text)
    assert table.dtype == torch.float64
    assert table.tolist() == rows


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\t2\n3\tabc", "line 2, column 2 is 'abc', expected a number"),
        ("1,2\n\n3,x", "line 3, column 2 is 'x', expected a number"),
        ("1;2;3\n4;;6", "line 2, column 2 is '', expected a number"),
        ("\t2\t3", "line 1, column 1 is '', expected a number"),
        (",2\n,3", "line 1, column 1 is '', expected a number"),
        ("1\t2\t\n3\t\t", "line 2, column 2 is '', expected a number"),
        ("nan 1", "line 1, column 1 is 'nan', expected a number"),
        ("1 inf", "line 1, column 2 is 'inf', expected a number"),
        ("1 -inf", "line 1, column 2 is '-inf', expected a number"),
        ("1 1e400", "line 1, column 2 is '1e400', expected a number"),
        ("1 0x10", "line 1, column 2 is '0x10', expected a number"),
        ("1 1_000", "line 1, column 2 is '1_000', expected a number"),
        ("0,5; 0,6", "line 1, column 1 is '0,5', expected a number"),
        ("[1 2]", r"line 1, column 1 is '\[1', expected a number"),
        ("1 - 2", "line 1, column 2 is '-', expected a number"),
        ("1 e", "line 1, column 2 is 'e', expected a number"),
        ("a\0b", "line 1, column 1"),
        ("1 2\n3", "line 2 has 1 numbers, expected 2 as in the first line"),
        ("1\n2,3", "line 2 has 2 numbers, expected 1 as in the first line"),
        ("", "the table is empty"),
        (" \n\t\n", "the table is empty"),
        ("1 " * MAX_TABLE_CHARACTERS, "the table has 4000000 characters, expected at most 2000000"),
    ],
    ids=lambda value: value[:20],
)
def test_what_is_no_table_is_named_by_line_and_column(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_table(text)


def test_a_long_cell_is_cut_in_the_message() -> None:
    with pytest.raises(ValueError, match="line 1, column 1") as caught:
        parse_table("x" * 10_000)
    assert len(str(caught.value)) < 200


@given(st.text() | st.text("0123456789.,;-+eE \t\n[]"))
@example("1" * 400 + " 2")
def test_any_text_is_a_table_of_finite_numbers_or_an_error(text: str) -> None:
    try:
        table = parse_table(text)
    except ValueError:
        return
    assert table.dim() == 2
    assert torch.isfinite(table).all()
