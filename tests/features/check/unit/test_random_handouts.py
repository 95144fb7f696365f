"""Handouts of random slips and forms: no row is lost, no right cell called wrong, and the slip is found first."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attnviz.commands.main import main
from attnviz.features.check.marking import ENTERS, NOT_RIGHT, Mark, Marking, mark_fitting, verdict
from attnviz.features.check.marking.causes import causes_of
from attnviz.features.check.marking.handout import tables_in
from attnviz.features.tables.handout import sorted_tables
from attnviz.features.tables.printed_table import Printed
from attnviz.features.tables.reading import read_table
from tests.examples import examples
from tests.features.check.unit.random_handouts import Array, Handout, handout
from tests.features.check.unit.written_forms import FORMS, Form

FULL_DIGITS = Path(__file__).with_name("handout_full_digits.md")  # carried in full digits, with a forgotten bias


def read(handout: Handout) -> dict[str, Printed]:
    """The tables that are read of a handout's text: all of them, each number as it is printed."""
    found = tables_in(sorted_tables(handout.text).tables)
    tables = {name: table for name, table in found.items() if isinstance(table, Printed)}
    assert tables.keys() == handout.printed.keys(), (handout.told, found)
    for name, printed in handout.printed.items():
        numbers = tables[name].array
        numbers = np.where(numbers <= -1e8, -np.inf, numbers)
        assert numbers.shape == printed.shape, (handout.told, name)
        assert np.allclose(numbers, printed, rtol=1e-12, atol=1e-12), (handout.told, name)
    return tables


def marked(handout: Handout) -> Marking:
    marking, misfits = mark_fitting(read(handout), **handout.settings)
    assert not misfits, handout.told
    assert verdict(marking, ("the", "cat")).summary
    return marking


def planted(handout: Handout, name: str, shape: tuple[int, ...]) -> Array:
    return handout.touched if name == handout.stage else np.zeros(shape, dtype=bool)


# What each slip may be called; a single cell of another number is only called a slip where it looks like one.
NAMED = {
    "base 2": ("base_two",), "bias": ("bias_forgotten",), "columns": ("over_columns",), "d_k": ("d_k_for_root",),
    "dropout": ("dropped_out",), "exchanged": ("cells_exchanged",), "mask": ("mask_forgotten",),
    "mask after": ("mask_after",), "other w": ("other_factor",), "point": ("point", "comma"),
    "root": ("root_forgotten",), "row": ("row_of_another",), "sign": ("sign",), "turned": ("exchanged",),
}  # fmt: skip
FAR = 20.0  # units of the last place: so much no rounding moves what these small matrices make
OF_FLOAT32 = 1e-2  # so much may be off what is computed in float32, behind the softmax of large scores
OF_RIGHT_WORK = (Mark.RIGHT, Mark.CARRIED, Mark.HIDDEN)


@settings(max_examples=examples(200))
@example(40024088)  # dropout takes the one weight that tells whether there's a mask
@example(73608)  # a row of another, in one head of three, has a weight where the mask hides a key
@given(st.integers(0, 10**9))
def test_no_right_cell_of_a_random_handout_is_wrong_and_its_slip_is_found_first(seed: int) -> None:
    made = handout(seed)
    if made is None:  # these numbers have no room for the slip
        return
    marking = marked(made)
    for table in marking.tables:
        wrong = table.at(*ENTERS) & ~planted(made, table.stage.name, table.given.shape)
        assert not wrong.any(), (made.told, table.stage.name, np.argwhere(wrong)[0], marking.reading)
    _check_before_and_after(made, marking)
    if made.sure.any() and marking.first_wrong:
        named = {cause.name for cause in causes_of(marking, marking.first_wrong[0])}
        if named and made.slip in NAMED:
            assert named & {*NAMED[made.slip]}, (made.told, named)
        assert marking.first_wrong[0].stage.name == made.stage, made.told
        assert (marking.first_wrong[0].at(*NOT_RIGHT, Mark.DOUBTFUL) & made.sure).any(), made.told
    elif made.sure.any():
        assert marking.first_doubtful is not None or marking.reading.results == "cut", made.told


