"""A handout's residual sum: marked as X with what attention makes of it added, and its slips named."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attnviz
from attnviz.commands.marking import mark as on_the_command_line
from attnviz.core.scenario import Scenario
from attnviz.marking import Printed, mark_pipeline, verdict
from attnviz.marking.handout import tables_in
from attnviz.tables.handout import sorted_tables
from attnviz.tables.reading import write_table
from attnviz.tables.stage_names import stage_named
from attnviz.words import say

Arrays = dict[str, np.ndarray]
TOKENS = ("the", "cat", "sat", "on")


def block(*, d_ff: int | None = None, **settings: object) -> Arrays:
    """The tables of a block up to its residual sum: norms behind it don't touch them. Of its feed-forward step, which
    reads the sum here, they are made by numpy.
    """
    scenario = Scenario("the cat sat on", d_in=4, d_out=4, init="linear", norm="post", **settings)  # type: ignore[arg-type]
    trace = attnviz.trace(scenario)
    names = list(trace.matrices)
    tables = {
        name: np.atleast_2d(trace.matrices[name].double().numpy()) for name in names[: names.index("residual_1") + 1]
    }
    if d_ff:
        rng = np.random.default_rng(d_ff)
        tables["w_1"] = rng.normal(size=(4, d_ff)).round(2)
        tables["preactivations"] = tables["residual_1"] @ tables["w_1"]
    return tables


def handed_in(tables: Arrays, **changed: np.ndarray) -> dict[str, Printed]:
    """The inputs in full, the results with three decimals."""
    inputs = ("x", "e", "p", "w_q", "w_k", "w_v", "w_o", "w_1", "b_q", "b_k", "b_v", "b_o")
    return {
        name: Printed.of(table)
        if name in inputs and not (name == "x" and "e" in tables)
        else Printed.of(table.round(3), 3)
        for name, table in (tables | changed).items()
    }


blocks = st.fixed_dictionaries({
    "output": st.booleans(), "n_heads": st.sampled_from((1, 2, 4)), "bias": st.booleans(), "causal": st.booleans(),
    "positions": st.sampled_from(("none", "sinusoidal")), "seed": st.integers(0, 99), "d_ff": st.none() | st.just(3),
})  # fmt: skip


@given(blocks, st.integers(0, 3), st.integers(0, 3))
def test_a_wrong_cell_of_it_is_named_with_its_arithmetic(settings: dict[str, object], row: int, column: int) -> None:
    tables = block(**settings)  # type: ignore[arg-type]
    wrong = tables["residual_1"].copy()
    wrong[row, column] += 0.5
    marking = mark_pipeline(handed_in(tables, residual_1=wrong))
    assert marking.wrong[0] == ("residual_1", row, column)
    words, made = verdict(marking, TOKENS), "O" if settings["output"] else "C"
    assert f"R₁[{row}, {column}]" in words.first_error
    assert words.arithmetic[0] == f"R₁[{row}, {column}] = X[{row}, {column}] + {made}[{row}, {column}]"


@given(blocks)
def test_what_was_forgotten_of_it_is_named(settings: dict[str, object]) -> None:
    tables = block(**settings)  # type: ignore[arg-type]
    made = "output" if settings["output"] else "context"
    symbol = "O" if settings["output"] else "C"
    cases = {
        made: say("marking.slip.residual_forgotten", of=symbol),
        "x": say("marking.slip.bias_forgotten", bias=symbol),
    }
    if settings["d_ff"]:
        del tables["w_1"], tables["preactivations"]
    for name, said in cases.items():
        (slip,) = verdict(mark_pipeline(handed_in(tables, residual_1=tables[name]))).slips
        assert said in slip
    if made == "output":
        (slip,) = verdict(mark_pipeline(handed_in(tables, residual_1=tables["x"] + tables["context"]))).slips
        assert say("marking.slip.other_factor", taken="C", due="O") in slip


def test_the_feed_forward_step_reads_the_sum_and_says_so_where_it_was_forgotten() -> None:
    tables = block(output=True, d_ff=3)
    without = tables["output"] @ tables["w_1"]
    (slip,) = verdict(mark_pipeline(handed_in(tables, preactivations=without))).slips
    assert say("marking.slip.other_factor", taken="O", due="R₁") in slip
    del tables["residual_1"]
    assert mark_pipeline(handed_in(tables, preactivations=without)).n_not_right == 0


@pytest.mark.parametrize(
    "text",
    ["R₁", "R_1", "$R_1$", "R1", "residual", "residual_1", "Residual sum", "## Residual sum: X + O", "x + output",
     "X + context", "5. Residual connection", "R = X + O", "Input + attention output", "First residual sum (R₁)"],
)  # fmt: skip
def test_it_is_known_by_the_names_that_people_give_it(text: str) -> None:
    assert stage_named(text) == "residual_1"


@pytest.mark.parametrize("title", ["R_1", "residual", "x + output", "Residual sum"])
def test_a_pasted_handout_is_sorted_read_and_marked(
    title: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = handed_in(block(output=True))
    titles = {name: title if name == "residual_1" else name for name in printed}
    text = "\n".join(f"{titles[name]}:\n{write_table(table)}\n" for name, table in printed.items())
    read = tables_in(sorted_tables(text).tables)
    assert isinstance(read["residual_1"], Printed)
    assert read["residual_1"].rows == printed["residual_1"].rows
    file = tmp_path / "handout.md"
    file.write_text(text, encoding="utf-8")
    assert on_the_command_line([str(file)]) == 0
    forgotten = handed_in(block(output=True), residual_1=block(output=True)["output"])
    file.write_text(
        "\n".join(f"{titles[name]}:\n{write_table(table)}\n" for name, table in forgotten.items()), encoding="utf-8"
    )
    assert on_the_command_line([str(file)]) == 1
    assert say("marking.slip.residual_forgotten", of="O") in capsys.readouterr().out
