"""Run in a copy of the package to which the initialization "halved" was added: all places that know initializations."""

from pathlib import Path
from typing import Any

import pytest
import torch

import attnviz
from attnviz import Scenario, SelfAttention, explain, trace
from attnviz.colours.palette import scale_style
from attnviz.core.carried import carry_over
from attnviz.core.changes import changes_of
from attnviz.core.seeding import INITIALIZATIONS
from attnviz.documents import report
from attnviz.export import notebook, pytorch_script, scenario_from_json, scenario_json
from attnviz.link.set_up import query_of, scenario_from_query
from attnviz.scaling.in_words import about_source, said_source
from attnviz.scaling.settings import SweepSettings, decode_settings, encode_settings
from attnviz.scaling.sources import SOURCES
from attnviz.words import say
from tests.pages.playground import Playground
from tests.pages.reader import Reader
from tests.pages.scaling_page import ScalingPage

HALVED = Scenario("the cat sat", init="halved", seed=7, bias=True, d_v=3)
SOURCE = "halved-projections"
X = [[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64]]


def test_the_package_is_the_copy() -> None:
    assert Path(attnviz.__file__).parents[1] == Path.cwd()
    assert "halved" in INITIALIZATIONS


def test_it_draws() -> None:
    torch.manual_seed(7)
    for name, width in (("w_q", 2), ("w_k", 2), ("w_v", 3)):
        assert torch.equal(HALVED.matrix(name), torch.rand(3, width) / 2)
    module = SelfAttention(3, 2, init="halved", seed=7, bias=True, d_v=3)
    assert torch.equal(module.w_k, HALVED.matrix("w_k"))


def test_a_change_of_it_drops_edits() -> None:
    edited = Scenario("the cat sat", init="halved", edits=[("w_q", 0, 0, 1.0)])
    kept, dropped = carry_over(changes_of(edited), edited, Scenario("the cat sat"))
    assert (len(kept.edits), len(dropped.edits)) == (0, 1)


def test_it_travels_in_links_and_files() -> None:
    assert scenario_from_query(query_of(HALVED)) == (HALVED, [])
    assert scenario_from_json(scenario_json(HALVED)) == HALVED


def test_exported_code_draws_it() -> None:
    names: dict[str, Any] = {}
    exec(pytorch_script(HALVED), names)
    assert torch.equal(names["context"], trace(HALVED).context)
    assert "torch.rand(d_in, d_k) / 2" in notebook(HALVED)


def test_a_cell_says_how_it_was_drawn() -> None:
    words = explain(trace(HALVED), "w_q", 0, 1, scenario=HALVED).words
    assert words == say("explanation.given.origin", origin=say("origins.drawn", function="torch.rand / 2", seed=7))
    assert "halved" in report(HALVED, trace(HALVED))


@pytest.mark.parametrize("view", ["board", "heatmaps"])
def test_the_set_up_offers_and_explains_it(view: str) -> None:
    page = Playground(view=view)
    assert "halved" in page.at.selectbox(key="init").options
    assert "halved:" in page.at.selectbox(key="init").help
    page.set("init", "halved")
    opened = Playground(view="heatmaps", init="halved")
    assert opened.shows(Scenario(embedding="published", init="halved"))


def test_the_scaling_page_sweeps_it() -> None:
    assert SOURCE in SOURCES
    assert "torch.rand / 2" in said_source(SOURCE)
    settings = SweepSettings(source=SOURCE, dims=(2, 8), trials=50)
    assert decode_settings(encode_settings(settings)) == (settings, [])
    table = attnviz.sweep_scaling((2, 8), 2000, 0, source=SOURCE, x=X, scales=("none",))
    assert table.expected_variance.between(table.variance_low, table.variance_high).all()
    assert about_source(SOURCE, X, 8).startswith(say("scaling.theory.shared", mean="0.25", share="", dim=8)[:100])
    assert ScalingPage(settings).settings == settings
    (control,) = [box for box in ScalingPage(settings).at.selectbox if said_source(SOURCE) in box.options]
    assert control.value == SOURCE


def test_the_comparison_of_initializations_shows_it() -> None:
    page = ScalingPage()
    assert any("torch.rand / 2: " in text for text in page.texts)
    styles = [scale_style(init.written, dark=False) for init in INITIALIZATIONS.values()]
    assert len({style[:3] for style in styles}) == len(styles)
    assert styles[0].label == "torch.rand / 2"


def test_no_page_breaks() -> None:
    for page in ("lesson", "compare", "questions", "check"):
        assert Reader(f"pages/{page}.py", init="halved").value("init") == "halved"