def _check_before_and_after(made: Handout, marking: Marking) -> None:
    """Without a slip and before it, all is right; what is made of its wrong numbers is right given these.

    Where inputs hid digits that were carried, a wrong number elsewhere makes that less sure: it may be in doubt, and
    what follows from it be within what the hidden digits allow.
    """
    right = (*OF_RIGHT_WORK, Mark.DOUBTFUL) if made.slip and made.hides_digits else OF_RIGHT_WORK
    names = [table.stage.name for table in marking.tables]
    for at, table in enumerate(marking.tables):
        name = table.stage.name
        if not made.slip or at < names.index(made.stage):
            assert table.count(*right) == table.n_cells, (made.told, name, table.marks)
        elif at > names.index(made.stage) and not made.hides_digits:
            with np.errstate(all="ignore"):
                off = np.abs(made.printed[name] - made.without[name])
            far = np.where(np.isfinite(off), off, 0.0) > max(FAR * 10.0**-table.decimals, OF_FLOAT32)
            assert (table.at(Mark.FOLLOWS) | ~far).all(), (made.told, name, np.argwhere(far)[0], table.marks)


def test_a_handout_in_full_digits_with_a_forgotten_bias_is_marked(capsys: pytest.CaptureFixture[str]) -> None:
    """A right weight made of wrong numbers hides digits though nothing that is printed was taken as rounded."""
    assert main(["mark", str(FULL_DIGITS)]) == 1
    assert "b_q wasn't added" in capsys.readouterr().out
    tables = tables_in(sorted_tables(FULL_DIGITS.read_text()).tables)
    marking, _ = mark_fitting({name: table for name, table in tables.items() if isinstance(table, Printed)})
    assert {cell[0] for cell in marking.wrong} == {"q"}


HIDDEN = ("-inf", "-Inf", "-INF", "−inf", "-∞", "−∞", "-Infinity", "-infinity", "masked")


@pytest.mark.parametrize("hidden", HIDDEN)
@pytest.mark.parametrize("between", [", ", " ", "   ", "\t", ";"])
def test_rows_of_a_causal_table_are_rows_however_many_cells_are_hidden(hidden: str, between: str) -> None:
    rows = [between.join(["0.50"] * (i + 1) + [hidden] * (7 - i)) for i in range(8)]
    text = "\n".join(["Scaled scores", *rows, "", "These numbers are those of the causal mask, as you can see."])
    (table,) = tables_in(sorted_tables(text).tables).values()
    assert isinstance(table, Printed), table
    assert table.shape == (8, 8)
    assert (table.array == -np.inf).sum() == 28


DASHES = "-−‐‑‒–—―﹣－➖"
LONE = (
    *DASHES,
    "--",
    "---",
    "$-\\infty$",
    "-\\infty",
    *(sign + blank + end for sign in DASHES for blank in ("", " ") for end in ("inf", "∞")),
)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_lone_dash_and_any_minus_before_an_infinity_hide_a_key_in_every_form(form: Form) -> None:
    """A typesetter's minus, a dash for it, alone or before ∞, with a blank between: Word and PDF give each of them."""
    rng = np.random.default_rng(0)
    before = np.subtract.outer(np.arange(5), np.arange(5))
    for hidden in LONE:
        for masked in (before < 0, (before < 0) | (before > 1)):
            table = np.where(masked, -np.inf, rng.uniform(-3, 3, (5, 5)).round(2))
            text = form.write("Scaled scores", table, form.decimals or 2, hidden)
            read, _ = tables_in(sorted_tables(f"{text}\n\n{form.write('A', np.eye(5), 4, hidden)}").tables).values()
            assert isinstance(read, Printed), (hidden, text, read)
            assert np.array_equal(read.array, table), (hidden, text, read)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("name", ["Q", "Scores"])
