"""Every control of the set-up changes what it should."""

import json
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from attnviz import Scenario, tokenize, trace
from attnviz.app.entry import SCRIPT
from attnviz.core.settings import CHOICES
from attnviz.explanation.summary import attends_most
from attnviz.link import set_up
from attnviz.link.set_up import parameters, read_controls, scenario_of
from attnviz.published import OPENING, starting_points
from attnviz.words import say
from attnviz.words.numbers import significant
from tests.pages.playground import Playground
from tests.pages.reader import in_address

CONTROLS = [
    ("text", "dog bites man"), ("tokenizer", "characters"), ("embedding", "stable"), ("d_in", 5), ("d_out", 4),
    ("d_v", 4), ("init", "linear"), ("init", "normal"), ("seed", 789), ("bias", True), ("causal", True),
    ("masking", "window"), ("n_heads", 2), ("output", True), ("scale", False), ("temperature", 0.5),
    ("positions", "sinusoidal"), ("positions", "rotary"), ("positions", "relative"), ("embedding_factor", True),
    ("weighting", "linear"), ("reads", "second"), ("d_ff", 8), ("n_kv_heads", 1),
]  # fmt: skip


@pytest.mark.parametrize(("control", "value"), CONTROLS)
def test_a_control_changes_the_computation(playground: Playground, control: str, value: Any) -> None:
    """By an address, all at once do so in tests/pages/session/test_golden_links.py."""
    assert playground.set(control, value).shows(Scenario(**({"embedding": "published"} | {control: value})))


def test_every_control_of_the_computation_is_tried_here() -> None:
    at = AppTest.from_file(SCRIPT, default_timeout=60).run()
    widgets = [*at.number_input, *at.selectbox, *at.toggle]
    controls = {str(widget.key) for widget in widgets if not str(widget.key).startswith("setup.")}
    others = {"digits", "device", "activation", "norm", "n_layers", "mask_size", "mask_use", "same_layers"}
    assert controls - others == {control for control, _ in CONTROLS} - {"text"}


def test_choices_are_made_by_their_names_and_links_keep_their_own(playground: Playground) -> None:
    def hidden() -> list[bool]:
        bodies = [each.proto.body for each in playground.at.get("html")]
        return [any(f".st-key-setup_{name} {{" in body for body in bodies) for name in ("size", "mask_use")]

    hides = [hidden()]
    for control, value in (("masking", "window"), ("mask_use", "factor")):
        named = parameters()[control].called
        assert playground.at.selectbox(key=f"setup.{control}").options == [*map(named, CHOICES[control])]
        playground.set(f"setup.{control}", value)
        assert in_address(playground.at, control) == value
        hides.append(hidden())
    # How many tokens a mask hides, where it counts none, and how they are hidden, where none are.
    assert hides == [[True, True], [False, False], [False, False]]
    playground.set("setup.masking", "none")
    assert hidden() == [True, True]
    assert in_address(playground.at, "mask_use") == "factor"
    playground.set("setup.masking", "window")
    assert playground.shows(Scenario(embedding="published", masking="window", mask_use="factor"))


def test_a_device_is_called_by_a_readable_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(set_up, "available_devices", lambda: {"cpu": "CPU", "cuda:0": "cuda:0 (NVIDIA H200)"})
    device = parameters()["device"]
    assert [*map(device.called, ("cpu", "cuda:0", "cuda:1"))] == ["CPU", "cuda:0 (NVIDIA H200)", "cuda:1"]


def test_a_choice_that_a_page_made_as_its_server_went_counts(playground: Playground) -> None:
    asked, anew = playground.at.session_state["session"].address.query, AppTest.from_file(SCRIPT, default_timeout=60)
    states = playground.at._tree.get_widget_states()
    for each in states.widgets:
        if each.id.endswith("-setup.positions"):
            each.string_value = parameters()["positions"].called("rotary")
    ids = [each.proto.id for each in playground.at.get("bidi_component")]
    (receiver,) = [id for id in ids if id.endswith("-address.receiver")]
    states.widgets.add(id=receiver, json_value=json.dumps({"said": {"query": urlencode(asked), "taken": ""}}))
    anew.query_params.update(asked)
    anew._run(states)
    assert in_address(anew, "positions") == anew.selectbox(key="setup.positions").value == "rotary"


@pytest.mark.parametrize("address", [{}, {"temperature": "0.2", "query": "3"}, {"n_heads": "2", "causal": "true"},
                                     {"example": OPENING, "what_if": "softmax:sums"}])  # fmt: skip
