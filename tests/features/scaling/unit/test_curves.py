"""Curves and rows of the scaling experiment: valid for Plotly, true to the table, told apart in both themes."""

import math
import re
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
import torch

import attnviz
from attnviz import Scenario
from attnviz.colours.palette import scale_style
from attnviz.features.scaling.curves import CURVES, Curve, curve_spec, histogram_spec, row_spec
from attnviz.features.sweeps.arguments import MAX_DIMS
from attnviz.features.sweeps.experiment import softmax_row, sweep_scaling
from attnviz.features.sweeps.sources import SOURCES
from attnviz.figures import heatmap_spec, points_spec
from attnviz.figures.small_tables import Points

X = [[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64]]
DIMS = (1, 4, 16, 64)
SCALES = ("none", "sqrt", "linear", 0.3)
HOSTILE = "<b>x</b> & <img src=x>"


def swept(dims: tuple[int, ...] = DIMS, source: str = "normal", **more: Any) -> pd.DataFrame:
    x = X if source.endswith("-projections") else None
    settings: dict[str, Any] = {"n_keys": 8, "source": source, "x": x, "scales": SCALES}
    return sweep_scaling(dims, 60, 0, **settings | more)


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return swept()


def lines(spec: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The curves by their name in the legend."""
    return {trace["name"]: trace for trace in spec["data"] if trace["mode"] == "lines+markers"}


def bands(spec: dict[str, Any]) -> list[dict[str, Any]]:
    return [trace for trace in spec["data"] if trace.get("fill") == "toself"]


# Curves


@pytest.mark.parametrize(("d_k", "edge"), [(64, "√64 = 8"), (2, "√2 ≈ 1.41"), (4096, "√4096 = 64")])
def test_the_axis_of_scores_says_how_wide_they_are(d_k: int, edge: str) -> None:
    axis = histogram_spec(np.linspace(-d_k, d_k, 50), d_k, "scores")["layout"]["xaxis"]
    assert axis["ticktext"][::2] == ["−" + re.sub("([=≈]) ", r"\1 −", edge), edge]
    assert axis["tickvals"][::2] == pytest.approx([-(d_k**0.5), d_k**0.5])


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("dims", [(1,), (64,), (2, 3), (1, 4096), tuple(range(1, MAX_DIMS + 1))], ids=str)
def test_any_sweep_makes_valid_figures(source: str, dims: tuple[int, ...]) -> None:
    table = sweep_scaling(dims, 2, 0, n_keys=2, source=source, x=X if source.endswith("-projections") else None)
    for curve in CURVES:
        spec = curve_spec(table, curve, picked=dims[0])
        go.Figure(spec)
        for trace in spec["data"]:
            assert np.isfinite(trace["y"]).all()


@pytest.mark.parametrize("curve", CURVES, ids=lambda curve: curve.column)
def test_the_plotted_numbers_and_the_band_around_them_are_those_of_the_table(table: pd.DataFrame, curve: Curve) -> None:
    spec = curve_spec(table, curve)
    drawn = lines(spec)
    dotted = any(trace["line"].get("dash") == "dot" and trace["mode"] == "lines" for trace in spec["data"])
    assert ("dotted" in spec["layout"]["xaxis"]["title"]["text"]) == dotted, "what it is, in the figure itself"
    assert "dotted" not in curve.title
    assert list(drawn) == ["not divided", "÷ √d", "÷ d", "÷ d^0.3"]
    for scale, trace in zip(("none", "sqrt", "linear", "0.3"), drawn.values(), strict=True):
        rows = table[table.scale == scale]
        np.testing.assert_array_equal(trace["x"], DIMS)
        np.testing.assert_array_equal(trace["y"], rows[curve.column])
    for (scale, rows), band in zip(table.groupby("scale", sort=False), bands(spec), strict=True):
        half = len(rows)
        high, low = band["y"][:half], band["y"][half:][::-1]
        np.testing.assert_array_equal(low, rows[f"{curve.column}_low"])
        np.testing.assert_array_equal(high, rows[f"{curve.column}_high"])
        np.testing.assert_array_equal(band["x"], [*DIMS, *DIMS[::-1]])
        assert (low <= rows[curve.column]).all(), scale
        assert (rows[curve.column] <= high).all(), scale


def test_no_number_in_a_hover_is_written_by_a_template(table: pd.DataFrame) -> None:
    """The formats in Plotly's templates write a hyphen for the minus sign; those of its axes, and ours, do not."""
    points = Points(torch.tensor([[-1.0, 0.5]]), torch.tensor([[-0.25, -0.5]]), ("a",))
    alike = Points(torch.tensor([[0.0, 0.0], [2.0, 0.0], [1.0, 0.0]]), torch.tensor([[1.0, 0.0]] * 3), ("a", "b", "c"))
    assert [list(each["text"]) for each in points_spec(alike)["data"][1:]] == [["a", "b", "c"], ["a, b, c", "", ""]]
    specs = [heatmap_spec(attnviz.trace(Scenario("a " * 17)), name) for name in ("x", "scores", "attention_weights")]
    specs += [points_spec(points), row_spec({"sqrt": np.array([0.25, 0.75])}, "A row")]
    specs += [curve_spec(table, curve) for curve in CURVES]
    for drawn in (drawn for spec in specs for drawn in spec["data"] if drawn.get("hoverinfo") != "skip"):
        read = re.findall(r"%{(.*?)}", drawn["hovertemplate"])
        assert read
        assert not any(":" in each for each in read)
        for axis in {"x", "y", "z"}.intersection(read):
            assert f"{axis}hoverformat" in drawn or (drawn["type"] == "heatmap" and axis != "z")
        go.Figure({"data": [drawn]})  # which knows the formats by these names


@pytest.mark.parametrize("dark", [False, True])
def test_each_scale_has_its_own_colour_marker_and_dash_in_every_figure(table: pd.DataFrame, dark: bool) -> None:
    looks: dict[str, set[tuple[str, str, str]]] = {}
    for curve in CURVES:
        for name, trace in lines(curve_spec(table, curve, dark=dark)).items():
            assert trace["marker"]["color"] == trace["line"]["color"] == scale_style_of(name, dark)
            look = (trace["line"]["color"], trace["marker"]["symbol"], trace["line"]["dash"])
            looks.setdefault(name, set()).add(look)
    assert all(len(each) == 1 for each in looks.values())
    colours, symbols, _ = zip(*(look for each in looks.values() for look in each), strict=True)
    assert len(set(colours)) == len(set(symbols)) == len(SCALES)


def scale_style_of(name: str, dark: bool) -> str:
    scales = {scale_style(scale, dark).label: scale for scale in ("none", "sqrt", "linear", "0.3")}
    return scale_style(scales[name], dark).colour


def test_the_picked_dimension_is_marked(table: pd.DataFrame) -> None:
    for curve in CURVES:
        (line,) = curve_spec(table, curve, picked=16)["layout"]["shapes"]
        assert (line["x0"], line["x1"]) == (16, 16)
        assert (line["y0"], line["y1"], line["yref"]) == (0, 1, "paper")
        assert "shapes" not in curve_spec(table, curve)["layout"]


# Rows


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("n_keys", [1, 2, 64, 256])
def test_rows_are_valid_for_plotly_and_their_bars_are_the_weights(n_keys: int, dark: bool) -> None:
    rows = {"none": softmax_row(np.linspace(-1, 1, n_keys)), "sqrt": softmax_row(np.linspace(0, 1, n_keys))}
    figure = go.Figure(row_spec(rows, "Two rows", dark=dark))
    for (scale, row), bars in zip(rows.items(), figure.data, strict=True):
        np.testing.assert_array_equal(bars.y, row)
        assert math.isclose(sum(bars.y), 1)
        assert (bars.name, bars.marker.color) == (scale_style(scale, dark).label, scale_style(scale, dark).colour)
    assert figure.layout.barmode == "group"
    assert figure.layout.yaxis.range == (0, 1.02)  # rows side by side are read against the same axis
    assert figure.layout.showlegend


def test_labels_of_keys_are_never_markup() -> None:
    spec = row_spec({"none": softmax_row((1, 2))}, "One", labels=[HOSTILE, "b"])
    escaped = "&lt;b&gt;x&lt;/b&gt; &amp; &lt;img src=x&gt;"
    assert spec["layout"]["xaxis"]["ticktext"] == [escaped, "b"]
    assert spec["data"][0]["hovertext"] == [escaped, "b"]
    go.Figure(spec)
