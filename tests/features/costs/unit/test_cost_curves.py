"""Figures and sentences of costs: what is drawn and said is what is counted."""

from itertools import count
from typing import Any

import plotly.graph_objects as go
import pytest

from attnviz import Scenario
from attnviz.features.costs.counting import Costs
from attnviz.features.costs.curves import LENGTHS, QUANTITIES, cost_spec, measured_spec
from attnviz.features.costs.in_words import bytes_in_words, count_in_words, of_model, of_own
from attnviz.features.costs.measuring import SIZES, Measured, measured_times
from attnviz.features.costs.of_scenario import costs_of
from attnviz.features.costs.published_models import PUBLISHED_MODELS
from attnviz.features.costs.traffic import whole

MODELS = [each.costs for each in PUBLISHED_MODELS]
OWN = costs_of(Scenario("the cat sat"))


def drawn(quantity: str, **more: Any) -> dict[str, Any]:
    return cost_spec(MODELS, OWN, 3, **{"quantity": quantity, "picked": MODELS[0].name, "length": 8192, **more})


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("quantity", QUANTITIES)
def test_each_line_and_both_points_are_what_is_counted(quantity: str, dark: bool) -> None:
    spec = drawn(quantity, dark=dark)
    go.Figure(spec)
    lines = {each["name"]: each for each in spec["data"] if each["mode"] == "lines"}
    assert lines.keys() == {OWN.name, *(each.name for each in MODELS)}

    def counted(costs: Costs, n: int) -> int:
        return costs.cached_bytes(n) if quantity == "cached" else costs.multiplications(n)

    for costs in (*MODELS, OWN):
        assert lines[costs.name]["y"] == [counted(costs, n) for n in LENGTHS]
        assert lines[costs.name]["x"] == [*LENGTHS]
    own, picked = (each for each in spec["data"] if each["mode"] != "lines")
    assert (own["x"], own["y"]) == ([3], [counted(OWN, 3)])
    assert (picked["x"], picked["y"]) == ([8192], [counted(MODELS[0], 8192)])


def test_only_the_picked_models_line_stands_out() -> None:
    for name in (each.name for each in MODELS):
        thick = [each["name"] for each in drawn("cached", picked=name)["data"]
                 if each["mode"] == "lines" and each["line"]["width"] > 2]  # fmt: skip
        assert thick == [name]


def test_sentences_say_what_is_counted() -> None:
    for costs in MODELS:
        told = of_model(costs, 8192)
        assert bytes_in_words(costs.cached_bytes(8192)) in told
        assert count_in_words(costs.multiplications(8192)) in told
    told = of_own(OWN, 3, 8192)
    assert f"{OWN.cached(3)} numbers of your 3 tokens" in told
    assert bytes_in_words(OWN.cached_bytes(8192)) in told


@pytest.mark.parametrize(("n", "written"), [(1, "1 B"), (1023, "1023 B"), (1024, "1 KiB"), (2**50, "1024 TiB")])
def test_bytes_have_the_unit_below_them(n: int, written: str) -> None:
    assert bytes_in_words(n) == written


def test_multiplications_that_are_drawn_beside_the_times_are_counted() -> None:
    measured = measured_times((16, 32, 64), seconds=60)
    assert [each.tokens for each in measured] == [16, 32, 64]
    assert all(each.multiplications == whole(each.tokens, 64).multiplications for each in measured)
    assert all(min(each.whole_ms, each.tiled_ms) > 0 for each in measured)
    spec = measured_spec(measured)
    go.Figure(spec)
    at_once, in_tiles, counted = (each["y"] for each in spec["data"])
    assert at_once == [each.whole_ms for each in measured]
    assert in_tiles == [each.tiled_ms for each in measured]
    assert counted[-1] == at_once[-1]
    assert counted[-1] / counted[0] == pytest.approx(16)


def test_no_size_is_begun_that_would_exceed_the_time() -> None:
    """By a clock that gains half a second at each look, the third size would be too long."""
    ticks = count(0.0, 0.5)
    assert [each.tokens for each in measured_times(SIZES, 3.0, lambda: next(ticks))] == [*SIZES[:2]]
    still = measured_times(SIZES[:3], 3.0, lambda: 0.0)
    assert [each.tokens for each in still] == [*SIZES[:3]]
    assert isinstance(still[0], Measured)
