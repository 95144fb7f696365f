"""Heatmaps: valid for Plotly, true to the numbers, and no token is ever markup."""

import html
import math
import re
from base64 import b64decode
from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz import Edit, Scenario, trace
from attnviz.colours.palette import DARK, LIGHT, ROLES, Theme
from attnviz.colours.shading import channels, luminance, scale_of, shades
from attnviz.core.rules import in_rows
from attnviz.core.scenario import traced
from attnviz.core.stages import STAGES, attention_table, pictured
from attnviz.figures import heatmap, heatmap_spec, picture_on_page
from attnviz.figures.picture import FINITE, MASKED, NAN, NEGATIVE, POSITIVE
from tests.browser.looks import contrast
from tests.examples import examples
from tests.unit.helpers import setups

PICTURED = tuple(chain.from_iterable(pictured(attention_table(biases=()))))


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from strings(key)
            yield from strings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from strings(inner)


def cells(spec: dict[str, Any]) -> dict[str, Any]:
    """The cells that have a colour on the scale: the first of the traces, with the numbers of all."""
    numbers = [drawn for drawn in spec["data"] if "= %{" in drawn["hovertemplate"]]
    first = numbers[0] if numbers else spec["data"][0] | {"z": np.full_like(spec["data"][0]["z"], np.nan)}
    z = np.full(np.shape(first["z"]), np.nan, dtype=np.float32)
    for drawn in numbers:
        mine = ~np.isnan(drawn["z"])
        assert np.isnan(z[mine]).all(), "a cell is drawn twice"
        z[mine] = np.asarray(drawn["z"])[mine]
    return first | {"z": z}


def signs(spec: dict[str, Any]) -> dict[tuple[int, int], dict[str, Any]]:
    """What draws each cell that has no colour on the scale, by row and column."""
    return {
        (row, column): drawn
        for drawn in spec["data"]
        if "= %{" not in drawn["hovertemplate"]
        for row, column in np.argwhere(~np.isnan(drawn["z"])).tolist()
    }


def title_of(spec: dict[str, Any]) -> str:
    """What stands above a heatmap, in one line."""
    return " ".join(html.unescape(re.sub("<[^>]*>", " ", spec["layout"]["title"]["text"])).split())


@settings(max_examples=examples(25))
@given(setups(whole=True), st.integers(1, 6), st.integers(0, 8), st.booleans())
def test_every_cell_is_drawn_once_with_its_number_that_can_be_read_or_its_sign(
    setup: Scenario, digits: int, query: int, dark: bool
) -> None:
    made = trace(setup)
    for name in chain.from_iterable(pictured(made.stages)):
        spec = heatmap_spec(made, name, digits=digits, query=query % len(made.tokens), dark=dark)
        matrix = in_rows(made[name]).numpy()
        go.Figure(spec)  # raises for a property that Plotly does not know
        z, signed = np.asarray(cells(spec)["z"]), signs(spec)
        for row, column in np.ndindex(matrix.shape):
            assert ((row, column) in signed) == math.isnan(z[row, column])
            if (row, column) not in signed:
                assert z[row, column] == matrix[row, column]
        if max(z.shape) <= 16:  # else no numbers stand in its cells
            numbers_are_read(spec, z, digits)


def numbers_are_read(spec: dict[str, Any], z: np.ndarray, digits: int) -> None:
    """See that every cell says its number, with a true minus sign, in ink that stands out on its colour."""
    said = np.full(z.shape, "", dtype=object)
    for drawn in spec["data"]:
        if "= %{" in drawn["hovertemplate"]:
            said = np.char.add(said.astype(str), np.array(drawn["text"]))
            own = drawn["z"][~np.isnan(drawn["z"])]
            behind = luminance(of_scale(drawn, own.clip(drawn["zmin"], drawn["zmax"])))
            black = drawn["textfont"]["color"] == "#000000"
            assert ((behind + 0.05) / 0.05 if black else 1.05 / (behind + 0.05)).min() >= 4.5
    finite = np.isfinite(z)
    assert not any("-" in text for text in said.flat)
    assert (said == "").tolist() == (~finite).tolist()
    # Up to half of the last digit: of a fixed number, or of the third of a power of ten.
    numbers = [float(text.replace("−", "-")) for text in said[finite]]
    np.testing.assert_allclose(numbers, z[finite], atol=0.51 * 10.0**-digits, rtol=0.051)


# Tokens are labels, never markup and never axis values that merge.


