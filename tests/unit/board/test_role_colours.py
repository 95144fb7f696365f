"""The colours of roles: what is more has more ink, letters can be read, roles are told apart; in the page as here."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attnviz
from attnviz import Scenario
from attnviz.colours.palette import NEGATIVE, PAPER, ROLES
from attnviz.colours.shading import channels, colour_limits, linear, luminance, ramp, takes_black
from attnviz.core.dropout import dropout
from attnviz.core.stages import EVERY_STAGE, STAGES
from attnviz.figures import heatmap_spec
from tests.node import PageScript
from tests.unit.board.test_heatmaps import cells
from tests.unit.helpers import setups

THEMES = ("light", "dark")
_RAMP = """({ colours: { Ramp, STEPS } }, [paper, role]) => {
  const ramp = new Ramp(paper, role);
  return Array.from({ length: STEPS }, (_, step) => ramp.shade(step));
}"""
SHADES = {**ROLES, "negative": NEGATIVE}
COLOURS = st.integers(0, 0xFFFFFF).map(lambda number: f"#{number:06x}")
themes = pytest.mark.parametrize("theme", THEMES)
roles = pytest.mark.parametrize("role", SHADES)


@themes
@roles
def test_a_ramp_goes_from_the_page_to_the_role_and_more_is_more_ink(role: str, theme: str) -> None:
    steps = ramp(getattr(PAPER, theme), getattr(SHADES[role], theme))
    assert (steps[0] == channels(getattr(PAPER, theme))).all()
    assert (steps[-1] == channels(getattr(SHADES[role], theme))).all()
    light = luminance(steps)
    away = np.diff(light) * (1 if theme == "dark" else -1)
    assert (away >= 0).all()
    # Equal steps look equal: no tenth of a ramp takes more than a fifth of its way in OKLab's lightness, which for
    # greys is the cube root of the luminance, nor less than a twentieth.
    tenths = np.diff(np.cbrt(light)[:: len(light) // 10]) / (np.cbrt(light)[-1] - np.cbrt(light)[0])
    assert 0.05 < tenths.min() < tenths.max() < 0.2


@given(start=COLOURS, end=COLOURS)
def test_the_page_mixes_the_same_colours(script: PageScript, start: str, end: str) -> None:
    got = script.run(_RAMP, [start, end])
    steps = ramp(start, end)
    inks = ["#000" if black else "#fff" for black in takes_black(steps)]
    wanted = [
        {"paper": "rgb({}, {}, {})".format(*step), "ink": ink} for step, ink in zip(steps.tolist(), inks, strict=True)
    ]
    assert got == wanted


def test_a_matrix_has_the_colour_of_what_it_is_to_attention() -> None:
    roles = {name: stage.role for name, stage in EVERY_STAGE.items()}
    for part in "qkv":
        assert {roles[name] for name in (f"w_{part}", f"b_{part}", part)} == {part}
    assert roles["context"] == "v"
    assert {role for name, role in roles.items() if name not in (*STAGES, "mask")} == {"x"}
    # Whatever has a number for each pair of tokens.
    assert {name for name, role in roles.items() if role == "a"} == {
        name for name, stage in EVERY_STAGE.items() if (stage.rows, stage.columns) == ("query", "key")
    }


@given(setups(whole=True))
def test_colours_go_as_far_as_the_numbers_and_attention_from_0_to_the_largest_weight_that_tells_something(
    setup: Scenario,
) -> None:
    trace = attnviz.trace(setup)
    for name in (stage for stage in STAGES if trace.get(stage) is not None):
        low, high = colour_limits(trace, name)
        drawn = cells(heatmap_spec(trace, name))
        assert (drawn["zmin"], drawn["zmax"]) == (low, high)
        if name == "attention_weights":
            rows = trace[name][1 if setup.causal else 0 :]  # the first has itself alone, where later ones are hidden
            assert (low, high) == (0.0, rows.max().item() if rows.numel() and rows.shape[1] > 1 else 1.0)
        else:
            assert trace[name][trace[name].isfinite()].abs().max() <= high + 1e-6
            assert low == -high < 0


def test_the_only_weight_of_a_row_counts_where_dropout_made_it_larger_than_1() -> None:
    made = dropout(Scenario("a b"), 0.5, 0)
    assert made is not None
    weights = attnviz.trace(made).attention_weights
    assert weights.max() > 1
    assert ((weights > 0).sum(1) <= 1).all()
    assert colour_limits(attnviz.trace(made), "attention_weights") == (0.0, weights.max().item())


# ---- what must be seen ----


# What is seen without one kind of cones. Source: Machado, Oliveira and Fernandes 2009, A Physiologically-based Model
# for Simulation of Color Vision Deficiency, the matrices of severity 1.0, of light.
MACHADO = {
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
SRGB_TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)


def lab(light: np.ndarray) -> np.ndarray:
    """CIELAB of linear sRGB, under D65."""
    t = SRGB_TO_XYZ @ np.clip(light, 0, 1) / SRGB_TO_XYZ.sum(1)
    x, y, z = np.where(t > 216 / 24389, np.cbrt(t), (24389 / 27 * t + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@themes
@pytest.mark.parametrize(("kind", "least"), [("protanopia", 20), ("deuteranopia", 20), ("tritanopia", 10)])
def test_q_k_v_and_a_are_told_apart_without_a_kind_of_cones(theme: str, kind: str, least: float) -> None:
    """By CIE76, the distance in CIELAB; for tritanopia the blue of Q and the green of V differ by 12, and by titles."""
    seen = {role: lab(np.array(MACHADO[kind]) @ linear(channels(getattr(ROLES[role], theme)))) for role in "qkva"}
    apart = {pair: np.linalg.norm(seen[pair[0]] - seen[pair[1]]) for pair in itertools.combinations(seen, 2)}
    assert min(apart.values()) >= least, apart
