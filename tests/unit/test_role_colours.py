"""The colours of roles: what is more has more ink, letters can be read, roles are told apart; in the page as here."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attnviz
from attnviz import Scenario
from attnviz.board.data import board_data
from attnviz.colours.limits import colour_limits
from attnviz.colours.mixing import channels, luminance, ramp, takes_black
from attnviz.colours.roles import NEGATIVE, PAPER, ROLES
from attnviz.core.scenario import traced
from attnviz.core.stages import EVERY_STAGE, STAGES
from tests.browser.looks import contrast
from tests.node import PageScript
from tests.unit.helpers import setups

THEMES = ("light", "dark")
SHADES = {**ROLES, "negative": NEGATIVE}
COLOURS = st.integers(0, 0xFFFFFF).map(lambda number: f"#{number:06x}")
themes = pytest.mark.parametrize("theme", THEMES)
shades = pytest.mark.parametrize("role", SHADES)


def ramp_of(role: str, theme: str) -> np.ndarray:
    return ramp(getattr(PAPER, theme), getattr(SHADES[role], theme))


@themes
@shades
def test_a_ramp_goes_from_the_page_to_the_role_and_more_is_more_ink(role: str, theme: str) -> None:
    steps = ramp_of(role, theme)
    assert (steps[0] == channels(getattr(PAPER, theme))).all()
    assert (steps[-1] == channels(getattr(SHADES[role], theme))).all()
    light = luminance(steps)
    away = np.diff(light) * (1 if theme == "dark" else -1)
    assert (away >= 0).all()
    # Equal steps look equal: no tenth of a ramp takes more than a fifth of its way in OKLab's lightness, which for
    # greys is the cube root of the luminance, nor less than a twentieth.
    tenths = np.diff(np.cbrt(light)[:: len(light) // 10]) / (np.cbrt(light)[-1] - np.cbrt(light)[0])
    assert 0.05 < tenths.min() < tenths.max() < 0.2


@themes
@shades
def test_letters_can_be_read_on_every_step(role: str, theme: str) -> None:
    steps = ramp_of(role, theme)
    for step, black in zip(steps.tolist(), takes_black(steps), strict=True):
        assert contrast(step, [0, 0, 0] if black else [255, 255, 255]) >= 4.5


@themes
@shades
def test_a_role_stands_out_from_the_page(role: str, theme: str) -> None:
    assert contrast(ramp_of(role, theme)[0].tolist(), ramp_of(role, theme)[-1].tolist()) >= 4.5


@given(start=COLOURS, end=COLOURS)
def test_the_page_mixes_the_same_colours(script: PageScript, start: str, end: str) -> None:
    got = script.run("({ colours: { rampOf } }, [paper, role]) => rampOf(paper, role)", [start, end])
    steps = ramp(start, end)
    inks = ["#000" if black else "#fff" for black in takes_black(steps)]
    wanted = [
        {"paper": "rgb({}, {}, {})".format(*step), "ink": ink} for step, ink in zip(steps.tolist(), inks, strict=True)
    ]
    assert got == wanted


def test_the_page_is_sent_the_colours_of_every_matrix() -> None:
    scenario = Scenario("a b", bias=True, d_ff=2, positions="seeded")
    data = board_data(scenario, traced(scenario), 0, 4)
    assert {stage["role"] for stage in data["stages"]} == set(ROLES)
    assert data["roles"].keys() == {*ROLES, "negative", "paper", "picked"}
    for tone in data["roles"].values():
        assert tone.keys() == set(THEMES)


def test_a_matrix_has_the_colour_of_what_it_is_to_attention() -> None:
    roles = {name: stage.role for name, stage in EVERY_STAGE.items()}
    for part in "qkv":
        assert {roles[name] for name in (f"w_{part}", f"b_{part}", part)} == {part}
    assert roles["context"] == "v"
    assert {role for name, role in roles.items() if name not in STAGES} == {"x"}
    # Whatever has a number for each pair of tokens.
    assert {name for name, role in roles.items() if role == "a"} == {
        name for name, stage in EVERY_STAGE.items() if (stage.rows, stage.columns) == ("query", "key")
    }


@given(setups(whole=True))
def test_attention_is_drawn_from_0_to_the_largest_weight_that_tells_something(setup: Scenario) -> None:
    trace = attnviz.trace(setup)
    low, high = colour_limits(trace, "attention_weights")
    rows = trace.attention_weights[
        1 if setup.causal else 0 :
    ]  # the first has itself alone, where later ones are hidden
    told = rows.max().item() if rows.numel() and rows.shape[1] > 1 else 1.0
    assert (low, high) == (0.0, told)


def test_all_roles_are_other_colours() -> None:
    for theme in THEMES:
        for one, other in itertools.combinations(SHADES.values(), 2):
            assert getattr(one, theme) != getattr(other, theme)
