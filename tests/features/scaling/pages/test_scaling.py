"""The scaling page: what it shows, what its controls do, what it says to what can't be swept."""

import io
from dataclasses import replace
from typing import Any
from unittest.mock import Mock
from urllib.parse import parse_qsl

import numpy as np
import pandas as pd
import pytest
import streamlit as st

from attnviz import Scenario
from attnviz.features.scaling.collapsing import FROM, TO, asked_of_rows
from attnviz.features.scaling.in_words import about_gradient, about_source, flat_or_not
from attnviz.features.sweeps.experiment import sample_row
from attnviz.features.sweeps.settings import SCALE_CHOICES, SweepSettings, decode_settings, playground_scenario
from attnviz.features.sweeps.typical_rows import typical_rows
from attnviz.link.set_up import scenario_from_query
from attnviz.words import say
from tests.features.scaling.pages.scaling_page import PROJECTIONS, SMALL, ScalingPage, sweep_of
from tests.pages.reader import Reader


@pytest.fixture
def scaling() -> ScalingPage:
    return ScalingPage()


def sentence(text: str = "Your journey starts with one step") -> Any:
    return Scenario(text, embedding="published").matrix("x")


# What a reader sees first


def test_the_first_run_sweeps_the_default_and_says_why_the_gradient_rises_and_what_its_mean_hides() -> None:
    page, table = ScalingPage(""), sweep_of(SweepSettings())
    assert page.shows(table)
    assert page.errors == page.messages == []
    assert page.settings == SweepSettings(dim=TO), "where the prediction has led"
    assert page.picked == TO
    assert not [chart.alt for chart in page.charts.values() if "above" in chart.alt], "told in Share, too"
    assert "÷ d^0.3" in page.curves("curve.variance"), "the line of the slider is on"
    assert page.text("Divided by d^0.3") == flat_or_not(table, "0.3")
    said = about_gradient(table, 1024)
    assert page.text(said[0]).split("\n") == said
    gradients = [page.figure(f"curve.{name}") for name in ("jacobian_norm", "jacobian_norm_median")]
    assert gradients[0]["layout"]["yaxis"]["range"] == gradients[1]["layout"]["yaxis"]["range"]


def test_the_classic_row_has_its_numbers(scaling: ScalingPage) -> None:
    assert scaling.text("softmax of 1 ") == "softmax of 1 times them: 0.1925, 0.1426, 0.2351, 0.1426, 0.2872"
    assert scaling.text("softmax of 8 ") == "softmax of 8 times them: 0.0326, 0.0030, 0.1615, 0.0030, 0.8000"
    rows = scaling.curves("classic")
    assert scaling.text("scores: ") == "scores: 0.1, −0.2, 0.3, −0.2, 0.5"
    assert scaling.figure("classic")["data"][0]["hovertext"] == ["0.1", "−0.2", "0.3", "−0.2", "0.5"]
    np.testing.assert_allclose(rows["times 1"], (0.1925, 0.1426, 0.2351, 0.1426, 0.2872), atol=5e-5)
    np.testing.assert_allclose(rows["times 8"], (0.0326, 0.0030, 0.1615, 0.0030, 0.8000), atol=5e-5)


def test_scores_are_drawn_in_another_number_and_again(scaling: ScalingPage) -> None:
    def told() -> str:
        (said,) = (text for text in scaling.texts if say("scaling.width.another") in text)
        return said.partition(" of these")[0] + said.partition("typical")[2]

    first = told()
    fewer = scaling.set("scaling.width.size", 100) and told()
    anew = scaling.press(say("scaling.width.again")) and told()
    assert len({first, fewer, anew}) == 3


# Every control


CONTROLS: list[tuple[str, Any, dict[str, Any]]] = [
    ("dims", "16 4;1", {"dims": (1, 4, 16)}),
    ("trials", 55, {"trials": 55}),
    ("keys", 3, {"keys": 3}),
    ("seed", 9, {"seed": 9}),
    ("source", "uniform", {"source": "uniform"}),
    ("scales", ["linear", "none"], {"scales": ("none", "linear")}),
    ("scales", list(SCALE_CHOICES), {"scales": SCALE_CHOICES}),
]


@pytest.mark.parametrize(("control", "value", "changed"), CONTROLS, ids=[f"{c} {v!s:.12}" for c, v, _ in CONTROLS])
def test_a_control_changes_the_sweep_and_the_url(
    scaling: ScalingPage, control: str, value: Any, changed: dict[str, Any]
) -> None:
    expected = replace(SMALL, **changed)
    scaling.set(f"scaling.{control}", value)
    assert scaling.errors == []
    assert scaling.settings == expected
    assert scaling.shows(sweep_of(expected))


