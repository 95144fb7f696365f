"""Tests of everything that knows kinds, run in a copy of the package that has a made-up kind of each sort."""

from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qsl

import numpy as np
import pytest
import torch

import attnviz
from attnviz import Scenario, SelfAttention, explain, trace
from attnviz.colours.palette import scale_style
from attnviz.core.carry_over import carry_over
from attnviz.core.changes import changes_of
from attnviz.core.masks import MASKS
from attnviz.core.seeding import INITIALIZATIONS
from attnviz.core.tokens import tokenize
from attnviz.core.what_if import WhatIf
from attnviz.documents import report
from attnviz.explanation.masking import what_if_notes
from attnviz.export import notebook
from attnviz.features.check.marking import Marking, Printed, mark_pipeline, verdict
from attnviz.features.explore.switch_predictions import turned
from attnviz.features.scaling.in_words import about_source, said_source
from attnviz.features.sweeps.settings import SweepSettings, decode_settings, encode_settings
from attnviz.features.sweeps.sources import SOURCES
from attnviz.link.set_up import query_of
from attnviz.words import say
from tests.features.scaling.pages.scaling_page import ScalingPage
from tests.node import PageScript
from tests.pages.playground import Playground
from tests.pages.reader import Reader
from tests.unit.rules.test_surfaces import SURFACES, on_board

TEXT = "the cat sat on a mat"
STRIPED = Scenario(TEXT, mask="striped", d_out=3, seed=7)
COMMAS = Scenario("the cat,sat,on a mat", tokenizer="commas", seed=7)
COUNTED = Scenario(TEXT, positions="counted", seed=7)
HALVING = Scenario(TEXT, what_if="halving:twice", causal=True, seed=7)
HALVED = Scenario("the cat sat", init="halved", seed=7, bias=True, d_v=3)
MADE_UP = {"masking": STRIPED, "tokenizer": COMMAS, "positions": COUNTED, "what_if": HALVING, "init": HALVED}
each = pytest.mark.parametrize("scenario", MADE_UP.values(), ids=MADE_UP)
PLACES = np.subtract.outer(np.arange(6), np.arange(6))
HIDDEN = (PLACES > 0) & (PLACES % 2 == 0)
SOURCE = "halved-projections"
X = [[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64]]


def test_the_package_is_the_copy() -> None:
    assert Path(attnviz.__file__).parents[1] == Path.cwd()


def test_they_do_what_they_say() -> None:
    assert np.array_equal(trace(STRIPED).is_hidden, HIDDEN)
    assert tokenize("the cat,sat", "commas") == ("the cat", "sat")
    assert trace(COUNTED)["p"][:, 0].tolist() == [0, 1, 2, 3, 4, 5]
    usual = trace(Scenario(TEXT, causal=True, seed=7))
    torch.testing.assert_close(trace(HALVING).scaled_scores, usual.scaled_scores / 2)
    assert trace(HALVING).switched_on == ("halving.twice",)
    torch.manual_seed(7)
    for name, width in (("w_q", 2), ("w_k", 2), ("w_v", 3)):
        assert torch.equal(HALVED.matrix(name), torch.rand(3, width) / 2)
    module = SelfAttention(3, 2, init="halved", seed=7, bias=True, d_v=3)
    assert torch.equal(module.w_k, HALVED.matrix("w_k"))
    edited = Scenario("the cat sat", init="halved", edits=[("w_q", 0, 0, 1.0)])
    kept, dropped = carry_over(changes_of(edited), edited, Scenario("the cat sat"))
    assert (len(kept.edits), len(dropped.edits)) == (0, 1)


@each
def test_it_has_the_numbers_of_the_trace_wherever_it_stands(scenario: Scenario, script: PageScript) -> None:
    for surface in SURFACES.values():
        surface(scenario, trace(scenario))
    told = on_board(script, scenario, trace(scenario), 4, lambda rows, columns: (min(4, rows - 1), min(2, columns - 1)))
    words = {each.matrix: each.words for each in told}
    assert scenario != STRIPED or "stands at an even distance before" in words["scaled_scores"]
    assert scenario != STRIPED or "stripes" in words["mask"]
    drawn = say("explanation.given.origin", origin=say("origins.drawn", function="torch.rand / 2", seed=7))
    assert (words["w_q"] == drawn) == (scenario == HALVED)
    assert ("torch.rand(d_in, d_k) / 2" in notebook(scenario)) == (scenario == HALVED)


