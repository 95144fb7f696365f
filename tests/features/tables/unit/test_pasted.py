"""What people paste: every form reads back to the same numbers and decimals, and what could be otherwise is told."""

import io
import json
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnviz.core.limits import ReaderError
from attnviz.core.scenario import Scenario, trace
from attnviz.documents import report
from attnviz.export import matrix_csv, trace_json
from attnviz.features.tables.handout import sorted_tables
from attnviz.features.tables.printed_table import Printed
from attnviz.features.tables.reading import read_table, read_upload, told_of_broken, write_table
from attnviz.words import say

ROWS = ((0.57, 0.81), (1.25, 1.35))
SAMPLES = json.loads((Path(__file__).parents[1] / "pasted.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("form", SAMPLES)
def test_a_form_that_people_paste_is_read(form: str) -> None:
    table = read_table(SAMPLES[form])
    assert table.rows == ROWS
    assert table.decimals == (4 if "matlab disp" in form else 2)


# The same numbers and decimals, whatever they are and however they are written

Cells = list[list[str]]
NAMES = st.sampled_from(["the", "cat", "a", "New York", "I", "love", "AI", "d_k", "straße", "猫", "don't", "tok_3"])
COLUMNS = ("d0", "d1", "d2", "d3", "d4")


@st.composite
def tables(draw: st.DrawFn) -> tuple[Cells, list[str]]:
    """Rows of numbers as they are printed, and a name for each row."""
    n_rows, n_columns, decimals = draw(st.integers(2, 5)), draw(st.integers(2, 5)), draw(st.integers(1, 6))
    number = st.integers(-3 * 10**decimals, 3 * 10**decimals).map(lambda n: f"{n / 10**decimals + 0.0:.{decimals}f}")
    rows = draw(st.lists(st.lists(number, min_size=n_columns, max_size=n_columns), min_size=n_rows, max_size=n_rows))
    return rows, draw(st.lists(NAMES, min_size=n_rows, max_size=n_rows))


def lines(rows: Cells, separator: str = " ", end: str = "\n") -> str:
    return end.join(separator.join(row) for row in rows)


def named(rows: Cells, names: list[str], separator: str, corner: str | None = "") -> str:
    head = [[*([] if corner is None else [corner]), *COLUMNS[: len(rows[0])]]]
    return lines([*head, *([name, *row] for name, row in zip(names, rows, strict=True))], separator)


def frame(rows: Cells, names: list[str]) -> pd.DataFrame:
    return pd.DataFrame(rows, index=names, columns=COLUMNS[: len(rows[0])])


def markdown(rows: Cells, head: list[str]) -> str:
    return "\n".join([f"| {' | '.join(head)} |", "|" + "---|" * len(head), *(f"| {' | '.join(row)} |" for row in rows)])


LATEX_END = " \\\\\n"


def latex(rows: Cells, head: list[str] | None = None) -> str:
    top = f"\\hline {' & '.join(head)} \\\\ \\hline\n" if head else ""
    return f"\\begin{{tabular}}{{lccc}}{top}{lines(rows, ' & ', LATEX_END)} \\\\ \\hline\n\\end{{tabular}}"


def with_names(rows: Cells, names: list[str]) -> Cells:
    return [[name, *row] for name, row in zip(names, rows, strict=True)]


def in_columns(rows: Cells, head: Callable[[int], str]) -> str:
    return "\n".join(f"{head(j)}\n\n" + "\n".join(row[j] for row in rows) + "\n" for j in range(len(rows[0])))


def numbered(n: int, start: int = 0) -> list[str]:
    return [str(i) for i in range(start, start + n)]


def called(rows: Cells, call: str) -> str:
    return "[" + ", ".join("[" + ", ".join(f"{call}({each})" for each in row) + "]" for row in rows) + "]"


def nested(rows: Cells, opening: str = "[", closing: str = "]", between: str = ", ") -> str:
    inner = between.join(opening + ", ".join(row) + closing for row in rows)
    return opening + inner + closing


def _decimals(rows: Cells) -> int:
    return len(rows[0][0].partition(".")[2])


WRITERS: dict[str, Callable[[Cells, list[str]], str]] = {
    "Excel with labels": lambda rows, names: named(rows, names, "\t"),
    "Excel with labels and decimal commas": lambda rows, names: named(rows, names, "\t").replace(".", ","),
    "CSV with names": lambda rows, names: named(rows, names, ",", "token"),
    "CSV with semicolons": lambda rows, names: named(rows, names, ";", "Token").replace(".", ","),
    "blanks with names": lambda rows, names: named(rows, names, "  ", None),
    "labels alone": lambda rows, names: lines(with_names(rows, names), "  "),
    "labels with a colon": lambda rows, names: lines(with_names(rows, [f"{name}:" for name in names])),
    "pandas": lambda rows, names: frame(rows, names).to_string(),
    "pandas with its own index": lambda rows, names: pd.DataFrame(rows).to_string(),
    "pandas, wrapped": lambda rows, names: frame(rows, names).to_string(line_width=24),
    "pandas as CSV": lambda rows, names: frame(rows, names).to_csv(),
    "pandas as HTML": lambda rows, names: frame(rows, names).to_html(),
    "a spreadsheet": lambda rows, names: lines(rows, "\t").replace("-", "−"),
    "semicolons and decimal commas": lambda rows, names: lines(rows, ";").replace(".", ","),
    "CSV": lambda rows, names: lines(rows, ","),
    "bmatrix": lambda rows, names: f"\\begin{{bmatrix}}\n{lines(rows, ' & ', LATEX_END)}\n\\end{{bmatrix}}",
    "torch, wrapped": lambda rows, names: f"tensor({nested(rows)})".replace(", ", ",\n        "),
    "a list over lines": lambda rows, names: f"[\n{nested(rows, between=f',{chr(10)}')[1:-1]},\n]",
    "numpy": lambda rows, names: nested(rows, between="\n ").replace(",", ""),
    "our own": lambda rows, names: write_table(Printed.of([[float(x) for x in r] for r in rows], _decimals(rows))),
    "Markdown": lambda rows, names: markdown(rows, list(COLUMNS[: len(rows[0])])),
    "Markdown with labels": lambda rows, names: markdown(
        with_names(rows, names), ["token", *COLUMNS[: len(rows[0])]]
    ),
    "Markdown with a head of numbers": lambda rows, names: markdown(
        with_names(rows, names), ["", *numbered(len(rows[0]))]
    ),
    "bold Markdown": lambda rows, names: markdown(
        [[f"**{name}**", *(f"**{each}**" for each in row)] for name, row in zip(names, rows, strict=True)],
        ["", *COLUMNS[: len(rows[0])]],
    ),
    "a grid of signs": lambda rows, names: (
        "+---+---+\n" + "\n+---+---+\n".join(f"| {' | '.join(row)} |" for row in [["t", *COLUMNS[: len(rows[0])]],
        *with_names(rows, names)]) + "\n+---+---+"
    ),
    "LaTeX": lambda rows, names: latex(rows),
    "LaTeX with a head": lambda rows, names: latex(with_names(rows, names), ["Token", *COLUMNS[: len(rows[0])]]),
    "LaTeX with a head of numbers": lambda rows, names: latex(
        with_names(rows, names), ["", *numbered(len(rows[0]), 1)]
    ),
    "LaTeX with decimal commas": lambda rows, names: latex(
        [[each.replace(".", "{,}") for each in row] for row in rows]
    ),
    "LaTeX in bold": lambda rows, names: latex([[f"$\\mathbf{{{each}}}$" for each in row] for row in rows]),
    "Matlab": lambda rows, names: f"Q = [{lines(rows, ' ', '; ')}];",
    "Matlab with commas": lambda rows, names: f"Q = [{lines(rows, ', ', '; ')}]",
    "Matlab over lines": lambda rows, names: f"Q = [{lines(rows, ' ', ';' + chr(10) + '     ')}];",
    "Matlab's display": lambda rows, names: f"Q =\n\n{lines(rows, '    ')}\n\n",
    "Octave at its prompt": lambda rows, names: f"octave:7> Q\nQ =\n\n   {lines(rows, '   ')}\n",
    "Octave's display in columns": lambda rows, names: "Q =\n\n" + in_columns(rows, lambda j: f" Column {j + 1}:"),
    "Matlab's display in columns": lambda rows, names: "Q =\n\n" + in_columns(rows, lambda j: f"  Column {j + 1}"),
    "R": lambda rows, names: (
        "> q\n     " + " ".join(f"[,{j + 1}]" for j in range(len(rows[0]))) + "\n"
        + "\n".join(f"[{i + 1},] {' '.join(row)}" for i, row in enumerate(rows))
    ),
    "R with names": lambda rows, names: named(rows, names, " ", None),
    "C": lambda rows, names: f"double q[{len(rows)}][{len(rows[0])}] = {nested(rows, '{', '}')};",
    "Java": lambda rows, names: (
        f"float[][] q = new float[][] {nested([[f'{each}f' for each in row] for row in rows], '{', '}')};"
    ),
    "Jupyter": lambda rows, names: f"Out[3]:\narray({nested(rows)})",
    "Jupyter with its input": lambda rows, names: f"In [3]: q\nOut[3]: array({nested(rows)})",
    "Python at its prompt": lambda rows, names: f">>> q\narray({nested(rows)})\n>>>",
    "Python's input": lambda rows, names: f">>> q = np.array({nested(rows, between=',' + chr(10) + '...   ')})",
    "a batch of one": lambda rows, names: f"tensor([{nested(rows)}], grad_fn=<AddmmBackward0>)",
    "a batch of one with one head": lambda rows, names: f"tensor([[{nested(rows)}]], dtype=torch.float64)",
    "tuples": lambda rows, names: nested(rows, "(", ")"),
    "a list of tuples": lambda rows, names: f"[{nested(rows, '(', ')')[1:-1]}]",
    "np.float64": lambda rows, names: called(rows, "np.float64"),
    "scalar tensors": lambda rows, names: called(rows, "tensor"),
    "tf.Tensor": lambda rows, names: f"tf.Tensor(\n{nested(rows)}, shape=({len(rows)}, 2), dtype=float32)",
    "a tensor in Jupyter": lambda rows, names: (
        f"<tf.Tensor: shape=({len(rows)}, 2), dtype=float64, numpy=\narray({nested(rows)})>"
    ),
    "JAX": lambda rows, names: f"Array({nested(rows)}, dtype=float32, weak_type=True)",
    "Mathematica": lambda rows, names: nested(rows, "{", "}"),
    "marks of footnotes": lambda rows, names: lines([[f"{row[0]}*", *row[1:-1], f"{row[-1]}†"] for row in rows], "\t"),
    "units": lambda rows, names: lines([[f"{each} cm" for each in row] for row in rows], "\t"),
    "units between blanks": lambda rows, names: lines([[f"{each} bits" for each in row] for row in rows], "  "),
    "margins": lambda rows, names: lines([[f"{each} ± 0.02" for each in row] for row in rows], "  "),
    "a fence": lambda rows, names: f"```text\n{lines(rows, ' ')}\n```",
    "polars": lambda rows, names: (
        f"shape: ({len(rows)}, 2)\n┌──────┬──────┐\n│ {' ┆ '.join(COLUMNS[: len(rows[0])])} │\n╞══════╪══════╡\n"
        + "\n".join(f"│ {' ┆ '.join(row)} │" for row in rows) + "\n└──────┴──────┘"
    ),
}  # fmt: skip


@given(tables())
def test_any_matrix_in_any_form_reads_back_to_its_numbers_and_decimals(table: tuple[Cells, list[str]]) -> None:
    """Each matrix in every form: to draw one takes longer than to read it."""
    rows, names = table
    numbers, decimals = [[float(each) for each in row] for row in rows], _decimals(rows)
    for form, write in WRITERS.items():
        read = read_table(write(rows, names))
        assert ([list(row) for row in read.rows], read.decimals) == (numbers, decimals), form


# R code, and forms of Julia and Sage: each is refused in a sentence, none is read as other numbers.
NOT_READ: dict[str, Callable[[Cells, list[str]], str]] = {
    "Julia": lambda rows, names: f"julia> q\n{len(rows)}×{len(rows[0])} Matrix{{Float64}}:\n {lines(rows, '  ')}",
    "R's rbind": lambda rows, names: f"q <- rbind({', '.join(f'c({chr(44).join(row)})' for row in rows)})",
    "R's matrix, filled by columns": lambda rows, names: (
        f"q <- matrix(c({', '.join(row[j] for j in range(len(rows[0])) for row in rows)}), nrow = {len(rows)})"
    ),
    "R's matrix, filled by rows": lambda rows, names: (
        f"matrix(c({', '.join(each for row in rows for each in row)}), ncol={len(rows[0])}, byrow=TRUE)"
    ),
    "R's dput": lambda rows, names: (
        f"structure(c({', '.join(row[j] for j in range(len(rows[0])) for row in rows)}), "
        f"dim = c({len(rows)}L, {len(rows[0])}L))"
    ),
    "R's cbind": lambda rows, names: (
        f"q <- cbind({', '.join(f'd{j} = c({chr(44).join(row[j] for row in rows)})' for j in range(len(rows[0])))})"
    ),
    "R's dput of old": lambda rows, names: (
        f"structure(c({', '.join(row[j] for j in range(len(rows[0])) for row in rows)}), "
        f".Dim = c({len(rows)}L, {len(rows[0])}L))"
    ),
    "Julia's adjoint": lambda rows, names: (
        f"{len(rows)}×{len(rows[0])} adjoint(::Matrix{{Float64}}) with eltype Float64:\n {lines(rows, '  ')}"
    ),
    "Sage": lambda rows, names: f"sage: q\n[{lines(rows, ' ', ']' + chr(10) + '[')}]",
}  # fmt: skip


@pytest.mark.parametrize("form", NOT_READ)
@given(tables())
def test_a_form_that_is_not_read_is_refused_with_what_to_do(form: str, table: tuple[Cells, list[str]]) -> None:
    """In a handout, whose other tables are read, what is left of it without a prompt may be plain numbers."""
    rows, _ = table
    text = NOT_READ[form](*table)
    with pytest.raises(ReaderError, match="save it as CSV there"):
        read_table(text)
    found = sorted_tables(f"# Q\n\n{text}\n\n# K\n\n1 2\n3 4\n").tables
    assert read_table(found["k"]).rows == ((1, 2), (3, 4))
    with suppress(ReaderError):
        assert [list(row) for row in read_table(found["q"]).rows] == [[float(each) for each in row] for row in rows]


@given(st.integers(1, 4), st.integers(1, 6), st.integers(-3, 4), st.integers(0, 10**6))
def test_a_factor_above_a_display_counts_for_every_number(n: int, d: int, power: int, seed: int) -> None:
    table = np.random.default_rng(seed).uniform(-9, 9, (n, d)).round(4)
    text = f"Q =\n\n   1.0e{power:+03d} *\n\n" + "\n".join("   ".join(f"{each:.4f}" for each in row) for row in table)
    read = read_table(text)
    np.testing.assert_allclose(read.array, table * 10.0**power, rtol=1e-12)
    assert (read.places == 4 - power).all(), "a number shows as many places less as it is larger"


# What could be otherwise is asked about, or told


@given(st.integers(2, 5), st.integers(1, 4), st.sampled_from([0, 1]), st.booleans())
def test_a_first_row_that_counts_is_asked_about_unless_the_other_tables_tell(
    n: int, m: int, start: int, ruled: bool
) -> None:
    head, body = numbered(n, start), [[f"0.{i + 1}{j}" for j in range(n)] for i in range(m)]
    text = markdown(body, head) if ruled else lines([head, *body], "\t")
    with pytest.raises(ValueError, match="could be names of the columns or a row of numbers"):
        read_table(text)
    by_rows = read_table(text, expected_rows=m)
    assert len(by_rows.rows) == m
    assert "read as names of the columns" in by_rows.remarks[0]
    assert len(read_table(text, expected_rows=m + 1).rows) == m + 1
    assert len(read_table(text.replace(head[0], f"{head[0]}.", 1)).rows) == m + 1, "as the sentence says"


@given(st.lists(st.lists(st.integers(-9, 9), min_size=2, max_size=4), min_size=1, max_size=4).filter(
    lambda rows: len(set(map(len, rows))) == 1
))  # fmt: skip
def test_whole_numbers_are_numbers_whatever_they_count(rows: list[list[int]]) -> None:
    for separator in ("\t", "; ", "  "):
        table = read_table("\n".join(separator.join(map(str, row)) for row in rows))
        assert [list(row) for row in table.rows] == rows
        as_if = read_table("\n".join(separator.join(map(str, row)) for row in rows), expected_rows=len(rows) - 1)
        assert as_if.rows == table.rows, "a table of another shape than the others' is told to be one"


@pytest.mark.parametrize(
    ("text", "rows", "told"),
    [
        ("idx,d0,d1\n0,5,2\n1,3,1", ((5, 2), (3, 1)), "names of the rows"),
        ("   a  b\n0  5  2\n1  3  1", ((5, 2), (3, 1)), "names of the rows"),
        ("| 5 | 6 |\n|---|---|\n| 1 | 2 |", ((5, 6), (1, 2)), "read as a row of numbers"),
        ("0.5 ± 0.1\t1", ((0.5, 1),), "after ± is left out"),
        ("0.5¹\t1", ((0.5, 1),), "marks of footnotes"),
        ("3 cm\t1 cm", ((3, 1),), "unit cm"),
    ],
)
def test_what_was_left_out_or_read_in_one_of_two_ways_is_told(
    text: str, rows: tuple[tuple[float, ...], ...], told: str
) -> None:
    table = read_table(text)
    assert table.rows == rows
    assert any(told in sentence for sentence in table.remarks)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("d0 d1\n10 0.5 0.2\n20 0.1 0.3", "there are 2 names in “d0 d1”, but 3 columns below"),
        ("O.5 0.2\n0.3 0.4", "“O.5” isn't a number"),
        ("<sub>1</sub>\t2\n1\t2", "begins with an empty cell"),
        ("abc 2\n3 4", "“abc” isn't a number"),
        ("0.5 cm\t3 mm", "different units stand in one table: cm, mm"),
        ("5² 1", "“5²” isn't a number"),
        ("[0,57; 0,81]", "could be one number or two"),
        ("tensor([[[1., 2.]], [[3., 4.]]])", "begins a second table of a batch"),
        ("[" + " ".join(["0.123456"] * 8) + "\n " + " ".join(["0.123456"] * 8) + "]", "one row over several lines"),
        ("Q =\n\n Column 1:\n\n 1\n 2\n\n Column 2:\n\n 1\n 2\n 3\n", "but those before them have 2"),
        ("<table><tr><td>1</table><table><tr><td>2</table>", "There are 2 tables here"),
        ("data:image/png;base64,iVBORw0KGgo", "This is a picture"),
        ("![](scores.png)", "This is a picture"),
        ("%PDF-1.7 …", "This is a picture"),
    ],
)
def test_what_may_be_two_things_is_asked_about(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_table(text)


@pytest.mark.parametrize(
    ("data", "key"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0", "picture"), (b"\xff\xd8\xff\xe0", "picture"), (b"GIF89a", "picture"),
        (b"RIFF\x10\0\0\0WEBPVP8 ", "picture"), (b"%PDF-1.7\n", "pdf"), (b"PK\x03\x04\x14", "workbook"),
    ],
)  # fmt: skip
def test_a_picture_a_pdf_and_a_workbook_are_refused_with_what_to_do(data: bytes, key: str) -> None:
    with pytest.raises(ValueError, match="^" + say(f"tables.{key}")[:20]):
        read_upload(data)


@pytest.mark.parametrize("packing", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_packed_file_is_refused_however_it_is_packed(packing: int) -> None:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", packing) as file:
        file.writestr("mimetype", "application/vnd.oasis.opendocument.text" * 9)
    for at in range(4, len(whole.getvalue())):
        damaged = bytearray(whole.getvalue())
        damaged[at] ^= 0xFF
        with pytest.raises(ReaderError):
            read_upload(bytes(damaged))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_a_file_is_read_in_the_encoding_that_it_has(encoding: str) -> None:
    text = "Élève Zoé\nClés\n1,5;2\nÜbung, Müller\n"
    assert read_upload(text.encode(encoding)) == text
    assert not told_of_broken(text)


@pytest.mark.parametrize("broken", [b"\xff", b"\xe9", b"\xc3"])
def test_utf8_with_one_broken_byte_stays_utf8_and_the_line_is_told(broken: bytes) -> None:
    read = read_upload("Élève ".encode() + broken + " Zoé\nClés\n1,5;2\n".encode())
    assert read == "Élève \ufffd Zoé\nClés\n1,5;2\n"
    assert told_of_broken(read).startswith("Line 1 holds a byte that isn't UTF-8")


# Several tables in one text


def same(text: str, expected: torch.Tensor, digits: int | None = None) -> None:
    table = read_table(text, infinite=True)
    rows = expected.double().numpy()
    np.testing.assert_allclose(table.array, rows if digits is None else rows.round(digits), atol=1e-6)


def test_the_apps_own_files_are_read_back() -> None:
    made = trace(Scenario("the cat sat", causal=True))
    files = sorted_tables(trace_json(made)).tables
    assert list(files) == list(made.matrices)
    pages = sorted_tables(report(Scenario("the cat sat", causal=True), made)).tables
    assert list(pages) == list(made.matrices)
    together = sorted_tables("\n".join(matrix_csv(made, name) for name in made.matrices)).tables
    assert list(together) == list(made.matrices)
    for name, matrix in made.matrices.items():
        same(files[name], matrix)
        same(together[name], matrix)
        same(matrix_csv(made, name), matrix)
        if name != "scaled_scores":  # a report has a sign in its masked cells
            same(pages[name].replace("–", "0"), matrix, 4)


@pytest.mark.parametrize("rule", ["--  --", "---  ---", "---  -----", "===  ==="])
@pytest.mark.parametrize("infinite", [False, True])
def test_a_rule_under_names_of_columns_is_no_row_of_masked_cells(rule: str, infinite: bool) -> None:
    """Tables without frames have one under each name: where cells are short, it's as short as a dash for a mask."""
    assert read_table(f" a    b\n{rule}\n0.1  0.2\n0.3  0.4", infinite=infinite).rows == ((0.1, 0.2), (0.3, 0.4))
    named = read_table(f"      a    b\n---  {rule}\nthe  0.1  0.2\ncat  0.3  0.4", infinite=infinite)
    assert named.rows == ((0.1, 0.2), (0.3, 0.4))


@pytest.mark.parametrize("heading", ["The input, X", "The keys, -", "Attention weights, x"])
def test_a_heading_that_ends_as_a_masked_cell_is_a_heading(heading: str) -> None:
    (table,) = sorted_tables(f"{heading}\n1.5 0.25\n0.5 1.25\n").tables.values()
    assert read_table(table).rows == ((1.5, 0.25), (0.5, 1.25))


NOTEBOOK = """In [1]: q
Out[1]:
tensor([[0.57, 0.81],
        [1.25, 1.35]])

In [2]: print(keys)
tensor([[0.5, 0.1],
        [0.2, 0.3]], grad_fn=<MmBackward0>)

In [3]: attn_scores
Out[3]:
tensor([[0.37, 0.36],
        [0.76, 0.66]])
"""
HANDOUT = """# Self-attention by hand

We start with the inputs X and three matrices. The first word is "the", the second is "cat".

## 1. Inputs X

| | d0 | d1 |
|---|---|---|
| the | 1 | 0 |
| cat | 0 | 1 |

**W_Q:**

0.57 0.81
1.25 1.35

Then we multiply them, which gives for the 2 words the following 2 queries of 2 numbers each.

$$Q = X W_Q = \\begin{pmatrix} 0.57 & 0.81 \\\\ 1.25 & 1.35 \\end{pmatrix}$$

### Attention weights A = softmax(S')

```
[[0.4 0.6]
 [0.3 0.7]]
```

That is all there is to say about it, and 2 words are enough.
"""


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (NOTEBOOK, ["q", "k", "scores"]),
        (HANDOUT, ["x", "w_q", "q", "attention_weights"]),
        ("Q =\n\n   0.57   0.81\n   1.25   1.35\n\nK =\n\n   1   0\n   0   1\n", ["q", "k"]),
        ("{'queries': array([[0.5, 1. ]]), 'keys': array([[1., 2.]])}", ["q", "k"]),
        ("double q[1][2] = {{1, 2}};\nstatic float W_q[1][2] = {{1, 2}};", ["q", "w_q"]),
        ("Q tensor([[0.57, 0.81]])\nK tensor([[1., 2.]])\nV tensor([[1., 2.]])", ["q", "k", "v"]),
        ("W_query = np.array([[0.5, 1.]])\nW_key = np.array([[1., 2.]])", ["w_q", "w_k"]),
        ('{"q": [[0.5, 1]], "attention_weights": [["-Infinity", 1]]}', ["q", "attention_weights"]),
        ("<h2>Q, queries</h2><table><tr><td>1</table><h2>K</h2><table><tr><td>2</table>", ["q", "k"]),
        ("0.5 0.2\n0.1 0.3", []),
        ("the cat sees a mouse", []),
    ],
)
def test_several_named_tables_are_sorted_by_their_names(text: str, names: list[str]) -> None:
    found = sorted_tables(text).tables
    assert list(found) == names
    for part in found.values():
        assert read_table(part, infinite=True).rows


