"""A mask painted by hand, beside four ways to apply it."""

from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st
from torch import Tensor, tensor

from attnviz.app.parts.charts import show_figure
from attnviz.app.parts.predicting import ask, prediction, show_outcome
from attnviz.app.session import state
from attnviz.app.session.component import component
from attnviz.app.session.session import this_session
from attnviz.app.session.url_texts import picked_head, picked_layer
from attnviz.app.text import is_dark, message_of
from attnviz.core.scenario import Scenario, traced
from attnviz.core.stages import WEIGHTINGS
from attnviz.core.tokens import token_labels
from attnviz.documents import table_svg
from attnviz.features.explore.mask_experiments import SHAPES, in_each_way, leaked, of_ways, painted, shaped
from attnviz.features.explore.page.replaced import ASKED, ask_first
from attnviz.figures.small_tables import Table
from attnviz.words import say
from attnviz.words.numbers import written

MOST = 16  # no mask is painted for more tokens
_CELL, _WIDE = 28, 290  # pixels: a cell's least width, and the width of all from which their names are vertical
_BESIDE, _SAID = 30, 220  # pixels: the widths of cells and of the text, for the four matrices side by side
_KEY = "what_if.mask"
_painter = component("mask_painter", '<div class="painter" role="grid"></div>', Path(__file__).with_suffix(".js"))


def show_mask(scenario: Scenario) -> None:
    """Draw the mask to paint, preset shapes, and each way's result."""
    if scenario.what_if or not WEIGHTINGS[scenario.weighting].exponential or max(map(len, _axes(scenario))) > MOST:
        st.text(say("what_if.mask.not_here", most=MOST))
        return
    names, read = _axes(scenario)
    hidden = _hidden(scenario)
    with st.container(horizontal=True, vertical_alignment="center", key="what_if_mask_shapes"):
        for shape in SHAPES:
            st.button(say(f"what_if.mask.{shape}"), key=f"{_KEY}.{shape}", on_click=_paint,
                      args=(scenario, shaped(shape, len(names), len(read), scenario.n_memory)))  # fmt: skip
    with st.container(horizontal=True, gap="medium", key="what_if_mask"):
        width = sum(max(_CELL, 8 + 7 * len(name)) for name in read)
        turned = width > _WIDE
        data = {"rows": names, "columns": read, "hidden": hidden.int().tolist(), "turned": turned,
                "label": say("what_if.mask.paint")}  # fmt: skip
        _painter(key=_KEY, data=data, width=90 + (_CELL * len(read) if turned else width),
                 on_hidden_change=lambda: _take(scenario))  # fmt: skip
        ways = _predicted_ways(scenario, hidden) if bool(hidden.any()) else {}
    with st.container(horizontal=True, gap="xsmall", key="what_if_mask_ways"):
        for way, weights in ways.items():
            table = Table(say(f"what_if.mask.way.{way}"), weights, "share", names, read, limit=1.0)
            with st.container(width="content", gap="xsmall"):
                show_figure(table_svg(table, 2, dark=is_dark(), cell=_BESIDE), f"{_KEY}.{way}")
                st.text(_said(weights, hidden), width=_SAID)


def _axes(scenario: Scenario) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return token_labels(scenario.tokens, 12), token_labels(scenario.read_tokens, 12)


def _hidden(scenario: Scenario) -> Tensor:
    """Return which cells the mask of a scenario hides now."""
    found = traced(scenario).for_head(picked_head(scenario), picked_layer(scenario)).masked_in("attention_weights")
    shape = len(scenario.tokens), len(scenario.read_tokens)
    return tensor(np.zeros(shape, bool) if found is None else np.array(found, bool))


def _predicted_ways(scenario: Scenario, hidden: Tensor) -> dict[str, Tensor]:
    """Ask what each way leaves; return the results once it's predicted."""
    made = prediction("mask-ways")
    if not made and this_session().get(ASKED) != _KEY:
        st.button(say("what_if.mask.try"), key=f"{_KEY}.try", on_click=ask_first, args=(_KEY,))
        return {}
    ways = {
        way: trace.for_head(picked_head(scenario), picked_layer(scenario)).attention_weights
        for way, trace in in_each_way(scenario, hidden).items()
    }
    with st.container(key="what_if_mask_asked", gap="xsmall"):
        (show_outcome if made else ask)(of_ways(ways, hidden))
    return ways if made else {}


def _said(weights: Tensor, hidden: Tensor) -> str:
    """Say what share hidden keys get, and whether rows sum to 1."""
    if not bool(weights.isfinite().all()):
        return say("what_if.mask.undefined")
    share, sums = leaked(weights, hidden), weights.sum(-1)
    kind = "leaks" if share > 0 else "tight"
    said = [say(f"what_if.mask.{kind}", share=written(100 * share, 1))]
    if float((sums - 1).abs().max()) > 1e-3:
        said.append(say("what_if.mask.sums", least=written(float(sums.min()), 2)))
    return " ".join(said)


def _take(scenario: Scenario) -> None:
    """Take what the reader painted; a forged message is ignored."""
    rows: Any = this_session().get(_KEY, {}).get("hidden")
    names, read = _axes(scenario)
    if (
        isinstance(rows, list)
        and len(rows) == len(names)
        and all(isinstance(row, list) and len(row) == len(read) for row in rows)
    ):
        _paint(scenario, tensor([[cell == 1 for cell in row] for row in rows]))


def _paint(scenario: Scenario, hidden: Tensor) -> None:
    """Make the hidden cells the set-up's mask."""
    try:
        state.adopt(painted(scenario, hidden))
    except ValueError as error:
        state.add_message(message_of(error))