def test_the_sentences_own_queries_and_keys_can_be_swept(scaling: ScalingPage) -> None:
    for source in PROJECTIONS:
        scaling.set("scaling.source", source)
        assert scaling.shows(sweep_of(replace(SMALL, source=source), sentence()))
        assert about_source(source, sentence(), 64) in scaling.texts
        row = sample_row(64, 0, source=source, x=sentence(), query=1)
        bars = scaling.bars
        at = bars["dims"].index(64)
        for panel, name in zip(bars["panels"], ("attention_weights_unscaled", "attention_weights"), strict=True):
            np.testing.assert_allclose(panel["rows"][at]["weights"], row[name], atol=1e-4)
        assert bars["names"][1] == "journey"
        assert any("The query is `journey`" in caption.value for caption in scaling.at.caption)
    scaling.set("text", "dog bites man")
    assert scaling.shows(sweep_of(replace(SMALL, source=PROJECTIONS[-1]), sentence("dog bites man")))


def test_a_link_of_before_has_the_lines_that_it_had() -> None:
    """When it was made, the slider's own line was off until the slider was moved."""
    page = ScalingPage("dims.2-8-64*trials.40")
    assert list(page.curves("curve.variance")) == ["not divided", "÷ √d", "÷ d"]
    page.set("scaling.p", 0.5)
    assert "÷ d^0.5" in page.curves("curve.variance")


def test_the_slider_of_p_draws_its_line_and_says_whether_it_is_flat(scaling: ScalingPage) -> None:
    scaling.set("scaling.trials", 1000).set("scaling.dims", "1, 32, 1024")
    for p, verdict in ((0.2, "grows"), (0.7, "shrinks"), (0.5, "stays")):
        scaling.set("scaling.p", p)
        expected = replace(SMALL, dims=(1, 32, 1024), trials=1000, scales=SCALE_CHOICES, p=p)
        assert scaling.settings == expected
        table = sweep_of(expected)
        assert scaling.shows(table)
        assert scaling.text("Divided by d^") == flat_or_not(table, str(p))
        assert f"the variance {verdict} " in scaling.text("Divided by d^")
    assert "÷ d^0.5" in scaling.curves("curve.variance")
    assert scaling.at.pills(key="scaling.scales").value == list(SCALE_CHOICES)


def test_the_slider_of_d_moves_all_that_is_shown(scaling: ScalingPage) -> None:
    scaling.slide(8)
    assert scaling.picked == scaling.settings.dim == 8
    of_row = scaling.table(1)
    assert of_row.equals(sample_row(8, 0, n_keys=8))
    assert scaling.text("At d = 8 theory")
    scaling.set("scaling.dims", "2, 64")
    assert scaling.picked == 64
    scaling.set("scaling.dims", "2, 8, 64")
    assert scaling.picked == 8


def test_the_slider_of_d_changes_nothing_else() -> None:
    settings = replace(SMALL, trials=60, seed=4)
    assert ScalingPage(settings).slide(2).settings == replace(settings, dim=2)


def test_the_bars_are_the_sweeps_own_rows_undivided_and_divided(scaling: ScalingPage) -> None:
    """Of 200 trials or fewer, their largest weights are the curve's."""
    scaling.set("scaling.trials", 200).set("scaling.keys", 64)
    table, bars = sweep_of(replace(SMALL, trials=200, keys=64)), scaling.bars
    for panel, scale in zip(bars["panels"], ("none", "sqrt"), strict=True):
        largest = [max(row["weights"]) for row in panel["rows"]]
        np.testing.assert_allclose(largest, table.largest_attention_weight[table.scale == scale], atol=1e-4)


# What is predicted before


def test_what_happens_to_attention_is_predicted_before_any_of_it_is_sent() -> None:
    page = Reader("pages/scaling.py")
    (panel,) = page.sent("row_bars")["panels"]
    assert page.sent("row_bars")["dims"] == [FROM]
    assert len(panel["rows"]) == 1
    assert not page.at.get("plotly_chart"), "what draws them isn't loaded for what is asked first"
    page.press(say("scaling.predict.choice.half"))
    assert "You predicted “About half”; at d = 512 the most read key gets 93 %." in page.texts
    bars = page.sent("row_bars")
    assert (bars["dims"][bars["at"]], len(bars["panels"])) == (TO, 2)
    assert page.at.get("plotly_chart")


