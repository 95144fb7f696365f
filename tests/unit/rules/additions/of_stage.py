"""Tests of all places that list stages, run in a copy of the package that has a made-up rule, and a second stage of
every rule."""

import json
from functools import partial
from typing import Any

import numpy as np
import pytest

from attnviz import Scenario, trace
from attnviz.board.data import board_data
from attnviz.core.rules import (
    RULES,
    Difference,
    FeatureMap,
    LayerNorm,
    Lookup,
    PassOn,
    Recut,
    Relative,
    RmsNorm,
    Share,
    Sigmoid,
    Surprise,
    Times,
    TimesRoot,
)
from attnviz.core.stages import EVERY_STAGE, STAGES
from attnviz.documents import heatmap_page, report, trace_markup
from attnviz.export import matrix_names, trace_json
from attnviz.features.check.marking import Mark, Printed, mark_pipeline, verdict
from attnviz.figures import heatmap_spec
from tests.node import PageScript
from tests.pages.playground import Playground
from tests.unit.rules.test_additions import STAGES as ADDED
from tests.unit.rules.test_surfaces import SURFACES, on_board

NAMES = [name for name, *_ in ADDED]
SCENARIO = Scenario("the cat sat", bias=True, causal=True, d_out=3, init="normal", seed=5)
MADE = trace(SCENARIO)
each = pytest.mark.parametrize("name", NAMES)


def test_the_package_has_a_second_stage_of_every_rule() -> None:
    assert set(NAMES) <= set(STAGES) <= set(EVERY_STAGE)
    # Rules without a second stage: a layer norm needs its own gain and offset, which every set-up would have to give;
    # passing on leads from one layer to the next; no set-up has a vocabulary to predict; numbers by distance are given,
    # and what is multiplied by the root of its width is the input; a feature map and shares without a softmax are
    # another kind of attention; cutting heads by one view is a mistake; only models norm queries, and subtract one
    # softmax from another; nothing is gated.
    assert {type(STAGES[name].rule) for name in NAMES} == {*RULES} - {
        LayerNorm,
        PassOn,
        Lookup,
        Surprise,
        Relative,
        TimesRoot,
        FeatureMap,
        Share,
        Recut,
        RmsNorm,
        Difference,
        Times,
        Sigmoid,
    }


def _in_row(row: int, rows: int, columns: int) -> tuple[int, int]:
    return min(row, rows - 1), columns - 1


def test_the_board_and_all_files_have_and_explain_it(script: PageScript) -> None:
    data = board_data(SCENARIO, MADE, 0, 4)
    assert all(set(NAMES) <= set(data[part]) for part in ("shown", "limits"))
    assert [stage["name"] for stage in data["stages"]] == list(MADE.stages)
    for row in (0, 2):
        told = on_board(script, SCENARIO, MADE, 4, partial(_in_row, row))
        assert {*NAMES} <= {each.matrix for each in told if each.text.startswith(f"Made-up {each.matrix}")}
    for surface in SURFACES.values():
        surface(SCENARIO, MADE)
    assert {*NAMES} <= {*matrix_names(MADE)} & {*json.loads(trace_json(MADE))["matrices"]}
    for page in (report(SCENARIO, MADE), trace_markup(MADE)):
        assert all(f"Made-up {name}" in page for name in NAMES)


def test_the_page_shows_it() -> None:
    page = Playground(view="board", init="normal")
    assert page.board is not None
    assert set(NAMES) <= set(page.board["shown"])
    page = Playground(view="heatmaps", init="normal")
    assert set(NAMES) <= set(page.charts)


@each
def test_a_link_opens_at_its_cell(name: str) -> None:
    page = Playground(view="heatmaps", cell=f"{name}.1.0")
    assert page.explanation.startswith(f"Made-up {name}, ")
    assert not page.messages


@each
def test_it_has_a_heatmap(name: str) -> None:
    drawn = heatmap_spec(MADE, name)
    assert f"Made-up {name}" in json.dumps(drawn["layout"])
    assert f"Made-up {name}" in heatmap_page(MADE, name)


@each
def test_it_is_marked(name: str) -> None:
    printed = {source: Printed.of(MADE[source].double().numpy().round(6), 6) for source in STAGES[name].sources}
    table = MADE[name].double().numpy().round(6)
    settings: dict[str, Any] = {"causal": True, "d_k": 3}
    right = mark_pipeline(printed | {name: Printed.of(table, 6)}, **settings)
    (marked,) = [each for each in right.tables if each.stage.name == name]
    assert marked.n_differing == 0
    table[1, 0] += 0.5
    wrong = mark_pipeline(printed | {name: Printed.of(table, 6)}, **settings)
    (marked,) = [each for each in wrong.tables if each.stage.name == name]
    assert [marked.marks[1][0], marked.count(Mark.WRONG)] == [Mark.WRONG, 1]
    assert f"{STAGES[name].symbol}[1, 0]" in verdict(wrong).first_error
    with pytest.raises(ValueError, match=f"{name} has"):
        mark_pipeline(printed | {name: Printed.of(np.zeros((7, 7)), 6)}, **settings)
