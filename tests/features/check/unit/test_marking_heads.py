"""Handouts of several heads, of W_o and a residual sum: right is right; a wrong cell and its cause are named."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import attnviz
from attnviz.core.heads import is_of_a_head
from attnviz.core.scenario import Scenario
from attnviz.core.stages import head_name
from attnviz.features.check.commands.mark import mark as on_the_command_line
from attnviz.features.check.marking import Marking, Printed, mark_pipeline, verdict
from attnviz.features.check.marking.causes import causes_of
from attnviz.features.check.marking.handout import by_fields, tables_in
from attnviz.features.tables.handout import sorted_tables
from attnviz.features.tables.reading import write_table
from attnviz.features.tables.stage_names import stage_named
from attnviz.words import say
from tests.examples import examples
from tests.features.check.unit.handouts.counting import FROM
from tests.features.check.unit.handouts.heads import SLIPS_OF_HEADS, wrong_handout_of_heads
from tests.unit.helpers import setups

TOKENS = ("the", "cat", "sat", "on")


def printed(
    scenario: Scenario, decimals: int = 3, in_full: tuple[str, ...] = (), until: str = "residual_1"
) -> dict[str, Printed]:
    """The tables of a trace up to its residual sum, by the names of its stages: inputs in full, results rounded."""
    trace = attnviz.trace(scenario)
    tables = {name: np.atleast_2d(matrix.double().numpy()) for name, matrix in trace.matrices.items()}
    names = list(tables)
    return {
        name: Printed.of(tables[name].round(decimals), decimals)
        if trace.stages[name].sources and name not in in_full
        else Printed.of(tables[name])
        for name in names[: names.index(until) + 1 if until in names else None]
    }


@st.composite
def layers(draw: st.DrawFn) -> Scenario:
    """Any layer whose design needs no telling."""
    made = draw(setups(max_tokens=4, max_d=3, whole=True, heads=True))
    norm = "none" if made.norm == "none" else "post"
    return replace(made, n_layers=1, norm=norm, positions="none" if made.positions == "rotary" else made.positions)


def marked(scenario: Scenario, tables: dict[str, Any], *more: str) -> Marking:
    """Mark tables with what no table shows, and with `more` of what some show."""
    told = {name: getattr(scenario, name) for name in ("scale", "temperature", "activation", *more)}
    return mark_pipeline(tables, **told)


@given(layers(), st.data())
def test_a_right_handout_is_right_stacked_and_whatever_is_left_out(scenario: Scenario, data: st.DataObject) -> None:
    tables, several = printed(scenario), scenario.n_heads > 1
    whole: dict[str, Any] = {name: table for name, table in tables.items() if not is_of_a_head(name)}
    for name in ("scores", "attention_weights") if several else ():
        whole[name] = np.stack([tables[head_name(head, name)].array for head in range(scenario.n_heads)])
    results = [name for name in tables if tables[name].decimals == 3 and name != "x"]
    left_out = data.draw(st.sets(st.sampled_from(results), max_size=len(results) - 1))
    some = {name: tables[name] for name in tables if name not in left_out}
    for marking in (marked(scenario, tables), marked(scenario, whole), marked(scenario, some, "causal", "n_heads")):
        assert marking.n_not_right == 0
        assert marking.tables
        assert (marking.settings.heads.n, marking.settings.heads.n_kv) == (scenario.n_heads, scenario.kv_heads)


@given(layers(), st.data())
def test_the_first_wrong_cell_is_named(scenario: Scenario, data: st.DataObject) -> None:
    tables = printed(scenario)
    name = data.draw(st.sampled_from([name for name in tables if tables[name].decimals == 3 and name != "x"]))
    numbers = tables[name].array
    row, column = data.draw(st.sampled_from(np.argwhere(np.isfinite(numbers)).tolist()))
    numbers[row, column] += 0.5
    marking = marked(scenario, tables | {name: Printed.of(numbers, 3)})
    assert marking.wrong == ((name, row, column),)
    assert sum(table.n_differing for table in marking.tables) == 1
    words = verdict(marking, TOKENS)
    assert marking.stages[name].at(row, column) in words.first_error
    begins = marking.stages[name].at(row, column)
    if name == "residual_1":
        begins += f" = X[{row}, {column}] + {'CO'[scenario.output]}[{row}, {column}]"
    assert words.arithmetic[0].startswith(begins)


# Causes


@pytest.mark.parametrize("slip", SLIPS_OF_HEADS)
def test_each_slip_of_heads_is_found_and_named(slip: str) -> None:
    handouts = [each for seed in range(6) if (each := wrong_handout_of_heads(slip, seed)) is not None]
    named = 0
    for handout in handouts:
        marking = mark_pipeline(handout.tables, **handout.settings)
        (table,) = (each for each in marking.tables if each.stage.name == handout.stage)
        far = handout.traces >= FROM
        assert table.at("wrong", "unlikely", "follows")[far].all()  # type: ignore[arg-type]
        causes = causes_of(marking, table)
        assert handout.made is not None
        named += any(np.allclose(cause.values, handout.made, atol=1e-9) or cause.name == slip for cause in causes)
    assert handouts
    assert named >= len(handouts) - 1


blocks = st.builds(
    lambda **drawn: Scenario("the cat sat on", d_in=4, d_out=4, init="linear", norm="post", **drawn),
    output=st.booleans(), n_heads=st.sampled_from((1, 2, 4)), bias=st.booleans(), causal=st.booleans(),
    positions=st.sampled_from(("none", "sinusoidal")), seed=st.integers(0, 99),
)  # fmt: skip


def slip_in(scenario: Scenario, **changed: np.ndarray) -> str:
    """What is said of a handout with other results in place of these."""
    others = {name: Printed.of(table.round(3), 3) for name, table in changed.items()}
    (slip,) = verdict(mark_pipeline(printed(scenario) | others)).slips
    return slip


@given(blocks)
@settings(max_examples=examples(25))
def test_what_was_forgotten_of_a_residual_sum_is_named(scenario: Scenario) -> None:
    trace = attnviz.trace(scenario)
    x, context, made = (
        trace[name].double().numpy() for name in ("x", "context", "output" if scenario.output else "context")
    )
    symbol = "O" if scenario.output else "C"
    assert say("marking.slip.residual_forgotten", of=symbol) in slip_in(scenario, residual_1=made)
    assert say("marking.slip.bias_forgotten", bias=symbol) in slip_in(scenario, residual_1=x)
    if scenario.output:
        assert say("marking.slip.other_factor", taken="C", due="O") in slip_in(scenario, residual_1=x + context)


def test_the_feed_forward_step_reads_the_sum_and_says_so_where_it_was_forgotten() -> None:
    scenario, w_1 = (
        Scenario("the cat sat on", d_in=4, d_out=4, init="linear", norm="post", output=True),
        np.eye(4, 3) - 0.2,
    )
    without = attnviz.trace(scenario)["output"].double().numpy() @ w_1
    tables = printed(scenario) | {"w_1": Printed.of(w_1), "preactivations": Printed.of(without.round(3), 3)}
    (slip,) = verdict(mark_pipeline(tables)).slips
    assert say("marking.slip.other_factor", taken="O", due="R₁") in slip
    del tables["residual_1"]
    assert mark_pipeline(tables).n_not_right == 0


@pytest.mark.parametrize(
    "text",
    ["R₁", "R_1", "$R_1$", "R1", "residual", "residual_1", "Residual sum", "## Residual sum: X + O", "x + output",
     "X + context", "5. Residual connection", "R = X + O", "Input + attention output", "First residual sum (R₁)"],
)  # fmt: skip
def test_a_residual_sum_is_known_by_the_names_that_people_give_it(text: str) -> None:
    assert stage_named(text) == "residual_1"


# What people paste


def in_sections(tables: dict[str, Printed], count_from: int) -> str:
    lines = [f"## {name}\n\n{write_table(table)}\n" for name, table in tables.items()
             if not is_of_a_head(name) and name not in ("context", "output")]  # fmt: skip
    for head in range(2):
        lines.append(f"### Head {head + count_from}\n")
        for name, title in (("scores", "Scores"), ("attention_weights", "Attention weights"), ("context", "Context")):
            lines.append(f"{title}:\n\n{write_table(tables[head_name(head, name)])}\n")
    return "\n".join([*lines, f"## Concatenated context C\n\n{write_table(tables['context'])}\n",
                      f"## Output\n\n{write_table(tables['output'])}\n"])  # fmt: skip


def as_tensors(tables: dict[str, Printed], _: int) -> str:
    lines = [f"{name} = {torch.from_numpy(table.array)}" for name, table in tables.items() if not is_of_a_head(name)]
    for name in ("scores", "attention_weights"):
        stack = torch.from_numpy(np.stack([tables[head_name(head, name)].array for head in range(2)]))
        lines.append(f"{name}:\n{stack}")
    return "\n".join(lines)


def by_names(tables: dict[str, Printed], count_from: int, *, below: bool = False) -> str:
    """Each score matrix under its head's name, or the heads below the name of their matrix."""
    lines = [f"{name}:\n{write_table(table)}\n" for name, table in tables.items() if not is_of_a_head(name)]
    for name, title in (("scores", "Scores"), ("attention_weights", "Attention weights")):
        lines += [f"{title}\n"] if below else []
        for head in range(2):
            called = f"Head {head + count_from}" if below else f"{title} of head {head + count_from}"
            lines.append(f"{called}\n{write_table(tables[head_name(head, name)])}\n")
    return "\n".join(lines)