def test_a_place_says_where_it_is_from_and_a_switch_what_it_does() -> None:
    assert "the number of its place, 3" in explain(trace(COUNTED), "p", 3, 0, scenario=COUNTED).words
    assert "Their places are counted." in report(COUNTED, trace(COUNTED))
    assert what_if_notes(trace(HALVING)) == ["Not what attention does: scores are halved."]


@each
def test_it_is_marked_but_for_a_switch_for_what_is_marked_is_attention(scenario: Scenario) -> None:
    made = trace(scenario)
    names = ("e", "p", "x", "w_q", "w_k", "w_v", "b_q", "b_k", "b_v", "q", "k", "v", "attention_weights", "context")
    tables = {name: made[name].double().numpy().round(6) for name in names if name in made.matrices}

    def marked(mask: str | None = None) -> Marking:
        return mark_pipeline({name: Printed.of(table, 6) for name, table in tables.items()}, mask=mask)

    found = marked()
    assert bool(found.n_not_right) == (scenario == HALVING)
    if scenario == STRIPED:
        assert found.masked
        assert found.masked.kind == MASKS["striped"]
        assert any("stripes" in each for each in verdict(found).reading)
        assert marked(mask="striped").n_not_right == 0
        assert marked(mask="none").n_not_right
    tables["x" if "p" in tables else "q"][1, 0] += 0.5
    wrong = marked().first_wrong
    assert wrong is not None
    assert (wrong[0].stage.name, *wrong[1:]) == ("x" if "p" in tables else "q", 1, 0)


# Pages


@pytest.mark.parametrize("view", ["board", "heatmaps"])
def test_the_set_up_offers_and_explains_them(view: str) -> None:
    offered = {"masking": "striped", "tokenizer": "commas", "positions": "counted", "init": "halved"}
    page = Playground(view=view, **offered)
    for name, value in offered.items():
        assert value in page.at.selectbox(key=name).options
        assert say(f"setup.{name}.choices.{value}.means") in [each.value for each in page.at.caption]
        assert page.value(name) == value
    for other in ("lesson", "compare", "questions", "check"):
        assert Reader(f"pages/{other}.py", init="halved").value("init") == "halved"


def test_the_panel_offers_the_switch_and_asks_before_it_is_turned() -> None:
    page = Playground(**dict(parse_qsl(query_of(replace(HALVING, what_if="")))))
    page.at.session_state["playground.what_if"] = True
    page.run().set("what_if.halving", "twice")
    asked = turned(replace(HALVING, what_if=""), WhatIf.read("halving:twice"), "halving.twice", 1)
    assert asked is not None
    assert asked.asks in page.says
    assert asked.wrong["same"] == "Scores are halved."


def test_the_scaling_page_sweeps_an_initialization_and_compares_it() -> None:
    assert SOURCE in SOURCES
    assert "torch.rand / 2" in said_source(SOURCE)
    settings = SweepSettings(source=SOURCE, dims=(2, 8), trials=50)
    assert decode_settings(encode_settings(settings)) == (settings, [])
    table = attnviz.sweep_scaling((2, 8), 2000, 0, source=SOURCE, x=X, scales=("none",))
    assert table.expected_variance.between(table.variance_low, table.variance_high).all()
    assert about_source(SOURCE, X, 8).startswith(say("scaling.theory.shared", mean="0.25", share="", dim=8)[:100])
    page = ScalingPage(settings)
    assert page.settings == settings
    (control,) = [box for box in page.at.selectbox if said_source(SOURCE) in box.options]
    assert control.value == SOURCE
    assert any("torch.rand / 2: " in text for text in page.texts)
    styles = [scale_style(init.written, dark=False) for init in INITIALIZATIONS.values()]
    assert len({style[:3] for style in styles}) == len(styles)
    assert styles[0].label == "torch.rand / 2"