def test_the_right_prediction_is_the_one_that_the_bars_are_nearest_to() -> None:
    raw, divided = typical_rows((FROM, TO), 0, 200)
    asked = asked_of_rows(raw, divided)
    assert asked.right == "nearly"
    assert asked_of_rows(divided, divided).right == "same"
    assert set(asked.wrong) == set(asked.choices) - {asked.right}


@pytest.mark.parametrize("address", [{"sweep": "trials.40"}, {"predictions": "off"}])
def test_a_link_to_a_sweep_or_without_predictions_asks_nothing(address: dict[str, str]) -> None:
    page = Reader("pages/scaling.py", **address)
    assert not page.can_press(say("predicting.skip"))
    assert len(page.sent("row_bars")["panels"]) == 2


def test_three_boxes_are_closed_and_what_is_in_them_isnt_drawn() -> None:
    page = Reader("pages/scaling.py", sweep="dims.2-8-64*trials.40*keys.8")
    boxes = [say("scaling.box.why"), say("scaling.box.more"), say("scaling.controls.heading")]
    assert [box.label for box in page.at.expander][-3:] == boxes
    assert len(page.at.get("plotly_chart")) == 1


def test_the_numbers_can_be_taken_home(monkeypatch: pytest.MonkeyPatch) -> None:
    button = Mock()
    monkeypatch.setattr(st, "download_button", button)
    page = ScalingPage()
    files = {}
    for label, written, name, _ in (call.args for call in button.call_args_list):
        if label == "Download as CSV":
            files[name] = pd.read_csv(io.StringIO(written()))
    assert sorted(files) == ["projections.csv", "scaling.csv", "softmax_row.csv"]
    pd.testing.assert_frame_equal(files["scaling.csv"], sweep_of(SMALL), check_exact=True)
    for i, name in enumerate(("projections.csv", "softmax_row.csv", "scaling.csv")):
        pd.testing.assert_frame_equal(files[name], page.table(i).reset_index(drop=True), check_exact=True)


def test_the_playground_opens_with_the_picked_width() -> None:
    """And so with the scores of the row: tests/features/sweeps/unit/test_sweep_settings.py."""
    of = {"text": "dog bites man", "edits": "x.0.0.0.5", "seed": "7", "query": "2"}
    settings = replace(SMALL, source="normal-projections", seed=5)
    page = ScalingPage(settings, **of).slide(8)
    (link,) = page.at.get("link_button")
    path, _, query = link.proto.url.partition("?")
    scenario = Scenario("dog bites man", embedding="published", seed=7, edits=[("x", 0, 0, 0.5)])
    said, settings = dict(parse_qsl(query)), replace(settings, dim=8)
    assert (path, said["query"]) == ("./", "2")
    assert scenario_from_query(query) == (playground_scenario(scenario, settings), [])
    assert decode_settings(said["sweep"]) == (settings, [])


# What can't be swept


def test_a_bad_value_is_named_and_the_last_good_plot_stays(scaling: ScalingPage) -> None:
    scaling.set("scaling.seed", 3)
    good = replace(SMALL, seed=3, dims=(2, 4))
    for control, value, message in (
        ("dims", "2, 4, eight", "`eight` can't be a dimension: take a whole number from 1 to 4,096"),
        ("dims", "9" * 50, "`99999"),
        ("dims", "<b>2</b>", "`<b>2</b>` can't be a dimension"),
        ("trials", 0, "0 can't be the number of trials: take a whole number from 2 to 10,000"),
        ("keys", 1, "1 can't be the number of keys: take a whole number from 2 to 256"),
        ("seed", -1, "−1 can't be a seed"),
        ("scales", [], "Choose at least one scale"),
    ):
        scaling.set("scaling.dims", "2, 4").set(f"scaling.{control}", value)
        (error,) = scaling.errors
        assert message in error.replace("\N{NO-BREAK SPACE}", " ")
        assert "The plots show the last settings that worked." in error
        assert scaling.shows(sweep_of(good))
        assert scaling.settings == good
        scaling.set(f"scaling.{control}", "2, 4" if control == "dims" else getattr(good, control))
        assert scaling.errors == []


@pytest.mark.parametrize("text", ["", "one"])
def test_a_sentence_that_is_too_short_leaves_the_sweep_of_random_vectors(text: str) -> None:
    page = ScalingPage(text=text)
    assert page.shows(sweep_of(SMALL))
    assert say("scaling.broken.too_short") in page.texts
    assert page.errors == []
