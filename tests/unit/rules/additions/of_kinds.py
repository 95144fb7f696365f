"""Run in a copy of the package with a made-up kind of mask, tokenizer, position and switch: all that knows of them."""

from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest
import torch

import attnviz
from attnviz import Scenario, explain, trace
from attnviz.board.data import board_data
from attnviz.core.masks import MASKS
from attnviz.core.tokens import tokenize
from attnviz.core.what_if import WhatIf
from attnviz.documents import report
from attnviz.explanation.masking import what_if_notes
from attnviz.export import notebook, pytorch_script, scenario_from_json, scenario_json
from attnviz.link.set_up import query_of, scenario_from_query
from attnviz.marking import Printed, mark_pipeline, verdict
from attnviz.teach.switched import turned
from tests.node import PageScript
from tests.pages.playground import Playground
from tests.unit.rules.test_additions import EXPLAINED

TEXT = "the cat sat on a mat"
STRIPED = Scenario(TEXT, mask="striped", d_out=3, seed=7)
COMMAS = Scenario("the cat,sat,on a mat", tokenizer="commas", seed=7)
COUNTED = Scenario(TEXT, positions="counted", seed=7)
HALVING = Scenario(TEXT, what_if="halving:twice", causal=True, seed=7)
MADE_UP = {"masking": STRIPED, "tokenizer": COMMAS, "positions": COUNTED, "what_if": HALVING}
each = pytest.mark.parametrize("scenario", MADE_UP.values(), ids=MADE_UP)
PLACES = np.subtract.outer(np.arange(6), np.arange(6))
HIDDEN = (PLACES > 0) & (PLACES % 2 == 0)


def test_the_package_is_the_copy() -> None:
    assert Path(attnviz.__file__).parents[1] == Path.cwd()


def test_they_do_what_they_say() -> None:
    assert np.array_equal(trace(STRIPED).is_hidden, HIDDEN)
    assert tokenize("the cat,sat", "commas") == ("the cat", "sat")
    assert trace(COUNTED)["p"][:, 0].tolist() == [0, 1, 2, 3, 4, 5]
    usual = trace(Scenario(TEXT, causal=True, seed=7))
    torch.testing.assert_close(trace(HALVING).scaled_scores, usual.scaled_scores / 2)
    assert trace(HALVING).switched_on == ("halving.twice",)


@each
def test_they_travel_in_links_and_files(scenario: Scenario) -> None:
    assert scenario_from_query(query_of(scenario)) == (scenario, [])
    assert scenario_from_json(scenario_json(scenario)) == scenario


@each
def test_exported_code_has_the_same_numbers(scenario: Scenario) -> None:
    names: dict[str, Any] = {"print": lambda *_, **__: None}
    exec(pytorch_script(scenario), names)
    torch.testing.assert_close(names["context"], trace(scenario).context)
    assert notebook(scenario)
    assert report(scenario, trace(scenario))


def test_the_set_up_offers_and_explains_them() -> None:
    offered = {"masking": "striped", "tokenizer": "commas", "positions": "counted"}
    page = Playground(view="heatmaps", **offered)
    for name, value in offered.items():
        assert value in page.at.selectbox(key=name).options
        assert f"{value}:" in (page.at.selectbox(key=name).help or f"{value}:")
        assert page.value(name) == value


def test_the_panel_offers_the_switch_and_asks_before_it_is_turned() -> None:
    page = Playground(**dict(parse_qsl(query_of(replace(HALVING, what_if="")))))
    page.at.session_state["playground.what_if"] = True
    page.run().set("what_if.halving", "twice")
    asked = turned(replace(HALVING, what_if=""), WhatIf.read("halving:twice"), "halving.twice", 1)
    assert asked is not None
    assert asked.asks in page.says
    assert asked.wrong["same"] == "Scores are halved."


@each
def test_a_cell_is_explained_here_and_on_the_board(scenario: Scenario, script: PageScript) -> None:
    made = trace(scenario)
    at = min(4, len(made.tokens) - 1), 2
    place = {"matrix": "scaled_scores", "row": at[0], "column": 2}
    explained, data = explain(made, "scaled_scores", *at), board_data(scenario, made, 0, 4)
    assert script.run(EXPLAINED, [data, place]) == explained.text
    assert scenario != STRIPED or "stands at an even distance before" in explained.words
    assert scenario != STRIPED or "stripes" in explain(made, "mask", *at, scenario=scenario).words


def test_a_place_says_where_it_is_from_and_a_switch_what_it_does() -> None:
    assert "the number of its place, 3" in explain(trace(COUNTED), "p", 3, 0, scenario=COUNTED).words
    assert "Their places are counted." in report(COUNTED, trace(COUNTED))
    assert what_if_notes(trace(HALVING)) == ["Not what attention does: scores are halved."]


def test_it_is_marked() -> None:
    made = trace(STRIPED)
    tables = {name: Printed.of(made[name].double().numpy().round(6), 6) for name in ("q", "k", "v", "context")}
    weights = {"attention_weights": Printed.of(made.attention_weights.double().numpy().round(6), 6)}
    assert mark_pipeline(tables, mask="striped").n_not_right == 0
    found = mark_pipeline(tables | weights)
    assert (found.n_not_right, found.masked and found.masked.kind) == (0, MASKS["striped"])
    assert any("stripes" in each for each in verdict(found).reading)
    assert mark_pipeline(tables, mask="none").n_not_right