HOSTILE = [
    "(" * 900_000, "float(" * 170_000, "tensor(1," * 110_000, "((1,2)," * 140_000, ">>> " * 250_000,
    ">>> 1\n" * 160_000,
    "In [" * 250_000, "[1] " * 250_000, "[,1] " * 200_000, "[1,] 1\n" * 140_000, "Column 1\n1\n" * 90_000,
    "1.0e+03 *\n" * 90_000, "a \\\n\n" * 200_000, "+-" * 450_000, "├" * 900_000, "**" * 450_000, "± " * 450_000,
    "0.5±" * 220_000, "0.5 " * 220_000 + "±", "{" * 900_000, "1" + "{" * 900_000, "rbind(c(" * 110_000,
    "rbind(" + "c(1)," * 180_000 + "x", "1×1 M{" * 140_000, "<table" * 150_000, "<table>" + "<td>" * 220_000,
    "<table><!--" * 80_000, "</" * 400_000 + "<table>", "&#" * 400_000 + "<table>", "\\multicolumn{" * 70_000 + "&\\\\",
    "\\frac{1" * 120_000 + "& \\\\", "\\begin{tabular}" * 60_000, "\\begin{tabular}{" + "{a}" * 250_000,
    "%" * 900_000 + "&\\\\", "<table><th>1" * 70_000, "<table>" + "<small>" * 120_000,
    "Q = " * 220_000, "Q =\n" * 220_000, "Q " * 450_000 + "[[", ("Q " * 400 + "\n") * 1100, ("=" * 900 + "\n") * 1000,
    (" " * 900 + "Q\n") * 1000, "{'q': [" * 120_000, "'" * 900_000, ("a" * 900 + "\n") * 1000, "the 1\n" * 150_000,
    ", 1\n" * 220_000, "\t\n" * 400_000, "1:\n" * 300_000, "matrix(c(" * 90_000, "matrix(c(" + "1," * 300_000,
    "structure(c(1), dim=c(" * 40_000, "double x[2]" * 80_000, "double x = " + "{1," * 300_000, "static " * 120_000,
    "//" * 400_000 + "{", "double x = {" + "/*" * 400_000, "double x = {" + "//" * 400_000,
    " " * 60_000 + "x[1]", "[1]" + " " * 60_000 + "x", "1" * 60_000 + "x", "-" * 60_000 + "|x", "[" * 60_000,
    "[1]" * 20_000, "\\begin" * 10_000, "|" * 60_000, '"' * 60_000, "&\\\\" * 20_000, "0,5 " * 15_000,
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text[:12]))
def test_no_text_takes_longer_than_its_length(text: str) -> None:
    """In steps that grow with the square of a text, these would take minutes, and a megabyte hours."""
    text = text[:70_000]
    for read in (read_table, sorted_tables):
        started = time.process_time()
        try:
            read(text)
        except ValueError as error:
            assert len(str(error)) < 400  # noqa: PT017
        assert time.process_time() - started < 3, "on any machine"


@pytest.mark.parametrize("heading", ["3x2 matrix W_q:", "2x2 table (rounded):", "2×2 Tensor Q:"])
def test_a_heading_that_says_a_size_is_not_taken_for_what_julia_prints(heading: str) -> None:
    assert read_table(f"{heading}\n1 2\n3 4\n").rows == ((1, 2), (3, 4))