def test_any_minus_before_a_number_is_its_sign_in_every_form(form: Form, name: str) -> None:
    table = np.array([[-0.5, -1.25, 0.75], [0.25, -2.5, -0.5], [-1.5, 1.25, 0.25]])
    for sign in (*DASHES, "⁻", *(f"{dash} " for dash in DASHES)):
        heading, end, body = form.write(name, table, form.decimals or 2, "-inf").rpartition(name)
        text = heading + end + re.sub("-(?=[0-9])", sign, body)
        (read,) = tables_in(sorted_tables(text).tables).values()
        assert isinstance(read, Printed), (sign, text, read)
        assert np.allclose(read.array, table), (sign, text, read)


def test_a_blank_behind_a_sign_is_said_and_hides_no_key_where_the_rows_tell() -> None:
    apart = read_table("- 0.5 0.25\n0.5 0.75", infinite=True)
    assert apart.rows == ((-0.5, 0.25), (0.5, 0.75))
    assert any("“- 0.5”" in remark for remark in apart.remarks)
    hidden = read_table("0.5 - -\n- 0.25 -\n- - 0.75", infinite=True)
    assert hidden.shape == (3, 3)
    assert not hidden.remarks
    assert read_table("- 0.5\n- 0.25", infinite=True, columns=1).rows == ((-0.5,), (-0.25,))
    assert read_table("- 0.5\n- 0.25", infinite=True).shape == (2, 2)
    with pytest.raises(ValueError, match="“-” isn't a number"):
        read_table("1 - 2\n3 - 4")


@pytest.mark.parametrize("hidden", ["**-inf**", "*-inf*", "`-inf`", "__-∞__", "$-\\infty$", "-inf"])
def test_masked_cells_of_a_markdown_table_are_no_names_of_rows(hidden: str) -> None:
    """A window hides what stands first in a row, too, and people print it in bold letters."""
    rows = [["0.1", hidden, hidden], ["0.2", "0.3", hidden], [hidden, hidden, "0.4"]]
    text = "\n".join(["## S'", "", "| | | |", "|---|---|---|", *(f"| {' | '.join(row)} |" for row in rows)])
    (table,) = tables_in(sorted_tables(text).tables).values()
    assert isinstance(table, Printed), table
    assert [[cell == -np.inf for cell in row] for row in table.rows] == [
        [cell == hidden for cell in row] for row in rows
    ]


def test_a_whole_row_that_is_hidden_is_a_row() -> None:
    text = "scaled_scores:\n-inf -inf -inf -inf\n-inf -inf -inf -inf\n-inf -inf -inf -inf\n0.5 -inf -inf -inf"
    (table,) = tables_in(sorted_tables(text).tables).values()
    assert isinstance(table, Printed)
    assert table.shape == (4, 4)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("X\n,c0,c1\nthe,0.5,1.2\na,0.3,-0.2\nv,0.1,0.2", {"x": (3, 2)}),  # the words "a" and "v" name no table
        ("S, head 0\n1 2\n3 4\n\nS, head 1\n5 6\n7 8", {"heads.0.scores": (2, 2), "heads.1.scores": (2, 2)}),
        ("S', head 0\n1 2\n\nS', head 1\n5 6", {"heads.0.scaled_scores": (1, 2), "heads.1.scaled_scores": (1, 2)}),
        ("S', scaled\n1 2\n3 4", {"scaled_scores": (2, 2)}),
        ("S' = [[1.0, float('-inf')], [2.0, -np.inf]]", {"scaled_scores": (2, 2)}),
        ("## S'\n\n| | |\n|---|---|\n| 1 | **-inf** |\n| 2 | $-\\infty$ |", {"scaled_scores": (2, 2)}),
    ],
)
def test_no_row_is_taken_for_a_name_and_no_name_for_another(text: str, names: dict[str, tuple[int, int]]) -> None:
    found = tables_in(sorted_tables(text).tables)
    assert {name: isinstance(table, Printed) and table.shape for name, table in found.items()} == names
