"""Tests of all places that list statistics, run in a copy of the package that has the statistic "weight_beside"."""

import pytest

import attnviz
from attnviz.explanation.row_statistics import BOUNDS, STATISTICS
from attnviz.features.scaling.curves import CURVE_ROWS, CURVES, curve_spec
from attnviz.words import say
from tests.features.scaling.pages.scaling_page import SMALL, ScalingPage, sweep_of

TITLE = "What the largest leaves to the others"


def test_a_sweep_measures_it() -> None:
    table = attnviz.sweep_scaling((4, 64), 200, 0)
    assert table.weight_beside.to_numpy() == pytest.approx(1 - table.largest_attention_weight.to_numpy())
    assert (table.weight_beside_low < table.weight_beside).all()
    assert (table.weight_beside < table.weight_beside_high).all()
    dots = attnviz.sweep_scaling((4, 64), 200, 0, statistics="dot products")
    assert not [name for name in dots if name.startswith("weight_beside")]


def test_it_has_a_curve_with_its_title() -> None:
    (curve,) = [curve for curve in CURVES if curve.column == "weight_beside"]
    assert curve.title == say("scaling.curve.weight_beside") == TITLE
    assert sum(curve in row for row in CURVE_ROWS) == 1
    assert max(map(len, CURVE_ROWS)) <= 3
    spec = curve_spec(attnviz.sweep_scaling((4, 64), 200, 0), curve)
    assert spec["layout"]["yaxis"]["range"] == [-0.02, 1.05]


def test_the_page_draws_it_and_its_table_has_it() -> None:
    page = ScalingPage()
    assert page.figure("curve.weight_beside")["layout"]["title"]["text"] == f"<b>{TITLE}</b>"
    assert page.shows(sweep_of(SMALL))
    assert {f"weight_beside{bound}" for bound in BOUNDS} <= set(page.table().columns)


def test_every_statistic_is_documented() -> None:
    assert all(f"`{statistic.name}`" in str(attnviz.sweep_scaling.__doc__) for statistic in STATISTICS)