@pytest.mark.parametrize("tokenizer", ["words", "whitespace", "characters"])
@pytest.mark.parametrize("copies", [1, 8])  # more than 48 tokens, too, which have axes of another kind
def test_no_token_is_markup(tokenizer: str, copies: int) -> None:
    hostile = "<img/src=x> <img src=x onerror=alert(1)> </script><script>alert(1)</script> <b>x</b> &lt; \"' "
    made = traced(Scenario(text=hostile * copies, tokenizer=tokenizer, causal=True))
    for name in PICTURED:
        spec = heatmap_spec(made, name, query=1)
        for text in [*strings(spec), *strings(heatmap(made, name, query=1).to_plotly_json())]:
            for raw in ("<img", "</script", "<script", "<b>x", "onerror=alert(1)>"):
                assert raw not in text


# Numbers in cells and the picked row


def test_a_title_says_what_the_matrix_is_and_what_its_rows_and_columns_are() -> None:
    made = trace(Scenario(bias=True))
    for name, stage in STAGES.items():
        said = title_of(heatmap_spec(made, name))
        n_rows, n_columns = cells(heatmap_spec(made, name))["z"].shape
        assert said.startswith(stage.title)
        assert stage.plain in said
        assert f"{stage.axes}; {n_rows} × {n_columns}; full colour at " in said


@pytest.mark.parametrize(("n_tokens", "shown"), [(1, True), (16, True), (17, False), (64, False)])
def test_numbers_stand_in_the_cells_while_they_fit(n_tokens: int, shown: bool) -> None:
    drawn = cells(heatmap_spec(trace(Scenario(text="a " * n_tokens)), "scores", digits=3))
    assert ("texttemplate" in drawn) == shown
    if shown:
        assert re.fullmatch(r"−?\d\.\d{3}", drawn["text"][0][0])
    assert ("%{text}" if shown else "%{z}") in drawn["hovertemplate"]
    assert shown or drawn["zhoverformat"] == ".3f"


# Colours and ink


def of_scale(drawn: dict[str, Any], values: np.ndarray) -> np.ndarray:
    """The colours that Plotly gives to values: mixed in sRGB between the stops of the scale."""
    at = (values - drawn["zmin"]) / (drawn["zmax"] - drawn["zmin"])
    stops, colours = zip(*drawn["colorscale"], strict=True)
    return np.stack([np.interp(at, stops, channel) for channel in np.array([*map(channels, colours)]).T], -1)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("limits", [(0.0, 1.0), (-2.5, 2.5)])
def test_a_scale_has_the_shades_of_its_role(limits: tuple[float, float], role: str, dark: bool) -> None:
    values = np.linspace(*limits, 501)
    drawn = {"zmin": limits[0], "zmax": limits[1], "colorscale": scale_of(limits, role, dark)}
    assert np.abs(of_scale(drawn, values) - shades(values, limits, role, dark)).max() < 6  # of 255


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_signs_can_be_read_on_their_hatching(theme: Theme) -> None:
    for hatch in (theme.masked, theme.undefined):
        for behind in (hatch.ground, hatch.line):
            assert contrast(channels(hatch.ink).tolist(), channels(behind).tolist()) >= 4.5


# What the page is sent of them: numbers bit by bit, and which cells have none


HUGE = tuple(Edit(name, 0, 0, 1e30) for name in ("x", "w_q", "w_k"))


@given(setup=setups(max_tokens=6), overflows=st.booleans())
def test_every_finite_number_is_there_bit_by_bit_and_every_other_cell_by_what_it_is(
    setup: Scenario, overflows: bool
) -> None:
    made = traced(Scenario(setup.text, causal=setup.causal, edits=HUGE) if overflows else setup).for_head(0)
    for name, matrix in made.matrices.items():
        sent, wanted = picture_on_page(made, name, digits=4, query=0, alt=""), in_rows(matrix).numpy()
        got = np.frombuffer(b64decode(sent["numbers"]), "<f4").reshape(len(sent["rows"]), len(sent["columns"]))
        kinds = (
            np.frombuffer(b64decode(sent["kinds"]), "u1").reshape(got.shape) if sent["kinds"] else np.zeros(got.shape)
        )
        hidden = made.masked_in(name)
        hidden = np.zeros(got.shape, bool) if hidden is None else hidden & ((wanted == 0) | (wanted == -np.inf))
        assert ((kinds == MASKED) == hidden).all()
        for kind, is_it in ((NAN, np.isnan(wanted)), (POSITIVE, wanted == np.inf), (NEGATIVE, wanted == -np.inf)):
            assert ((kinds == kind) == (is_it & ~hidden)).all()
        finite = kinds == FINITE
        assert (got[finite].view("<u4") == wanted.astype("<f4")[finite].view("<u4")).all()
        assert np.isnan(got[~finite]).all()
