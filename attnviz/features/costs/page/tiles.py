"""A slider through the tiles of a row, and their savings."""

from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from attnviz.app.session.component import component
from attnviz.app.session.url_texts import picked_query, traced_in_view
from attnviz.core.scenario import Scenario, traced
from attnviz.features.costs.row_in_tiles import MOST_KEYS_DRAWN, RowInTiles, row_in_tiles
from attnviz.features.costs.traffic import HEAD_WIDTH, TILE, TOKENS, in_tiles, whole
from attnviz.published import OPENING, starting_points
from attnviz.words import plural, say, thousands
from attnviz.words.numbers import written

_SIZES, _DEFAULT = (1, 2, 3, 4, 8), 2
_DIGITS = 2  # of scores and bars
_tiles = component(
    "tiles",
    '<div class="tiles"><label class="at"><span class="label"></span><input type="range" min="0" step="1" value="0">'
    '<output aria-hidden="true"></output></label><ol class="keys"></ol><p class="told"></p>'
    '<dl class="sums"></dl></div>',
    Path(__file__).with_suffix(".js"),
)


def show_tiles(scenario: Scenario | None) -> None:
    """Draw the picked token's row, or an example's, tile by tile."""
    st.markdown(f"## {say('costs.tiles.heading')}")
    st.text(say("costs.tiles.about"))
    size = st.segmented_control(say("costs.tiles.size"), _SIZES, default=_DEFAULT, required=True,
                                key="costs.tiles.size", persist_state="session")  # fmt: skip
    row = None if scenario is None else row_in_tiles(traced_in_view(scenario), picked_query(scenario), size or _DEFAULT)
    if is_example := row is None:
        example = traced(starting_points()[OPENING].scenario).for_head(0)
        row = row_in_tiles(example, 1, size or _DEFAULT)
        assert row is not None
    with st.container(key="costs_tiles"):
        _tiles(key="costs.tiles", data=_sent(row))
    told = say("costs.tiles.of_row", token=row.token)
    st.caption(f"{say('costs.tiles.example', most=MOST_KEYS_DRAWN)} {told}" if is_example and scenario else told)


def _sent(row: RowInTiles) -> dict[str, Any]:
    """Return the data for the script."""
    steps = []
    for at, step in enumerate(row.steps):
        bars = row.bars(at)
        steps.append(
            {
                "start": step.start,
                "stop": step.stop,
                "bars": bars,
                "weights": [written(bar, _DIGITS) for bar in bars],
                "numbers": row.numbers(at),
                "told": row.told(at),
                "name": row.name_of(at),
            }
        )
    return {
        "keys": [*row.keys],
        "scores": [written(float(score), _DIGITS) for score in row.scores],
        "titles": {name: say(f"costs.tiles.{name}") for name in row.numbers(0)},
        "label": say("costs.tiles.slider"),
        "steps": steps,
    }


def show_traffic() -> None:
    """Say what tiles save, with counted numbers."""
    st.markdown(f"### {say('costs.traffic.heading')}")
    st.text(say("costs.traffic.why"))
    st.text(say("costs.traffic.of", width=HEAD_WIDTH, rows=TILE, n=plural(TOKENS, "token")))
    rows = {"whole": whole(TOKENS, HEAD_WIDTH), "tiled": in_tiles(TOKENS, HEAD_WIDTH, TILE, TILE)}
    table = [
        {say("costs.traffic.way"): say(f"costs.traffic.{name}")}
        | {say(f"costs.traffic.{key}"): thousands(value) for key, value in work._asdict().items()}
        for name, work in rows.items()
    ]
    st.table(pd.DataFrame(table).set_index(say("costs.traffic.way")))
