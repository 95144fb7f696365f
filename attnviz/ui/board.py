"""The board: the whole computation as one component, editable in place."""

import math
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import streamlit as st
import torch

from attnviz.attention import AttentionTrace
from attnviz.changes import Changes, changes_of, with_changes
from attnviz.figures.limits import colour_limits
from attnviz.figures.palette import DIVERGING, SEQUENTIAL, STAGE_COLOURS, Scale
from attnviz.numbers import written
from attnviz.scenario import Edit, Scenario
from attnviz.stages import STAGES, formula_of
from attnviz.summary import vectors_in_words
from attnviz.tokens import token_labels
from attnviz.ui import state
from attnviz.ui.typed import scenario_now

Change = Callable[[Scenario], Scenario]

FITS = 16  # tokens, and columns of any matrix, up to which every cell can be shown with its number
_HERE = Path(__file__).parent
# Lines of columns of matrices that stand under each other.
_LAYOUT = (
    (("x",), ("w_q", "b_q"), ("w_k", "b_k"), ("w_v", "b_v"), ("q",), ("k",), ("v",)),
    (("scores",), ("scaled_scores",), ("attention_weights",)),
    (("context",),),
)

_board = st.components.v2.component(
    "attnviz_board",
    html='<div class="board"></div>',
    css=(_HERE / "board.css").read_text(),
    js=(_HERE / "evaluate.js").read_text() + (_HERE / "board.js").read_text(),
)


def fits_board(scenario: Scenario) -> bool:
    """Whether all cells of a scenario can be shown with their numbers."""
    return max(len(scenario.tokens), scenario.d_in, *scenario.shape_of("w_q"), *scenario.shape_of("w_v")) <= FITS


def show_board(
    scenario: Scenario,
    trace: AttentionTrace,
    query: int,
    *,
    names: tuple[str, ...] = tuple(STAGES),
    lit: tuple[str, int, int] | None = None,
    key: str = "playground.board",
    make: Callable[[Change], None] | None = None,
) -> None:
    """Draw these matrices of a trace as a board, with the sources of one cell `lit`.

    What is edited on it becomes edits of the scenario of now, or of the one that `make` applies a change to.
    """
    make = make or _change_scenario_of_now
    _board(
        key=key,
        data=_data(scenario, trace, query, names)
        | {"lit": lit and dict(zip(("matrix", "row", "column"), lit, strict=True))},
        on_edits_change=lambda: _take_edits(key, make),
        on_reset_change=lambda: _take_reset(key, make),
    )


def _data(scenario: Scenario, trace: AttentionTrace, query: int, shown: tuple[str, ...]) -> dict[str, Any]:
    names = [name for name in STAGES if getattr(trace, name) is not None]
    settings: dict[str, Any] = {"scale": trace.scale, "temperature": trace.temperature, "causal": trace.causal}
    bias = trace.b_q is not None
    return {
        "stages": [asdict(STAGES[name]) | _drawn(name) for name in names],
        "layout": _layout([name for name in names if name in shown], len(shown) < len(STAGES)),
        "titles": {name: formula_of(STAGES[name], bias=bias, **settings) for name in names},
        "matrices": {name: _matrix(getattr(trace, name)) for name in names},
        "limits": {name: colour_limits(trace, name) for name in names},
        "scales": {"sequential": _rgb(SEQUENTIAL), "diverging": _rgb(DIVERGING)},
        "labels": list(token_labels(trace.tokens)),
        "edited": [f"{edit.matrix},{edit.row},{edit.column}" for edit in scenario.edits],
        "origins": _origins(scenario, names),
        "mix": ["attention_weights", "v"] if "context" in shown else None,
        "query": query,
        "causal": trace.causal,
        "divisor": trace.divisor,
        "divisorText": _divisor_text(trace),
        "digits": state.digits(),
    }


def _layout(names: list[str], few: bool) -> list[list[list[str]]]:
    if few:
        return [[[name] for name in names]]
    return [[[name for name in column if name in names] for column in line] for line in _LAYOUT]


def _drawn(name: str) -> dict[str, Any]:
    scale = "sequential" if STAGES[name].colours == "attention" else "diverging"
    return {"scale": scale, "colour": STAGE_COLOURS.get(name)}


def _matrix(tensor: torch.Tensor) -> dict[str, Any]:
    rows, columns = tensor.shape if tensor.dim() == 2 else (1, len(tensor))
    # JSON has no infinities and no NaN: these travel as the words that JavaScript's Number reads.
    values = [value if math.isfinite(value) else _word(value) for value in tensor.flatten().tolist()]
    return {"rows": rows, "columns": columns, "values": values}


def _word(value: float) -> str:
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _rgb(scale: Scale) -> list[tuple[float, list[int]]]:
    return [(at, [int(colour[i : i + 2], 16) for i in (1, 3, 5)]) for at, colour in scale]


def _divisor_text(trace: AttentionTrace) -> str:
    digits, d_k = state.digits(), trace.q.shape[-1]
    root = f"√{d_k}" if trace.scale else ""
    factors = [part for part in (root, f"{trace.temperature:g}" if trace.temperature != 1 or not root else "") if part]
    return f"({' · '.join(factors)} = {written(trace.divisor, digits)})" if root else factors[0]


def _origins(scenario: Scenario, names: list[str]) -> dict[str, str]:
    origins = {}
    for name in names:
        if STAGES[name].rule == "given":
            by = getattr(scenario, name)
            replaced = f"replaced: {by}" if isinstance(by, str) else "given"
            drawn = f"drawn by {scenario.init}, seed {scenario.seed}" if by is None else replaced
            edits = sum(edit.matrix == name for edit in scenario.edits)
            drawn += f"; edited cells: {edits}, underlined" if edits else ""
            origins[name] = vectors_in_words(scenario) if name == "x" else f"{STAGES[name].symbol} is {drawn}."
    return origins


def _take_edits(key: str, make: Callable[[Change], None]) -> None:
    """Lay the edits made on the board over the scenario; what does not fit gets a message."""
    sent = st.session_state[key].get("edits") or []

    def lay_over(scenario: Scenario) -> Scenario:
        edits = tuple(Edit(each["matrix"], each["row"], each["column"], each["value"]) for each in sent)
        return with_changes(scenario, changes_of(scenario) + Changes(edits=edits))

    try:
        make(lay_over)
    except (ValueError, TypeError, KeyError) as error:
        state.say(f"This edit was not taken: {error}.")


def _take_reset(key: str, make: Callable[[Change], None]) -> None:
    """Drop the edit of one cell."""
    sent = st.session_state[key].get("reset") or {}
    cell = (sent.get("matrix"), sent.get("row"), sent.get("column"))
    make(lambda scenario: replace(scenario, edits=tuple(edit for edit in scenario.edits if edit[:3] != cell)))


def _change_scenario_of_now(change: Change) -> None:
    scenario = scenario_now()
    if scenario is not None:
        state.keep(change(scenario))
        state.redraw_editors()