@pytest.mark.parametrize("write", [in_sections, as_tensors, by_names, partial(by_names, below=True)])
@pytest.mark.parametrize("count_from", [0, 1])
def test_a_handout_of_heads_is_sorted_read_and_marked(
    write: object, count_from: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert callable(write)
    tables = printed(Scenario("the cat sat on", d_out=4, n_heads=2, output=True), 8)
    text = write(tables, count_from)
    found = sorted_tables(text)
    assert not found.twice
    read = tables_in(by_fields(found.tables))
    assert all(isinstance(table, Printed) for table in read.values()), read
    for name in ("scores", "attention_weights"):
        for head in range(2):
            table = read[head_name(head, name)]
            assert isinstance(table, Printed)
            np.testing.assert_allclose(table.array, tables[head_name(head, name)].array, atol=1e-4)
    file = tmp_path / "handout.md"
    file.write_text(text, encoding="utf-8")
    assert on_the_command_line([str(file), "--csv", str(tmp_path / "marks.csv")]) == 0
    assert say("marking.summary.exact", n=1)[:10] not in capsys.readouterr().err


@given(st.sampled_from((2, 3, 4)), st.integers(0, 99))
def test_a_wrong_score_of_a_head_is_found_where_a_mask_is_one_for_all(n_heads: int, seed: int) -> None:
    tables = printed(Scenario("the cat sat on", d_out=n_heads, n_heads=n_heads, causal=True, init="linear", seed=seed))
    assert "mask" in tables
    name = head_name(1, "scaled_scores")
    wrong = tables[name].array.copy()
    wrong[2, 0] += 5.0
    marking = mark_pipeline(tables | {name: Printed.of(wrong, 3)})
    assert marking.wrong[0] == (name, 2, 0)
    (table,) = (each for each in marking.tables if each.stage.name == name)
    assert "of_another_head" not in {cause.name for cause in causes_of(marking, table)}


@pytest.mark.parametrize("order", [(1, 2, 0), (0, 2, 1)])
@pytest.mark.parametrize("seed", range(3))
def test_the_queries_of_another_head_are_named_whichever_head_it_is(order: tuple[int, ...], seed: int) -> None:
    tables = printed(Scenario("the cat sat on", d_out=6, n_heads=3, init="linear", seed=seed))
    queries = [tables["q"].array[:, 2 * head : 2 * head + 2] for head in range(3)]
    shuffled = {head_name(head, "q"): Printed.of(queries[order[head]], 3) for head in range(3)}
    given_tables = {name: tables[name] for name in ("x", "w_q", "w_k", "q", "k")}
    marking = mark_pipeline(given_tables | shuffled)
    for table in marking.tables:
        head = next((i for i in range(3) if table.stage.name == head_name(i, "q")), None)
        if head is not None and order[head] != head:
            named = {cause.name: cause.places for cause in causes_of(marking, table)}
            assert named["of_another_head"] == {"other": order[head]}