def test_beside_the_temperature_stands_how_many_tokens_the_picked_row_reads(address: dict[str, str]) -> None:
    playground = Playground(**address)
    values, query = read_controls(address)[0], int(address.get("query", "1"))
    row = trace(scenario_of(values)).for_head(0).attention_weights[query].double()
    told = [each for each in playground.captions if each.startswith("The picked token's attention")]
    read = significant(float(torch.special.entr(row).sum().exp()), 3)
    assert told == ([] if "what_if" in address else [say("setup.temperature.read", read=read, n=6)])


@pytest.mark.parametrize(("control", "value"), [("norm", "pre"), ("norm", "sums"), ("n_layers", 2)])
def test_a_block_or_another_layer_stands_as_soon_as_it_fits(playground: Playground, control: str, value: Any) -> None:
    playground.set(control, value)
    assert any("Take d_out = 3" in message for message in playground.messages)
    assert playground.shows(Scenario(embedding="published"))
    playground.set("d_out", 3)
    assert playground.messages == []
    assert playground.shows(Scenario(embedding="published", d_out=3, **{control: value}))


def test_the_digits_are_those_of_cells_editor_sentence_and_hover(playground: Playground) -> None:
    playground.set("digits", 2)
    assert playground.sentence == "Random numbers, so this means nothing: “journey” happens to read itself most."
    assert {chart.digits for chart in playground.charts.values()} == {2}
    assert playground.editor.iloc[0, 0] == "0.30"
    assert playground.shows(Scenario(embedding="published"))


def test_examples_fill_the_sentence(playground: Playground) -> None:
    examples = [button.label for button in playground.at.button if (button.key or "").startswith("setup.example.")]
    assert "the cat sat on the mat" in examples
    for example in examples:
        playground.press(example)
        assert playground.at.text_input(key="text").value == example
        assert playground.matrix("scores").shape == (len(tokenize(example)),) * 2


def test_a_new_seed_draws_other_matrices_and_start_over_leads_back_to_what_the_app_opens_with(
    playground: Playground,
) -> None:
    playground.press("New seed")
    assert playground.value("seed") != 123 or playground.press("New seed").value("seed") != 123
    assert playground.shows(Scenario(embedding="published", seed=playground.value("seed")))
    playground.type_sentence("a b c").set("d_in", 4).set("seed", 5).set("causal", True).set("temperature", 2.0)
    playground.set("tokenizer", "characters").set("embedding", "table").set("digits", 1).edit("w_q", 0, 0, 9.0)
    playground.press("Start over")
    opening = starting_points()[OPENING].scenario
    assert playground.shows(opening)
    assert playground.sentence == attends_most(trace(opening), 1, 4)


def test_known_words_keep_their_published_vectors_and_the_page_says_which_are_new(playground: Playground) -> None:
    before = playground.matrix("x")
    playground.type_sentence("Your long journey starts")
    np.testing.assert_array_equal(playground.matrix("x")[[0, 2, 3]], before[[0, 1, 2]])
    said = "3 of 4 tokens have published vectors (double rim); those of the others are drawn from seed 123."
    assert said in playground.captions
    playground.set("d_in", 4)
    assert "The vector of each token is drawn from its text, d_in and seed 123." in playground.captions
    playground.set("embedding", "table")
    assert "The vectors are rows of nn.Embedding, drawn from seed 123." in playground.captions


def test_a_causal_mask_is_marked_and_explained(playground: Playground) -> None:
    playground.set("causal", True)
    assert playground.signs("scaled_scores") == {"−∞, masked": 15}
    assert playground.signs("attention_weights") == {"0, masked": 15}
    explained = "15 of 36 scaled scores are masked (−∞): no token may read a later one."
    assert any(explained in caption for caption in playground.captions)
    assert "15 cells are masked or hold no finite numbers." in playground.charts["scaled_scores"].alt
    assert all("Values from" in chart.alt for chart in playground.charts.values())


def test_a_picked_token_stands_out_in_every_row_of_its_own() -> None:
    playground = Playground(query="4")
    assert ": “one” happens to read " in playground.sentence
    for name in ("q", "k", "v", "scores", "scaled_scores", "attention_weights", "context"):
        assert playground.charts[name].rows[playground.charts[name].query] == "one"


def test_the_switch_of_the_feed_forward_step_sets_d_ff_and_takes_it_away(playground: Playground) -> None:
    at = playground.at
    assert (at.toggle(key="setup.feed_forward").value, at.number_input(key="d_ff").value) == (False, None)
    at.toggle(key="setup.feed_forward").set_value(True).run()
    assert at.number_input(key="d_ff").value == 8
    assert playground.set("activation", "gelu").shows(Scenario(embedding="published", d_ff=8, activation="gelu"))
    playground.set("d_ff", None)
    assert not at.toggle(key="setup.feed_forward").value
    at.toggle(key="setup.feed_forward").set_value(True).run()
    at.toggle(key="setup.feed_forward").set_value(False).run()
    assert playground.shows(Scenario(embedding="published"))
